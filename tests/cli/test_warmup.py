"""``panda warmup``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.evaluation.config import Config


def test_a_name_that_nobody_knows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup", "--methods", "pando"]) == 2
    assert "'pando'" in capsys.readouterr().err
    assert main(["warmup", "--backbones", "gnc"]) == 2
    assert "'gnc'" in capsys.readouterr().err


@pytest.mark.faults
def test_after_it_a_first_trial_compiles_nothing(tmp_path: Path) -> None:
    """Compiles the kernels of GCN anew."""
    words = [
        ["warmup", "--methods", "none", "--backbones", "gcn"],
        ["train", "--dataset", "mutag", "--method", "none", "--trials", "1", "--workers", "1"],
    ]
    said = []
    panda = "from panda_gnn.cli import main; raise SystemExit(main())"
    for command in words:
        done = subprocess.run(
            [sys.executable, "-c", panda, *command, "--root", str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")},
        )
        said.append(done.stderr)
    assert "compiled the row_sums kernels" in said[0]
    assert "the kernels of 1 methods and 1 backbones are ready" in said[0]
    assert "compiled" not in said[1]


def test_every_method_of_one_backbone_and_panda_of_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained: list[tuple[str, str, int]] = []

    def note(config: Config, seed: int, **where: object) -> None:
        trained.append((config.backbone, config.method, config.max_epochs))

    monkeypatch.setattr("panda_gnn.evaluation.trial.run_trial", note)
    assert main(["warmup", "--methods", "none,panda,fosr", "--backbones", "gcn,gin"]) == 0
    assert trained == [
        ("gcn", "none", 1),
        ("gcn", "panda", 1),
        ("gcn", "fosr", 1),
        ("gin", "none", 1),
        ("gin", "panda", 1),
    ]
    assert "the kernels of 3 methods and 2 backbones are ready" in capsys.readouterr().err
