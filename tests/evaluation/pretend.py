"""Trials that cost nothing, for tests of everything around a trial.

They can be imported by name, because workers in other processes look them up. Run as a program,
this file is the driver of a small study that a test can kill.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.origin import Origin, origin_of

if TYPE_CHECKING:  # workers start in a tenth of a second without torch
    from panda_gnn.evaluation.study import Study

CODE = "pretend"

#: The fingerprint of MUTAG.
MUTAG = "e76f3237b526c244a75afeee79d0c273"

Row = dict[str, Any]


def draw(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def small_study(**changes: Any) -> Study:
    """Two methods on one dataset, three trials each, unless changed; settings are not checked."""
    content = {
        "title": "A small study",
        "trials": 3,
        "datasets": ["mutag"],
        "backbones": ["gcn"],
        "methods": ["none", "digl"],
        **changes,
    }
    from panda_gnn.evaluation.study import parse_study

    return parse_study("small", content, configure=Config)


def named_origin(config: Config) -> Row:
    """The parts and the data of a config; for MUTAG from memory, so that workers start quickly."""
    if config.dataset == "mutag":
        parts = {"task": "graph-classification-1", "method": f"{config.method}-1"}
        return {"parts": parts, "data": MUTAG}
    from panda_gnn.datasets import DATASETS
    from panda_gnn.evaluation import methods

    return {"parts": methods.parts(config), "data": DATASETS[config.dataset].fingerprint}


def pretend_trial(config: Config, seed: int, **where: Any) -> Row:
    """A row as a real trial gives it, with scores out of a hash."""
    scores = {
        selection: {
            "validation": draw(config.key, seed, selection, "validation"),
            "test": draw(config.key, seed, selection, "test"),
            "epoch": 1,
        }
        for selection in ("best-val", "last", "best-val-test-ties")
    }
    return {
        "key": config.key,
        "seed": seed,
        "code": CODE,
        **named_origin(config),
        "config": config.to_dict(),
        "split": f"split-{seed}",
        "metric": "accuracy",
        "scores": scores,
        "epochs": 1,
        "parameters": {"trained": 1, "never_trained": 0},
        "seconds": 0.01,
        "versions": {},
        "revision": None,
        "processor": None,
    }


def pretend_origins(study: Study, code: str = CODE) -> dict[str, Origin]:
    """What the rows of pretended trials say of themselves."""
    return {
        config.key: origin_of({**pretend_trial(config, 0), "code": code})
        for cell in study.cells
        for config in cell.candidates
    }


def noted_trial(config: Config, seed: int) -> Row:
    """Writes down that it ran, then takes a moment."""
    with Path(os.environ["PANDA_PRETEND_NOTES"]).open("a") as notes:
        notes.write(f"{config.method} {seed}\n")
    time.sleep(0.1)
    return pretend_trial(config, seed)


def slow_trial(config: Config, seed: int) -> Row:
    """Takes so long that something can happen meanwhile."""
    time.sleep(0.2 + 0.4 * draw(config.key, seed, "time"))
    return pretend_trial(config, seed)


def endless_trial(config: Config, seed: int) -> Row:
    """Never comes back, but for seed 0."""
    if seed > 0:
        time.sleep(600)
    return pretend_trial(config, seed)


def trial_that_dies_once(config: Config, seed: int) -> Row:
    """Kills its own worker the first time that seed 1 of a method runs."""
    mark = Path(os.environ["PANDA_PRETEND_MARKS"]) / config.method
    if seed == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return pretend_trial(config, seed)


def long_trial_that_dies_once(
    config: Config, seed: int, *, checkpoint: str | None = None, die_at: int = 5
) -> Row:
    """A real trial that keeps a checkpoint after every epoch and kills its worker once."""
    from panda_gnn.evaluation import checkpoint as checkpoints
    from panda_gnn.evaluation.methods import complete
    from panda_gnn.evaluation.tasks import load_data
    from panda_gnn.evaluation.trial import trial_on

    mark = Path(os.environ["PANDA_PRETEND_MARKS"]) / "died"

    def die(epoch: int, validation: float) -> None:
        with mark.with_name("epochs").open("a") as epochs:
            epochs.write(f"{epoch}\n")
        if epoch == die_at and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    checkpoints.SAVE_EVERY = 0.0
    data = load_data(config.dataset)
    return dict(trial_on(data, complete(config), seed, die, checkpoint=checkpoint))


def trial_that_always_dies(config: Config, seed: int) -> Row:
    """Kills its worker whenever seed 1 of digl runs."""
    if seed == 1 and config.method == "digl":
        os.kill(os.getpid(), signal.SIGKILL)
    return pretend_trial(config, seed)


def trial_that_fails(config: Config, seed: int) -> Row:
    """Cannot do the method digl."""
    if config.method == "digl":
        raise ValueError("no diffusion today")
    return pretend_trial(config, seed)


def threads_of_worker() -> str | None:
    """How many threads the worker may use."""
    return os.environ.get("OMP_NUM_THREADS")


def drive(trial: str, store: str, trials: str) -> None:
    """Run the small study with one of these trials on two processes."""
    from panda_gnn.evaluation.executors import LocalExecutor
    from panda_gnn.evaluation.run import run_study
    from panda_gnn.evaluation.store import Store

    functions = {"noted": noted_trial, "endless": endless_trial}
    with LocalExecutor(2) as executor:
        outcome = run_study(
            small_study(),
            Store(Path(store)),
            executor,
            functions[trial],
            origins=pretend_origins(small_study()),
            trials=int(trials),
        )
    print(f"ran {outcome.ran}, left {outcome.left}, interrupted {outcome.interrupted}")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever this was started from
    drive(*sys.argv[1:])
