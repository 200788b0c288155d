"""Studies: many systems under many sets of judgments, one study per file."""

from pyterrier_unjudged.studies.judgments import reduce_judgments, two_strata
from pyterrier_unjudged.studies.robustness import robustness

__all__ = ['reduce_judgments', 'robustness', 'two_strata']
