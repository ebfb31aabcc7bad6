"""Watching a study elsewhere: TensorBoard or Weights & Biases get every row as it is finished.

Nothing is tracked by default, and no result depends on it: the store keeps everything.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Protocol

from panda_gnn.errors import choose, require
from panda_gnn.evaluation.store import Row

TRACKERS = ("none", "tensorboard", "wandb")


class Tracker(Protocol):
    """Whoever wants to know of finished trials."""

    def log(self, row: Row) -> None:
        """A trial is finished."""

    def close(self) -> None:
        """No more trials will come."""


class TensorBoardTracker:
    """Curves of the scores over the seeds, one run of TensorBoard for each config."""

    def __init__(self, folder: Path) -> None:
        require("tensorboard", "tracking")
        self._writer_class: Any = require("torch.utils.tensorboard", "tracking").SummaryWriter
        self._folder = folder
        self._writers: dict[str, Any] = {}

    def log(self, row: Row) -> None:
        """Add a point to the curves of the row's config."""
        name = run_name(row)
        if name not in self._writers:
            self._writers[name] = self._writer_class(str(self._folder / name))
        for metric, value in metrics(row).items():
            self._writers[name].add_scalar(metric, value, row["seed"])

    def close(self) -> None:
        """Write what is not written yet."""
        for writer in self._writers.values():
            writer.close()


class WandbTracker:
    """One offline run of Weights & Biases, one step per trial; ``wandb sync`` uploads it.

    Nothing leaves the machine unless the environment variable ``WANDB_MODE`` says otherwise.
    """

    def __init__(self, folder: Path) -> None:
        wandb = require("wandb", "tracking")
        folder.mkdir(parents=True, exist_ok=True)
        self._run = wandb.init(
            project="panda-gnn",
            dir=str(folder),
            mode=os.environ.get("WANDB_MODE", "offline"),
            settings=wandb.Settings(silent=True, console="off"),
        )

    def log(self, row: Row) -> None:
        """One step with the row's scores, its seed and its settings."""
        config = row["config"]
        named = {name: config[name] for name in ("dataset", "backbone", "method")}
        values = {f"{run_name(row)}/{name}": value for name, value in metrics(row).items()}
        self._run.log({**named, "seed": row["seed"], "settings": config["settings"], **values})

    def close(self) -> None:
        """End the run."""
        self._run.finish()


def open_tracker(name: str, folder: Path) -> Tracker | None:
    """The tracker of this name, keeping its files in ``folder``; ``None`` tracks nothing."""
    choose("tracker", name, TRACKERS)
    if name == "tensorboard":
        return TensorBoardTracker(folder)
    return WandbTracker(folder) if name == "wandb" else None


def print_row(row: Row) -> None:
    """Print a line on standard error."""
    config = row["config"]
    name = " ".join(config[part] for part in ("dataset", "backbone", "method"))
    best = row.get("scores", {}).get("best-val", {})
    numbers = [f"{part} {best[part]:.4f}" for part in ("validation", "test") if part in best]
    numbers += [f"{row['epochs']} epochs"] if "epochs" in row else []
    line = ", ".join([*numbers, f"{row['seconds']:.1f} s"])
    print(f"{name} seed {row['seed']}: {line}", file=sys.stderr, flush=True)


def run_name(row: Row) -> str:
    """What the row's config is called, short and unique."""
    config = row["config"]
    return f"{config['dataset']}/{config['backbone']}/{config['method']}/{row['key'][:8]}"


def metrics(row: Row) -> dict[str, float]:
    """The numbers of a row: every score under every selection rule, epochs and seconds."""
    numbers = {
        f"{part} ({selection})": values[part]
        for selection, values in row.get("scores", {}).items()
        for part in ("validation", "test")
    }
    return numbers | {name: row[name] for name in ("value", "epochs", "seconds") if name in row}
