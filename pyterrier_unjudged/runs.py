"""Runs: retrieval results of several systems by name, from data frames or from run files."""

from __future__ import annotations

import glob
import gzip
import io
import os
import zlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
import pyterrier as pt

Files = str | os.PathLike | Iterable[str | os.PathLike]
Runs = Mapping[str, pd.DataFrame] | Files

COLUMNS = ['qid', 'Q0', 'docno', 'rank', 'score', 'tag']  #: of a TREC run file
MORE = 'more'  #: a field too many, as of a docno with a blank in it; pandas would drop it without a word
#: those that aren't used are read as categories, which is cheap and takes any text
TYPES = {**dict.fromkeys([*COLUMNS, MORE], 'category'), 'qid': str, 'docno': str, 'score': float}


def as_runs(runs: Runs) -> dict[str, pd.DataFrame]:
    """Returns runs by name, whichever way they are given: name -> results, or as :func:`read_runs` takes them.

    Raises:
        ValueError: where there are none, or one of them is not a data frame.
    """
    found = dict(runs) if isinstance(runs, Mapping) else read_runs(runs)
    if not found:
        raise ValueError('There are no runs.')
    for name, run in found.items():
        if not isinstance(run, pd.DataFrame):
            raise ValueError(f'Run {name!r} must be a data frame with columns qid, docno and score, not '
                             f'{type(run).__name__}.')
    return found


def read_runs(path: Files) -> dict[str, pd.DataFrame]:
    """Reads run files: TREC's six columns (parted by blanks or tabs, gzipped or not), or parquet.

    Where pyarrow is installed (``pip install pyterrier-unjudged[parquet]``), files with one blank or tab between fields
    are read about three times as fast.

    Args:
        path: a folder, a file, a glob such as ``'runs/input.*.gz'``, or a list of files.

    Returns:
        File name, without ``.gz`` or ``.parquet`` -> results with columns ``qid``, ``docno`` (text), ``score`` (float),
        in the order of names. A sixth column, the tag, may be missing.

    Raises:
        FileNotFoundError: where nothing matches.
        ValueError: on a malformed line, with file and line number; on parquet files that lack a column; and on two
            files with the same name.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / 'bm25.txt').write_text('1 Q0 d7 0 3.5 bm25')
        >>> read_runs(folder)['bm25.txt']
          qid docno  score
        0   1    d7    3.5
    """
    files = _files(path)
    names = [file.name.removesuffix('.gz').removesuffix('.parquet') for file in files]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f'Several run files are named {repeated}. Rename them, so that runs can be told apart.')
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # reading and parsing release Python's lock
        return dict(zip(names, pt.tqdm(threads.map(_read, files), total=len(files), desc='reading runs'), strict=True))


def _files(path: Files) -> list[Path]:
    if not isinstance(path, str | os.PathLike):
        return [Path(file) for file in path]
    found = sorted(Path(path).iterdir()) if Path(path).is_dir() else sorted(map(Path, glob.glob(str(path))))
    found = [file for file in found if file.is_file() and not file.name.startswith('.')]
    if not found:
        raise FileNotFoundError(f'There are no run files at {str(path)!r}.')
    return found


def _read(file: Path) -> pd.DataFrame:
    if file.suffix == '.parquet':
        run = pd.read_parquet(file)
        missing = [column for column in ('qid', 'docno', 'score') if column not in run.columns]
        if missing:
            raise ValueError(f'{file} lacks the column(s) {missing}; it has {list(run.columns)}.')
        return run[['qid', 'docno', 'score']].astype({'qid': str, 'docno': str, 'score': float})
    try:
        run = _read_plain(file)
        if run is None:
            run = pd.read_csv(file, sep=r'\s+', names=[*COLUMNS, MORE], dtype=TYPES, na_filter=False, quoting=3,
                              compression='infer', index_col=False)
            if (run[MORE] != '').any():
                raise ValueError
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise ValueError(_offending_line(file) or f'{file} can not be read: {error}') from None
    if np.isnan(run['score'].to_numpy()).any():
        raise ValueError(_offending_line(file))
    return run[['qid', 'docno', 'score']]


def _read_plain(file: Path) -> pd.DataFrame | None:
    """Reads a run file with Arrow, several times as fast as pandas.

    Returns:
        None where Arrow is not installed, or can't read the file, or would read it otherwise: it takes one blank (or
        one tab) between fields, and as many fields in each line.
    """
    try:
        from pyarrow import compute, csv, float64, large_string, lib
    except ImportError:
        return None
    with _opened(file, 'rb') as stream:
        text = stream.read()
    first = text.partition(b'\n')[0]
    blank, other = (b'\t', b' ') if b'\t' in first else (b' ', b'\t')
    fields = first.count(blank) + 1
    blanks = np.frombuffer(text, dtype=np.uint8) == ord(blank)
    if not 5 <= fields <= 6 or other in text or (blanks[1:] & blanks[:-1]).any():
        return None
    try:
        run = csv.read_csv(
            io.BytesIO(text),
            # One piece, where Arrow can.
            csv.ReadOptions(column_names=COLUMNS[:fields], use_threads=False, block_size=min(len(text) + 1, 1 << 30)),
            csv.ParseOptions(delimiter=blank.decode(), quote_char=False),
            csv.ConvertOptions(include_columns=['qid', 'docno', 'score'], null_values=[], strings_can_be_null=False,
                               column_types={'qid': large_string(), 'docno': large_string(), 'score': float64()}),
        )
    except lib.ArrowInvalid:
        return None
    # An empty topic stands for a blank that starts a line.
    return run.to_pandas() if compute.min(compute.binary_length(run['qid'])).as_py() else None


def _opened(file: Path, mode: str, encoding: str | None = None) -> IO:
    return (gzip.open if file.suffix == '.gz' else open)(file, mode, encoding=encoding)


def _offending_line(file: Path) -> str | None:
    """Returns what is wrong with the first malformed line of a file, None where there is none."""
    number = 0
    try:
        with _opened(file, 'rt', encoding='utf-8') as lines:
            for number, line in enumerate(lines, start=1):
                fields = line.split()
                if fields and not 5 <= len(fields) <= 6:
                    return (f'{file}, line {number}: expected are qid, Q0, docno, rank, score and tag, not '
                            f'{line.strip()!r}.')
                try:
                    valid = not fields or not np.isnan(float(fields[4]))
                except ValueError:
                    valid = False
                if not valid:
                    return f'{file}, line {number}: {fields[4]!r} is no score.'
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        return f'{file}, behind line {number}: {error}'
    return None
