"""A treated run as ordinary qrels and an ordinary run, for measures that only ir_measures can compute."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from pyterrier_unjudged.judged_run import JudgedRun

#: measures that read the qrels' ``iteration`` as the id of a subtopic, so that a document may have several rows
SUBTOPIC_MEASURES = ('alpha_DCG', 'alpha_nDCG', 'ERR_IA', 'nERR_IA', 'NRBP', 'nNRBP', 'AP_IA', 'P_IA', 'StRecall')


def run_frame(run: JudgedRun) -> pd.DataFrame:
    """Returns the ranking as a run without ties, with columns ``query_id``, ``doc_id``, ``score``."""
    topic, rank = np.nonzero(run.rows >= 0)
    frame = run.frame[['query_id', 'doc_id']].iloc[run.rows[topic, rank]]
    return frame.assign(score=-rank.astype(float))


def qrels_frame(run: JudgedRun, treated: JudgedRun) -> pd.DataFrame:
    """Returns the qrels in which documents that are unjudged in ``run`` have the grades that ``treated`` gives them.

    Where ``treated`` keeps the pool's counts, an unjudged document takes over the judgments of a document of its grade
    that isn't ranked; otherwise it is added, once for each subtopic of the topic.
    """
    unjudged = np.zeros(len(run.frame) + 1, dtype=bool)  # one more for row -1, the padding
    unjudged[run.rows[run.unjudged]] = True
    topic, rank = np.nonzero(unjudged[treated.rows] & (treated.labels > 0))
    received = pd.DataFrame({
        'query_id': run.qids[topic],
        'doc_id': run.frame['doc_id'].to_numpy(dtype=object)[treated.rows[topic, rank]],
        'relevance': treated.labels[topic, rank].astype(int)})
    qrels = run.judgments.frame
    if received.empty:
        return qrels
    return _added(qrels, received) if treated.pool is not run.pool else _taken_over(qrels, received, run_frame(treated))


def _added(qrels: pd.DataFrame, received: pd.DataFrame) -> pd.DataFrame:
    if 'iteration' in qrels.columns:
        received = received.merge(qrels[['query_id', 'iteration']].drop_duplicates(), on='query_id')
    return pd.concat([qrels, received], ignore_index=True)


def _taken_over(qrels: pd.DataFrame, received: pd.DataFrame, run: pd.DataFrame) -> pd.DataFrame:
    judged = qrels.groupby(['query_id', 'doc_id'], sort=False)['relevance'].max().reset_index()
    ranked = pd.MultiIndex.from_frame(judged[['query_id', 'doc_id']]).isin(
        pd.MultiIndex.from_frame(run[['query_id', 'doc_id']]))
    givers = judged[~ranked]
    place = ['query_id', 'relevance']
    pairs = (givers.assign(place=givers.groupby(place).cumcount())
             .merge(received.assign(place=received.groupby(place).cumcount()), on=[*place, 'place'],
                    suffixes=('', '_receiver')))
    renamed = qrels.merge(pairs[['query_id', 'doc_id', 'doc_id_receiver']], on=['query_id', 'doc_id'], how='left')
    return qrels.assign(doc_id=renamed['doc_id_receiver'].fillna(renamed['doc_id']).to_numpy())


def evaluate(measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame, qids: np.ndarray) -> np.ndarray:
    """Scores a run by whichever provider of ir_measures has the measure; topics without a score get its default."""
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    return np.array([values.get(qid, measure.DEFAULT) for qid in qids], dtype=float)
