"""A dataset whose corpus is a subcorpus."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyterrier as pt

if TYPE_CHECKING:
    from pyterrier_unjudged.subsampling.subcorpus import Subcorpus

NAMED = 10  #: missing documents named in a warning


class SubcorpusDataset(pt.datasets.Dataset):
    """A PyTerrier dataset with the documents of a subcorpus; made by :meth:`Subcorpus.dataset`.

    Topics and judgments are the original's. ``indexer.index(dataset.get_corpus_iter())`` indexes the subcorpus; the
    original's documents are read until all that are wanted are found.

    Attributes:
        missing: ids of the documents that the original doesn't have, after its corpus was read; None before.

    Example:
        >>> from pyterrier_unjudged import judged
        >>> demo = pt.get_dataset('unjudged:demo')
        >>> dataset = judged(demo.get_qrels('incomplete')).dataset(demo)
        >>> sum(1 for document in dataset.get_corpus_iter(verbose=False))
        150
    """

    def __init__(self, subcorpus: Subcorpus, original: pt.datasets.Dataset):
        self.subcorpus, self.original = subcorpus, original
        self.missing: list[str] | None = None

    def get_corpus_iter(self, verbose: bool = True) -> Iterable[dict[str, Any]]:
        """Returns the documents, as dicts with ``docno``; warns of those that are wanted but not found.

        Args:
            verbose: whether to show progress.
        """
        return pt.utils.GeneratorLen(self._documents(verbose), len(self.subcorpus))

    def _documents(self, verbose: bool) -> Iterator[dict[str, Any]]:
        found: set[str] = set()
        documents = self.subcorpus.filter().transform_iter(self.original.get_corpus_iter(verbose=False))
        for document in pt.tqdm(documents, desc='subcorpus', total=len(self.subcorpus), disable=not verbose):
            if document['docno'] not in found:
                found.add(document['docno'])
                yield document
                if len(found) == len(self.subcorpus):
                    break
        self.missing = [docno for docno in self.subcorpus if docno not in found]
        if self.missing:
            more = f' and {len(self.missing) - NAMED} more' if len(self.missing) > NAMED else ''
            warnings.warn(f'{len(self.missing)} of {len(self.subcorpus)} documents are not in {self.original!r}: '
                          f'{", ".join(self.missing[:NAMED])}{more}. All of them are in .missing.', stacklevel=2)

    def get_topics(self, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """Returns the original's topics."""
        return self.original.get_topics(*args, **kwargs)

    def get_qrels(self, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """Returns the original's judgments."""
        return self.original.get_qrels(*args, **kwargs)

    def get_topicsqrels(self, *args: Any, **kwargs: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Returns the original's topics and judgments."""
        return self.original.get_topicsqrels(*args, **kwargs)

    def get_corpus_lang(self) -> str | None:
        """Returns the language of the original's documents."""
        return self.original.get_corpus_lang()

    def get_topics_lang(self) -> str | None:
        """Returns the language of the original's topics."""
        return self.original.get_topics_lang()

    def info_url(self) -> str | None:
        """Returns where the original is described."""
        return self.original.info_url()

    def __repr__(self) -> str:
        return f'{self.subcorpus!r}.dataset({self.original!r})'
