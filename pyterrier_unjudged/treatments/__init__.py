"""What unjudged documents are taken for, one treatment per file."""

from pyterrier_unjudged.treatments.assessment import Assessment
from pyterrier_unjudged.treatments.base import Treatment
from pyterrier_unjudged.treatments.bootstrap import Bootstrap, bootstrap_scores
from pyterrier_unjudged.treatments.bounds import Lower, Residual, Upper
from pyterrier_unjudged.treatments.condensed import Condensed
from pyterrier_unjudged.treatments.expected import Expected
from pyterrier_unjudged.treatments.interpolated import Interpolated

#: name -> treatment
TREATMENTS = {treatment.NAME: treatment for treatment in (Condensed, Lower, Upper, Residual, Interpolated, Expected,
                                                          Bootstrap, Assessment)}

__all__ = ['Assessment', 'Bootstrap', 'Condensed', 'Expected', 'Interpolated', 'Lower', 'Residual', 'TREATMENTS',
           'Treatment', 'Upper', 'bootstrap_scores']
