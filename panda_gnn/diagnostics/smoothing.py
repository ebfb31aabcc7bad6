"""The Dirichlet energy: how much neighbouring states still differ."""

from __future__ import annotations

import torch
from torch import Tensor

from panda_gnn.errors import InputError, choose
from panda_gnn.graph.rows import checked_edge_index
from panda_gnn.nn.inputs import (
    check_both_directions,
    check_edge_values,
    check_ends,
    check_num_graphs,
)

REDUCTIONS = ("mean", "none")


def dirichlet_energy(
    states: Tensor,
    edge_index: Tensor,
    batch: Tensor | None = None,
    *,
    num_graphs: int | None = None,
    edge_weight: Tensor | None = None,
    relative: bool = False,
    reduction: str = "mean",
) -> Tensor:
    r"""The Dirichlet energy of each graph, averaged over the graphs.

    .. math::
        E(\mathbf{H}) = \mathrm{Tr}(\mathbf{H}^\top \tilde{\mathbf{L}} \mathbf{H}) = \frac{1}{2}
        \sum_{v, u} \mathbf{A}_{vu} \Big\lVert \frac{\mathbf{h}_v}{\sqrt{d_v}} -
        \frac{\mathbf{h}_u}{\sqrt{d_u}} \Big\rVert^2, \quad
        \tilde{\mathbf{L}} = \mathbf{I} - \mathbf{D}^{-1/2} \mathbf{A} \mathbf{D}^{-1/2}

    Every graph has an energy of its own, and the graphs are averaged; a mean over mini-batches,
    the last of which is usually smaller, would not be that. An isolated node has energy zero (its
    entry of :math:`\tilde{\mathbf{L}}` is zero, as the sum over edges says). Self-loops count in
    degrees and contribute nothing else. A repeated edge counts once, as in all other measures; with
    ``edge_weight`` the weights of its copies add up. The energy is zero if and only if
    :math:`\mathbf{h}_v / \sqrt{d_v}` is constant on every component.

    States of two widths, as :func:`panda_gnn.diagnostics.node_states` gives them for a width-aware
    model, end in zeros where a node is narrower; between a low and a high node the energy then has
    the difference in the channels both have and the size of those only one has. The last layer of a
    model has one width and needs no such convention.

    Args:
        states: One row for each node: features, the output of any layer, or scores.
        edge_index: The edges, each in both directions.
        batch: The graph of each node; without it there is one graph.
        num_graphs: The number of graphs, where known.
        edge_weight: Optional non-negative weight of each edge.
        relative: Divide the energy of each graph by :math:`\lVert \mathbf{H} \rVert_F^2`, so that
            the scale of the states plays no part; it is then between 0 and 2, and zero for zero
            states.
        reduction: ``"mean"`` over graphs, or ``"none"`` for one value for each graph.

    Shapes:
        - **input:** ``states`` ``[num_nodes, channels]``, ``edge_index`` ``[2, num_edges]``,
          ``batch`` ``[num_nodes]``, ``edge_weight`` ``[num_edges]``
        - **output:** a scalar, or ``[num_graphs]`` with ``reduction="none"``

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import dirichlet_energy
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> float(dirichlet_energy(torch.ones(8, 1), ring.edge_index))  # smooth
        0.0
        >>> float(dirichlet_energy(torch.eye(8), ring.edge_index))
        7.999999523162842
    """
    choose("reduction", reduction, REDUCTIONS)
    num_nodes = states.size(0)
    if states.dim() != 2 or (batch is not None and batch.numel() != num_nodes):
        raise InputError(
            f"states must have one row for each node, got shape {list(states.shape)}"
            + ("" if batch is None else f" and a batch of {batch.numel()} nodes")
        )
    if batch is None:
        batch, num_graphs = edge_index.new_zeros(num_nodes), 1
    elif num_graphs is None:
        num_graphs = int(batch.max()) + 1 if num_nodes else 0
    if not states.is_floating_point():
        raise InputError(f"states are {states.dtype}, but need floating-point numbers: .float()")
    checked_edge_index(edge_index, "dirichlet_energy")
    check_ends(edge_index, num_nodes)
    check_both_directions(edge_index, num_nodes, "dirichlet_energy")
    check_num_graphs(num_graphs, batch)
    if num_nodes and int(batch.max()) >= num_graphs:
        raise InputError(
            f"batch has the graph {int(batch.max())}, but num_graphs is {num_graphs}: graphs are "
            "numbered from 0"
        )
    (edge_weight,) = check_edge_values(edge_index.size(1), edge_weight=edge_weight)
    if edge_weight is not None and bool((edge_weight < 0).any()):
        raise InputError("edge_weight is negative for some edges: energies need zero or more")
    if edge_weight is None:
        edge_index = _without_copies(edge_index, num_nodes)
    source, target = edge_index
    weight = states.new_ones(source.numel()) if edge_weight is None else edge_weight.to(states)
    degree = states.new_zeros(num_nodes).index_add(0, source, weight)
    scaled = states * torch.where(degree > 0, degree, torch.ones_like(degree)).rsqrt()[:, None]
    of_edges = weight * (scaled[source] - scaled[target]).square().sum(1) / 2
    energy = states.new_zeros(num_graphs).index_add(0, batch[source], of_edges)
    if relative:
        size = states.new_zeros(num_graphs).index_add(0, batch, states.square().sum(1))
        energy = torch.where(size > 0, energy / size, torch.zeros_like(energy))
    return energy.mean() if reduction == "mean" else energy


def _without_copies(edge_index: Tensor, num_nodes: int) -> Tensor:
    """The edges in their order, the second and later copies left out."""
    rank, order = (edge_index[0].long() * num_nodes + edge_index[1]).sort(stable=True)
    first = torch.ones_like(rank, dtype=torch.bool)
    first[1:] = rank[1:] != rank[:-1]
    return edge_index if bool(first.all()) else edge_index[:, order[first].sort().values]
