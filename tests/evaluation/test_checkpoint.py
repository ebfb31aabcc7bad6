"""A trial that is killed goes on from its checkpoint, with the bits of one that was not."""

from __future__ import annotations

import dataclasses
import errno
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.evaluation import checkpoint as checkpoints
from panda_gnn.evaluation import trial
from panda_gnn.evaluation.checkpoint import Checkpoint, remove_checkpoint
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import LocalExecutor
from panda_gnn.evaluation.methods import METHODS, complete
from panda_gnn.evaluation.origin import origin_of
from panda_gnn.evaluation.run import run_study
from panda_gnn.evaluation.store import INCIDENTAL, Row, Store
from panda_gnn.evaluation.study import Cell, Line, Study
from panda_gnn.evaluation.train import train
from panda_gnn.evaluation.trial import run_trial, trial_on
from tests.evaluation.pretend import long_trial_that_dies_once
from tests.evaluation.test_trial import made_up

SMALL: dict[str, Any] = {"width": 6, "num_layers": 2, "batch_size": 4, "learning_rate": 0.02}

TRIALS = [
    Config("mutag", "gcn", "none", max_epochs=14, **SMALL),
    Config("mutag", "gin", "panda", {"k": 2, "high_width": 9}, max_epochs=9, **SMALL),
    Config("mutag", "gcn", "none", max_epochs=40, patience=6, **SMALL),
    Config("texas", "gcn", "none", max_epochs=30, **SMALL),
    Config("peptides-struct", "gin", "none", {"preset": "dwivedi"}, max_epochs=9, **SMALL),
    Config("peptides-func", "gcn", "none", {"preset": "toenshoff"}, max_epochs=9, **SMALL),
]


class Killed(Exception):
    """Ends a training in the middle."""


class Watched:
    """Runs trials on made-up graphs, and remembers their epochs and the last model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.epochs: list[int] = []
        self.model: Any = None
        self.die_at: int | None = None
        monkeypatch.setattr(trial, "train", self.train)

    def train(self, model: Any, *arguments: Any, **options: Any) -> Any:
        self.model = model
        return train(model, *arguments, **options)

    def note(self, epoch: int, validation: float) -> None:
        self.epochs.append(epoch)
        if epoch == self.die_at:
            raise Killed

    def run(self, config: Config, path: Path | None, seed: int = 3) -> Row:
        self.epochs = []
        data = made_up(config.dataset)[1]
        if config.dataset.startswith("peptides"):
            entry = dataclasses.replace(data.entry, split_sizes=(17, 3, 3))
            atoms = data.graphs.with_nodes(x=data.graphs.x.long())
            data = dataclasses.replace(data, entry=entry, graphs=atoms)
        where = None if path is None else str(path)
        return trial_on(data, complete(config), seed, self.note, checkpoint=where)

    def weights(self) -> list[Tensor]:
        return [value.clone() for value in self.model.state_dict().values()]


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    monkeypatch.setattr(checkpoints, "SAVE_EVERY", 0.0)
    return Watched(monkeypatch)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "main.jsonl.checkpoints" / "trial.pt"


def facts(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in INCIDENTAL}


def kill(watched: Watched, config: Config, path: Path, epoch: int) -> None:
    watched.die_at = epoch
    with pytest.raises(Killed):
        watched.run(config, path)
    watched.die_at = None


@pytest.mark.parametrize("config", TRIALS, ids=lambda config: f"{config.dataset}-{config.method}")
def test_a_resumed_trial_has_the_bits_of_one_that_was_not_killed(
    watched: Watched, path: Path, config: Config
) -> None:
    whole = watched.run(config, None)
    weights = watched.weights()
    for epoch in (3, 3, 6):
        kill(watched, config, path, epoch)
    resumed = watched.run(config, path)
    assert watched.epochs[0] == 6
    assert facts(resumed) == facts(whole)
    assert resumed["seconds"] > 0
    for here, there in zip(watched.weights(), weights, strict=True):
        assert torch.equal(here, there)


#: One method of each kind of model, and those that change graphs while they train.
KINDS = [
    *{method.model: name for name, method in METHODS.items() if method.fit is None}.values(),
    "sjlr",
]


@pytest.mark.parametrize("method", KINDS)
def test_no_method_has_a_state_that_checkpoints_miss(
    watched: Watched, path: Path, method: str
) -> None:
    backbones = METHODS[method].backbones or ["gin"]
    backbone = "gin" if "gin" in backbones else backbones[0]
    config = Config("mutag", backbone, method, max_epochs=5, **SMALL)
    whole = watched.run(config, None)
    weights = watched.weights()
    kill(watched, config, path, 3)
    assert facts(watched.run(config, path)) == facts(whole)
    assert watched.epochs == [3, 4]
    assert all(map(torch.equal, watched.weights(), weights))


def test_a_short_trial_writes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Watched(monkeypatch).run(TRIALS[0], path)
    assert not path.parent.exists()


def test_a_worker_that_does_not_see_the_results_writes_nothing(
    watched: Watched, tmp_path: Path
) -> None:
    watched.run(TRIALS[0], tmp_path / "elsewhere" / "main.jsonl.checkpoints" / "trial.pt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [{"learning_rate": 0.03}, {"dropout": 0.4}, {"backbone": "gin"}, {"seed": 4}, {"code": "0"}],
)
def test_a_checkpoint_of_another_trial_is_not_used(
    watched: Watched, path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    kill(watched, TRIALS[0], path, 4)
    seed = change.pop("seed", 3)
    monkeypatch.setattr(trial, "CODE", change.pop("code", trial.CODE))
    other = Config(**{**TRIALS[0].to_dict(), **change})
    with pytest.warns(UserWarning, match="of another trial, version of the code, dataset or"):
        row = watched.run(other, path, seed)
    assert watched.epochs[0] == 0
    assert facts(row) == facts(watched.run(other, None, seed))


def test_a_damaged_checkpoint_is_not_used(watched: Watched, path: Path) -> None:
    kill(watched, TRIALS[0], path, 4)
    content = path.read_bytes()
    for damaged in (b"", content[:50], content[:-9], content[:900] + b"x" + content[901:]):
        path.write_bytes(damaged)
        with pytest.warns(UserWarning, match="is damaged"):
            assert facts(watched.run(TRIALS[0], path)) == facts(watched.run(TRIALS[0], None))


class Stranger:
    """Runs a command when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("let-in",)


def test_reading_a_checkpoint_executes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkpoints, "SAVE_EVERY", 0.0)
    mine = Checkpoint(path, "a trial")
    mine.save_if_due(lambda: {"model": Stranger()})
    with pytest.warns(UserWarning, match="is damaged"):
        assert mine.load() is None
    assert not (tmp_path / "let-in").exists()


def test_a_full_disk_is_warned_about_and_the_trial_goes_on(
    watched: Watched, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(UserWarning, match="no checkpoint could be written: .*No space left"):
        row = watched.run(TRIALS[0], path)
    assert row["epochs"] == 14


def test_removing_leaves_the_checkpoints_of_others(path: Path) -> None:
    path.parent.mkdir()
    other = path.with_name("other.pt")
    for file in (path, path.with_name("trial.pt.new"), other):
        file.touch()
    remove_checkpoint(path)
    assert list(path.parent.iterdir()) == [other]
    remove_checkpoint(other)
    remove_checkpoint(other)
    assert not path.parent.exists()


@pytest.mark.faults
def test_a_trial_whose_worker_is_killed_goes_on_in_the_next(
    tmp_path: Path, shared_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.setenv("PANDA_PRETEND_MARKS", str(tmp_path))
    config = complete(Config("mutag", method="panda", max_epochs=9))
    whole = run_trial(config, 0)
    study = Study("long", "", (Cell("mutag", Line("gcn", "panda"), (config,)),), trials=1)
    store = Store(tmp_path / "long.jsonl")
    with LocalExecutor(1) as executor:
        outcome = run_study(
            study,
            store,
            executor,
            long_trial_that_dies_once,
            origins={config.key: origin_of(whole)},
            trials=1,
            resumes=True,
        )
    assert (outcome.ran, outcome.failures) == (1, [])
    assert (tmp_path / "epochs").read_text().split() == [*map(str, range(6)), *"5678"]
    assert facts(store.read().rows[0]) == facts(whole)
    assert not (tmp_path / "long.jsonl.checkpoints").exists()
