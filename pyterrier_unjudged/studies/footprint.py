"""What indexing and retrieval cost on a corpus and on its subcorpora."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

Documents = Iterable[dict[str, Any]]


def retrieval_footprint(pipelines: Mapping[str, Callable[[Documents], pt.Transformer]],
                        corpora: Mapping[str, Callable[[], Documents]], topics: pd.DataFrame,
                        depth: int = 10) -> pd.DataFrame:
    """Measures time, energy and emissions of indexing and retrieval, and how alike the rankings are.

    Args:
        pipelines: name -> function that indexes documents and returns the retrieval pipeline.
        corpora: name -> function that returns the documents, such as ``dataset.get_corpus_iter``; the first one is what
            rankings on the others are compared with.
        topics: columns ``qid``, ``query``.
        depth: ranks that are compared.

    Returns:
        One row per pipeline and corpus, columns ``name``, ``corpus``, ``index_seconds``, ``index_kwh``,
        ``index_kg_co2``, ``retrieve_seconds``, ``retrieve_kwh``, ``retrieve_kg_co2``, ``rbo`` (average overlap of the
        top ``depth`` with that on the first corpus, mean over topics).

    Raises:
        ImportError: where codecarbon is missing.
        ValueError: where there is nothing to measure.

    Source: Fröbe et al., Corpus Subsampling, ECIR 2025, Figure 2 and Table 6.
    """
    try:
        from codecarbon import OfflineEmissionsTracker
    except ImportError:
        raise ImportError('Energy is measured by codecarbon: pip install pyterrier-unjudged[energy]') from None
    if not pipelines or not corpora or topics.empty:
        raise ValueError('There is nothing to measure: pipelines, corpora and topics are needed.')

    def measured(work: Callable[[], Any]) -> tuple[Any, list[float]]:
        tracker = OfflineEmissionsTracker(country_iso_code='USA', save_to_file=False, log_level='error')
        tracker.start()
        start = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - start
        emitted = tracker.stop()
        return result, [seconds, float(tracker.final_emissions_data.energy_consumed), float(emitted or 0.0)]
    rows = []
    for name, pipeline in pipelines.items():
        reference = None
        for corpus, documents in pt.tqdm(corpora.items(), desc=name):
            retrieve, indexing = measured(lambda build=pipeline, documents=documents: build(documents()))
            results, retrieval = measured(lambda retrieve=retrieve: retrieve(topics))
            reference = results if reference is None else reference
            rows.append((name, corpus, *indexing, *retrieval, _overlap(reference, results, depth)))
    return pd.DataFrame(rows, columns=['name', 'corpus', *(f'{phase}_{unit}' for phase in ('index', 'retrieve')
                                                           for unit in ('seconds', 'kwh', 'kg_co2')), 'rbo'])


def _overlap(one: pd.DataFrame, other: pd.DataFrame, depth: int) -> float:
    """Returns the average overlap of two tops, mean over the topics of the first."""
    ranked = [pt.model.add_ranks(results[['qid', 'docno', 'score']]) for results in (one, other)]
    tops = [results[results['rank'] < depth] for results in ranked]
    places = tops[0].merge(tops[1], on=['qid', 'docno'], how='outer', suffixes=('_one', '_other')).fillna(depth)
    values = []
    for qid in tops[0]['qid'].unique():
        own = places[places['qid'] == qid]
        # Documents that one lacks stand behind all of its own; only the first ranks are compared.
        shared = np.maximum(own['rank_one'], own['rank_other']).to_numpy(dtype=int)
        found = np.bincount(shared, minlength=depth + 1)[:depth].cumsum()
        values.append((found / np.arange(1, depth + 1)).mean())
    return float(np.mean(values)) if values else 0.0
