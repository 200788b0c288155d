"""The command line: ``python -m pyterrier_unjudged demo``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyterrier as pt
from ir_measures import P, nDCG

from pyterrier_unjudged import Assessment, Bootstrap, Condensed, Lower, Upper, bootstrap_scores, plots


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    parser = argparse.ArgumentParser(prog='python -m pyterrier_unjudged',
                                     description='Retrieval evaluation with documents that nobody judged.')
    commands = parser.add_subparsers(dest='command', required=True)
    demo_parser = commands.add_parser('demo', help='an experiment on the embedded demo collection')
    demo_parser.add_argument('--picture', type=Path, default=Path('distributions.png'),
                             help='where to write the picture (default: %(default)s)')
    options = parser.parse_args(arguments)
    try:
        print(demo(options.picture))
    except (ImportError, OSError) as error:
        print(f'{parser.prog}: {error}', file=sys.stderr)
        return 1
    return 0


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
