"""Shells complete commands, options and names."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from panda_gnn.cli import COMMANDS, main

ASK = """
source /dev/stdin
COMP_WORDS=($WORDS "") COMP_CWORD=$(($(echo $WORDS | wc -w)))
_panda; echo "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script() -> str:
    from panda_gnn.cli.completion import bash_script

    return bash_script()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("panda", list(COMMANDS)),
        ("panda train --dataset", ["mutag", "cora"]),
        ("panda train --backbone", ["gcn", "sage"]),
        ("panda rewire --method", ["fa", "fosr"]),
    ],
)
def test_bash(script: str, words: str, expected: list[str]) -> None:
    done = subprocess.run(
        ["bash", "-c", ASK],
        input=script,
        capture_output=True,
        text=True,
        env={"WORDS": words, "PATH": "/usr/bin:/bin"},
        timeout=30,
    )
    assert set(expected) <= set(done.stdout.split()), done.stderr
    assert "--max-epochs" in script


@pytest.mark.parametrize(("shell", "word"), [("zsh", "bashcompinit"), ("fish", "-l max-epochs")])
def test_other_shells(shell: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert word in printed
    assert "mutag" in printed


def test_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "unknown shell 'tcsh'" in capsys.readouterr().err
