"""Names without torch: lists, and mistyped names told before anything is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.cli.names import check_names, known_names, registered_names
from panda_gnn.errors import InputError
from tests.evaluation.test_plugins import _forget, written  # noqa: F401

WITHOUT_TORCH = """
import sys
from panda_gnn.cli import main
code = main(sys.argv[1:])
assert "torch" not in sys.modules, "torch was imported"
assert "numpy" not in sys.modules, "numpy was imported"
sys.exit(code)
"""


def test_the_file_has_the_names_of_the_registries() -> None:
    assert known_names() == registered_names(), "run make tables"


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["datasets"], 0, "mutag "),
        (["methods", "--json"], 0, '"panda": "PANDA'),
        (["backbones"], 0, "sage "),
        (["centralities"], 0, "share of the shortest paths between others"),
        (["train", "--dataset", "mutagg"], 2, "unknown dataset 'mutagg'"),
        (["compare", "--methods=panda,fosrr"], 2, "unknown method 'fosrr'"),
        (["search", "--backbone", "gcnn"], 2, "unknown backbone 'gcnn'"),
        (["rewire", "mutagg", "--method", "fosr"], 2, "did you mean mutag?"),
        (["--help"], 0, "COMMAND"),
        (["trian"], 2, "trian"),
    ],
)
def test_torch_is_not_imported(words: list[str], code: int, expected: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *words], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stderr
    assert expected in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["centrality", "rewire", "advise"])
def test_a_dataset_without_an_option_is_checked(command: str) -> None:
    check_names([command, "mutag"])
    check_names([command, "--method", "fosr"])
    with pytest.raises(InputError, match=r"unknown dataset 'mutagg': .*did you mean mutag"):
        check_names([command, "mutagg"])


TYPO_OF_A_STUDY = """
import sys
from panda_gnn.cli import main
assert main(sys.argv[1:]) == 2
assert not {"torch", "scipy", "numba", "sklearn"} & set(sys.modules)
"""


@pytest.mark.parametrize("words", [["table", "mian"], ["study", "status", "mian"]])
def test_a_mistyped_study_is_told_without_torch(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TYPO_OF_A_STUDY, *words], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"panda {words[0]}: unknown study 'mian': choose one of")
    assert done.stderr.endswith("(did you mean main?)\n")


EXPLAINED = """
import sys
from panda_gnn.cli import COMMANDS, main
from panda_gnn.cli.completion import options_of_commands
for command in COMMANDS:
    try:
        main([command, "--help"])
    except SystemExit:
        assert "torch" not in sys.modules, command
assert "--high-width" in options_of_commands()["train"]
assert not {"torch", "scipy", "numba", "sklearn"} & set(sys.modules)
"""


def test_commands_are_explained_and_completed_without_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXPLAINED], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_names_that_are_not_checked_yet(tmp_path: Path) -> None:
    for name in ("own.csv", "pyg:ZINC", "module:object", "mutag?split=cv10", str(tmp_path)):
        check_names(["train", "--dataset", name])
    check_names(["train", "--dataset", "wheels", "--plugin", "mine.py"])
    check_names(["figure", "--method", "anything"])
    check_names([])
    for command in ("rewire", "centrality", "advise"):
        with pytest.raises(InputError, match="unknown dataset 'mutagg'"):
            check_names([command, "mutagg"])
    with pytest.raises(InputError, match="unknown centrality"):
        check_names(["train", "--centrality", "beauty"])


def test_what_a_plugin_registers_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = written(tmp_path)
    assert main(["methods", "--plugin", plugin]) == 0
    assert "Drops edges (plugin mine)" in capsys.readouterr().out
    assert main(["datasets", "--plugin", plugin, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plugin-paths"] == "registered (plugin mine)"
    assert main(["centralities", "--plugin", plugin]) == 0
    assert "plugin-index" in capsys.readouterr().out
