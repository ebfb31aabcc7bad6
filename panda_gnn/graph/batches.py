"""A batch as the graphs it was made of, with every attribute, and back."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch_geometric.data import Batch, Data

from panda_gnn.errors import InputError


def is_batch(data: Data) -> bool:
    """Whether ``data`` holds several graphs side by side, by its ``ptr`` or ``batch``."""
    return data.get("ptr") is not None or data.get("batch") is not None


def graphs_of_batch(batch: Any, who: str) -> list[Data]:
    """The graphs of a batch, in the order of their nodes.

    Attributes that were added after batching, which ``Batch.to_data_list`` drops without a word,
    are split like the nodes or the edges where they have one row for each. A batch whose graphs
    cannot be told apart is rejected in the name of ``who``.
    """
    slices = getattr(batch, "_slice_dict", None)
    if slices is None:
        raise InputError(
            f"{who} cannot tell the graphs of this batch apart: make it with Batch.from_data_list"
        )
    for key, bounds in slices.items():
        value = batch.get(key)
        if not isinstance(value, Tensor):
            continue
        if value.size(batch.__cat_dim__(key, value, batch._store) or 0) != int(bounds[-1]):
            raise InputError(
                f"{who} got a batch whose {key} has another length than when it was batched: "
                "change the graphs first and make the batch with Batch.from_data_list"
            )
    graphs: list[Data] = batch.to_data_list()
    for key in batch.keys():  # noqa: SIM118
        if key in slices or key in ("batch", "ptr", "num_nodes") or key in _followers(batch):
            continue
        if isinstance(batch[key], Tensor) and batch.is_node_attr(key):
            sizes = [int(graph.num_nodes or 0) for graph in graphs]
        elif isinstance(batch[key], Tensor) and batch.is_edge_attr(key):
            sizes = [graph.num_edges for graph in graphs]
        else:
            raise InputError(
                f"{who} cannot tell which graph has which part of '{key}', which was added to the "
                "batch: set it on the graphs before batching, or delete it"
            )
        for graph, part in zip(graphs, batch[key].split(sizes), strict=True):
            graph[key] = part
    return graphs


def rebatched(graphs: list[Data], batch: Any) -> Batch:
    """The batch of ``graphs``, which were those of ``batch``."""
    follow = [key.removesuffix("_batch") for key in _followers(batch) if key.endswith("_batch")]
    return Batch.from_data_list(graphs, follow_batch=follow)


def keep_in_batch(batch: Any, key: str) -> None:
    """Let ``to_data_list`` know of the node attribute ``key`` that was added to a batch."""
    slices = getattr(batch, "_slice_dict", None)
    if slices is not None:
        none = batch.ptr.new_zeros(batch.num_graphs).cpu()
        batch._slice_dict = {**slices, key: batch.ptr.cpu()}
        batch._inc_dict = {**batch._inc_dict, key: none}


def _followers(batch: Any) -> list[str]:
    """The attributes that ``follow_batch`` wrote."""
    ends = ("_batch", "_ptr")
    return [
        key
        for key in batch.keys()  # noqa: SIM118
        if any(key.endswith(end) and key.removesuffix(end) in batch._slice_dict for end in ends)
    ]
