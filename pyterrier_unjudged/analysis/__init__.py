"""What comes out of experiments and studies, compared: one statistic per file."""

from pyterrier_unjudged.analysis.accuracy import accuracy
from pyterrier_unjudged.analysis.discriminative_power import DiscriminativePower, discriminative_power
from pyterrier_unjudged.analysis.rank_correlation import RankCorrelation, rank_correlation
from pyterrier_unjudged.analysis.score_matrix import ScoreMatrix

__all__ = ['DiscriminativePower', 'RankCorrelation', 'ScoreMatrix', 'accuracy', 'discriminative_power',
           'rank_correlation']
