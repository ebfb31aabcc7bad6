"""What is asked of a figure, what a figure is made of, and the rows of the store behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.current import rows_to_show
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.statistics import Summary
from panda_gnn.evaluation.store import Row, Store
from panda_gnn.evaluation.study import Cell, Study, load_study
from panda_gnn.reports.drawing.panels import CsvRow, Figure
from panda_gnn.reports.drawing.style import Sheet


@dataclass(frozen=True)
class Request:
    """What to draw.

    Attributes:
        datasets: The datasets, one panel or more each.
        trials: How often a random measurement is repeated, each time with another seed.
        graphs: How many graphs of each dataset, spread evenly over it; all if ``None``.
        results: The folder with the stores of studies.
        command: The command that makes the figure again.
        root: The folder that holds the datasets.
        mirror: A folder to take datasets from.
    """

    datasets: tuple[str, ...]
    trials: int
    graphs: int | None = None
    results: Path = Path("results")
    command: str = ""
    root: str | None = None
    mirror: str | None = None

    @property
    def initialisations(self) -> str:
        """How many random models are measured."""
        return f"{self.trials} random initialisation{'s' if self.trials > 1 else ''}"

    def num_graphs(self, dataset: str) -> int:
        """How many graphs of a dataset are measured."""
        total = DATASETS[dataset].num_graphs
        return total if self.graphs is None else min(self.graphs, total)

    def graphs_in_words(self) -> str:
        """How many graphs of which datasets are measured."""
        parts = []
        for dataset in self.datasets:
            total, count = DATASETS[dataset].num_graphs, self.num_graphs(dataset)
            some = f"all {total} graphs" if count == total else f"{count} of {total} graphs"
            parts.append(f"{some} of {printed(dataset)}")
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

    def study(self, name: str) -> Study:
        """The part of a study that the figure shows."""
        study = load_study(name)
        if self.graphs is not None and "graphs" in MEASURES[study.measure].settings:
            study = load_study(name, graphs=self.graphs)
        return study.select(datasets=self.datasets) if self.datasets else study

    def store(self, study: Study) -> Store:
        """Where the rows of a study are kept."""
        return Store(self.results / f"{study.name}.jsonl")

    def measured(self, study: Study) -> list[tuple[Cell, list[Row]]]:
        """Every cell with the rows of its first seeds that are there, in the order of seeds."""
        finished, _ = rows_to_show(study, self.store(study).read().rows, installed_only=True)
        return [
            (cell, [rows[seed] for seed in range(self.trials) if seed in rows])
            for cell in study.cells
            for rows in [finished.get(cell.candidates[0].key, {})]
        ]

    def values(self, study: Study) -> list[tuple[Cell, dict[str, list[Any]]]]:
        """Every cell with its measured values, one entry for each trial."""
        measured = self.measured(study)
        missing = sum(self.trials - len(rows) for _, rows in measured)
        if missing:
            raise InputError(
                f"{self.store(study).path} lacks {missing} of the rows that the figure shows: "
                f"run {self.command or 'panda figure'} to measure them"
            )
        return [
            (cell, {name: [row["values"][name] for row in rows] for name in rows[0]["values"]})
            for cell, rows in measured
        ]


class FigureModule(Protocol):
    """The three steps of a figure."""

    def rows(self, request: Request, study: Study) -> list[CsvRow]:
        """Make the rows of the CSV from the store."""

    def draw(self, rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
        """Draw the rows on a sheet."""

    def caption(self, request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
        """Say what is seen, on which datasets, over how many trials."""


@dataclass(frozen=True)
class FigureKind:
    """A figure that can be made.

    Attributes:
        summary: One line for people.
        datasets: Those of the paper's figure; none where the figure has its own data.
        trials: How many trials unless told otherwise.
        figure: The module that draws it.
        study: The study that it is drawn from.
        measured: What has to be measured before: by default the study itself; ``None`` where the
            figure takes what is there.
    """

    summary: str
    datasets: tuple[str, ...]
    trials: int
    figure: FigureModule
    study: str
    measured: Callable[[Request, Study], Study] | None = lambda request, study: study


def config_of(study: Study, method: str) -> Config:
    """The config of a method in a study in which all its cells share what captions tell."""
    return next(cell for cell in study.cells if cell.line.method == method).candidates[0]


def series(cell: Cell) -> str:
    """The name of a cell's line in figures."""
    if cell.line.method == "none" and cell.line.variant is not None:
        return f"p={cell.line.variant}"
    return {"residual-twin": "residual"}.get(cell.line.method, cell.line.method)


def mean_and_error(trials: Sequence[Any], dtype: torch.dtype) -> tuple[list[float], list[float]]:
    """The mean over trials of a list of numbers, and its standard error (0 for one trial)."""
    values = torch.tensor(trials, dtype=dtype)
    error = values.std(0) / len(trials) ** 0.5 if len(trials) > 1 else 0 * values[0]
    return values.mean(0).tolist(), error.tolist()


def accuracy_cells(ours: Summary) -> dict[str, str | int | float]:
    """The mean over the trials of a study, in a row of the CSV."""
    interval = "" if ours.interval is None else ours.interval
    return {"accuracy": ours.mean, "interval": interval, "trials": ours.n}


def printed(dataset: str) -> str:
    """A dataset's name in titles."""
    return DATASETS[dataset].printed


def counted_trials(rows: Sequence[CsvRow], spread: str) -> str:
    """How many trials the rows have, and how their spread is drawn where there is any."""
    trials = sorted({int(row["trials"]) for row in rows})
    if trials == [1]:
        return "1 trial"
    counted = str(trials[0]) if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    return f"{counted} trials, {spread}"
