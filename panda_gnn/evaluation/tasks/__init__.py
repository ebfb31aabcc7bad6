"""Every task, and datasets as their tasks see them."""

from __future__ import annotations

from functools import lru_cache

from torch import Tensor

from panda_gnn.datasets import DATASETS, load
from panda_gnn.datasets.fingerprint import fingerprint
from panda_gnn.datasets.resolver import Stamp, is_own, stamps
from panda_gnn.errors import InputError
from panda_gnn.evaluation.tasks.graph_classification import GRAPH_CLASSIFICATION
from panda_gnn.evaluation.tasks.long_range import MULTI_LABEL, REGRESSION
from panda_gnn.evaluation.tasks.node_classification import NODE_CLASSIFICATION
from panda_gnn.evaluation.tasks.numbers import (
    GRAPH_MULTI_LABEL,
    GRAPH_REGRESSION,
    NODE_REGRESSION,
)
from panda_gnn.evaluation.tasks.task import Task, TaskData
from panda_gnn.registry import Registry

__all__ = ["TASKS", "Task", "TaskData", "evaluate", "load_data", "task_of"]

_OF_BENCHMARKS = (GRAPH_CLASSIFICATION, NODE_CLASSIFICATION, MULTI_LABEL, REGRESSION)
_OF_OWN_DATA = (GRAPH_REGRESSION, NODE_REGRESSION, GRAPH_MULTI_LABEL)
TASKS: Registry[Task] = Registry(
    "task", {task.name: task for task in (*_OF_BENCHMARKS, *_OF_OWN_DATA)}
)
"""Every task by the name that datasets have for it."""


def task_of(dataset: str) -> Task:
    """The task of a dataset, by its name."""
    return TASKS.lookup(DATASETS.lookup(dataset).task)


def load_data(
    name: str,
    root: str | None = None,
    mirror: str | None = None,
    graphs: tuple[int, ...] | None = None,
) -> TaskData:
    """The dataset ``name``, or some of its graphs, loaded and collated once in a process, and again
    when files of own data have changed."""
    return collated(name, root, mirror, graphs, stamps(name) if is_own(name) else ())


@lru_cache(maxsize=2)
def collated(
    name: str,
    root: str | None,
    mirror: str | None,
    graphs: tuple[int, ...] | None,
    files: tuple[Stamp, ...],
) -> TaskData:
    """What :func:`load_data` gives while files have these stamps."""
    dataset = load(name, root=root, mirror=mirror)
    content = fingerprint(dataset)
    if graphs is not None:
        dataset = dataset.copy(list(graphs))
    task = task_of(name)
    return TaskData(DATASETS[name], task, dataset, task.collate(dataset), content)


def evaluate(dataset: str, output: Tensor, target: Tensor) -> float:
    """Score what a model gives for some graphs or nodes of ``dataset``, by the dataset's metric.

    >>> import torch
    >>> scores = torch.tensor([[2.0, 1.0], [0.0, 3.0], [5.0, 4.0]])
    >>> classes = torch.tensor([0, 1, 1])
    >>> round(evaluate("mutag", scores, classes), 3)  # accuracy
    0.667

    Args:
        dataset: The name of the dataset.
        output: One row for each graph or node, one column for each class or target of the dataset.
        target: The classes, shape ``[num_rows]``, or the targets, of the shape of ``output``.
    """
    entry, metric = DATASETS.lookup(dataset), task_of(dataset).metric
    expected = [target.size(0), entry.num_classes]
    if list(output.shape) != expected:
        raise InputError(
            f"output has shape {list(output.shape)}, but {metric.name} on {entry.printed} "
            f"needs {expected}: one row for each target, one column for each class"
        )
    return metric.score(output, target)
