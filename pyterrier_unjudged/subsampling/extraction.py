"""The documents of a subcorpus, taken out of a corpus that is too large for anything else."""

from __future__ import annotations

import dataclasses
import functools
import glob
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import pandas as pd
import pyterrier as pt

from pyterrier_unjudged.subsampling.formats import FORMATS, Damage, Gunzip, format_of, write_lines

SETTINGS, DOCNOS = 'extraction.json', 'docnos.txt'  #: files in the output beside the parts
NAMED = 5  #: ids named in a repr


class DamageError(ValueError):
    """A file or record that can't be read."""


@dataclasses.dataclass(frozen=True)
class Extraction:
    """What :func:`extract` found.

    Attributes:
        out: the folder with the parts, ``*.jsonl.gz``.
        found: number of documents that were found; each counts once.
        missing: ids of those that were not.
        duplicates: number of documents that were found once more, and left out.
        damaged: one row per file or record that could not be read, columns ``file``, ``where``, ``why``.
    """

    out: Path
    found: int
    missing: list[str]
    duplicates: int
    damaged: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Returns one row with the numbers of documents found, missing and found twice, and of damages."""
        return pd.DataFrame([(self.found, len(self.missing), self.duplicates, len(self.damaged))],
                            columns=['found', 'missing', 'duplicates', 'damaged'])

    def __repr__(self) -> str:
        named = ', '.join(self.missing[:NAMED]) + (' …' if len(self.missing) > NAMED else '')
        return (f'Extraction({self.found} found, {len(self.missing)} missing{f" ({named})" if named else ""}, '
                f'{self.duplicates} found twice, {len(self.damaged)} damaged, in {str(self.out)!r})')


def extract(subcorpus: Iterable[str], files: str | Sequence[str | os.PathLike], out: str | os.PathLike, *,
            format: str | None = None, id_field: str | None = None, on_damage: str = 'raise',
            n_jobs: int = 1) -> Extraction:
    r"""Reads a corpus' files and keeps the documents of a subcorpus.

    Each file gives a part, ``*.jsonl.gz`` with one document a line, with ``docno`` and ``text``: ready for
    ``indexer.index``. Files are read in parallel by joblib: ``with joblib.parallel_config(backend='dask')`` (or ray,
    spark) moves the work to a cluster, where ``files`` and ``out`` must be reachable from all machines.

    Killed, it continues where it was when called again: a part is written beside and renamed, its summary after it, and
    a part with a summary is never made again. Documents that are in several files are kept from the first of them.

    Args:
        subcorpus: the ids wanted: a :class:`~pyterrier_unjudged.Subcorpus`, or any others.
        files: paths or URLs that fsspec knows (``s3://…``), or a glob; jsonl, TREC SGML or WARC, gzipped or not.
        out: folder for the parts.
        format: ``'jsonl'``, ``'trec'`` or ``'warc'``; by default what a file's name tells.
        id_field: field of the id in JSON, or header in WARC; by default ``docno``, ``id``, ``_id``, ``doc_id`` or
            ``docid``, and ``WARC-TREC-ID``.
        on_damage: ``'raise'`` stops at files and records that can't be read; ``'skip'`` goes on behind them and reports
            them.
        n_jobs: processes; -1 for all cores.

    Raises:
        ValueError: on damage, with file and place; unknown formats; no files; and an ``out`` with the parts of another
            extraction.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / 'corpus.jsonl').write_text('{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n')
        >>> extract(['b', 'c'], [folder / 'corpus.jsonl'], folder / 'out').to_frame()
           found  missing  duplicates  damaged
        0      1        1           0        0
    """
    import joblib
    if on_damage not in ('raise', 'skip'):
        raise ValueError(f"on_damage must be 'raise' or 'skip', not {on_damage!r}.")
    if format is not None and format not in FORMATS:
        raise ValueError(f'There is no format {format!r}, only {list(FORMATS)}.')
    files = _files(files)
    formats = [format or format_of(file) for file in files]
    out, docnos = Path(out), sorted(set(subcorpus))
    _prepare(out, docnos, files, formats, id_field)
    jobs = [(file, str(_part(out, place)), kind) for place, (file, kind) in enumerate(zip(files, formats, strict=True))
            if not _summary(out, place).exists()]
    work = joblib.Parallel(n_jobs=n_jobs, return_as='generator_unordered' if _unordered() else 'list')(
        joblib.delayed(_extract_file)(*job, str(out / DOCNOS), id_field, on_damage) for job in jobs)
    for _ in pt.tqdm(work, total=len(files), initial=len(files) - len(jobs), desc='files'):
        pass
    return _summed_up(out, docnos, len(files))


def _unordered() -> bool:
    """Returns whether joblib's backend can hand over results as they come; those of clusters can't."""
    from joblib.parallel import get_active_backend
    return bool(getattr(get_active_backend()[0], 'supports_return_generator', False))


def _files(files: str | Sequence[str | os.PathLike]) -> list[str]:
    found = matching(files) if isinstance(files, str) else [os.fspath(file) for file in files]
    if not found:
        raise ValueError('There are no files to read.')
    return found


def matching(pattern: str) -> list[str]:
    """Returns the files that a glob means, of this machine or of an fsspec URL.

    Raises:
        ValueError: where there are none.
    """
    if '://' in pattern:
        import fsspec
        system, path = fsspec.core.url_to_fs(pattern)
        found = [system.unstrip_protocol(file) for file in sorted(system.glob(path))]
    else:
        found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise ValueError(f'There are no files at {pattern!r}.')
    return found


def _part(out: Path, place: int) -> Path:
    return out / f'{place:06d}.jsonl.gz'


def _summary(out: Path, place: int) -> Path:
    return out / f'{place:06d}.json'


def _write(path: Path, text: str) -> None:
    beside = path.with_name(f'.{path.name}.{os.getpid()}')
    beside.write_text(text, encoding='utf-8')
    os.replace(beside, path)


def _prepare(out: Path, docnos: list[str], files: list[str], formats: list[str], id_field: str | None) -> None:
    """Makes the folder, or makes sure that it has parts of the same extraction."""
    settings = {'docnos': hashlib.sha256('\n'.join(docnos).encode()).hexdigest(), 'files': files, 'formats': formats,
                'id_field': id_field}
    if (out / SETTINGS).exists():
        known = json.loads((out / SETTINGS).read_text(encoding='utf-8'))
        changed = [name for name in settings if known.get(name) != settings[name]]
        if changed:
            raise ValueError(f'{str(out)!r} has the parts of another extraction: it differs in {changed}. Choose '
                             'another folder, or remove it.')
        return
    if out.exists() and any(not file.name.startswith('.') and file.name != DOCNOS for file in out.iterdir()):
        raise ValueError(f'{str(out)!r} has other files. Choose another folder.')
    out.mkdir(parents=True, exist_ok=True)
    _write(out / DOCNOS, ''.join(f'{docno}\n' for docno in docnos))
    _write(out / SETTINGS, json.dumps(settings))


@functools.lru_cache(maxsize=1)
def _wanted(path: str, changed: float) -> frozenset[str]:
    """Reads the ids once in each process; ``changed`` is when the file was written."""
    return frozenset(Path(path).read_text(encoding='utf-8').split('\n')[:-1])


def _open(file: str, kind: str) -> IO[bytes]:
    if '://' in file:
        import fsspec
        stream = fsspec.open(file, 'rb').open()
    else:
        stream = open(file, 'rb')  # noqa: SIM115 (the caller closes it)
    if not file.endswith('.gz'):
        return stream
    return gzip.GzipFile(fileobj=stream) if kind == 'warc' else Gunzip(stream)  # fastwarc wants a file, not blocks


def _extract_file(file: str, part: str, kind: str, docnos: str, id_field: str | None, on_damage: str) -> None:
    """Writes a part, and then its summary."""
    wanted = _wanted(docnos, os.path.getmtime(docnos))
    path = Path(part)
    beside = path.with_name(f'.{path.name}.{os.getpid()}')
    found: dict[str, None] = {}
    repeated: list[str] = []
    damaged: list[tuple[str, str, str]] = []

    def damage(where: str, why: str) -> None:
        damaged.append((file, where, why))
        if on_damage == 'raise':
            raise DamageError(f"{file}, {where}: {why}. Mend the file, or go on without such records by "
                              "on_damage='skip'.")

    def lines() -> Iterator[str]:
        try:
            with _open(file, kind) as stream:
                for document in FORMATS[kind](stream, wanted, id_field):
                    if isinstance(document, Damage):
                        damage(*document)
                    elif document['docno'] in found:
                        repeated.append(document['docno'])
                    else:
                        found[document['docno']] = None
                        yield json.dumps(document, ensure_ascii=False)
        except (EOFError, OSError, zlib.error) as error:
            damage(f'behind {len(found)} documents', f'{type(error).__name__}: {error}')

    write_lines(beside, lines())
    os.replace(beside, path)
    _write(path.with_name(path.name.replace('.jsonl.gz', '.json')),
           json.dumps({'file': file, 'docnos': list(found), 'twice': len(repeated), 'damaged': damaged}))


def _summed_up(out: Path, docnos: list[str], files: int) -> Extraction:
    """Leaves out what an earlier part has already, and adds up the summaries."""
    found: set[str] = set()
    duplicates, damaged = 0, []
    for place in range(files):
        summary = json.loads(_summary(out, place).read_text(encoding='utf-8'))
        repeated = found.intersection(summary['docnos'])
        if repeated:
            _without(_part(out, place), repeated)
            summary['docnos'] = [docno for docno in summary['docnos'] if docno not in repeated]
            summary['twice'] += len(repeated)
            _write(_summary(out, place), json.dumps(summary))
        found.update(summary['docnos'])
        duplicates += summary['twice']
        damaged += summary['damaged']
    return Extraction(out, len(found), [docno for docno in docnos if docno not in found], duplicates,
                      pd.DataFrame(damaged, columns=['file', 'where', 'why']))


def _without(part: Path, docnos: set[str]) -> None:
    beside = part.with_name(f'.{part.name}.{os.getpid()}')
    with gzip.open(part, 'rt', encoding='utf-8', newline='\n') as lines:
        write_lines(beside, (line.removesuffix('\n') for line in lines if json.loads(line)['docno'] not in docnos))
    os.replace(beside, part)
