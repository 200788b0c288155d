"""Studies: many systems under many sets of judgments, one study per file."""

from pyterrier_unjudged.studies.footprint import retrieval_footprint
from pyterrier_unjudged.studies.judgments import reduce_judgments, two_strata
from pyterrier_unjudged.studies.leave_one_group_out import leave_one_group_out
from pyterrier_unjudged.studies.reusability import ReusabilityReport, reusability_report
from pyterrier_unjudged.studies.robustness import robustness
from pyterrier_unjudged.studies.shallow_pools import shallow_pools

__all__ = ['ReusabilityReport', 'leave_one_group_out', 'reduce_judgments', 'retrieval_footprint', 'reusability_report',
           'robustness', 'shallow_pools', 'two_strata']
