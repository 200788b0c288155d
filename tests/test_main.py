import subprocess
import sys

import pytest

from pyterrier_unjudged.__main__ import main


def test_demo_prints_a_table_that_fits_a_terminal_and_draws_a_picture(tmp_path, capsys):
    picture = tmp_path / 'scores.png'
    assert main(['demo', '--picture', str(picture)]) == 0
    printed = capsys.readouterr().out
    assert all(len(line) <= 80 for line in printed.splitlines() if str(tmp_path) not in line)
    header, dense = (next(line for line in printed.splitlines() if word in line).split()
                     for word in ('boot95', ' dense'))
    values = dict(zip(header[1:], map(float, dense[1:]), strict=True))
    assert values['lower'] == values['default'] < values['boot'] <= values['boot95'] <= values['upper'] + 0.001
    assert abs(values['boot'] - values['truth']) < abs(values['default'] - values['truth'])
    assert values['judged'] < 0.85
    assert picture.read_bytes().startswith(b'\x89PNG')
    assert [file.name for file in tmp_path.iterdir()] == ['scores.png']


def test_errors_are_one_line(tmp_path, capsys):
    assert main(['demo', '--picture', str(tmp_path / 'no such folder' / 'scores.png')]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_runs_as_a_module():
    usage = subprocess.run([sys.executable, '-m', 'pyterrier_unjudged', '--help'], capture_output=True, text=True,
                           check=True)
    assert 'demo' in usage.stdout


def test_a_command_is_required():
    with pytest.raises(SystemExit):
        main([])
