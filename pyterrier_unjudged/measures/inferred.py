"""Inferred measures: estimates from judgments of a sample of the pool, drawn at a rate of its own in each stratum."""

from __future__ import annotations

import dataclasses
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import RBP, measures, nDCG
from ir_measures.measures import Measure, ParamInfo

from pyterrier_unjudged import kernels
from pyterrier_unjudged.judged_run import PADDING, JudgedRun
from pyterrier_unjudged.kernels import added_up, ratio

POOLED = -1  #: label of a document that is in the pool but was not drawn for judging, as trec_eval has it
SMOOTHING = 0.00001  #: trec_eval's infAP adds it where nothing above a document was judged


@dataclasses.dataclass(frozen=True, eq=False)
class SampledPool:
    """A run as inferred measures see it: in which stratum of the pool each document is, and whether it was judged.

    Attributes:
        labels: grades of the ranked documents, negative where they weren't judged, shape (topics, depth).
        stratum: code of each ranked document's stratum, -1 outside the pool, shape (topics, depth).
        size: documents in each stratum of the pool, shape (topics, strata).
        judged: judged ones among them per grade, shape (topics, strata, highest grade + 1).
    """

    labels: np.ndarray
    stratum: np.ndarray
    size: np.ndarray
    judged: np.ndarray

    @classmethod
    def of(cls, run: JudgedRun) -> SampledPool:
        """Reads the strata from the column ``iteration`` of the qrels; without it there is one."""
        judgments = run.judgments
        qrels = judgments.frame.iloc[judgments.rows]
        pooled = (pd.to_numeric(qrels['relevance']) == POOLED).to_numpy()
        strata = np.zeros(len(qrels), dtype=int)
        if 'iteration' in qrels.columns:
            strata = pd.factorize(qrels['iteration'].astype(str), sort=True)[0]
        number = int(strata.max(initial=0)) + 1
        topic = judgments.pairs // max(len(judgments.docnos), 1)
        cell = topic * number + strata
        size = np.bincount(cell, minlength=len(run.qids) * number).reshape(-1, number)
        cell = (cell * run.pool.shape[1] + judgments.grades)[~pooled]
        judged = np.bincount(cell, minlength=size.size * run.pool.shape[1]).reshape(*size.shape, -1)
        labels = np.where(np.append(pooled, False)[run.positions], POOLED, run.labels)
        stratum = np.where(run.labels == PADDING, -1, np.append(strata, -1)[run.positions])
        return cls(labels, stratum, size, judged)

    def within(self) -> np.ndarray:
        """Returns for each stratum which ranked documents are in it, bool, shape (strata, topics, depth)."""
        return self.stratum == np.arange(self.size.shape[1])[:, None, None]

    def documents_per_judgment(self) -> np.ndarray:
        """Returns how many documents of its stratum a judgment stands for, shape (topics, strata)."""
        return ratio(self.size, self.judged.sum(axis=-1))


class InferredMeasure(Measure):
    """A measure that tells pooled documents without a judgment (label -1) from documents outside the pool.

    The stratum of a document is in the qrels' column ``iteration``; :func:`~pyterrier_unjudged.two_strata` makes such
    judgments. Other negative labels count as judged and not relevant.
    """

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        """Returns the value of each judged topic, shape (topics,)."""
        raise NotImplementedError


class _XinfAP(InferredMeasure):
    """Average precision estimated from a stratified sample of judgments.

    The precision at a judged relevant document's rank k is expected to be 1/k plus, for each stratum, the share of the
    ranks above that it holds times the share of relevant ones among its judged documents there. These precisions are
    averaged with the number of documents that each judgment stands for. With one stratum it equals trec_eval's infAP,
    whose smoothing it has; with everything judged it is average precision up to that smoothing (about 1e-5).

    Args:
        rel: lowest grade that is relevant.

    Source: Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008,
    Section 3.

    Example:
        >>> from ir_measures import Qrel
        >>> from pyterrier_unjudged import xinfAP
        >>> qrels = [Qrel('q', 'a', 1, '1'), Qrel('q', 'b', 1, '2'), Qrel('q', 'c', -1, '2')]
        >>> round(xinfAP.calc_aggregate(qrels, {'q': {'a': 3.0, 'b': 2.0}}), 3)  # (1 x 1 + 2 x 1) / (1 + 2)
        1.0
    """

    __name__ = NAME = 'xinfAP'
    PRETTY_NAME = 'Extended Inferred Average Precision'
    SHORT_DESC = 'Average precision estimated from a stratified sample of judgments.'
    SUPPORTED_PARAMS = {
        'rel': ParamInfo(dtype=int, default=1, desc='minimum relevance score to be considered relevant (inclusive)'),
    }

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        pool, rel = SampledPool.of(run), max(self['rel'], 0)
        relevant = pool.labels >= rel
        precision = np.ones(relevant.shape)  # times the rank; the document itself
        for within in pool.within():
            pooled, judged, found = (_above(within & which) for which in (True, pool.labels >= 0, relevant))
            precision += pooled * (found + SMOOTHING) / (judged + 2 * SMOOTHING)
        precision /= np.arange(1, relevant.shape[1] + 1)
        weight = pool.documents_per_judgment()
        stands_for = np.take_along_axis(weight, np.maximum(pool.stratum, 0), axis=1)
        total = added_up(np.where(relevant, stands_for * precision, 0.0))
        return ratio(total, (weight * pool.judged[..., rel:].sum(axis=-1)).sum(axis=1))


class _InfNDCG(InferredMeasure):
    """nDCG estimated from a stratified sample of judgments.

    In each stratum the mean discounted gain of the judged documents in the top k stands for all of its documents there.
    The ideal ranking has as many documents of each grade as the sample lets expect in the pool; parts of documents fill
    parts of ranks. With everything judged it equals nDCG; an estimate may exceed 1.

    Args:
        cutoff: ranks that count, all by default.
        dcg: ``'log2'``, gain = grade, or ``'exp-log2'``, gain = 2^grade - 1.
        gains: grade -> gain.

    Source: Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008,
    Section 4.

    Example:
        >>> from ir_measures import Qrel
        >>> from pyterrier_unjudged import infNDCG
        >>> qrels = [Qrel('q', 'a', 0, '1'), Qrel('q', 'b', 1, '2'), Qrel('q', 'c', -1, '2')]
        >>> round((infNDCG@3).calc_aggregate(qrels, {'q': {'a': 3.0, 'b': 2.0, 'c': 1.0}}), 3)
        0.774
    """

    __name__ = NAME = 'infNDCG'
    PRETTY_NAME = 'Inferred Normalised Discounted Cumulative Gain'
    SHORT_DESC = 'nDCG estimated from a stratified sample of judgments.'
    SUPPORTED_PARAMS = {name: info for name, info in nDCG.SUPPORTED_PARAMS.items() if name != 'judged_only'}

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        run = run.top(self.params.get('cutoff'))
        pool, score = SampledPool.of(run), kernels.kernel(nDCG(**self.params))
        gained = score.gain_of(pool.labels, run.pool.shape[1]) * score.weights(run.labels.shape[1])
        total = np.zeros(len(run.qids))
        for within in pool.within():
            judged = within & (pool.labels >= 0)
            total += ratio(within.sum(axis=1), judged.sum(axis=1)) * added_up(np.where(judged, gained, 0.0))
        expected = (pool.judged * pool.documents_per_judgment()[..., None]).sum(axis=1)
        return score.normalised(total, expected)


class _InfRBP(InferredMeasure):
    """Rank-biased precision of a run whose pool was judged completely down to some depth and sampled below.

    A stratum in which some document is pooled but not judged is a sample. What the run gains from sampled documents is
    scaled up to the weight of all its documents outside the completely judged strata. Without samples it is RBP.

    Args:
        p: persistence of the user.
        rel: lowest grade that is relevant; by default gain = grade / highest grade of the collection.
        cutoff: ranks that count, all by default.

    Source: Lu, Moffat & Culpepper, Can Deep Effectiveness Metrics Be Evaluated Using Shallow Judgment Pools?,
    SIGIR 2017, Eq. 5.

    Example:
        >>> from ir_measures import Qrel
        >>> from pyterrier_unjudged import InfRBP
        >>> qrels = [Qrel('q', 'a', 1, '1'), Qrel('q', 'b', 1, '2'), Qrel('q', 'c', -1, '2')]
        >>> run = {'q': {'a': 3.0, 'b': 2.0, 'c': 1.0}}
        >>> InfRBP(p=0.5, rel=1).calc_aggregate(qrels, run)  # 1/2 + (1/4 + 1/8) / (1/4) x 1/4
        0.875
    """

    __name__ = NAME = 'InfRBP'
    PRETTY_NAME = 'Inferred Rank-Biased Precision'
    SHORT_DESC = 'RBP with the gain of sampled documents scaled up to all that were not judged for sure.'
    SUPPORTED_PARAMS = RBP.SUPPORTED_PARAMS

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        run = run.top(self.params.get('cutoff'))
        pool = SampledPool.of(run)
        complete = np.append(pool.size == pool.judged.sum(axis=-1), np.zeros((len(run.qids), 1), bool), axis=1)
        complete = np.take_along_axis(complete, pool.stratum, axis=1)  # stratum -1 finds the False appended last
        return scaled_up(kernels.kernel(RBP(**self.params)), dataclasses.replace(run, labels=pool.labels), complete)


def scaled_up(score: kernels.WeightedSum, run: JudgedRun, complete: np.ndarray) -> np.ndarray:
    """Returns scores in which the gain of sampled documents stands for all outside the complete strata (Eq. 5).

    Args:
        score: a weighted-precision measure.
        run: the run; its judged documents outside the complete strata are the sample.
        complete: which ranked documents are in strata that were judged completely, bool, shape (topics, depth).
    """
    weights = score.weights(run.labels.shape[1])
    gained = score.gain_of(run.labels, run.pool.shape[1]) * weights
    sample = ~complete & (run.labels >= 0)
    scale = ratio(added_up(np.where((run.rows >= 0) & ~complete, weights, 0.0)),
                  added_up(np.where(sample, weights, 0.0)))
    return added_up(np.where(complete, gained, 0.0)) + scale * added_up(np.where(sample, gained, 0.0))


def _above(which: Any) -> np.ndarray:
    """Returns how many documents above each rank are meant, shape (topics, depth)."""
    return which.cumsum(axis=1) - which


xinfAP, infNDCG, InfRBP = _XinfAP(), _InfNDCG(), _InfRBP()  # noqa: N816 (the names of the field)
InfAP = ir_measures.infAP  #: trec_eval's infAP, computed by ir_measures' own provider
for _measure in (xinfAP, infNDCG, InfRBP):
    measures.register(_measure)
