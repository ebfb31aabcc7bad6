"""The numbers that the PANDA paper prints, every cell of every table, and its settings.

They live in ``paper.toml`` beside this file, together with what is known to be wrong in them.

>>> published("main", "gcn", "panda", "mutag")
Value(mean=85.75, interval=1.396, printed='85.750 ± 1.396')
>>> best_settings("gcn", "mutag")
BestSettings(k=10, high_width=112, centrality='betweenness')
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from panda_gnn.errors import choose

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Value:
    """One cell: a mean and its 95 % interval, both ``None`` where the paper prints 'Time-out'.

    Times have no interval. ``printed`` keeps the digits as they stand in the paper.
    """

    mean: float | None
    interval: float | None
    printed: str

    @property
    def timed_out(self) -> bool:
        """Whether the method did not finish."""
        return self.mean is None


@dataclass(frozen=True)
class PublishedTable:
    """One table of the paper: its cells by (backbone, method, dataset), in the printed order.

    In the tables of centralities and of random nodes the method is the way to choose high nodes.
    Where a row does not depend on a backbone, that is called ``"any"``. ``rule`` says which epoch's
    score counts.
    """

    name: str
    label: str
    title: str
    unit: str
    datasets: tuple[str, ...]
    rule: str
    notes: tuple[str, ...]
    cells: Mapping[tuple[str, str, str], Value]


RELATIONS = ("above", "equals", "not-above")


@dataclass(frozen=True)
class Claim:
    """Something that the paper says of two lines of one of its studies on one dataset.

    Attributes:
        says: The claim in words, with the place where it stands.
        study: The study whose lines are compared.
        dataset: The dataset.
        line: Backbone and method (or variant) that the claim is about, as the paper calls them.
        reference: The line it is compared with.
        relation: What it says that the first is beside the second: ``above`` it, as good
            (``equals``), or ``not-above`` it.
    """

    says: str
    study: str
    dataset: str
    line: tuple[str, str]
    reference: tuple[str, str]
    relation: str = "above"


@dataclass(frozen=True)
class BestSettings:
    """The settings of PANDA that the paper found best on one dataset."""

    k: int
    high_width: int
    centrality: str


@dataclass(frozen=True)
class SearchSpace:
    """The values among which the paper chose the settings of PANDA."""

    k: tuple[int, ...]
    high_width: tuple[int, ...]
    centrality: tuple[str, ...]


@dataclass(frozen=True)
class CommonSettings:
    """What all methods share in the paper; ``patience`` counts epochs."""

    dropout: float
    num_layers: int
    width: int
    learning_rate: float
    patience: int


def published(table: str, backbone: str, method: str, dataset: str) -> Value | None:
    """The cell of a table, or ``None`` where the paper has no such row or column."""
    known = tables()
    return known[choose("table", table, known)].cells.get((backbone, method, dataset))


@cache
def tables() -> Mapping[str, PublishedTable]:
    """Every table of results by name."""
    return MappingProxyType(
        {
            name: PublishedTable(
                name=name,
                label=table["label"],
                title=table["title"],
                unit=table["unit"],
                datasets=tuple(table["datasets"]),
                rule=table.get("rule", "the paper's rows mix the three selection rules"),
                notes=tuple(table["notes"]),
                cells=MappingProxyType(
                    {
                        (backbone, method, dataset): _value(printed)
                        for backbone, rows in table["cells"].items()
                        for method, row in rows.items()
                        for dataset, printed in zip(table["datasets"], row, strict=True)
                    }
                ),
            )
            for name, table in _content()["tables"].items()
        }
    )


def claims() -> list[Claim]:
    """What the text says of lines that a study has; best cells of tables are not among them."""
    return [
        Claim(
            claim["says"],
            claim["study"],
            dataset,
            (backbone, method),
            (backbone, claim[relation]),
            relation,
        )
        for claim in _content()["claims"]
        for backbone, method, dataset in [claim["cell"]]
        for relation in RELATIONS
        if relation in claim
    ]


def best_settings(backbone: str, dataset: str) -> BestSettings | None:
    """The paper's best settings of PANDA, or ``None`` where it gives none."""
    for table in _content()["settings"].values():
        if dataset in table["datasets"] and backbone in table["cells"]:
            column = table["datasets"].index(dataset)
            return BestSettings(
                **{key: row[column] for key, row in table["cells"][backbone].items()}
            )
    return None


def best_on_the_papers_test_tables() -> tuple[int, int]:
    """In how many cells PANDA's published centrality is the best of the paper's table of
    centralities, which are test scores, and how many cells there are: GCN and GIN on six sets."""
    hits = cells = 0
    for backbone in ("gcn", "gin"):
        table = tables()[f"centrality-{backbone}"]
        names = {method for _, method, _ in table.cells}
        for dataset in table.datasets:
            settings = best_settings(backbone, dataset)
            assert settings is not None
            means = {name: table.cells[backbone, name, dataset].mean or 0.0 for name in names}
            hits += means[settings.centrality] == max(means.values())
            cells += 1
    return hits, cells


def search_space() -> SearchSpace:
    """The paper's search space of PANDA."""
    return SearchSpace(**{key: tuple(values) for key, values in _content()["search_space"].items()})


def common_settings() -> CommonSettings:
    """The paper's settings for graph classification that all methods share."""
    return CommonSettings(**_content()["common"])


def notes() -> tuple[str, ...]:
    """What to know before comparing with any of the published numbers."""
    return (
        *_content()["notes"],
        *(note for table in _content()["settings"].values() for note in table["notes"]),
    )


def _value(printed: str) -> Value:
    if printed == "Time-out":
        return Value(None, None, printed)
    mean, _, interval = printed.partition(" ± ")
    return Value(float(mean), float(interval) if interval else None, printed)


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads(files("panda_gnn").joinpath("paper.toml").read_text("utf-8"))
