"""What a dataset holds, as one short word: equal for equal graphs, features and labels.

The word does not depend on how the data were packed, on the order of lines in an edge file or on
the machine. It does depend on the order of the graphs and of their nodes, by which splits are made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, InMemoryDataset

from panda_gnn.errors import InputError


def fingerprint(graphs: InMemoryDataset | Sequence[Data]) -> str:
    """A hash of the graphs, their features and their labels, 32 hexadecimal digits.

    Every tensor of a graph counts: ``x``, ``y``, masks, attributes of edges. Edges count as a set,
    with their attributes.

    Args:
        graphs: A dataset in memory without a transform, or a list of graphs.
    """
    tensors, edge_ptr, num_nodes = _storage(graphs)
    digest = hashlib.sha256()
    _add(digest, "num_nodes", num_nodes)
    _add(digest, "num_edges", edge_ptr.diff())
    order = _edge_order(tensors["edge_index"], edge_ptr)
    for name in sorted(tensors):
        values = tensors[name]
        if order is not None and name.startswith("edge_"):
            values = values[:, order] if name == "edge_index" else values[order]
        _add(digest, name, values)
    return digest.hexdigest()[:32]


def _add(digest: hashlib._Hash, name: str, values: Tensor) -> None:
    array = values.detach().cpu().contiguous().numpy()
    little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
    digest.update(f"|{name} {array.dtype.name} {array.shape}|".encode())
    digest.update(little_endian.data if array.size else b"")


def _storage(
    graphs: InMemoryDataset | Sequence[Data],
) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """All tensors of the graphs in one piece, where the edges of each begin, and their sizes.

    Edges are numbered inside their graph.
    """
    if isinstance(graphs, InMemoryDataset) and graphs._indices is None and graphs.slices:
        data, slices = graphs._data, graphs.slices
        tensors = {name: value for name, value in data.to_dict().items() if _is_tensor(value)}
        sizes = slices["x"].diff() if "x" in slices else torch.tensor(data._store._num_nodes)
        return tensors, slices["edge_index"], sizes
    items = [graphs[index] for index in range(len(graphs))]
    if not items:
        raise InputError("there are no graphs to take a fingerprint of")
    batch = Batch.from_data_list(items)
    skipped = ("batch", "ptr")
    tensors = {
        name: value
        for name, value in batch.to_dict().items()
        if _is_tensor(value) and name not in skipped
    }
    sizes = batch.ptr.diff()
    counts = torch.tensor([item.num_edges for item in items])
    edge_ptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    shift = torch.repeat_interleave(batch.ptr[:-1].cpu(), counts)
    tensors["edge_index"] = batch.edge_index.cpu() - shift
    return tensors, edge_ptr, sizes


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor) and value.layout == torch.strided


def _edge_order(edge_index: Tensor, edge_ptr: Tensor) -> Tensor | None:
    """The order that sorts the edges of each graph; ``None`` where they are sorted already."""
    source, target = edge_index.cpu()
    base = int(edge_index.max()) + 1 if edge_index.numel() else 1
    rank = source * base + target
    sorted_pairs = rank[1:] >= rank[:-1]
    begins = edge_ptr[(edge_ptr > 0) & (edge_ptr < rank.numel())].cpu()
    sorted_pairs[begins - 1] = True
    if bool(sorted_pairs.all()):
        return None
    graph = torch.repeat_interleave(torch.arange(edge_ptr.numel() - 1), edge_ptr.diff().cpu())
    return torch.from_numpy(np.lexsort((rank.numpy(), graph.numpy())))
