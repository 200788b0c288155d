import gzip
import http.server
import json
import threading
from functools import partial

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_unjudged import Subcorpus, judged, loft, pool

RUNS = {'x': pd.DataFrame({'qid': ['1', '1', '2'], 'docno': ['a', 'ä b', 'a'], 'score': [2.0, 1.0, 1.0]}),
        'y': pd.DataFrame({'qid': ['1', '2'], 'docno': ['c', 'd'], 'score': [2.0, 1.0]})}
QRELS = pd.DataFrame({'qid': ['1', '2', '9'], 'docno': ['a', 'd', 'e'], 'label': [1, 0, 1]})


def test_contents():
    subcorpus = pool(RUNS, 2)
    assert subcorpus.docnos.tolist() == ['a', 'c', 'd', 'ä b']
    assert subcorpus.topics.to_numpy().tolist() == [['1', 'a'], ['1', 'c'], ['1', 'ä b'], ['2', 'a'], ['2', 'd']]
    assert len(subcorpus) == 4
    assert 'c' in subcorpus
    assert 'e' not in subcorpus
    assert list(subcorpus) == subcorpus.docnos.tolist()
    assert repr(subcorpus) == "Subcorpus(4 documents, 2 topics, pool(depth=2, runs=['x', 'y'], qrels=False))"


def test_saved_and_loaded(tmp_path):
    for subcorpus in (pool(RUNS, 2), loft(QRELS, list('uvwxyz'), 5), pool(RUNS, 1, QRELS)):
        path = tmp_path / subcorpus.hash
        saved = subcorpus.save(path)
        for loaded in (saved, Subcorpus(path), Subcorpus.load(path), pt.Artifact.load(str(path))):
            assert isinstance(loaded, Subcorpus)
            assert loaded == subcorpus
            assert loaded.docnos.tolist() == subcorpus.docnos.tolist()
            pd.testing.assert_frame_equal(loaded.topics, subcorpus.topics, check_dtype=False)
            assert (loaded.strategy, loaded.parameters) == (subcorpus.strategy, subcorpus.parameters)
            assert loaded.describe().tolist() == subcorpus.describe().tolist()
    assert not list(tmp_path.glob('.*'))


def test_the_same_subcorpus_is_the_same_file(tmp_path):
    for name in ('one', 'two'):
        pool(RUNS, 2).save(tmp_path / name)
    for file in ('docnos.txt.gz', 'topics.tsv.gz', 'pt_meta.json'):
        assert (tmp_path / 'one' / file).read_bytes() == (tmp_path / 'two' / file).read_bytes()


def test_packed_and_unpacked_by_pyterrier(tmp_path, monkeypatch):
    monkeypatch.setattr(pt.io, 'pyterrier_home', lambda: str(tmp_path / 'home'))
    subcorpus = pool(RUNS, 2).save(tmp_path / 'subcorpus')
    subcorpus.build_package(str(tmp_path / 'package.tar.lz4'))
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        loaded = pt.Artifact.from_url(f'http://127.0.0.1:{server.server_port}/package.tar.lz4')
        server.shutdown()
    assert loaded == subcorpus


def test_damage_is_noticed(tmp_path):
    pool(RUNS, 2).save(tmp_path / 'subcorpus')
    with gzip.open(tmp_path / 'subcorpus' / 'docnos.txt.gz', 'wt', encoding='utf-8') as file:
        file.write('a\nc\nd\nother\n')
    with pytest.raises(ValueError, match='is damaged'):
        Subcorpus(tmp_path / 'subcorpus')


def test_nothing_is_overwritten(tmp_path):
    pool(RUNS, 2).save(tmp_path / 'subcorpus')
    with pytest.raises(FileExistsError, match='There is something at'):
        pool(RUNS, 1).save(tmp_path / 'subcorpus')
    assert len(Subcorpus(tmp_path / 'subcorpus')) == 4


def test_a_half_written_one_does_not_count(tmp_path):
    (tmp_path / '.subcorpus.part').mkdir()
    (tmp_path / '.subcorpus.part' / 'docnos.txt.gz').write_text('rubbish')
    assert pool(RUNS, 2).save(tmp_path / 'subcorpus') == pool(RUNS, 2)


def test_ids_that_can_not_be_saved(tmp_path):
    run = pd.DataFrame({'qid': ['1'], 'docno': ['a\nb'], 'score': [1.0]})
    with pytest.raises(ValueError, match=r"id 'a\\nb' has a tab or a line break"):
        pool({'run': run}, 1).save(tmp_path / 'subcorpus')


def test_set_operations():
    x, y = pool({'x': RUNS['x']}, 2), pool({'y': RUNS['y']}, 2)
    both = x | y
    assert set(both) == set(x) | set(y) == set(pool(RUNS, 2))
    assert both == pool(RUNS, 2)
    assert set(both & x) == set(x)
    assert set(both - x) == {'c', 'd'}
    assert (both - x).topics.to_numpy().tolist() == [['1', 'c'], ['2', 'd']]
    assert both.parameters['of'][0]['strategy'] == 'pool'
    assert len({both, x, x | y}) == 2
    with pytest.raises(TypeError):
        x | {'a'}


def test_describe():
    found = pool(RUNS, 2).describe(QRELS)
    assert found['documents'] == 4
    assert found['topics'] == 2
    assert found['pairs'] == 5
    assert found['judged'] == 2 / 5  # (1, a) and (2, d)
    assert found['not_judged'] == 2 / 4  # c and ä b
    assert 'judged' not in pool(RUNS, 2).describe()
    assert judged(QRELS).describe()['judged'] == 1
    assert pool(RUNS, 2, QRELS).describe()['documents'] == 5


def test_meta_is_what_pyterrier_expects(tmp_path):
    pool(RUNS, 2).save(tmp_path / 'subcorpus')
    meta = json.loads((tmp_path / 'subcorpus' / 'pt_meta.json').read_text())
    assert (meta['type'], meta['format'], meta['package_hint']) == ('subcorpus', 'unjudged', 'pyterrier-unjudged')
