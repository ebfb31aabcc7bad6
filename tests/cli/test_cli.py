"""The command line as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from panda_gnn import __version__
from panda_gnn.cli import COMMANDS, main
from tests.marks import thorough


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


def test_the_package_the_help_and_what_drives_studies_import_no_torch() -> None:
    code = (
        "import sys, panda_gnn; from panda_gnn.cli import main; main([]);"
        "import panda_gnn.evaluation.executors, panda_gnn.evaluation.run;"
        "sys.exit('torch' in sys.modules or 'numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


SURROUNDINGS = r"""
import sys
from pathlib import Path
from panda_gnn.cli import main

many = "9" * 5000
Path("Stüdie 1.toml").write_text(
    "title = 'Zürich ←'\ntrials = 1\ndatasets = ['mutag']\nbackbones = ['gcn']\n"
    "methods = ['none']\n",
    encoding="utf-8",
)
Path("viele.toml").write_text(f"title = 'x'\ntrials = {many}")
Path("Zeilen ö").mkdir()
row = '{"key":"k","code":"1","seed":%s}\n'
Path("Zeilen ö", "Stüdie 1.jsonl").write_text(row % many + row % ("9" * 4000))
for words, code in (
    (["study", "status", "Stüdie 1.toml", "--results", "Zeilen ö"], 0),
    (["table", "Stüdie 1.toml", "--results", "Zeilen ö"], 0),
    (["table", "Stüdie 1.toml", "--results", "keine Zeilen", "--format", "csv"], 0),
    (["study", "run", "viele.toml"], 2),
    (["study", "run", "übel.toml"], 2),
    (["study", "run", "main", "--budget", many + "h"], 2),
    (["study", "run", "main", "--trial-seconds", many], 2),
    (["train", "--set", "k=" + many], 2),
    (["train", "--seed", many], 2),
    (["train", "--seed", "9" * 4000], 2),
    (["train", "--dataset", "mütag"], 2),
    (["search", "--space", "k=1," + many], 2),
    (["figure", "signal", "--trials", many], 2),
):
    assert main(words) == code, words
"""


@pytest.mark.parametrize("encoding", ["ascii", *thorough(None)])
def test_odd_surroundings(tmp_path: Path, encoding: str | None) -> None:
    """The C locale, no HOME, spaces and other letters in paths, numbers of 5,000 digits."""
    folder = tmp_path / "ein Ordner für 日本"
    folder.mkdir()
    surroundings = {
        name: value for name, value in os.environ.items() if name not in ("HOME", "LANG")
    }
    surroundings |= {"LC_ALL": "C", "PYTHONPATH": os.pathsep.join(sys.path)}
    if encoding is not None:
        surroundings["PYTHONIOENCODING"] = encoding
    ended = subprocess.run(
        [sys.executable, "-c", SURROUNDINGS], cwd=folder, env=surroundings, capture_output=True
    )
    error = ended.stderr.decode(encoding or "utf-8")
    assert ended.returncode == 0, error
    assert "Traceback" not in error
    assert all(len(line) < 500 for line in error.splitlines())
    shown = ended.stdout.decode(encoding or "utf-8")
    assert ("Z\\xfcrich" if encoding else "Zürich ←") in shown


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["datasets"], ["--help"]])
def test_output_that_nobody_reads_ends_quietly(words: list[str], unbuffered: str) -> None:
    code = "import sys; from panda_gnn.cli import main; sys.exit(main())"
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-c", code, *words],
        stdout=writer,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    os.close(writer)
    assert ended.stderr == b""
    assert ended.returncode in (0, 141)  # argparse may swallow the error of its own help
