"""Which nodes get the wider state."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from panda_gnn.errors import InputError
from panda_gnn.graph.batches import is_batch, keep_in_batch
from panda_gnn.graph.rows import Graphs, edge_index_of, graph_sizes
from panda_gnn.options import real_number, whole_number
from panda_gnn.transforms.scores import (
    ScoreFunction,
    check_centrality,
    name_of_scores,
    node_scores,
    rounded_scores,
)


def ranks(scores: Tensor, batch: Tensor, num_graphs: int = 1) -> Tensor:
    """The rank of every node in its graph, 0 for the highest score.

    Nodes are ranked by score and equal ones by index; scores that agree to twelve digits of the
    graph's largest (:mod:`panda_gnn.graph.ties`) are equal, so rounding errors decide nothing.

    Args:
        scores: One score for each node.
        batch: The graph of each node.
        num_graphs: How many graphs there are.

    Shapes:
        - **input:** ``scores`` ``[num_nodes]``, ``batch`` ``[num_nodes]``
        - **output:** whole numbers ``[num_nodes]``

    Example:
        >>> import torch
        >>> from panda_gnn.transforms import ranks
        >>> ranks(torch.tensor([1.0, 3.0, 3.0]), torch.zeros(3, dtype=torch.long)).tolist()
        [2, 0, 1]
    """
    if batch.numel() and (int(batch.min()) < 0 or int(batch.max()) >= num_graphs):
        raise InputError(
            f"batch has the graphs {int(batch.min())}..{int(batch.max())}, but num_graphs is "
            f"{num_graphs}: graphs are numbered from 0"
        )
    if bool(scores.isnan().any()):
        raise InputError("scores are nan for some nodes, which cannot be ranked then")
    order = rounded_scores(scores, batch, num_graphs).argsort(descending=True, stable=True)
    order = order[batch[order].argsort(stable=True)]
    sizes = torch.bincount(batch, minlength=num_graphs)
    start = (sizes.cumsum(0) - sizes)[batch[order]]
    rank = torch.empty_like(order)
    rank[order] = torch.arange(order.numel(), device=order.device) - start
    return rank


def top_nodes(scores: Tensor, counts: Tensor, batch: Tensor) -> Tensor:
    """The mask of the ``counts[g]`` nodes of highest score of each graph ``g``, by :func:`ranks`.

    Where a graph has no more nodes than its count, all of them are in.

    Args:
        scores: One score for each node.
        counts: How many nodes of each graph.
        batch: The graph of each node.

    Shapes:
        - **input:** ``scores`` ``[num_nodes]``, ``counts`` ``[num_graphs]``, ``batch``
          ``[num_nodes]``
        - **output:** a boolean mask ``[num_nodes]``

    Example:
        >>> import torch
        >>> from panda_gnn.transforms import top_nodes
        >>> scores, batch = torch.tensor([1.0, 3.0, 2.0, 5.0, 5.0]), torch.tensor([0, 0, 0, 1, 1])
        >>> top_nodes(scores, torch.tensor([2, 1]), batch).tolist()
        [False, True, True, True, False]
    """
    rank = ranks(scores, batch, counts.numel())
    return rank < counts.to(rank.device)[batch]


@functional_transform("expand_width")
class ExpandWidth(BaseTransform):
    r"""Marks the nodes of highest centrality as high: writes the boolean mask ``data.high``
    (functional name: :obj:`expand_width`).

    Works on a graph, on a batch (each of its graphs by itself), as ``transform`` and as
    ``pre_transform``, which computes the centrality once. Ties are broken by node index.

    Args:
        centrality: One of the measures of :func:`panda_gnn.centrality.centrality`; a function
            ``(data) -> scores`` that gives every node of a graph a score; or the name of an
            attribute of the graphs that holds them.
        k: How many nodes of each graph; all of them where a graph has no more.
        ratio: Instead of ``k``, the share of the nodes of each graph, rounded up.
        seed: Seed of the measure ``random`` and of sampled measures.
        samples: Estimate a shortest-path measure from this many pivots, for large graphs.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.transforms import ExpandWidth
        >>> (tree,) = transfer("tree", 3, num_graphs=1)
        >>> ExpandWidth("betweenness", k=3)(tree).high.nonzero().flatten().tolist()
        [0, 1, 2]
        >>> int(ExpandWidth("degree", ratio=0.25)(tree).high.sum())  # of 15 nodes
        4
    """

    def __init__(
        self,
        centrality: str | ScoreFunction = "betweenness",
        k: int | None = None,
        *,
        ratio: float | None = None,
        seed: int = 0,
        samples: int | None = None,
    ) -> None:
        if (k is None) == (ratio is None):
            raise InputError(f"give either k or ratio, got k={k} and ratio={ratio}")
        self.centrality = check_centrality(centrality, samples)
        self.k = None if k is None else whole_number("k", k)
        self.ratio = ratio
        if ratio is not None:
            self.ratio = real_number("ratio", ratio, "between 0 and 1", least=0, most=1)
        self.seed = whole_number("seed", seed)
        self.samples = samples

    def forward(self, data: Any) -> Any:
        edge_index_of(data, type(self).__name__)
        data.high = self.mask(data)
        if is_batch(data):
            keep_in_batch(data, "high")
        return data

    def mask(self, graphs: Graphs) -> Tensor:
        """The mask of the high nodes over all nodes of some graphs."""
        sizes = torch.from_numpy(graph_sizes(graphs, "ExpandWidth"))
        scores = node_scores(self.centrality, graphs, samples=self.samples, seed=self.seed)
        batch = torch.repeat_interleave(torch.arange(len(sizes)), sizes).to(scores.device)
        return top_nodes(scores, self.counts(sizes), batch)

    def counts(self, sizes: Tensor) -> Tensor:
        """How many high nodes graphs of the given sizes get."""
        if self.k is not None:
            return torch.full_like(sizes, self.k)
        assert self.ratio is not None
        return sizes.new_tensor([share_of(self.ratio, size) for size in sizes.tolist()])

    def __repr__(self) -> str:
        amount = f"k={self.k}" if self.ratio is None else f"ratio={self.ratio}"
        return f"{type(self).__name__}({name_of_scores(self.centrality)}, {amount})"


def share_of(ratio: float, size: int) -> int:
    """``ratio`` of ``size`` things, rounded up; 0.07 of 100 are 7, whatever floats make of it."""
    return math.ceil(round(ratio * size, 9))


def high_nodes(graphs: Graphs, centrality: str | ScoreFunction, k: int, *, seed: int = 0) -> Tensor:
    """The mask of the ``k`` most central nodes of each graph, over all nodes of all graphs.

    Args:
        graphs: A ``Data``, a ``Batch``, a dataset or a list of ``Data``.
        centrality: One of the measures of :func:`panda_gnn.centrality.centrality`.
        k: How many nodes of each graph; all of them where a graph has no more.
        seed: Seed of the measure ``random``.

    Returns:
        A boolean tensor with an entry for each node, graph after graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.transforms import high_nodes
        >>> trees = transfer("tree", 2, num_graphs=2)
        >>> high_nodes(trees, "betweenness", k=1).nonzero().flatten().tolist()  # the roots
        [0, 7]
    """
    return ExpandWidth(centrality, k, seed=seed).mask(graphs)
