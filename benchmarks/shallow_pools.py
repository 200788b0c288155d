"""The two-stage fit against the same problem by SLSQP with numeric gradients, and its growth."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import RBP
from scipy.optimize import least_squares, minimize

from benchmarks.measuring import seconds
from pyterrier_unjudged.estimators import TwoStageGain
from pyterrier_unjudged.estimators.contributing import ContributingRuns
from pyterrier_unjudged.estimators.models import MODELS
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.runs import read_runs
from pyterrier_unjudged.studies.judgments import pooled

MEASURE = RBP(p=0.95, rel=1)
DEPTH, POOL_DEPTH = 100, 10
SOLVED = 5  #: topics that SLSQP is timed with
#: where the fit of each curve starts, and its bounds
CURVES = {'linear': ([0.5, -0.01], ([-9, -9], [9, 0])), 'zipf': ([2, 0.7], ([0, 0.5], [1000, 5])),
          'weibull': ([10, 1, 5], ([0.2, 0.1, 0], [100, 8, 1000]))}


def main() -> None:
    runs = _runs()
    print(f'{runs.codes.shape[0]} runs, {runs.codes.shape[1]} topics, depth {DEPTH}, pool depth {POOL_DEPTH}')
    for loss in 'ab':
        against_slsqp(runs, loss)
    growth()


def against_slsqp(runs: ContributingRuns, loss: str) -> None:
    estimator = TwoStageGain(loss, measure=MEASURE, depth=DEPTH, pool_depth=POOL_DEPTH)
    problems = [_Problem(runs, topic, loss) for topic in range(SOLVED)]
    ours, theirs = seconds(lambda: estimator.fit_encoded(runs),
                           lambda: [problem.fit_and_solve() for problem in problems], repeats=3)
    lower = [problem.loss([own[topic] for own in estimator.system_weights])
             for topic, problem in enumerate(problems)]
    slsqp = [problem.loss(problem.solve(problem.predicted())) for problem in problems]
    ours, theirs = ours / runs.codes.shape[1], theirs / SOLVED
    print(f'loss {loss}: {1000 * ours:.1f} ms a topic for curves and both stages; least squares and SLSQP with '
          f'numeric gradients take {theirs / ours:.0f} times as long; first-stage losses {np.sum(lower):.6f} against '
          f'{np.sum(slsqp):.6f}')


class _Problem:
    """One topic as the paper states it: losses of weights, minimised by a general optimiser."""

    def __init__(self, runs: ContributingRuns, topic: int, loss: str):
        weights = 0.05 * 0.95 ** np.arange(DEPTH)
        _, labels, ranks, retrieved = runs.topic(topic)
        judged = labels >= 0
        self.gain = (labels[judged] >= 1).astype(float)
        self.weights = np.where(retrieved, weights[ranks], 0.0)[judged]
        self.ranks = ranks[judged]
        self.rank_gains = runs.rank_gains((np.arange(runs.judgments.pool.shape[1]) >= 1).astype(float),
                                          POOL_DEPTH)[[topic]]
        self.of_error = self._loss_a if loss == 'a' else self._loss_b

    def predicted(self) -> list[np.ndarray]:
        """Returns the gains of our curves at each document's ranks, shapes (documents, systems)."""
        return [model.gains(model.fit(self.rank_gains), np.arange(1.0, DEPTH + 1))[0][self.ranks]
                for model in MODELS.values()]

    def fit_and_solve(self) -> None:
        """Fits the curves by bounded least squares with numeric gradients, then solves both stages."""
        at = np.arange(1.0, POOL_DEPTH + 1)
        curves = []
        for name, (start, bounds) in CURVES.items():
            curve = MODELS[name].curve
            known = self.rank_gains[0, :POOL_DEPTH]
            found = least_squares(lambda x, c=curve, known=known: c(np.array([x])[:, :, None], at)[0] - known, start,
                                  bounds=bounds).x
            curves.append(np.clip(curve(found[None, :, None], np.arange(1.0, DEPTH + 1))[0], 0, 1)[self.ranks])
        self.solve(curves)

    def _loss_a(self, error: np.ndarray) -> float:
        return np.sqrt(((self.weights * error[:, None]).sum(axis=0) ** 2).sum())

    def _loss_b(self, error: np.ndarray) -> float:
        return np.sqrt(((self.weights * error[:, None]) ** 2).sum(axis=1)).sum()

    def solve(self, predicted: list[np.ndarray]) -> list[np.ndarray]:
        """Solves both stages; returns the weights of the first."""
        first = [self._minimise(gains) for gains in predicted]
        self._minimise(np.stack([gains @ own for gains, own in zip(predicted, first, strict=True)], axis=1))
        return first

    def _minimise(self, predicted: np.ndarray) -> np.ndarray:
        number = predicted.shape[1]
        return minimize(lambda w: self.of_error(predicted @ w - self.gain), np.full(number, 1 / number), method='SLSQP',
                        bounds=[(0, 1)] * number, constraints={'type': 'eq', 'fun': lambda w: w.sum() - 1}).x

    def loss(self, system_weights: list[np.ndarray]) -> float:
        """Returns the losses of the first stage, summed over models; the second stage's problem depends on it."""
        return sum(self.of_error(predicted @ own - self.gain)
                   for predicted, own in zip(self.predicted(), system_weights, strict=True))


def growth() -> None:
    def fit(systems: int, depth: int):
        runs = _generated(systems, depth)
        return lambda: TwoStageGain(measure=MEASURE, depth=depth, pool_depth=POOL_DEPTH).fit_encoded(runs)
    systems = seconds(*(fit(number, DEPTH) for number in (10, 20, 40)), repeats=3)
    depths = seconds(*(fit(20, depth) for depth in (50, 100, 200)), repeats=3)
    for what, times in (('10, 20, 40 systems', systems), ('depth 50, 100, 200', depths)):
        print(f'{what}: {", ".join(f"{time / times[0]:.1f}" for time in times)} times')


def _runs() -> ContributingRuns:
    folder = Path(os.environ.get('UNJUDGED_DATA', '')) / 'robust03'
    if not folder.exists():
        return _generated(15, DEPTH)
    runs = {name: run for name, run in read_runs(folder / 'runs').items() if run.groupby('qid').size().median() > DEPTH}
    qrels = pt.io.read_qrels(str(folder / 'qrels.txt.gz'))
    return _shallow(runs, qrels[qrels['qid'].astype(int) > 600], DEPTH)


def _generated(systems: int, depth: int, topics: int = 20) -> ContributingRuns:
    random = np.random.default_rng(0)
    frames: dict[str, list[pd.DataFrame]] = {f's{number}': [] for number in range(systems)}
    qrels = []
    for qid in map(str, range(topics)):
        docnos = np.array([f'{qid}-{number}' for number in range(4 * depth)])
        quality = random.standard_normal(len(docnos))
        for name in frames:
            score = quality + 0.7 * random.standard_normal(len(docnos))
            best = np.argsort(-score)[:depth]
            frames[name].append(pd.DataFrame({'qid': qid, 'docno': docnos[best], 'score': score[best]}))
        qrels.append(pd.DataFrame({'qid': qid, 'docno': docnos, 'label': (quality > 1.3).astype(int)}))
    return _shallow({name: pd.concat(parts) for name, parts in frames.items()}, pd.concat(qrels), depth)


def _shallow(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, depth: int) -> ContributingRuns:
    judgments = Judgments.encode(qrels)
    encoded = [JudgedRun.encode(run, judgments) for run in runs.values()]
    kept = pooled(encoded, POOL_DEPTH)
    fewer = judgments.kept(kept)
    return ContributingRuns.of([run.rejudged(kept, fewer) for run in encoded], depth)
