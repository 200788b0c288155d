"""What comes out of experiments and studies, compared: one statistic per file."""

from pyterrier_unjudged.analysis.accuracy import accuracy
from pyterrier_unjudged.analysis.decision_matrix import DecisionMatrix, decision_matrices, decision_matrix
from pyterrier_unjudged.analysis.discriminative_power import DiscriminativePower, discriminative_power
from pyterrier_unjudged.analysis.rank_correlation import RankCorrelation, rank_correlation
from pyterrier_unjudged.analysis.reconstruction import Reconstruction, reconstruction
from pyterrier_unjudged.analysis.rmse import RootMeanSquaredError, rmse
from pyterrier_unjudged.analysis.score_matrix import ScoreMatrix

__all__ = ['DecisionMatrix', 'DiscriminativePower', 'RankCorrelation', 'Reconstruction', 'RootMeanSquaredError',
           'ScoreMatrix', 'accuracy', 'decision_matrices', 'decision_matrix', 'discriminative_power',
           'rank_correlation', 'reconstruction', 'rmse']
