"""Runs: retrieval results of several systems by name, from data frames or from TREC run files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

Runs = Mapping[str, pd.DataFrame] | str | Path


def as_runs(runs: Runs) -> dict[str, pd.DataFrame]:
    """Returns runs by name, whichever way they are given: name -> results, or a folder, glob or list of run files."""
    return dict(runs) if isinstance(runs, Mapping) else read_runs(runs)


def read_runs(path: str | Path) -> dict[str, pd.DataFrame]:
    """Reads a folder of TREC run files into results with columns ``qid``, ``docno``, ``score``, by file name."""
    columns = ['qid', 'Q0', 'docno', 'rank', 'score', 'tag']
    text = {'qid': str, 'docno': str}
    return {file.name.removesuffix('.gz'): pd.read_csv(
                file, sep=r'\s+', names=columns, usecols=['qid', 'docno', 'score'], dtype=text, na_filter=False)
            for file in sorted(Path(path).iterdir())}
