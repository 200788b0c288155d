"""The embedded demo collection: ``pt.get_dataset('unjudged:demo')``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

import pandas as pd
import pyterrier as pt

_FILES = resources.files('pyterrier_unjudged.datasets').joinpath('demo')
_SUFFIX = '.res.gz'


class DemoDataset(pt.datasets.Dataset):
    """A test collection small enough to read, with the problem of incomplete judgments and the truth about it.

    255 short documents and 15 topics, written for this package and judged completely, with grades 0 to 2. Each topic
    has relevant documents that share no word with the query, and documents that share words but are not relevant. The
    incomplete judgments are what pooling the lexical systems to depth 10 finds, so that the dense system retrieves
    relevant documents that nobody judged.

    Example:
        >>> demo = DemoDataset()
        >>> len(demo.get_topics()), len(demo.get_qrels('complete'))
        (15, 3825)
        >>> demo.systems
        ['bm25', 'dense', 'dph', 'hybrid', 'pl2', 'qld']
    """

    @property
    def systems(self) -> list[str]:
        """The names of the systems that :meth:`get_results` has results of."""
        return sorted(file.name.removesuffix(_SUFFIX) for file in _FILES.joinpath('results').iterdir()
                      if file.name.endswith(_SUFFIX))

    def get_corpus_iter(self, verbose: bool = True, start: int = 0,
                        count: int | None = None) -> Iterable[dict[str, Any]]:
        """Returns the documents, dicts with ``docno`` and ``text``.

        Args:
            verbose: whether to show a progress bar.
            start: the first document, counted from 0.
            count: how many documents, None for all.
        """
        lines = _FILES.joinpath('docs.jsonl').read_text(encoding='utf-8').splitlines()
        lines = lines[start:None if count is None else start + count]
        shown = pt.tqdm(lines, desc='unjudged:demo documents') if verbose else lines
        return pt.utils.GeneratorLen(map(json.loads, shown), len(lines))

    def get_corpus_lang(self) -> str:
        return 'en'

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Returns the topics, with columns ``qid`` and ``query``."""
        if variant is not None:
            raise ValueError(f'The demo collection has one set of topics, no variant {variant!r}.')
        with _FILES.joinpath('topics.tsv').open(encoding='utf-8') as file:
            return pd.read_csv(file, sep='\t', names=['qid', 'query'], dtype=str)

    def get_topics_lang(self) -> str:
        return 'en'

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Returns judgments, with columns ``qid``, ``docno``, ``label``.

        Args:
            variant: ``'incomplete'`` (the default: it is what one has in life) or ``'complete'``.
        """
        variant = variant or 'incomplete'
        if variant not in ('complete', 'incomplete'):
            raise ValueError(f"There are no judgments {variant!r}, only 'complete' and 'incomplete'.")
        with _FILES.joinpath(f'qrels.{variant}.txt').open(encoding='utf-8') as file:
            return pd.read_csv(file, sep=' ', names=['qid', 'iteration', 'docno', 'label'],
                               dtype={'qid': str, 'docno': str})[['qid', 'docno', 'label']]

    def get_results(self, variant: str | None = None) -> pd.DataFrame:
        """Returns the top 50 of a system, with columns ``qid``, ``query``, ``docno``, ``rank``, ``score``.

        Args:
            variant: the name of the system, one of :attr:`systems`.
        """
        if variant not in self.systems:
            raise ValueError(f'Name a system that the demo collection has results of, not {variant!r}: {self.systems}.')
        with resources.as_file(_FILES.joinpath('results', f'{variant}{_SUFFIX}')) as path:
            results = pt.io.read_results(str(path), topics=self.get_topics())
        return results[['qid', 'query', 'docno', 'rank', 'score']]

    def get_topicsqrels(self, variant: str | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Returns topics and judgments; the variant is that of the judgments."""
        return self.get_topics(), self.get_qrels(variant)

    def text_loader(self, fields: list[str] | str = '*', *, verbose: bool = False) -> pt.Transformer:
        """Returns a transformer that adds the column ``text`` to results: what ``pt.text.get_text(dataset)`` calls.

        Args:
            fields: ``'text'`` or ``'*'``, which are the same here.
            verbose: whether to show a progress bar while the texts are read.
        """
        if fields not in ('*', 'text', ['text']):
            raise ValueError(f"The documents of the demo collection have no field {fields!r}, only 'text'.")
        texts = {document['docno']: document['text'] for document in self.get_corpus_iter(verbose=verbose)}
        return pt.apply.text(lambda row: texts[row['docno']], required_columns=['docno'])

    def _describe_component(self, component: str) -> bool | list[str] | None:
        return {'corpus': True, 'topics': True, 'qrels': ['complete', 'incomplete']}.get(component)

    def __repr__(self) -> str:
        return "DemoDataset('unjudged:demo')"


class DatasetProvider(pt.datasets.DatasetProvider):
    """Finds the datasets of this package, by the prefix ``unjudged:``."""

    def get_dataset(self, name: str) -> pt.datasets.Dataset:
        if name != 'demo':
            raise KeyError(name)
        return DemoDataset()

    def list_dataset_names(self) -> Iterable[str]:
        return ['demo']
