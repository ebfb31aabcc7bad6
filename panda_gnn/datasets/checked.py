"""A user's own graphs, checked: what a model can be given, or a sentence about the first fault."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data, Dataset
from torch_geometric.utils import degree

from panda_gnn.errors import InputError, choose, shown, within
from panda_gnn.graph.batches import is_batch
from panda_gnn.graph.rows import edge_index_of

#: A graph may have so many nodes without a row of features for each.
GREATEST_BARE_SIZE = 10**7

MASKS = ("train_mask", "val_mask", "test_mask")
"""What columns or attributes are called that say which nodes are for what."""

FEATURES = ("x", "constant", "degree")
"""Where node features come from: the graphs' own, the number 1, or the logarithm of the degree."""

EDGE_VALUES = ("edge_weight", "edge_type")
"""What edges keep, where all graphs have it."""


def checked_graphs(graphs: Any, features: str | None = None) -> list[Data]:
    """The given graphs with what models read: ``x`` in single precision, ``edge_index``, ``y``,
    masks, ``edge_weight``, ``edge_type`` and ``edge_attr``.

    Args:
        graphs: A list of PyG ``Data``, a dataset, or one ``Data``.
        features: One of :data:`FEATURES`; by default the graphs' own where all have some, else the
            number 1.
    """
    items = listed(graphs)
    features = features_of(items, features)
    names = [
        name
        for name in (*EDGE_VALUES, "edge_attr")
        if all(data.get(name) is not None for data in items)
    ]
    prepared = [_prepared(number, data, features, names) for number, data in enumerate(items)]
    for name, of in (("x", "node"), ("edge_attr", "edge")):
        widths = [int(data[name].size(1)) for data in prepared if name in data]
        for number, width in enumerate(widths):
            if width != widths[0]:
                raise InputError(
                    f"graph {number} has {width} features per {of}, graph 0 has {widths[0]}: give "
                    "all of them the same"
                )
    return prepared


def features_of(graphs: Sequence[Data], features: str | None = None) -> str:
    """Where the features of these graphs come from: what is asked for, or what they have."""
    if features is not None:
        choose("features", features, FEATURES)
    with_x = [data.get("x") is not None for data in graphs]
    if features == "x" and not all(with_x):
        raise InputError(
            f"graph {with_x.index(False)} has no x: give all graphs features, or train with the "
            "features constant"
        )
    if features is None and any(with_x) and not all(with_x):
        raise InputError(
            f"graph {with_x.index(False)} has no x and others have: give all of them features, "
            "or none"
        )
    return features or ("x" if all(with_x) else "constant")


def listed(graphs: Any) -> list[Data]:
    """The given graphs as a list of ``Data``."""
    if isinstance(graphs, Data) and not is_batch(graphs):
        return [graphs]
    if isinstance(graphs, Data):
        raise InputError("graphs is one Batch: give a list of Data, such as batch.to_data_list()")
    if not isinstance(graphs, (Dataset, Iterable)):
        raise InputError(f"graphs is {type(graphs).__name__}: give a list of PyG Data")
    items = list(graphs)
    if not items:
        raise InputError("graphs is empty: give at least one PyG Data")
    for number, data in enumerate(items):
        if not isinstance(data, Data) or is_batch(data):
            raise InputError(
                f"graph {number} is {type(data).__name__}: give a list of single PyG Data"
            )
    return items


def _prepared(number: int, data: Data, features: str, edge_values: list[str]) -> Data:
    with within(f"graph {number}"):
        edge_index = edge_index_of(data, f"graph {number}").as_subclass(Tensor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyG would rather be told the number than count
        try:
            num_nodes = int(data.num_nodes or 0)
        except (OverflowError, TypeError, ValueError) as error:
            raise InputError(
                f"graph {number} has num_nodes={shown(data.num_nodes)}: give a whole number"
            ) from error
    if num_nodes == 0:
        raise InputError(f"graph {number} has no nodes: leave it out")
    if features != "x" and num_nodes > GREATEST_BARE_SIZE:
        raise InputError(
            f"graph {number} has {num_nodes} nodes and no features: without a row of x for each "
            f"node at most {GREATEST_BARE_SIZE} nodes are accepted"
        )
    if edge_index.numel() and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < num_nodes:
        raise InputError(f"graph {number} has an edge to a node outside 0..{num_nodes - 1}")
    if features == "x":
        x = _rows(number, "x", data.x, num_nodes, "node")
    elif features == "degree":
        x = torch.log1p(degree(edge_index[0], num_nodes)).view(-1, 1)
    else:
        x = torch.ones(num_nodes, 1)
    prepared = Data(x=x, edge_index=edge_index.long(), num_nodes=num_nodes)
    for name in edge_values:
        if name == "edge_attr":
            prepared[name] = _rows(number, name, data[name], edge_index.size(1), "edge")
            continue
        values = _tensor(number, name, data[name]).reshape(-1)
        if values.numel() != edge_index.size(1) or not bool(values.float().isfinite().all()):
            raise InputError(f"graph {number} has no finite {name} for each of its edges")
        if values.numel() and float(values.min()) < 0:
            raise InputError(f"graph {number} has a negative {name}: give numbers from 0 on")
        prepared[name] = values.float() if name == "edge_weight" else values.long()
    if data.get("y") is not None:
        y = _tensor(number, "y", data.y)
        prepared.y = y if isinstance(data.y, Tensor) or y.dim() else y.view(1)
    for name in MASKS:
        if data.get(name) is not None:
            prepared[name] = _tensor(number, name, data[name])
    return prepared


def _tensor(number: int, name: str, values: Any) -> Tensor:
    """What a graph holds under a name as a tensor of real numbers."""
    try:
        tensor = torch.as_tensor(values)
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(
            f"graph {number} has {name}={shown(values)}: give a tensor of numbers"
        ) from error
    if tensor.is_complex():
        raise InputError(f"graph {number} has complex numbers as {name}: give real ones")
    return tensor


def _rows(number: int, name: str, values: Any, count: int, of: str) -> Tensor:
    """Features in single precision, a row for each node or edge."""
    x = _tensor(number, name, values)
    x = x.to_dense() if x.layout != torch.strided else x
    x = x.view(-1, 1) if x.dim() == 1 else x
    if x.dim() != 2 or x.size(0) != count or x.size(1) == 0:
        raise InputError(
            f"graph {number} has {name} of shape {list(x.shape)}, but {count} {of}s: give one row "
            f"of numbers for each {of}"
        )
    x = x.float()
    if not bool(x.isfinite().all()):
        row = int((~x.isfinite()).any(dim=1).nonzero()[0])
        raise InputError(
            f"graph {number} has features that are no finite numbers ({of} {row}): replace them "
            f"or leave the {of} out"
        )
    return x
