"""What comes out of experiments and studies, compared: one statistic per file."""

from pyterrier_unjudged.analysis.discriminative_power import DiscriminativePower, discriminative_power
from pyterrier_unjudged.analysis.score_matrix import ScoreMatrix

__all__ = ['DiscriminativePower', 'ScoreMatrix', 'discriminative_power']
