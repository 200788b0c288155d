"""Transformers that predict the gain of unjudged documents from the runs that contributed to the pool."""

from pyterrier_unjudged.estimators.rank_gain import RankGain
from pyterrier_unjudged.estimators.two_stage import TwoStageGain

__all__ = ['RankGain', 'TwoStageGain']
