"""How much the state of one node feels the input of another: the Jacobian of message passing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.states import (
    Model,
    check_takes_numbers,
    copies,
    evaluating,
    features,
    node_states,
    source_nodes,
)
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.limits import EXACT_SENSITIVITY_NODES
from panda_gnn.graph.rows import edge_index_of

NORMS = ("operator", "entrywise")
MODES = ("forward", "reverse")

#: So many random sources stand for all nodes of a larger graph.
SAMPLED_SOURCES = 64

_ROWS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class Sensitivity:
    """What :func:`sensitivity` measures.

    Attributes:
        norms: The norm of the Jacobian of every node's state by the input of every source, after
            every layer, shape ``[num_layers, num_nodes, num_sources]``.
        sources: The nodes whose inputs were varied.
        exact: Whether the sources are all nodes and no input feature was left out.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import hop_distances, sensitivity
        >>> from panda_gnn.nn import GNN
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> measured = sensitivity(GNN(5, 2, width=8, num_layers=3), ring)
        >>> measured.exact, measured.mean().shape
        (True, torch.Size([4]))
        >>> distance = hop_distances(ring, measured.sources).t()
        >>> measured.by_distance(distance, furthest=4).shape
        torch.Size([4, 5])
    """

    norms: Tensor
    sources: Tensor
    exact: bool

    def of_sources(self) -> Tensor:
        """The mean over the other nodes for each source, shape ``[num_layers, num_sources]``."""
        others = max(self.norms.size(1) - 1, 1)
        own: Tensor = self.norms[:, self.sources].diagonal(dim1=1, dim2=2)
        return (self.norms.sum(1) - own) / others

    def mean(self) -> Tensor:
        """The mean over ordered pairs of different nodes, for each layer; zero without pairs."""
        return self.of_sources().mean(1)

    def standard_error(self) -> Tensor:
        """The standard error of :meth:`mean`, for each layer; zero where it is exact."""
        count, num_nodes = self.sources.numel(), self.norms.size(1)
        if self.exact or count < 2:
            return self.norms.new_full((self.norms.size(0),), 0.0 if self.exact else torch.nan)
        unseen = 1.0 if count == num_nodes else 1 - count / num_nodes
        deviation: Tensor = self.of_sources().std(1)
        return deviation * math.sqrt(unseen / count)

    def by_distance(self, distance: Tensor, furthest: int) -> Tensor:
        """The mean over the pairs at each distance ``0..furthest``, ``nan`` where there is none.

        Args:
            distance: Hops from every node to every source, shape ``[num_nodes, num_sources]``.
            furthest: The last distance.

        Returns:
            A tensor ``[num_layers, furthest + 1]``.
        """
        means = [self.norms[:, distance == hops].mean(1) for hops in range(furthest + 1)]
        return torch.stack(means, dim=1)


def sensitivity(
    model: Model,
    data: Data,
    *,
    norm: str = "operator",
    sources: int | Tensor | None = None,
    input_features: int | None = None,
    mode: str | None = None,
    seed: int = 0,
) -> Sensitivity:
    r"""The sensitivity :math:`\lVert \partial \mathbf{h}_v^{(\ell)} / \partial \mathbf{h}_u^{(0)}
    \rVert_1` of Eq. (sens) after every layer, for pairs of nodes.

    The Jacobian of a pair has one row for each channel of :math:`\mathbf{h}_v^{(\ell)}` and one
    column for each input feature; a high node of a width-aware model has more rows. It is taken at
    the features of the graph, the model being in evaluation mode. The norm is

    - ``"operator"``: the matrix norm induced by the vector 1-norm, the largest absolute column sum
      :math:`\max_\beta \sum_\alpha |\mathbf{J}_{\alpha\beta}|`. For this norm the bound of
      :func:`sensitivity_bound` holds.
    - ``"entrywise"``: the sum :math:`\sum_{\alpha\beta} |\mathbf{J}_{\alpha\beta}|`, which PyG's
      ``torch_geometric.utils.influence`` computes for the last layer.

    A graph of up to 512 nodes (:data:`~panda_gnn.graph.limits.EXACT_SENSITIVITY_NODES`) is measured
    exactly. In a larger one, random sources are drawn without replacement and every one of them is
    measured exactly, at all nodes: the mean over the sources estimates the mean over all nodes
    without bias, and
    :meth:`Sensitivity.standard_error` says how well.

    Args:
        model: See :data:`panda_gnn.diagnostics.states.Model`.
        data: An undirected or directed graph with features; ``data.high`` for a width-aware model.
        norm: ``"operator"`` or ``"entrywise"``.
        sources: The nodes whose inputs are varied, or how many to draw; all nodes of a small graph
            and :data:`SAMPLED_SOURCES` of a large one if omitted.
        input_features: Draw only this many input features for each source (of, say, the 1433 of a
            citation graph) and scale up; for the entrywise norm.
        mode: ``"forward"`` takes one pass for each feature of each source, ``"reverse"`` one for
            each channel of each node and layer. By default forward, or reverse where an operation
            of the model has no forward derivative.
        seed: Seeds the sources and the features.

    Shapes:
        - **input:** ``sources`` ``[num_sources]``, where they are given as a tensor
        - **output:** ``norms`` ``[num_layers, num_nodes, num_sources]``

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import sensitivity
        >>> from panda_gnn.nn import GNN
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> measured = sensitivity(GNN(5, 2, width=8, num_layers=2, readout=None), ring)
        >>> measured.norms.shape
        torch.Size([3, 8, 8])
        >>> measured.norms[1, 0].count_nonzero().item() <= 5  # two hops after two layers
        True
    """
    choose("norm", norm, NORMS)
    edge_index_of(data, "sensitivity")
    check_takes_numbers(model, "sensitivity")
    x = features(data, model)
    generator = torch.Generator().manual_seed(seed)
    if sources is None:
        sources = x.size(0) if x.size(0) <= EXACT_SENSITIVITY_NODES else SAMPLED_SOURCES
    nodes = source_nodes(sources, x.size(0), generator, repeats=False).to(x.device)
    columns = _columns(nodes, x.size(1), input_features, norm, generator)
    with evaluating(model):
        with torch.no_grad():
            widths = [states.values.size(1) for states in node_states(model, data, x)]
        sums = _column_sums(model, data, x, nodes, columns, widths, mode)
    scale = x.size(1) / columns.size(1)
    norms = sums.amax(3) if norm == "operator" else scale * sums.sum(3)
    exact = nodes.numel() == x.size(0) and columns.size(1) == x.size(1)
    return Sensitivity(norms, nodes, exact)


def _columns(
    nodes: Tensor, num_features: int, count: int | None, norm: str, generator: torch.Generator
) -> Tensor:
    """The input features that are varied at each source, shape ``[num_sources, count]``."""
    if count is None or count >= num_features:
        return torch.arange(num_features, device=nodes.device).expand(nodes.numel(), -1)
    if count < 1 or norm != "entrywise":
        raise InputError(
            f"input_features is {count}, it must be at least 1 and goes with norm='entrywise' only"
        )
    draws = torch.rand(nodes.numel(), num_features, generator=generator)
    return draws.argsort(dim=1)[:, :count].to(nodes.device)


def _column_sums(
    model: Model,
    data: Data,
    x: Tensor,
    nodes: Tensor,
    columns: Tensor,
    widths: list[int],
    mode: str | None,
) -> Tensor:
    r""":math:`\sum_\alpha |\mathbf{J}_{\alpha\beta}|` as ``[layers, nodes, sources, features]``."""
    if mode is not None:
        choose("mode", mode, MODES)
    if mode != "reverse":
        try:
            return _forward(model, data, x, nodes, columns)
        except (NotImplementedError, RuntimeError):
            if mode == "forward":
                raise
    return _reverse(model, data, x, nodes, columns, widths)


def _forward(model: Model, data: Data, x: Tensor, nodes: Tensor, columns: Tensor) -> Tensor:
    """One copy of the graph for each feature of each source, moved along that feature."""
    num_nodes, num_features = x.shape
    directions = (nodes[:, None] * num_features + columns).flatten()
    parts = []
    for chunk, batch in _chunks(data, directions):
        tangent = x.new_zeros(chunk.numel(), x.numel()).scatter_(1, chunk[:, None], 1.0)
        with torch.no_grad():
            moved = torch.func.jvp(
                lambda inputs, batch=batch: [s.values for s in node_states(model, batch, inputs)],
                (x.repeat(chunk.numel(), 1),),
                (tangent.view(-1, num_features),),
            )[1]
        sums = torch.stack([values.abs().sum(1).view(-1, num_nodes) for values in moved])
        parts.append(sums)
    together = torch.cat(parts, dim=1).transpose(1, 2)
    return together.reshape(together.size(0), num_nodes, *columns.shape)


def _reverse(
    model: Model, data: Data, x: Tensor, nodes: Tensor, columns: Tensor, widths: list[int]
) -> Tensor:
    """One copy of the graph for each channel of each node, pulled back to the inputs."""
    num_nodes = x.size(0)
    layers = []
    for layer, width in enumerate(widths):
        total = x.new_zeros(num_nodes, nodes.numel(), columns.size(1))
        for chunk, batch in _chunks(data, torch.arange(num_nodes * width, device=x.device)):
            inputs = x.repeat(chunk.numel(), 1).requires_grad_()
            values = node_states(model, batch, inputs)[layer].values
            outputs = values.view(chunk.numel(), -1).gather(1, chunk[:, None]).sum()
            (row,) = torch.autograd.grad(outputs, inputs)
            row = row.view(chunk.numel(), num_nodes, -1)[:, nodes[:, None], columns].abs()
            total.index_add_(0, chunk // width, row)
        layers.append(total)
    return torch.stack(layers)


def _chunks(data: Data, directions: Tensor) -> Iterator[tuple[Tensor, Data]]:
    """Directions in pieces, each with as many copies of the graph as it has directions."""
    count = max(1, _ROWS_AT_ONCE // int(data.num_nodes or 1))
    batch = None
    for chunk in directions.split(count):
        if batch is None or batch.num_graphs != chunk.numel():
            batch = copies(data, chunk.numel())
        yield chunk, batch
