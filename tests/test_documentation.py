"""README, pages and notebooks say what the package does: their code runs, and the README's table is what it prints."""

import inspect
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

import pyterrier_unjudged
from pyterrier_unjudged.__main__ import demo

ROOT = Path(__file__).parent.parent
README = (ROOT / 'README.md').read_text(encoding='utf-8')
PAGES = sorted((ROOT / 'pyterrier_unjudged' / 'pt_docs').glob('*.rst'))
NOTEBOOKS = sorted((ROOT / 'notebooks').glob('*.ipynb'))


def test_the_readme_prints_what_the_demo_prints(tmp_path):
    table = demo(tmp_path / 'picture.png').split('\n\n')[1]
    for line in table.splitlines():
        assert line.rstrip() in README


def test_code_in_the_readme_runs():
    blocks = re.findall(r'```python\n(.*?)```', README, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, 'README.md', 'exec'), {})


def test_every_public_name_has_a_place_in_the_pages():
    documented = set(re.findall(r'.. auto\w+:: pyterrier_unjudged\.(\w+)', '\n'.join(map(Path.read_text, PAGES))))
    public = {name for name in pyterrier_unjudged.__all__ if not inspect.ismodule(getattr(pyterrier_unjudged, name))}
    assert public <= documented


def test_every_page_is_listed():
    index = (PAGES[0].parent / 'index.rst').read_text(encoding='utf-8')
    for page in PAGES:
        assert page.stem == 'index' or f'\n   {page.stem}\n' in index


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    monkeypatch.delenv('UNJUDGED_DATA', raising=False)  # on generated runs: tests of studies use the real ones
    pytest.importorskip('pyterrier_pisa')
    notebook = nbformat.read(path, as_version=4)
    assert 'colab.research.google.com' in notebook.cells[0].source
    assert all(not cell.get('outputs') for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=300, resources={'metadata': {'path': str(tmp_path)}}).execute()


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == [
        'alternatives-to-bpref', 'corpus-subsampling', 'deep-metrics-shallow-pools', 'is-my-collection-reusable',
        'unjudged-in-pt-experiment']
