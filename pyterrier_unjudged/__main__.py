"""The command line: ``python -m pyterrier_unjudged demo | subsample | extract``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
from ir_measures import P, nDCG

from pyterrier_unjudged import (
    Assessment,
    Bootstrap,
    Condensed,
    Lower,
    Subcorpus,
    Upper,
    bootstrap_scores,
    extract,
    plots,
    pool,
)
from pyterrier_unjudged.subsampling.extraction import matching
from pyterrier_unjudged.subsampling.formats import FORMATS


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    parser = argparse.ArgumentParser(prog='python -m pyterrier_unjudged',
                                     description='Retrieval evaluation with documents that nobody judged.')
    commands = parser.add_subparsers(dest='command', required=True)
    demo_parser = commands.add_parser('demo', help='an experiment on the embedded demo collection')
    demo_parser.add_argument('--picture', type=Path, default=Path('distributions.png'),
                             help='where to write the picture (default: %(default)s)')
    demo_parser.set_defaults(run=lambda options: demo(options.picture))
    _add_subsample(commands)
    _add_extract(commands)
    options = parser.parse_args(arguments)
    try:
        print(options.run(options))
    except (ImportError, OSError, ValueError) as error:
        print(f'{parser.prog}: {error}', file=sys.stderr)
        return 1
    return 0


def _add_subsample(commands: Any) -> None:
    parser = commands.add_parser('subsample', help='a subcorpus that runs and judgments span')
    parser.add_argument('--runs', required=True, help='folder, file or glob of run files')
    parser.add_argument('--depth', type=int, required=True, help='ranks of each run that are pooled')
    parser.add_argument('--qrels', type=Path, help='judgments whose documents are in as well')
    parser.add_argument('--out', type=Path, required=True, help='folder for the subcorpus')
    parser.set_defaults(run=subsample)


def subsample(options: argparse.Namespace) -> str:
    """Pools runs, saves the subcorpus, and returns its description."""
    if options.out.exists():
        raise FileExistsError(f'there is something at {str(options.out)!r} already')
    qrels = None if options.qrels is None else pt.io.read_qrels(str(options.qrels))
    subcorpus = pool(options.runs, options.depth, qrels).save(options.out)
    return f'{subcorpus!r}\n\n{subcorpus.describe().to_string()}\n\nSaved as {options.out}'


def _add_extract(commands: Any) -> None:
    parser = commands.add_parser('extract', help="a subcorpus' documents, out of a large corpus")
    parser.add_argument('files', nargs='+', help='files, globs or URLs of the corpus')
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument('--subcorpus', type=Path, help='folder of a saved subcorpus')
    wanted.add_argument('--docnos', type=Path, help='file with one document id a line')
    parser.add_argument('--out', type=Path, required=True, help='folder for the documents, *.jsonl.gz')
    parser.add_argument('--format', choices=list(FORMATS), help='format of the files (default: what their names tell)')
    parser.add_argument('--id-field', help='field of the id in JSON, header in WARC')
    parser.add_argument('--on-damage', choices=['raise', 'skip'], default='raise',
                        help='at files and records that can not be read (default: %(default)s)')
    parser.add_argument('--jobs', type=int, default=1, help='processes, -1 for all cores (default: %(default)s)')
    parser.set_defaults(run=extract_files)


def extract_files(options: argparse.Namespace) -> str:
    """Extracts documents, and returns what was found, missing and damaged."""
    wanted = (Subcorpus(options.subcorpus) if options.subcorpus is not None
              else options.docnos.read_text(encoding='utf-8').split())
    files = [found for file in options.files for found in ([file] if os.path.exists(file) else matching(file))]
    result = extract(wanted, files, options.out, format=options.format, id_field=options.id_field,
                     on_damage=options.on_damage, n_jobs=options.jobs)
    damaged = '' if result.damaged.empty else '\n\n' + result.damaged.to_string(index=False)
    return f'{result.to_frame().to_string(index=False)}{damaged}\n\nThe documents are in {options.out}'


def demo(picture: Path) -> str:
    """Returns the demo's table, and writes a picture of the score distributions of its dense system."""
    dataset = pt.get_dataset('unjudged:demo')
    systems = {name: dataset.get_results(name) for name in dataset.systems}
    qrels, complete = dataset.get_qrels('incomplete'), dataset.get_qrels('complete')
    columns = {
        'default': nDCG@10,
        'condensed': Condensed(nDCG@10),
        'lower': Lower(nDCG@10),
        'boot': Bootstrap(nDCG@10),
        'boot95': Bootstrap(nDCG@10, stat=0.95),
        'upper': Upper(nDCG@10),
        'judged': Assessment(P@10),
    }
    table = pt.Experiment(systems, dataset.get_topics(), qrels, list(columns.values()))
    table = table.rename(columns={str(measure): name for name, measure in columns.items()})[['name', *columns]]
    truth = pt.Experiment(systems, dataset.get_topics(), complete, [nDCG@10])
    table['truth'] = truth['nDCG@10']
    _draw(picture, systems['dense'], dataset.get_topics(), qrels, complete)
    return '\n'.join([
        'nDCG@10 of each system, by what the documents that nobody judged are taken for:',
        '',
        table.to_string(index=False, float_format='{:.3f}'.format),
        '',
        'default    not relevant (trec_eval)    boot    most likely sampled score',
        'condensed  removed                     boot95  95 % of sampled scores are below',
        'lower      not relevant                upper   the best grades in the pool',
        'judged     share judged in the top 10  truth   all documents are judged',
        '',
        f'Score distributions of the dense system: {picture}',
    ])


def _draw(picture: Path, run: pd.DataFrame, topics: pd.DataFrame, qrels: pd.DataFrame, complete: pd.DataFrame) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError('the picture needs matplotlib: pip install pyterrier-unjudged[demo]') from None
    marks = pt.Experiment([run], topics, qrels, [Lower(nDCG@10), Upper(nDCG@10), Condensed(nDCG@10)], ['run'],
                          perquery=True)
    truth = pt.Experiment([run], topics, complete, [nDCG@10], ['run'], perquery=True).assign(measure='truth')
    scores = bootstrap_scores(run, qrels, nDCG@10)
    uncertain = scores['scores'].map(lambda sample: sample.max() > sample.min()).sum()
    figure = Figure(figsize=(7, 1.6 + plots.ROW_INCHES * uncertain), layout='constrained')
    ax = plots.distributions(scores, pd.concat([marks, truth]), ax=figure.add_subplot())
    ax.set_xlabel('nDCG@10 of the dense system')
    beside = picture.with_name(f'.{picture.name}.part')
    figure.savefig(beside, format=picture.suffix.lstrip('.') or 'png', dpi=120)
    os.replace(beside, picture)


if __name__ == '__main__':
    sys.exit(main())
