"""``panda warmup``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from panda_gnn.cli import main
from panda_gnn.evaluation.warmup import Kind


def test_a_name_that_nobody_knows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup", "--methods", "pando"]) == 2
    assert "'pando'" in capsys.readouterr().err
    assert main(["warmup", "--backbones", "gnc"]) == 2
    assert "'gnc'" in capsys.readouterr().err


@pytest.mark.faults
def test_a_first_run_compiles_before_its_trials_and_a_second_one_nothing(tmp_path: Path) -> None:
    """Compiles the kernels of GCN and of PANDA anew."""
    said = []
    panda = "from panda_gnn.cli import main; raise SystemExit(main())"
    train = ["compare", "--dataset", "mutag", "--trials", "1", "--max-epochs", "2"]
    for command in (["warmup", "--methods", "none,panda", "--backbones", "gcn"], train, train):
        folder = "ahead" if command[0] == "warmup" else "first"
        done = subprocess.run(
            [sys.executable, "-c", panda, *command],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / folder)},
        )
        said.append([line for line in done.stderr.splitlines() if "kernels" in line])
    ahead, first, second = said
    assert "compiled the kernels of none, panda in" in ahead[0]
    assert "the kernels of 2 methods and 1 backbones are ready" in ahead[1]
    assert len(first) == 1
    assert "compiled the kernels of none, panda in" in first[0]
    assert second == []


@pytest.mark.parametrize("fails", [False, True])
def test_every_method_of_one_backbone_and_panda_of_the_others(
    fails: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: list[tuple[str, str]] = []

    def note(kinds: Iterable[Kind], executor: Any) -> dict[Kind, Exception]:
        assert executor.workers == 1
        compiled.extend(kind[:2] for kind in kinds)
        return {Kind("gin", "panda"): ValueError("why")} if fails else {}

    monkeypatch.setattr("panda_gnn.evaluation.warmup.compile_before", note)
    words = ["warmup", "--methods", "none,panda,fosr", "--backbones", "gcn,gin", "--workers", "1"]
    assert main(words) == fails
    assert compiled == [
        ("gcn", "none"),
        ("gcn", "panda"),
        ("gcn", "fosr"),
        ("gin", "none"),
        ("gin", "panda"),
    ]
    ready = "the kernels of 3 methods and 2 backbones are ready"
    assert ("panda on gin: why" if fails else ready) in capsys.readouterr().err
