"""A rewiring applied to a whole dataset: several graphs at a time, and only once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data, Dataset
from torch_geometric.data.data import BaseData

from panda_gnn.cache import Tensors, cached, content_key, folder_for
from panda_gnn.errors import InputError
from panda_gnn.graph.batches import is_batch
from panda_gnn.graph.parallel import in_parallel
from panda_gnn.graph.rows import edge_index_of
from panda_gnn.rewiring.base import (
    Rewiring,
    both_directions,
    features_of,
    first_free_type,
    with_edges,
)


class Change(NamedTuple):
    """What a rewiring does to one graph: all that is worth a file."""

    #: The columns of ``edge_index`` that are new, and their ``edge_type``.
    added: Tensor
    added_type: Tensor
    #: The places of the columns that are gone, in the graph's own edges in lexicographic order.
    removed: Tensor
    #: The ``edge_weight`` of the result, where the rewiring writes one.
    edge_weight: Tensor | None = None
    #: The features of the result, row by row, where the rewiring changes them.
    x: Tensor | None = None


def rewire_dataset(
    graphs: Dataset | Sequence[Data],
    rewiring: Rewiring,
    *,
    cache: str | Path | Literal[False] | None = None,
    threads: int | None = None,
) -> list[Data]:
    """Apply ``rewiring`` to every graph, and remember what it did.

    The result is that of ``[rewiring(data) for data in graphs]`` on any number of threads; the
    compiled loops of the rewirings let other threads run. It is kept in a file that is named after
    the edges of all graphs (and their features, where these matter) and the rewiring's options and
    version, so it is computed once.

    Args:
        graphs: A dataset or a list of graphs.
        rewiring: One of :data:`panda_gnn.rewiring.REWIRINGS`.
        cache: The folder for the file; by default ``rewiring`` beside the processed files of a
            dataset, and none for a list. ``False`` computes without a file.
        threads: How many graphs at a time; by default as many as PyTorch has threads.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import FoSR, rewire_dataset
        >>> rewired = rewire_dataset(transfer("ring", 4, num_graphs=3), FoSR(iterations=1))
        >>> [data.num_edges for data in rewired]
        [18, 18, 18]
    """
    name = type(rewiring).__name__
    if isinstance(graphs, BaseData):
        raise InputError(
            f"rewire_dataset takes a dataset or a list of Data, not one {type(graphs).__name__}: "
            f"call {name}(...)(data)"
        )
    description = f"rewiring ({name})"
    items = [graphs[index] for index in range(len(graphs))]
    for data in items:
        edge_index_of(data, name)
        if is_batch(data):
            raise InputError(
                "rewire_dataset takes single graphs, but one of them is a batch: "
                f"call {name}(...)(batch) for each"
            )
    cost = [int(data.num_edges) for data in items]
    added_type = first_free_type(items, name)
    if not rewiring.kept or not items:
        rewired = partial(rewiring.rewired_graph, added_type=added_type)
        return in_parallel(rewired, items, cost, description, threads)
    simple_edges = [rewiring.edges_of(data) for data in items]
    bare = [
        Data(
            None if rewiring.features == "ignored" else data.get("x"),
            both_directions(edges, int(data.num_nodes)),
            num_nodes=data.num_nodes,
        )
        for data, (edges, _) in zip(items, simple_edges, strict=True)
    ]
    changes_features = rewiring.features == "changed"
    entries = [features_of(data, name).numel() for data in bare] if changes_features else None

    def compute() -> Tensors:
        def change(data: Data) -> Change:
            after = rewiring(data)
            return _difference(data, after, after.x.reshape(-1) if changes_features else None)

        return _pack(in_parallel(change, bare, cost, description, threads))

    folder = folder_for(graphs, "rewiring", cache)
    key = "" if folder is None else _key(rewiring, bare)
    changes = _unpack(cached(folder, key, compute, partial(_fits, len(items), entries)))
    each = zip(items, simple_edges, bare, changes, strict=True)
    return [_apply(data, *own, simple, change, added_type) for data, own, simple, change in each]


def _key(rewiring: Rewiring, graphs: Sequence[Data]) -> str:
    """A name that changes with the edges of any graph, its features where these matter, the options
    or the version."""
    sizes = torch.tensor([[data.num_nodes, data.num_edges] for data in graphs])
    edges = torch.cat([data.edge_index.cpu() for data in graphs], dim=1)
    features = [data.x for data in graphs if data.x is not None]
    name = type(rewiring).__name__.lower()
    return content_key(name, repr(rewiring), rewiring.version, sizes, edges, *features)


def _ranks(data: Data) -> Tensor:
    """One number per edge, ascending where the edges are in lexicographic order."""
    edge_index: Tensor = data.edge_index
    return edge_index[0] * int(data.num_nodes or 0) + edge_index[1]


def _difference(before: Data, after: Data, x: Tensor | None) -> Change:
    """What a rewiring that made ``after`` of ``before`` did, both in lexicographic order."""
    old, new = _ranks(before), _ranks(after)
    added = ~torch.isin(new, old)
    return Change(
        after.edge_index[:, added],
        after.edge_type[added],
        (~torch.isin(old, new)).nonzero().ravel(),
        after.get("edge_weight"),
        x,
    )


def _apply(
    data: Data, before: Tensor, place: Tensor, simple: Data, change: Change, added_type: int
) -> Data:
    """``data`` as the rewiring leaves it; ``simple`` has nothing but its edges."""
    device = before.device
    kept = torch.ones_like(simple.edge_index[0], dtype=torch.bool)
    kept[change.removed.to(device)] = False
    edge_index = torch.cat([simple.edge_index[:, kept], change.added.to(device)], dim=1)
    beyond_first = torch.cat(
        [edge_index.new_zeros(int(kept.sum())), change.added_type.to(device) - 1]
    )
    order = (edge_index[0] * int(data.num_nodes or 0) + edge_index[1]).argsort()
    types = added_type + beyond_first[order]
    result = with_edges(data, before, place, edge_index[:, order], types)
    if change.edge_weight is not None:
        result.edge_weight = change.edge_weight.to(device)
    if change.x is not None:
        result.x = change.x.to(device).view_as(data.x)
    return result


def _pack(changes: Sequence[Change]) -> Tensors:
    """All changes in few tensors, with the length of each part in ``<name>_counts``."""
    tensors = {}
    for name, parts in zip(Change._fields, zip(*changes, strict=True), strict=True):
        if parts[0] is not None:
            tensors[name] = torch.cat(parts, dim=-1).cpu()
            tensors[f"{name}_counts"] = torch.tensor([part.size(-1) for part in parts])
    return tensors


def _fits(num_graphs: int, entries: list[int] | None, tensors: Tensors) -> bool:
    """Whether the tensors could be those of :func:`_pack` for so many graphs, of which each has so
    many ``entries`` in its features where these change."""
    if (entries is None) != ("x" not in tensors):
        return False
    names = [name for name in Change._fields if name not in ("edge_weight", "x") or name in tensors]
    if tensors.keys() != {*names, *(f"{name}_counts" for name in names)}:
        return False
    for name in names:
        values, counts = tensors[name], tensors[f"{name}_counts"]
        if counts.dtype != torch.long or counts.shape != (num_graphs,) or (counts < 0).any():
            return False
        length = int(counts.sum())
        if values.shape != ((2, length) if name == "added" else (length,)):
            return False
        if values.is_floating_point() != (name in ("edge_weight", "x")):
            return False
    return entries is None or entries == tensors["x_counts"].tolist()


def _unpack(tensors: Tensors) -> list[Change]:
    """The changes that :func:`_pack` was given."""
    names = [name for name in Change._fields if name in tensors]
    parts = (tensors[name].split(tensors[f"{name}_counts"].tolist(), dim=-1) for name in names)
    return [Change(**dict(zip(names, own, strict=True))) for own in zip(*parts, strict=True)]
