"""The mean sensitivity of many graphs at once, for figures about whole datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from panda_gnn.diagnostics.sensitivity import NORMS, draw_sources
from panda_gnn.diagnostics.states import Model, copies, evaluating, features, node_states
from panda_gnn.errors import choose

_ROWS_AT_ONCE = 1 << 15


def mean_sensitivity(
    model: Model,
    graphs: Sequence[Data],
    *,
    norm: str = "operator",
    sources: int = 8,
    seed: int = 0,
) -> Tensor:
    """The mean sensitivity over pairs of different nodes of every graph, after every layer.

    This is ``sensitivity(model, graph, norm=norm, sources=sources, seed=seed).mean()`` for every
    graph. Graphs that stand side by side do not feel each other, so one pass varies one input of
    each of them.

    Args:
        model: See :data:`panda_gnn.diagnostics.states.Model`.
        graphs: Graphs with features; with ``high`` for a width-aware model.
        norm: ``"operator"`` or ``"entrywise"``.
        sources: How many random nodes of each graph have their inputs varied.
        seed: Seeds the sources.

    Returns:
        A tensor ``[num_graphs, num_layers]``.
    """
    choose("norm", norm, NORMS)
    with evaluating(model), torch.no_grad():
        return torch.cat([_of_some(model, some, norm, sources, seed) for some in _pieces(graphs)])


def _pieces(graphs: Sequence[Data]) -> Iterator[list[Data]]:
    """Runs of graphs with some thousand nodes together."""
    piece: list[Data] = []
    for graph in graphs:
        piece.append(graph)
        if sum(int(data.num_nodes or 0) for data in piece) > _ROWS_AT_ONCE // 8:
            yield piece
            piece = []
    if piece:
        yield piece


def _of_some(model: Model, graphs: list[Data], norm: str, sources: int, seed: int) -> Tensor:
    batch = Batch.from_data_list(graphs)
    x = features(batch, model)
    sizes = batch.ptr.diff()
    # Row s has the s-th source of every graph; a graph with fewer nodes than sources has none.
    drawn = torch.full((min(sources, int(sizes.max())), len(graphs)), -1)
    for place, size in enumerate(sizes.tolist()):
        nodes = draw_sources(sources, size, torch.Generator().manual_seed(seed))
        drawn[: nodes.numel(), place] = nodes + batch.ptr[place].cpu()
    total = torch.zeros(())
    for one in drawn.to(x.device):
        of_pairs = _norms(model, batch, x, one[one >= 0], norm)
        of_pairs[:, one[one >= 0]] = 0
        of_graphs = of_pairs.new_zeros(of_pairs.size(0), len(graphs))
        of_graphs.index_add_(1, batch.batch, of_pairs)
        total = total.to(of_graphs) + of_graphs.t() / (sizes - 1).clamp(min=1)[:, None]
    return total / (drawn >= 0).sum(0).to(total)[:, None]


def _norms(model: Model, batch: Batch, x: Tensor, sources: Tensor, norm: str) -> Tensor:
    """The norm for every node and the source of its graph, after every layer."""
    num_features = x.size(1)
    columns = []
    for some in torch.arange(num_features).split(max(1, _ROWS_AT_ONCE // x.size(0))):
        together = copies(batch, some.numel())
        tangent = x.new_zeros(some.numel(), *x.shape)
        for copy, feature in enumerate(some.tolist()):
            tangent[copy, sources, feature] = 1.0
        moved = torch.func.jvp(
            lambda inputs, data=together: [s.values for s in node_states(model, data, inputs)],
            (x.repeat(some.numel(), 1),),
            (tangent.flatten(0, 1),),
        )[1]
        columns.append(torch.stack([m.abs().sum(1).view(some.numel(), -1) for m in moved]))
    sums = torch.cat(columns, dim=1)
    return sums.amax(1) if norm == "operator" else sums.sum(1)
