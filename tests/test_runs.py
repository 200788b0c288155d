import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_unjudged import read_runs
from pyterrier_unjudged import runs as runs_module
from pyterrier_unjudged.runs import as_runs

LINES = '1 Q0 d1 0 3.5 tag\n1\tQ0\td2\t1\t-2e-1\ttag\n\n01  Q0  NA 1 7 tag  \n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'plain.run').write_text(LINES)
    with gzip.open(tmp_path / 'zipped.gz', 'wt') as file:
        file.write(LINES)
    pd.DataFrame({'qid': ['1'], 'docno': ['d'], 'score': [1], 'more': 0}).to_parquet(tmp_path / 'columns.parquet')
    (tmp_path / '.hidden').write_text('rubbish')
    return tmp_path


def test_folder_glob_and_list(folder):
    runs = read_runs(folder)
    assert list(runs) == ['columns', 'plain.run', 'zipped']
    for name in ('plain.run', 'zipped'):
        assert runs[name].to_numpy().tolist() == [['1', 'd1', 3.5], ['1', 'd2', -0.2], ['01', 'NA', 7.0]]
    assert all(run['score'].dtype == np.float64 for run in runs.values())
    assert list(read_runs(str(folder / '*.gz'))) == ['zipped']
    assert list(read_runs([folder / 'plain.run'])) == ['plain.run']
    assert list(read_runs(folder / 'plain.run')) == ['plain.run']


@given(st.lists(st.lists(st.sampled_from(['1', '1 ', 'Q0', 'd', 'dé', '2.5', '-1e3', '"', ' ', '', '\t']), min_size=5,
                         max_size=7), min_size=1, max_size=3), st.sampled_from([' ', '\t', '  ']),
       st.sampled_from(['\n', '\r\n', '\n\n', ' \n', '\n ']))
def test_plain_files_are_read_as_others_are(tmp_path_factory, rows, blank, end):
    file = tmp_path_factory.mktemp('runs') / 'run'
    file.write_bytes(end.join(blank.join(row) for row in rows).encode())

    def read():
        try:
            return read_runs(file)['run'].to_numpy().tolist()
        except ValueError as error:
            return str(error)

    found = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs_module, '_read_plain', lambda file: None)
        assert found == read()


def test_most_files_are_plain(tmp_path):
    for lines in ('1 Q0 d 0 2.5 t\n1 Q0 d2 1 1 t', '1\tQ0\td\t0\t2.5\tt\r\n', '1 Q0 d 0 2.5\n'):
        (tmp_path / 'run').write_bytes(lines.encode())
        assert runs_module._read_plain(tmp_path / 'run').iloc[0].tolist() == ['1', 'd', 2.5]


@pytest.mark.parametrize(('lines', 'message'), [
    ('1 Q0 d1 0 3.5 tag\n1 Q0 d2 1\n', r"bad.run, line 2: expected are qid, Q0, docno.*not '1 Q0 d2 1'"),
    ('1 Q0 d1 0 3.5 tag\n1 Q0 d2 1 2 t u\n', 'bad.run, line 2: expected'),
    ('1 Q0 d 1 0 3.5 tag\n' * 2, "bad.run, line 1: expected are.*not '1 Q0 d 1 0 3.5 tag'"),
    ('1 Q0 d 1 2 0 3.5 tag\n', 'bad.run, line 1: expected'),
    ('1 Q0 d1 0 high tag\n', "bad.run, line 1: 'high' is no score"),
    ('\n1 Q0 d1 0 nan tag\n', "bad.run, line 2: 'nan' is no score"),
])
def test_malformed_lines_are_named(tmp_path, lines, message):
    (tmp_path / 'bad.run').write_text(lines)
    with pytest.raises(ValueError, match=message):
        read_runs(tmp_path)


def test_a_damaged_file_is_named(tmp_path):
    whole = gzip.compress('\n'.join(f'1 Q0 d{number} 0 {number} tag' for number in range(5000)).encode())
    (tmp_path / 'cut.gz').write_bytes(whole[:len(whole) // 2])
    with pytest.raises(ValueError, match='cut.gz, behind line'):
        read_runs(tmp_path)
    (tmp_path / 'cut.gz').write_bytes(whole[:10] + b'\xff' * 100)
    with pytest.raises(ValueError, match='cut.gz, behind line 0: Error -3'):
        read_runs(tmp_path)


def test_nothing_to_read(tmp_path):
    with pytest.raises(FileNotFoundError, match='no run files'):
        read_runs(tmp_path / 'nothing')


def test_names_must_differ(folder):
    (folder / 'zipped').write_text(LINES)
    with pytest.raises(ValueError, match=r"named \['zipped'\]"):
        read_runs(folder)


def test_parquet_needs_its_columns(tmp_path):
    pd.DataFrame({'qid': ['1'], 'docno': ['d']}).to_parquet(tmp_path / 'short.parquet')
    with pytest.raises(ValueError, match=r"short.parquet lacks the column\(s\) \['score'\]"):
        read_runs(tmp_path)


def test_runs_in_any_form(folder):
    run = pd.DataFrame({'qid': ['1'], 'docno': ['d'], 'score': [1.0]})
    assert as_runs({'r': run})['r'] is run
    assert list(as_runs(folder)) == ['columns', 'plain.run', 'zipped']
    with pytest.raises(ValueError, match='There are no runs'):
        as_runs({})
