"""The command line as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

from panda_gnn import __version__
from panda_gnn.cli import COMMANDS, main


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert COMMANDS[command] in capsys.readouterr().out.replace("\n", " ")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.strip() == f"panda-gnn {__version__}"


def test_an_unknown_command_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dance"]) == 2
    error = capsys.readouterr().err
    assert "dance" in error
    assert error.count("\n") == 1


def test_the_package_and_the_help_import_no_torch() -> None:
    code = (
        "import sys, panda_gnn; from panda_gnn.cli import main; main([]);"
        "sys.exit('torch' in sys.modules or 'numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
