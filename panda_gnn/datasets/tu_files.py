"""The text files of the TU collection, read fast.

PyG's reader turns every line into Python numbers first, which takes a minute and 7 GB of memory
for COLLAB. Here a file is one array from the start; the result is the same to the last bit.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.io.tu import cat, split
from torch_geometric.utils import coalesce, one_hot, remove_self_loops

_COMMAS_TO_SPACES = bytes.maketrans(b",", b" ")


def read_tu(folder: Path, name: str) -> tuple[Data, dict[str, Tensor], dict[str, int]]:
    """What ``torch_geometric.io.read_tu_data(folder, name)`` returns.

    Raises:
        ValueError: A file holds something else than rows of equally many numbers, or the files do
            not fit each other.
    """

    def has(part: str) -> bool:
        return (folder / f"{name}_{part}.txt").is_file()

    def table(part: str, dtype: npt.DTypeLike) -> Tensor:
        return torch.from_numpy(read_numbers(folder / f"{name}_{part}.txt", dtype))

    def attributes(part: str, rows: int) -> Tensor:
        return table(part, np.float64).float() if has(part) else torch.empty(rows, 0)

    def labels(part: str, rows: int) -> Tensor:
        if not has(part):
            return torch.empty(rows, 0)
        values = table(part, np.int64)
        values = values - values.min(dim=0).values
        return torch.cat([one_hot(column) for column in values.unbind(dim=-1)], dim=-1)

    edge_index = table("A", np.int64).t() - 1
    batch = table("graph_indicator", np.int64).view(-1) - 1
    nodes, edges = batch.numel(), edge_index.size(1)
    if edges and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < nodes:
        raise ValueError(f"an edge names a node outside 1..{nodes}")
    if nodes and (int(batch.min()) < 0 or bool((batch.diff() < 0).any()) or batch[-1] >= nodes):
        raise ValueError(f"{name}_graph_indicator.txt must name graphs from 1 on, in order")
    node_attributes, node_labels = (
        attributes("node_attributes", nodes),
        labels("node_labels", nodes),
    )
    edge_attributes, edge_labels = (
        attributes("edge_attributes", edges),
        labels("edge_labels", edges),
    )
    x = cat([node_attributes, node_labels])
    edge_attr = cat([edge_attributes, edge_labels])
    y = None
    if has("graph_attributes"):
        y = table("graph_attributes", np.float64).float().squeeze()
    elif has("graph_labels"):
        y = table("graph_labels", np.int64).view(-1).unique(return_inverse=True)[1]
    graphs = int(batch[-1]) + 1 if nodes else 0
    for part, rows, expected in (
        ("graph_labels", y, graphs),
        ("node_attributes", node_attributes, nodes),
        ("node_labels", node_labels, nodes),
        ("edge_attributes", edge_attributes, edges),
        ("edge_labels", edge_labels, edges),
    ):
        if (
            rows is not None
            and rows.view(rows.size(0) if rows.dim() else 1, -1).size(0) != expected
        ):
            raise ValueError(f"{name}_{part}.txt has not {expected} lines")
    edge_index, edge_attr = _simple(edge_index, edge_attr, nodes)
    data, slices = split(Data(x=x, edge_index=edge_index, edge_attr=edge_attr, y=y), batch)
    sizes = {
        "num_node_attributes": node_attributes.size(-1),
        "num_node_labels": node_labels.size(-1),
        "num_edge_attributes": edge_attributes.size(-1),
        "num_edge_labels": edge_labels.size(-1),
    }
    return data, slices, sizes


def read_numbers(path: Path, dtype: npt.DTypeLike) -> npt.NDArray[np.generic]:
    """The numbers of a text file, a row for each line; a comma or a space stands between them."""
    text = path.read_bytes().translate(_COMMAS_TO_SPACES)
    lines = text.count(b"\n")
    if not text.endswith(b"\n"):
        raise ValueError(f"{path.name} does not end with a whole line")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # an error since numpy 2.3
        try:
            numbers = np.fromstring(text, dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise ValueError(f"{path.name} holds something that is no number") from error
    if text.isspace() or numbers.size % lines:
        raise ValueError(f"{path.name} has lines of different lengths, or none")
    return numbers.reshape(lines, -1)


def _simple(
    edge_index: Tensor, edge_attr: Tensor | None, nodes: int
) -> tuple[Tensor, Tensor | None]:
    """The edges in lexicographic order without self-loops; attributes of copies are added up."""
    edge_index, edge_attr = remove_self_loops(edge_index, edge_attr)
    rank = edge_index[0] * nodes + edge_index[1]
    if bool((rank[1:] > rank[:-1]).all()):
        return edge_index.contiguous(), edge_attr
    edge_index, edge_attr = coalesce(edge_index, edge_attr, nodes)
    return edge_index, edge_attr
