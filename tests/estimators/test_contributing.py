import numpy as np
import pandas as pd
import pytest

from pyterrier_unjudged.estimators.contributing import ContributingRuns
from pyterrier_unjudged.judged_run import JudgedRun, Judgments

#: three runs; a is relevant and in three of them, b is relevant and in one; c is not relevant, d to g are unjudged
RUNS = ['acd', 'bae', 'cad']
BINARY = np.array([0.0, 1.0])


def contributing(runs=RUNS, depth=3, grades=(('a', 1), ('b', 1), ('c', 0))) -> ContributingRuns:
    judgments = Judgments.encode({'q': dict(grades)})
    frames = [pd.DataFrame({'query_id': 'q', 'doc_id': list(run), 'score': -np.arange(float(len(run)))})
              for run in runs]
    return ContributingRuns.of([JudgedRun.encode(frame, judgments) for frame in frames], depth)


def test_mean_gains_by_rank():
    assert contributing().rank_gains(BINARY, 2)[0] == pytest.approx([2 / 3, 2 / 3, np.nan], nan_ok=True)
    assert contributing().pool_depths(None).tolist() == [2]
    assert contributing().rank_gains(BINARY, None)[0] == pytest.approx([2 / 3, 2 / 3, np.nan], nan_ok=True)


def test_where_no_rank_is_judged_for_all_runs_all_judgments_count():
    runs = contributing(['ade', 'dab'])
    assert runs.pool_depths(None).tolist() == [0]
    assert runs.rank_gains(BINARY, None)[0] == pytest.approx([1, 1, 1])


def test_variation_by_hand():
    # Eq. 10: a is found three times, b once: f_1 = f_3 = 1, R' = 2, C = 4
    square = 2 / (1 - 1 / 4) * (3 * 2 * 1) / (4 * 3) - 1
    assert contributing().variation(BINARY, 2)[0] == pytest.approx(np.sqrt(square) / 3)


def test_variation_at_its_ends():
    assert contributing(['ab', 'cb'], grades=[('c', 0)]).variation(BINARY, 2).tolist() == [0]
    assert contributing(['ab', 'cd']).variation(BINARY, 2).tolist() == [np.inf]
    assert contributing(['ab', 'ab']).variation(BINARY, 2).tolist() == [0]


def test_ranks_of_documents():
    runs = contributing(['acd', 'ba'])
    codes, labels, ranks, retrieved = runs.topic(0)
    assert runs.documents[codes].tolist() == ['a', 'c', 'd', 'b']
    assert labels.tolist() == [1, 0, -1, 1]
    assert ranks.tolist() == [[0, 1], [1, 2], [2, 2], [2, 0]]  # the last rank where a run lacks the document
    assert retrieved.tolist() == [[True, True], [True, False], [True, False], [False, True]]


def test_fewer_judgments_and_runs():
    runs = contributing()
    kept = np.array([True, False, True])
    fewer = runs.rejudged(kept, runs.judgments.kept(kept))
    again = contributing(grades=[('a', 1), ('c', 0)])
    assert (fewer.labels == again.labels).all()
    assert (fewer.of_systems([2, 0]).labels == again.labels[[2, 0]]).all()
