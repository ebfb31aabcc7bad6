"""What follows from a user's own graphs: task, classes and split, and a dataset to train on.

============================  ================================================================
``y`` of the graphs           task
============================  ================================================================
one whole number a graph      ``graph-classification``
one or more real numbers      ``graph-regression``
several, each 0 or 1          ``graph-multi-label``
one graph, a whole number     ``node-classification``
for each of its nodes
one graph, real numbers       ``node-regression``
for each of its nodes
============================  ================================================================

Whole numbers that are stored as real ones count as classes, if there are at most
:data:`MOST_CLASSES` of them. The split is that of the masks where one graph has ``train_mask``,
``val_mask`` and ``test_mask``; else it is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets.checked import MASKS, checked_graphs, features_of, listed
from panda_gnn.datasets.entry import ClassNames, DatasetEntry
from panda_gnn.datasets.files import LABELS
from panda_gnn.datasets.fingerprint import fingerprint
from panda_gnn.errors import InputError, choose, shown

OWN_TASKS = (
    "graph-classification",
    "graph-regression",
    "graph-multi-label",
    "node-classification",
    "node-regression",
)
METRICS_OF_TASKS = {
    "classification": ("accuracy",),
    "regression": ("mean absolute error",),
    "label": ("average precision",),
}
MOST_CLASSES = 100
"""Real numbers that are whole count as classes up to so many different ones."""

FEWEST_ROWS = 10
"""A split into training, validation and test needs so many graphs or nodes."""


@dataclass(frozen=True, eq=False)
class OwnData:
    """A dataset that is none of the built-in ones.

    Attributes:
        entry: What is known of it, in the form of the built-in ones.
        dataset: The graphs.
        summary: One line that says what was inferred.
    """

    entry: DatasetEntry
    dataset: InMemoryDataset
    summary: str


@dataclass(frozen=True)
class Choices:
    """What is said about own data instead of inferred: each ``None`` where nothing is.

    Attributes:
        task: One of :data:`OWN_TASKS`, or its last word (``classification``).
        metric: The metric's name.
        split: Shares such as ``80/10/10``, ``masks``, or ``cv10`` for ten folds, of which a seed
            takes one for test and the next for validation.
        features: ``x``, ``constant`` or ``degree``.
    """

    task: str | None = None
    metric: str | None = None
    split: str | None = None
    features: str | None = None


def own_data(
    name: str,
    graphs: Any,
    choices: Choices | None = None,
    remark: str = "",
    labels: Sequence[str] | None = None,
) -> OwnData:
    """Own graphs as a dataset to train on.

    Args:
        name: What the dataset is called.
        graphs: A list of PyG ``Data``, a dataset, or one ``Data``.
        choices: What is not to be inferred.
        remark: What is to be said beside it, such as that directed edges were made undirected.
        labels: The words that classes stand for.
    """
    choices = choices or Choices()
    items = listed(graphs)
    features = features_of(items, choices.features)
    checked = checked_graphs(items, features)
    task = _task(checked, choices.task, labels)
    count, numbers = _set_targets(checked, task)
    classes: ClassNames = numbers
    if labels and set(numbers) <= set(range(len(labels))):
        classes = tuple(labels[number] for number in numbers)
    _check_metric(task, choices.metric)
    split, split_sizes = _split(checked, task, choices.split)
    dataset = in_memory(checked)
    entry = own_entry(
        name,
        task,
        checked,
        count,
        classes=classes,
        split=split,
        split_sizes=split_sizes,
        features=features,
        fingerprint=fingerprint(dataset),
    )
    return OwnData(entry, dataset, _summary(entry, remark))


def own_entry(
    name: str, task: str, graphs: list[Data], num_classes: int, **known: Any
) -> DatasetEntry:
    """The entry of own graphs that were checked."""
    return DatasetEntry(
        name=name,
        printed=name,
        dataset_class=InMemoryDataset,
        raw_names=(),
        task=task,
        num_classes=num_classes,
        num_graphs=len(graphs),
        average_nodes=sum(int(data.num_nodes or 0) for data in graphs) / len(graphs),
        average_edges=sum(data.num_edges for data in graphs) / len(graphs),
        num_features=int(graphs[0].x.size(1)),
        citation="",
        **known,
    )


def in_memory(graphs: list[Data]) -> InMemoryDataset:
    """The graphs as a dataset without files."""
    dataset = InMemoryDataset()
    dataset.data, dataset.slices = InMemoryDataset.collate(graphs)
    return dataset


def _summary(entry: DatasetEntry, remark: str) -> str:
    many = f"{entry.num_graphs} graphs" if entry.num_graphs > 1 else "1 graph"
    what = "classes" if entry.task.endswith("classification") else "targets"
    targets = f"{entry.num_classes} {what}" if entry.num_classes > 1 else "1 target"
    parts = [
        f"{many} of {entry.average_nodes:.4g} nodes and {entry.average_edges / 2:.4g} edges",
        f"{entry.num_features} feature{'s' * (entry.num_features > 1)}",
        f"{entry.task}, {targets}",
        f"split {entry.split}",
        *([remark] if remark else []),
    ]
    return f"{entry.printed}: {'; '.join(parts)}"


def _task(graphs: list[Data], chosen: str | None, labels: Sequence[str] | None) -> str:
    first = graphs[0].get("y")
    missing = [
        number for number, data in enumerate(graphs) if not isinstance(data.get("y"), Tensor)
    ]
    if missing:
        raise InputError(
            f"graph {missing[0]} has no target y: give every graph a class or numbers, or every "
            f"node of a single graph (a column or attribute called {', '.join(LABELS)})"
        )
    assert isinstance(first, Tensor)
    per_node = len(graphs) == 1 and first.dim() > 0 and first.size(0) == graphs[0].num_nodes
    if len(graphs) == 1 and not per_node:
        raise InputError(
            f"there is one graph and y has the shape {list(first.shape)}: give a target for each "
            f"of its {graphs[0].num_nodes} nodes, or several graphs"
        )
    if len(graphs) > 1 and all(
        data.y.dim() == 1 and 1 < data.y.size(0) == data.num_nodes for data in graphs
    ):
        raise InputError(
            "y of every graph has as many numbers as the graph has nodes: targets of nodes need a "
            f"single graph, and several targets of a graph the shape [1, {first.size(0)}]"
        )
    of = "node" if per_node else "graph"
    y = _targets(graphs, per_node)
    words = () if labels is None or y.is_floating_point() else labels
    if chosen is not None:
        full = chosen if chosen in OWN_TASKS else f"{of}-{chosen}"
        known = [task for task in OWN_TASKS if task.startswith(of)]
        choose("task", full, known, f"of {'one graph' if per_node else 'several graphs'}")
        if words and not full.endswith("classification"):
            raise InputError(
                f"{full} needs numbers as targets, got words such as {shown(words[0])}: choose the "
                "task classification"
            )
        return full
    whole = not y.is_floating_point() or bool((y == y.round()).all())
    if y.size(1) > 1:
        binary = bool(((y == 0) | (y == 1)).all()) and not per_node
        return "graph-multi-label" if binary else f"{of}-regression"
    if words or (whole and y.unique().numel() <= MOST_CLASSES):
        return f"{of}-classification"
    return f"{of}-regression"


def _set_targets(graphs: list[Data], task: str) -> tuple[int, tuple[int, ...]]:
    """Make ``y`` what the task needs, in place; the number of classes or targets, and what the
    classes were called."""
    per_node = task.startswith("node")
    y = _targets(graphs, per_node)
    if y.is_floating_point() and not bool(y.isfinite().all()):
        row = int((~y.isfinite()).any(dim=1).nonzero()[0])
        raise InputError(f"{'node' if per_node else 'graph'} {row} has no finite target y")
    if y.size(0) < FEWEST_ROWS:
        raise InputError(
            f"there are {y.size(0)} {'nodes' if per_node else 'graphs'} with a target: training, "
            f"validation and test need at least {FEWEST_ROWS}"
        )
    classes: tuple[int, ...] = ()
    if task.endswith("classification"):
        if y.size(1) != 1 or bool((y != y.round() if y.is_floating_point() else y != y).any()):
            raise InputError(f"{task} needs one whole number as y, got {y.size(1)} real ones")
        values, y = y.view(-1).unique(return_inverse=True)
        if values.numel() < 2:
            raise InputError(
                f"all targets are of one class ({values.item():g}): there is nothing to learn"
            )
        classes = tuple(int(value) for value in values)
        count = len(classes)
    else:
        count, y = int(y.size(1)), y.float()
    for data, part in zip(graphs, [y] if per_node else y.split(1), strict=True):
        data.y = part
    return count, classes


def _targets(graphs: list[Data], per_node: bool) -> Tensor:
    """The targets, a row for each graph or for each node of a single one."""
    targets = [data.y.reshape(data.num_nodes if per_node else 1, -1) for data in graphs]
    for number, y in enumerate(targets):
        if y.size(1) != targets[0].size(1):
            raise InputError(
                f"graph {number} has {y.size(1)} targets, graph 0 has {targets[0].size(1)}: give "
                "all of them as many"
            )
    return torch.cat(targets)


def _check_metric(task: str, metric: str | None) -> None:
    if metric is not None:
        known = METRICS_OF_TASKS[task.rpartition("-")[2]]
        choose("metric", metric.replace("-", " "), known, f"of the task {task}")


def _split(
    graphs: list[Data], task: str, chosen: str | None
) -> tuple[str, tuple[int, int, int] | None]:
    """The name of the split, and how many nodes its parts have on average where masks say so."""
    masks = [graphs[0].get(name) for name in MASKS]
    has_masks = task.startswith("node") and all(isinstance(mask, Tensor) for mask in masks)
    if chosen is None:
        chosen = "masks" if has_masks else ("60/20/20" if task.startswith("node") else "80/10/10")
    if chosen == "masks" and has_masks:
        return _set_masks(graphs[0])
    for name in MASKS:
        for data in graphs:
            if name in data:
                del data[name]
    if chosen == "masks":
        raise InputError(
            "split masks needs train_mask, val_mask and test_mask of one graph's nodes"
        )
    shares = re.fullmatch(r"(\d+)/(\d+)/(\d+)", chosen)
    folds = re.fullmatch(r"cv(\d+)", chosen)
    if not (
        shares and sum(map(int, shares.groups())) == 100 and "0" not in shares.groups()
    ) and not (folds and 3 <= int(folds[1]) <= 20):
        raise InputError(
            f"split is '{chosen}', it must be shares of 100 such as 80/10/10, cv3 to cv20, or masks"
        )
    return chosen, None


def _set_masks(data: Data) -> tuple[str, tuple[int, int, int]]:
    """Make the masks columns of truth values, one for each split, that share no node."""
    count, masks = int(data.num_nodes or 0), {name: data[name].bool() for name in MASKS}
    for name, mask in masks.items():
        if mask.dim() not in (1, 2) or mask.size(0) != count or not mask.numel():
            raise InputError(
                f"{name} has the shape {list(mask.shape)}, but there are {count} nodes"
            )
    splits = max(mask.view(count, -1).size(1) for mask in masks.values())
    for name, mask in masks.items():
        columns = mask.view(count, -1)
        if columns.size(1) not in (1, splits):
            raise InputError(f"{name} has {columns.size(1)} columns, others have {splits}")
        if not bool(columns.any(dim=0).all()):
            raise InputError(f"{name} must mark at least one of the {count} nodes")
        masks[name] = data[name] = columns.expand(count, splits).contiguous()
    for one, other in combinations(MASKS, 2):
        shared = int((masks[one] & masks[other]).any(dim=1).sum())
        if shared:
            raise InputError(
                f"{one} and {other} share {shared} of {count} nodes: a node may be in one of them"
            )
    train, validation, test = (round(int(masks[name].sum()) / splits) for name in MASKS)
    return "masks" if splits == 1 else f"masks of {splits} splits", (train, validation, test)
