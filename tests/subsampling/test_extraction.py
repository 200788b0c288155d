import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_unjudged import extract
from pyterrier_unjudged.__main__ import main
from pyterrier_unjudged.subsampling import formats

WANTED = [f'd{number}' for number in range(0, 3000, 7)]


def jsonl(numbers) -> str:
    return ''.join(json.dumps({'docno': f'd{number}', 'text': f'text of {number}'}) + '\n' for number in numbers)


@pytest.fixture
def corpus(tmp_path) -> list[Path]:
    """Ten files of 300 documents; the last one has ten of the first one once more."""
    files = []
    for place in range(10):
        numbers = [*range(place * 300, place * 300 + 300), *(range(10) if place == 9 else [])]
        files.append(tmp_path / f'corpus-{place}.jsonl.gz')
        files[-1].write_bytes(gzip.compress(jsonl(numbers).encode()))
    return files


def documents(out) -> dict[str, dict]:
    found = [json.loads(line) for part in sorted(Path(out).glob('*.jsonl.gz'))
             for line in gzip.decompress(part.read_bytes()).decode().splitlines()]
    assert len({document['docno'] for document in found}) == len(found)
    return {document['docno']: document for document in found}


def files_of(out) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(out).iterdir() if file.name != 'extraction.json'}


@pytest.mark.parametrize('n_jobs', [1, 2])
def test_keeps_what_is_wanted(corpus, tmp_path, n_jobs):
    result = extract([*WANTED, 'nowhere'], corpus, tmp_path / 'out', n_jobs=n_jobs)
    found = documents(tmp_path / 'out')
    assert sorted(found) == sorted(WANTED)
    assert found['d7'] == {'docno': 'd7', 'text': 'text of 7'}
    assert (result.found, result.missing, result.duplicates, len(result.damaged)) == (len(WANTED), ['nowhere'], 2, 0)
    assert repr(result) == (f"Extraction({len(WANTED)} found, 1 missing (nowhere), 2 found twice, 0 damaged, in "
                            f"{str(tmp_path / 'out')!r})")
    assert not list((tmp_path / 'out').glob('.*'))


def test_a_glob_and_plain_files(corpus, tmp_path):
    for file in corpus:
        file.with_suffix('').write_bytes(gzip.decompress(file.read_bytes()))
    extract(WANTED, str(tmp_path / '*.jsonl'), tmp_path / 'out')
    assert sorted(documents(tmp_path / 'out')) == sorted(WANTED)


def test_ids_are_found_however_json_writes_them(tmp_path):
    lines = ['{"id": "a", "text": "first"}', '{"text": "last", "id": "b"}', '{"id" :\t"c", "text": ""}',
             '{"sub": {"id": "x"}, "id": "d"}', '{"sub": {"id": "d"}, "id": "y"}', '{"id": "caf\\u00e9"}',
             '{"text": "\\"id\\": \\"e\\"", "id": "z"}', '{"\\u0069d": "f"}', '', '{"id": "g", "text": "é"}\r']
    (tmp_path / 'c.jsonl').write_text('\n'.join(lines), encoding='utf-8')
    result = extract(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'café'], [tmp_path / 'c.jsonl'], tmp_path / 'out')
    assert sorted(documents(tmp_path / 'out')) == ['a', 'b', 'c', 'caf\u00e9', 'd', 'f', 'g']
    assert result.missing == ['e']


IDS = ['a', 'b', 'café', 'with "quotes"', 'back\\slash', 'docno', '']
VALUES = st.recursive(st.sampled_from([*IDS, 1, None]),
                      lambda inner: st.dictionaries(st.sampled_from(['docno', 'text', 'nested']), inner), max_leaves=4)


@given(st.lists(st.tuples(st.sampled_from(IDS), st.dictionaries(st.sampled_from(['text', 'nested', 'url']), VALUES),
                          st.booleans(), st.booleans(), st.sampled_from([None, (',', ':'), (' , ', ' : ')]))),
       st.frozensets(st.sampled_from(IDS)))
def test_lines_are_skipped_only_if_their_id_is_not_wanted(lines, wanted):
    stream, expected = b'', []
    for docno, fields, id_first, ascii, separators in lines:
        document = {'docno': docno, **fields} if id_first else {**fields, 'docno': docno}
        stream += json.dumps(document, ensure_ascii=ascii, separators=separators).encode() + b'\n'
        expected += [document] if docno in wanted else []
    assert list(formats.read_jsonl(io.BytesIO(stream), wanted)) == expected


def test_the_field_of_the_id(tmp_path):
    (tmp_path / 'c.jsonl').write_text('{"docno": "a", "url": "b"}\n')
    extract(['b'], [tmp_path / 'c.jsonl'], tmp_path / 'out', id_field='url')
    assert documents(tmp_path / 'out') == {'b': {'docno': 'b'}}


def test_trec(tmp_path):
    text = ''.join(f'<DOC>\n<DOCNO> d{number} </DOCNO>\n<TEXT>\nWords <b>of</b> {number}\n</TEXT>\n</DOC>\n'
                   for number in range(40_000))
    (tmp_path / 'c.trec.gz').write_bytes(gzip.compress(text.encode()))
    result = extract(['d3', 'd39999'], [tmp_path / 'c.trec.gz'], tmp_path / 'out')
    assert documents(tmp_path / 'out')['d3']['text'].split() == ['Words', 'of', '3']
    assert result.found == 2


def warc(numbers) -> bytes:
    records = []
    for number in numbers:
        http = ('HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n'
                f'<html><body><p>Pagé {number}</p></body>').encode()
        records.append(f'WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: d{number}\r\nWARC-Target-URI: http://x/{number}'
                       f'\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n'
                       .encode() + http + b'\r\n\r\n')
    return b''.join(records)


def test_warc(tmp_path):
    pytest.importorskip('fastwarc')
    (tmp_path / 'c.warc.gz').write_bytes(gzip.compress(warc(range(100))))
    (tmp_path / 'd.warc').write_bytes(warc(range(100, 110)))
    extract(['d3', 'd105'], [tmp_path / 'c.warc.gz', tmp_path / 'd.warc'], tmp_path / 'out')
    found = documents(tmp_path / 'out')
    assert found['d3']['text'].strip() == 'Pagé 3'
    assert found['d105']['url'] == 'http://x/105'


def test_fsspec_urls(corpus, tmp_path):
    fsspec = pytest.importorskip('fsspec')
    memory = fsspec.filesystem('memory')
    for file in corpus:
        memory.pipe(f'/corpus/{file.name}', file.read_bytes())
    extract(WANTED, 'memory://corpus/*.gz', tmp_path / 'out')
    assert sorted(documents(tmp_path / 'out')) == sorted(WANTED)


@pytest.mark.parametrize(('name', 'content', 'message'), [
    ('cut.jsonl.gz', gzip.compress(jsonl(range(3000)).encode())[:-2000], 'cut.jsonl.gz, behind .* documents: EOFError'),
    ('bad.jsonl.gz', b'no gzip at all', 'bad.jsonl.gz, behind 0 documents: error: Error -3'),
    ('bad.jsonl', jsonl([1, 7]) + '{"docno": "d14", "text": "cu\n' + jsonl([21]), 'bad.jsonl, line 3: '),
    ('none.jsonl', jsonl([7]) + '{"text": "nobody"}\n' + jsonl([14]), "line 2: no id in"),
    ('list.jsonl', jsonl([7]) + '["docno"]\n' + jsonl([14]), "line 2: no id in docno"),
    ('open.trec', '<DOC><DOCNO>d7</DOCNO>a</DOC>\n<DOC><DOCNO>d14</DOCNO> cut', 'document 2: no </DOC>'),
    ('none.trec', '<DOC><DOCNO>d7</DOCNO>a</DOC>\n<DOC>b</DOC>', 'document 2: no DOCNO'),
    ('cut.warc', warc([7, 14])[:-40], r'response 2 \(d14\): \d+ of \d+ bytes'),
    ('cut.warc.gz', gzip.compress(warc(range(2000)))[:-3000], 'cut.warc.gz, behind'),
])
def test_damage_is_named_or_skipped(tmp_path, name, content, message):
    if 'warc' in name:
        pytest.importorskip('fastwarc')
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=message):
        extract(WANTED, [file], tmp_path / 'out')
    assert not list((tmp_path / 'out').glob('*.jsonl.gz'))
    result = extract(WANTED, [file], tmp_path / 'out', on_damage='skip')
    assert len(result.damaged) == 1
    assert result.damaged['file'][0] == str(file)
    if 'bad.jsonl.gz' not in name:
        assert 'd7' in documents(tmp_path / 'out')


def test_finished_parts_are_not_made_again(corpus, tmp_path):
    extract(WANTED, corpus, tmp_path / 'out')
    before = files_of(tmp_path / 'out')
    for file in corpus:
        file.unlink()
    again = extract(WANTED, corpus, tmp_path / 'out')
    assert files_of(tmp_path / 'out') == before
    assert again.duplicates == 2


def test_a_part_without_a_summary_does_not_count(corpus, tmp_path):
    extract(WANTED, corpus, tmp_path / 'out')
    before = files_of(tmp_path / 'out')
    (tmp_path / 'out' / '000003.json').unlink()
    (tmp_path / 'out' / '000003.jsonl.gz').write_bytes(b'half of it')
    (tmp_path / 'out' / '.000004.jsonl.gz.99').write_bytes(b'half of it')
    extract(WANTED, corpus, tmp_path / 'out')
    (tmp_path / 'out' / '.000004.jsonl.gz.99').unlink()
    assert files_of(tmp_path / 'out') == before


SLOWLY = '''
import sys, time
from pyterrier_unjudged.subsampling import extraction, formats
read = formats.FORMATS['jsonl']
def slowly(stream, wanted, id_field=None):
    for number, document in enumerate(read(stream, wanted, id_field)):
        time.sleep(0.01)
        yield document
formats.FORMATS['jsonl'] = slowly
extraction.extract({wanted!r}, {files!r}, {out!r})
'''


def test_killed_and_continued(corpus, tmp_path):
    out = tmp_path / 'killed'
    code = SLOWLY.format(wanted=WANTED, files=list(map(str, corpus)), out=str(out))
    process = subprocess.Popen([sys.executable, '-c', code], stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not (out / '000003.json').exists():
            assert process.poll() is None, 'the extraction ended before it could be killed'
            assert time.monotonic() < end
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert 4 <= len(list(out.glob('0*.json'))) < len(corpus)
    extract(WANTED, corpus, out)
    for file in out.glob('.*'):
        file.unlink()  # what the killed process was writing
    extract(WANTED, corpus, tmp_path / 'whole')
    assert files_of(out) == files_of(tmp_path / 'whole')


def test_a_dask_cluster_gives_the_same(corpus, tmp_path):
    distributed = pytest.importorskip('distributed')
    extract(WANTED, corpus, tmp_path / 'local')
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host='127.0.0.1',
                                  dashboard_address=None) as cluster, distributed.Client(cluster), \
            joblib.parallel_config(backend='dask'):
        result = extract(WANTED, corpus, tmp_path / 'dask', n_jobs=-1)
    assert files_of(tmp_path / 'dask') == files_of(tmp_path / 'local')
    assert result.found == len(WANTED)


def test_another_extraction_needs_another_folder(corpus, tmp_path):
    extract(WANTED, corpus, tmp_path / 'out')
    with pytest.raises(ValueError, match=r"parts of another extraction: it differs in \['docnos'\]"):
        extract(WANTED[1:], corpus, tmp_path / 'out')
    with pytest.raises(ValueError, match=r"differs in \['files', 'formats'\]"):
        extract(WANTED, corpus[1:], tmp_path / 'out')
    (tmp_path / 'other').mkdir()
    (tmp_path / 'other' / 'thesis.tex').write_text('precious')
    with pytest.raises(ValueError, match='has other files'):
        extract(WANTED, corpus, tmp_path / 'other')


@pytest.mark.parametrize(('arguments', 'message'), [
    ({'files': []}, 'There are no files to read'),
    ({'files': 'nothing/*.gz'}, "no files at 'nothing/"),
    ({'files': ['corpus.dat']}, "name of 'corpus.dat' tells no format; name one of"),
    ({'files': ['a.jsonl'], 'format': 'csv'}, "no format 'csv'"),
    ({'files': ['a.jsonl'], 'on_damage': 'ignore'}, "must be 'raise' or 'skip'"),
])
def test_bad_arguments_are_named(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        extract(WANTED, out=tmp_path / 'out', **arguments)


def test_command_line(corpus, tmp_path, capsys):
    (tmp_path / 'runs').mkdir()
    (tmp_path / 'runs' / 'bm25').write_text(''.join(f'1 Q0 d{number} 0 {-number} x\n' for number in range(50)))
    (tmp_path / 'qrels').write_text('1 0 d2900 1\n')
    subsample = ['subsample', '--runs', str(tmp_path / 'runs'), '--depth', '10', '--qrels', str(tmp_path / 'qrels'),
                 '--out', str(tmp_path / 'subcorpus')]
    assert main(subsample) == 0
    printed = capsys.readouterr().out
    assert 'documents' in printed
    assert '11' in printed
    assert main(subsample) == 1
    assert 'there is something at' in capsys.readouterr().err
    assert main(['extract', str(tmp_path / '*.jsonl.gz'), '--subcorpus', str(tmp_path / 'subcorpus'), '--out',
                 str(tmp_path / 'out')]) == 0
    assert sorted(documents(tmp_path / 'out')) == sorted([*(f'd{number}' for number in range(10)), 'd2900'])
    assert 'found' in capsys.readouterr().out
