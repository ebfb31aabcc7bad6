"""What a method is, and what all methods share: the graphs as they are and the plain backbone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.evaluation.train import Curves
from panda_gnn.nn import GNN


def no_settings(task: Task, config: Config) -> dict[str, Setting]:
    """The defaults of a method that has nothing to set."""
    return {}


def as_it_is(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    """The graphs of the dataset, unchanged."""
    return data.graphs


def plain_model(task: Task, graphs: GraphTable, config: Config, **options: Any) -> GNN:
    """The backbone without anything of PANDA, with the given options instead of the shared."""
    return task.model(GNN, graphs, config, **options)


def network(kind: type[GNN], *names: str) -> Callable[[Task, GraphTable, Config], GNN]:
    """Makes a network of another class, with the settings of these names as its options."""

    def make(task: Task, graphs: GraphTable, config: Config) -> GNN:
        return task.model(kind, graphs, config, **{name: config.settings[name] for name in names})

    return make


@dataclass(frozen=True)
class Method:
    """One way to treat a dataset.

    Attributes:
        summary: One sentence for people.
        defaults: The settings and their values where a config gives none.
        graphs: Makes the graphs that the model sees.
        model: Makes the model.
        check: Rejects settings that are out of range.
        fit: Fits something else than a model and scores it.
        whole_graphs: Whether it is only for datasets with a class for every graph, as all that is
            fitted is.
        backbones: The backbones that it is for; by default all.
        same_as: The method that this one is bit for bit on a backbone, if any: tables show such a
            line, but do not count it among the comparisons.
        version: Raised whenever the method gives other scores than before; its own rows are then
            old, and nobody else's.
    """

    summary: str
    defaults: Callable[[Task, Config], Mapping[str, Setting]] = no_settings
    graphs: Callable[[TaskData, Mapping[str, Any], int], GraphTable] = as_it_is
    model: Callable[[Task, GraphTable, Config], GNN] = plain_model
    check: Callable[[Mapping[str, Any]], object] = lambda settings: None
    fit: Callable[[GraphTable, Split, Mapping[str, Any]], Curves] | None = None
    whole_graphs: bool = False
    backbones: Sequence[str] | None = None
    same_as: Callable[[str], str | None] = lambda backbone: None
    version: int = 1
