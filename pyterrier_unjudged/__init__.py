"""Retrieval evaluation with documents that nobody judged, for PyTerrier and ir_measures."""

from pyterrier_unjudged import analysis, plots, studies, subsampling
from pyterrier_unjudged.analysis import (
    accuracy,
    decision_matrices,
    decision_matrix,
    discriminative_power,
    rank_correlation,
    reconstruction,
    rmse,
)
from pyterrier_unjudged.condensed_list import CondensedList
from pyterrier_unjudged.estimators import RankGain, TwoStageGain
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.measures import BPref, InfAP, InfRBP, Q, RPref, infNDCG, nDCG_JK, xinfAP
from pyterrier_unjudged.parsing import parse_measure
from pyterrier_unjudged.provider import provider  # noqa: F401 (importing it registers it)
from pyterrier_unjudged.runs import read_runs
from pyterrier_unjudged.studies import (
    leave_one_group_out,
    reduce_judgments,
    retrieval_footprint,
    reusability_report,
    robustness,
    shallow_pools,
    two_strata,
)
from pyterrier_unjudged.subsampling import Subcorpus, extract, judged, judged_plus_random, loft, pool, rerank_pool
from pyterrier_unjudged.treatments import (
    Assessment,
    Bootstrap,
    Condensed,
    Expected,
    Interpolated,
    Lower,
    Residual,
    Treatment,
    Upper,
    bootstrap_scores,
)

__version__ = '0.1.0'

__all__ = ['Assessment', 'BPref', 'Bootstrap', 'Condensed', 'CondensedList', 'Expected', 'InfAP', 'InfRBP',
           'Interpolated', 'JudgedRun', 'Judgments', 'Lower', 'Q', 'RPref', 'RankGain', 'Residual', 'Subcorpus',
           'Treatment', 'TwoStageGain', 'Upper', 'accuracy', 'analysis', 'bootstrap_scores', 'decision_matrices',
           'decision_matrix', 'discriminative_power', 'extract', 'infNDCG', 'judged', 'judged_plus_random',
           'leave_one_group_out', 'loft', 'nDCG_JK', 'parse_measure', 'plots', 'pool', 'rank_correlation', 'read_runs',
           'reconstruction', 'reduce_judgments', 'rerank_pool', 'retrieval_footprint', 'reusability_report', 'rmse',
           'robustness', 'shallow_pools', 'studies', 'subsampling', 'two_strata', 'xinfAP']
