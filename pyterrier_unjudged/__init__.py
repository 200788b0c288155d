"""Retrieval evaluation with documents that nobody judged, for PyTerrier and ir_measures."""

from pyterrier_unjudged import analysis, plots, studies
from pyterrier_unjudged.analysis import discriminative_power
from pyterrier_unjudged.condensed_list import CondensedList
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.measures import BPref, InfAP, InfRBP, Q, RPref, infNDCG, nDCG_JK, xinfAP
from pyterrier_unjudged.parsing import parse_measure
from pyterrier_unjudged.provider import provider  # noqa: F401 (importing it registers it)
from pyterrier_unjudged.studies import reduce_judgments, robustness, two_strata
from pyterrier_unjudged.treatments import (
    Assessment,
    Bootstrap,
    Condensed,
    Lower,
    Residual,
    Treatment,
    Upper,
    bootstrap_scores,
)

__version__ = '0.1.0'

__all__ = ['Assessment', 'BPref', 'Bootstrap', 'Condensed', 'CondensedList', 'InfAP', 'InfRBP', 'JudgedRun',
           'Judgments', 'Lower', 'Q', 'RPref', 'Residual', 'Treatment', 'Upper', 'analysis', 'bootstrap_scores',
           'discriminative_power', 'infNDCG', 'nDCG_JK', 'parse_measure', 'plots', 'reduce_judgments', 'robustness',
           'studies', 'two_strata', 'xinfAP']
