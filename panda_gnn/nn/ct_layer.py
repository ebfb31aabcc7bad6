"""CT-Layer: edge weights that are learned commute times, and a plain model behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from panda_gnn.errors import InputError
from panda_gnn.nn.edges import Edges, at_least_single
from panda_gnn.nn.inputs import (
    check_both_directions,
    check_edge_index,
    check_ends,
    check_nodes,
)
from panda_gnn.nn.models import GNN
from panda_gnn.nn.readout import graphs_of


class CTLayer(nn.Module):
    r"""The commute-time layer of `"DiffWire: Inductive Graph Rewiring via the Lovász Bound"
    <https://arxiv.org/abs/2206.07369>`_, as the PANDA paper uses it: in front of a GNN.

    Every node gets a position :math:`\mathbf{S} = \tanh(\mathbf{X} \mathbf{W} + \mathbf{b})` among
    ``centers`` coordinates, and every existing edge the distance of its ends as its weight, with
    :math:`\mathrm{vol}(G) = \sum_v d_v`:

    .. math::
        \mathbf{A}'_{uv} = \lVert \mathbf{s}_u - \mathbf{s}_v \rVert / \mathrm{vol}(G)

    Positions become commute times, up to scale, where the loss

    .. math::
        \frac{\mathrm{Tr}(\mathbf{S}^\top \mathbf{L} \mathbf{S})}
        {\mathrm{Tr}(\mathbf{S}^\top \mathbf{D} \mathbf{S})} + \left\lVert
        \frac{\mathbf{S}^\top \mathbf{S}}{\lVert \mathbf{S}^\top \mathbf{S} \rVert_F} -
        \mathbf{I} \right\rVert_F

    is small: add it to that of the task. Both are taken graph by graph, and the loss is the mean
    over the graphs. (The public code takes the norm of the second term over a whole batch, which
    makes the loss of a graph depend on the others.) Nothing larger than
    ``[num_edges, centers]`` and one ``[centers, centers]`` matrix per graph is ever made.

    A quotient with a zero denominator counts as zero: the first term of a graph without edges, for
    instance. Where all nodes have the same features, all positions are the same and all weights
    zero: a dataset without features needs some, such as degrees, before this layer can do anything.

    Args:
        in_channels: Width of the node features.
        centers: Number of coordinates, the k of the paper.

    Shapes:
        - **input:** ``x`` ``[num_nodes, in_channels]``, ``edge_index`` ``[2, num_edges]`` with both
          directions of every edge, ``batch`` ``[num_nodes]`` (optional)
        - **output:** ``edge_weight`` ``[num_edges]``, ``loss`` a scalar

    Example:
        >>> import torch
        >>> from panda_gnn.nn import CTLayer
        >>> x, edge_index = torch.rand(4, 7), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> edge_weight, loss = CTLayer(7, centers=3)(x, edge_index)
        >>> edge_weight.shape, loss.shape
        (torch.Size([6]), torch.Size([]))
    """

    def __init__(self, in_channels: int, centers: int) -> None:
        super().__init__()
        if in_channels < 1 or centers < 1:
            raise InputError(
                f"in_channels is {in_channels} and centers {centers}, both must be at least 1"
            )
        self.in_channels = in_channels
        self.centers = centers
        self.position = nn.Linear(in_channels, centers)

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        self.position.reset_parameters()

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The weight of every edge, and the loss.

        Args:
            x: Node features.
            edge_index: The edges of undirected graphs.
            batch: The graph of each node; without it there is one graph.
            num_graphs: The number of graphs, where known.
        """
        edge_index = check_edge_index(edge_index)
        check_ends(edge_index, x.size(0))
        check_nodes(x.size(0), batch=batch)
        check_both_directions(edge_index, x.size(0), type(self).__name__)
        batch, num_graphs = graphs_of(x, batch, num_graphs)
        source, target = edge_index
        s = torch.tanh(self.position(x))
        distance = torch.linalg.vector_norm(s[source] - s[target], dim=1)
        graph_of_edge = batch[source]
        volume = graph_of_edge.bincount(minlength=num_graphs)
        edge_weight = distance / volume[graph_of_edge]

        def per_graph(values: Tensor, graph: Tensor) -> Tensor:
            return s.new_zeros(num_graphs).index_add(0, graph, values)

        # Each edge comes in both directions, so Tr(S^T L S) is half the sum of squared distances.
        degree = source.bincount(minlength=x.size(0))
        smoothness = per_graph(distance.square() / 2, graph_of_edge)
        scale = per_graph(degree * s.square().sum(dim=1), batch)
        cut = smoothness / scale.where(scale > 0, 1)
        loss = cut + _distance_to_orthogonality(s, batch, num_graphs)
        return edge_weight, loss.sum() / max(num_graphs, 1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, centers={self.centers})"


def _distance_to_orthogonality(s: Tensor, batch: Tensor, num_graphs: int) -> Tensor:
    """For each graph, how far its normalised ``S^T S`` is from the identity."""
    if num_graphs == 0:
        return s.new_zeros(0)
    sizes = batch.bincount(minlength=num_graphs).tolist()
    parts = torch.split(s[batch.argsort(stable=True)], sizes)
    gram = torch.stack([part.t() @ part for part in parts])
    norm = torch.linalg.matrix_norm(gram, keepdim=True)
    identity = torch.eye(s.size(1), dtype=s.dtype, device=s.device)
    distance: Tensor = torch.linalg.matrix_norm(gram / norm.where(norm > 0, 1) - identity)
    return distance


def of_mean_one(edge_weight: Tensor, graph_of_edge: Tensor, num_graphs: int) -> Tensor:
    """The weights over their mean in each graph; those of a graph without any stay zero.

    Args:
        edge_weight: Weights of a :class:`CTLayer`, whose sum is the mean distance in a graph.
        graph_of_edge: The graph of each edge.
        num_graphs: The number of graphs.
    """
    dtype = edge_weight.dtype
    edge_weight = edge_weight.to(at_least_single(dtype))
    total = edge_weight.new_zeros(num_graphs).index_add(0, graph_of_edge, edge_weight)
    count = graph_of_edge.bincount(minlength=num_graphs)
    # Positions differ by rounding even where all features are equal: no weights to be enlarged.
    some = total > 64 * torch.finfo(edge_weight.dtype).eps
    factor = torch.where(some, count / total.where(some, 1), 0)
    return (edge_weight * factor[graph_of_edge]).to(dtype)


class CommuteTimeGNN(GNN):
    """:class:`GNN` on the graph whose edge weights a :class:`CTLayer` learns with it, end to end.

    The weights of every graph are divided by their mean (:func:`of_mean_one`), so that edges of
    equal weight are edges without one and the model is the plain one. The network of the layer's
    authors needs no scale: it has no self-loops, and a node's own state and its neighbours' have
    weight matrices of their own. Beside the self-loops of a GCN, which weigh one, weights of 0.01
    would be no edges at all.

    Every forward pass leaves the layer's loss in ``auxiliary_loss``: add it to that of the task.

    Args:
        in_channels: Width of the node features.
        out_channels: Number of classes or targets.
        centers: Number of coordinates of the CT-Layer.
        **options: Those of :class:`GNN`; the backbone must use edge weights, as GCN and GIN do.

    Shapes:
        Those of :class:`GNN`, without ``edge_weight``.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import CommuteTimeGNN
        >>> x, edge_index = torch.rand(4, 7), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> model = CommuteTimeGNN(7, 2, centers=3, width=16)
        >>> scores = model(x, edge_index)
        >>> (scores.sum() + model.auxiliary_loss).backward()
    """

    def __init__(
        self, in_channels: int, out_channels: int, *, centers: int, **options: Any
    ) -> None:
        super().__init__(in_channels, out_channels, **options)
        if "edge_weight" not in self.reads:
            raise InputError(
                f"CommuteTimeGNN learns weights of edges, which backbone {self.backbone} does not "
                "read: use gcn, gin, rgcn, rgin or adgn"
            )
        self.commute_time = CTLayer(in_channels, centers)

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Edges,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_type: Tensor | None = None,
        expander_edge_index: Tensor | Edges | None = None,
    ) -> Tensor:
        """The scores of each graph, or of each node where ``readout`` is ``None``."""
        values = {"edge_weight": edge_weight, "edge_attr": edge_attr, "edge_type": edge_type}
        edges = self._edges(x, edge_index, batch, num_graphs, **values)
        return super().forward(x, edges, expander_edge_index=expander_edge_index)

    def _plain_states(
        self, x: Tensor, edges: Edges, other: Edges | None = None
    ) -> Iterator[Tensor]:
        """The node states after every layer."""
        if edges.edge_weight is not None:
            raise InputError("edge_weight was given, but CommuteTimeGNN learns it: leave it out")
        weight, self.auxiliary_loss = self.edge_weights(
            x, edges.edge_index, edges.batch, edges.num_graphs
        )
        return super()._plain_states(x, replace(edges, edge_weight=weight), other)

    def edge_weights(
        self,
        x: Tensor,
        edge_index: Tensor,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The weights that the layers see, with mean one in every graph, and the CT-Layer's loss.

        Arguments are those of :class:`CTLayer`.
        """
        batch, num_graphs = graphs_of(x, batch, num_graphs)
        weight, loss = self.commute_time(x, edge_index, batch, num_graphs)
        return of_mean_one(weight, batch[edge_index[0]], num_graphs), loss
