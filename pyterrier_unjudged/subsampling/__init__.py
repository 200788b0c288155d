"""Corpora cut down to what evaluation needs: strategies that choose the documents, and what to do with them."""

from pyterrier_unjudged.subsampling.extraction import Extraction, extract
from pyterrier_unjudged.subsampling.strategies import judged, judged_plus_random, loft, pool, rerank_pool
from pyterrier_unjudged.subsampling.subcorpus import Subcorpus

__all__ = ['Extraction', 'Subcorpus', 'extract', 'judged', 'judged_plus_random', 'loft', 'pool', 'rerank_pool']
