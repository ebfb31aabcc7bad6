"""Stores whose rows nobody measured."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.current import origins
from panda_gnn.evaluation.failures import Failures
from panda_gnn.evaluation.measurements.untrained import spread_graphs
from panda_gnn.evaluation.methods import parts
from panda_gnn.evaluation.store import Row, Store, line_of
from panda_gnn.evaluation.study import Study
from panda_gnn.evaluation.trial import CODE
from tests.evaluation.pretend import draw


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def store_trials(study: Study, folder: Path, datasets: tuple[str, ...], seeds: int) -> None:
    """Pretend that a study has been run: more of the setting is better, and GIN better than GCN."""
    store = Store(folder / f"{study.name}.jsonl")
    store.prepare()
    _write(
        store,
        (
            _trial(config, seed, cell.line.variant)
            for cell in study.cells
            if cell.dataset in datasets
            for config in cell.candidates
            for seed in range(seeds)
        ),
    )


def store_everything(study: Study, folder: Path, failure: str) -> Store:
    """Four trials of a study on MUTAG that differ by method, seed and rule, curves, a failure."""
    store_trials(study, folder, ("mutag",), 4)
    store = Store(folder / f"{study.name}.jsonl")
    first, *rest = map(_better_with_a_method, store.read().rows)
    curves = {"loss": [2.0, 1.0], "validation": [0.5, 0.7], "test": [0.4, 0.6]}
    _write(store, ({**first, "curves": curves}, *rest))
    Failures(store, origins(study)).add(study.cells[0].candidates[0], 99, failure)
    return store


def _better_with_a_method(row: Row) -> Row:
    """The row with a score that differs from seed to seed and from rule to rule."""
    gain = 0.0 if row["config"]["method"] == "none" else 0.02 * (row["seed"] % 3)
    scores = {
        rule: {**values, "test": values["test"] + gain * (1 + place)}
        for place, (rule, values) in enumerate(row["scores"].items())
    }
    return {**row, "scores": scores}


def _write(store: Store, rows: Iterable[Row]) -> None:
    """All rows in one write: those of a store wait for the disk one by one."""
    store.path.write_bytes(b"".join(map(line_of, rows)))


def _trial(config: Config, seed: int, variant: object) -> dict[str, object]:
    level = 0.5 + 0.1 * (config.backbone == "gin") + 0.001 * float(str(variant or 0))
    epoch = {"epoch": 1, "validation": level, "test": level + 0.01 * seed}
    scores = dict.fromkeys(("best-val", "last", "best-val-test-ties"), epoch)
    return {
        "key": config.key,
        "seed": seed,
        "code": CODE,
        "parts": parts(config),
        "data": DATASETS[config.dataset].fingerprint,
        "config": config.to_dict(),
        "metric": "accuracy",
        "scores": scores,
    }


def store_measurements(study: Study, folder: Path, seeds: int) -> None:
    """Pretend that a study of measurements has been run."""
    store = Store(folder / f"{study.name}.jsonl")
    store.prepare()
    known = origins(study)
    rows = []
    for cell in study.cells:
        config = cell.candidates[0]
        code, named, data = known[config.key]
        row = {"key": config.key, "code": code, "parts": dict(named), "data": data}
        for seed in range(seeds):
            values = pretend_values(study.measure, config, seed)
            rows.append({**row, "seed": seed, "values": values})
    _write(store, rows)


def pretend_values(measure: str, config: Config, seed: int) -> dict[str, Any]:
    """Values as a real measurement gives them, out of a hash."""

    def numbers(name: str, count: int) -> list[float]:
        return [0.01 + draw(config.key, seed, name, place) for place in range(count)]

    if measure in ("transfer", "bottleneck"):
        return {"accuracy": seed / 2}
    if measure == "sensitivity":
        return {"sensitivity": numbers("sensitivity", config.num_layers)}
    if measure == "energy":
        return {
            name: numbers(name, config.num_layers + 2) for name in ("energy", "relative_energy")
        }
    count: Any = config.settings["graphs"]
    graphs = spread_graphs(config.dataset, count)
    return {
        "graph": graphs,
        "total_resistance": [float(3 * graph + 1) for graph in graphs],
        "heard": numbers("heard", len(graphs)),
        "signal": numbers("signal", len(graphs)),
    }
