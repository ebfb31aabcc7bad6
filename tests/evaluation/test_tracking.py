from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from panda_gnn.errors import InputError, require
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.tracking import metrics, open_tracker, print_row, run_name
from tests.evaluation.pretend import pretend_trial

ROWS = [
    pretend_trial(Config("mutag", method=method), seed)
    for method in ("none", "digl")
    for seed in range(3)
]


def test_nothing_is_tracked_by_default(tmp_path: Path) -> None:
    assert open_tracker("none", tmp_path / "tracking") is None
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_tracker_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="choose one of none, tensorboard, wandb"):
        open_tracker("mlflow", tmp_path)


def test_a_time_is_tracked_too() -> None:
    assert metrics({"value": 3.0, "seconds": 1.0}) == {"value": 3.0, "seconds": 1.0}


def test_tensorboard_gets_a_curve_per_config(tmp_path: Path) -> None:
    tracker = open_tracker("tensorboard", tmp_path)
    assert tracker is not None
    for row in ROWS:
        tracker.log(row)
    tracker.close()
    reader = require("tensorboard.backend.event_processing.event_accumulator", "tracking")
    events: Any = reader.EventAccumulator(str(tmp_path / run_name(ROWS[0])))
    events.Reload()
    points = events.Scalars("test (best-val)")
    assert [point.step for point in points] == [0, 1, 2]
    expected = [row["scores"]["best-val"]["test"] for row in ROWS[:3]]
    assert [point.value for point in points] == pytest.approx(expected)


def test_wandb_is_told_what_was_run_and_what_came_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = MagicMock()
    monkeypatch.setattr("panda_gnn.evaluation.tracking.require", lambda *_: wandb)
    folder = tmp_path / "new" / "tracking"
    for _ in range(2):  # a folder that is not there, and one that is
        tracker = open_tracker("wandb", folder)
        assert folder.is_dir()
    assert tracker is not None
    tracker.log(ROWS[4])
    ((logged,),) = (call.args for call in wandb.init.return_value.log.call_args_list)
    scores = {f"{run_name(ROWS[4])}/{name}": value for name, value in metrics(ROWS[4]).items()}
    assert len(scores) == 8
    assert logged == scores | {
        "dataset": "mutag",
        "backbone": "gcn",
        "method": "digl",
        "seed": 1,
        "settings": {},
    }
    wandb.init.return_value.finish.assert_not_called()
    tracker.close()
    wandb.init.return_value.finish.assert_called_once_with()


@pytest.mark.thorough
def test_wandb_writes_an_offline_run_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WANDB_MODE", raising=False)
    tracker = open_tracker("wandb", tmp_path)
    assert tracker is not None
    for row in ROWS:
        tracker.log(row)
    tracker.close()
    assert list(tmp_path.glob("wandb/offline-run-*/run-*.wandb"))


def test_a_line_for_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    config = {"dataset": "mutag", "backbone": "gcn", "method": "panda"}
    scores = {"best-val": {"epoch": 3, "validation": 0.5, "test": 0.25}}
    row = {"config": config, "seed": 7, "scores": scores, "epochs": 9, "seconds": 1.26}
    print_row(row)
    print_row({"config": config, "seed": 8, "seconds": 0.1})
    assert capsys.readouterr().err.splitlines() == [
        "mutag gcn panda seed 7: validation 0.5000, test 0.2500, 9 epochs, 1.3 s",
        "mutag gcn panda seed 8: 0.1 s",
    ]
