"""Signal propagation: how far what one node knows gets in an untrained model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.states import (
    Model,
    NodeStates,
    check_takes_numbers,
    copies,
    evaluating,
    node_states,
    precision,
    source_nodes,
)
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.rows import checked_nodes, edge_index_of
from panda_gnn.options import whole_number

UNITS = ("node", "graph")

#: How many rows of states all copies of a graph may have that are measured in one pass.
ROWS_AT_ONCE = 1 << 17


class SignalPropagation(NamedTuple):
    """What :func:`signal_propagation` measures.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import signal_propagation
        >>> from panda_gnn.nn import GNN
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> signal_propagation(GNN(5, 2, width=8), ring, in_channels=5, sources=3).of_sources.shape
        torch.Size([3])
    """

    #: The mean over the sources.
    mean: float
    #: The signal of each source.
    of_sources: Tensor
    #: The source nodes.
    sources: Tensor


def signal_propagation(
    model: Model,
    data: Data,
    *,
    in_channels: int,
    sources: int | Tensor = 10,
    source_feature: Tensor | None = None,
    unit: str = "node",
    layer: int = -1,
    distance_graph: Data | None = None,
    subtract_silence: bool = False,
    seed: int = 0,
    rows_at_once: int = ROWS_AT_ONCE,
) -> SignalPropagation:
    r"""The amount of signal that reaches the graph from random sources, as in the appendix 'Signal
    Propagation' of the paper.

    One node :math:`v`, the source, gets a feature vector and all others get zeros. After
    :math:`\ell` layers of the model

    .. math::
        \mathbf{h}_{\odot}^{(\ell)} = \frac{1}{\max_{u \neq v} k(u, v)} \sum_{u \neq v} k(u, v)\,
        \frac{1}{p_u} \sum_{t=1}^{p_u} \frac{h_u^{(\ell),t}}{\lVert \mathbf{h}_u^{(\ell)} \rVert}

    with :math:`k` the hop distance and :math:`p_u` the width of node :math:`u` (of a width-aware
    model; else the model's). The mean over the sources is the value of the graph. All sources are
    measured in one pass, on copies of the graph.

    The paper divides :math:`h_u^{(\ell),t}` by a norm of the same number, which would leave only
    its sign, and speaks of unitary signals. So ``unit`` says what has unit length:

    - ``"node"``: the state of every node, in the Euclidean norm, as above. A node that hears
      anything counts in full, however faint it is.
    - ``"graph"``: the states of all nodes together, in the 1-norm, and channels are summed and not
      averaged: the signal is shared out, and the value, between -1 and 1, is the mean distance it
      got as a share of the greatest. Up to the factor :math:`1/p` this is how the public code of Di
      Giovanni et al., "On Over-Squashing in Message Passing Neural Networks" (ICML 2023), from
      whom the experiment is taken, normalises.

    A model with biases, such as GIN, has states where nothing arrived. With ``subtract_silence``
    the states that zero features give are subtracted first, and absolute values are taken, so that
    only what came from the source counts.

    A zero state stays zero. Nodes that cannot be reached from the source have no distance and are
    left out, so the value of an isolated source, and of a graph of one node, is zero.

    Args:
        model: See :data:`panda_gnn.diagnostics.states.Model`; usually untrained.
        data: The graph; ``data.high`` for a width-aware model. Its features are not used.
        in_channels: The number of input features of the model.
        sources: How many sources to draw, without replacement (all nodes of a smaller graph), or
            the sources themselves.
        source_feature: The feature vector of a source; by default all ones, scaled to length one.
        unit: ``"node"`` or ``"graph"``.
        layer: The layer whose states are measured, as an index into the list of layers.
        distance_graph: The graph in which distances are counted, such as the one before a rewiring;
            ``data`` if omitted.
        subtract_silence: Count only what differs from the states without any source.
        seed: Seeds the sources.
        rows_at_once: Measure so many sources in one pass that their states have no more rows.

    Shapes:
        - **input:** ``sources`` ``[num_sources]`` where they are given, ``source_feature``
          ``[in_channels]``
        - **output:** ``mean`` a float, ``of_sources`` and ``sources`` ``[num_sources]``

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import signal_propagation
        >>> from panda_gnn.nn import GNN
        >>> (ring,) = transfer("ring", 6, num_graphs=1)
        >>> near = GNN(5, 2, width=8, num_layers=1, bias=False)
        >>> far = GNN(5, 2, width=8, num_layers=5, bias=False)
        >>> signals = [signal_propagation(model, ring, in_channels=5, subtract_silence=True)
        ...            for model in (near, far)]
        >>> signals[0].mean < signals[1].mean  # two layers reach less of the ring than six
        True
    """
    choose("unit", unit, UNITS)
    whole_number("in_channels", in_channels, 1)
    check_takes_numbers(model, "signal_propagation")
    device = edge_index_of(data, "signal_propagation").device
    num_nodes = int(data.num_nodes or 0)
    generator = torch.Generator().manual_seed(seed)
    nodes = source_nodes(sources, num_nodes, generator, repeats=True).to(device)
    if source_feature is None:
        source_feature = torch.full((in_channels,), in_channels**-0.5)
    if source_feature.numel() != in_channels:
        raise InputError(
            f"source_feature has {source_feature.numel()} entries, but in_channels is {in_channels}"
        )
    dtype = precision(model) or source_feature.dtype
    source_feature = source_feature.to(device, dtype)
    distance = hop_distances(data if distance_graph is None else distance_graph, nodes)
    weight = _normalised(distance).to(dtype)
    # The graph's own features may have any width: they make way for those of the experiment.
    bare = data.clone()
    bare.x = source_feature.new_zeros(num_nodes, in_channels)
    count = max(1, rows_at_once // num_nodes)
    values = []
    with torch.no_grad(), evaluating(model):
        silence = node_states(model, bare, bare.x)[layer].values if subtract_silence else None
        for chunk, share in zip(nodes.split(count), weight.split(count), strict=True):
            batch = copies(bare, chunk.numel())
            x = batch.x.view(chunk.numel(), num_nodes, in_channels)
            x[torch.arange(chunk.numel(), device=device), chunk] = source_feature
            states = node_states(model, batch, batch.x)[layer]
            if silence is not None:
                heard = (states.values - silence.repeat(chunk.numel(), 1)).abs()
                states = states._replace(values=heard)
            values.append((_unit_signals(states, chunk.numel(), unit) * share).sum(1))
    of_sources = torch.cat(values)
    return SignalPropagation(float(of_sources.mean()), of_sources, nodes)


def hop_distances(data: Data, sources: Tensor) -> Tensor:
    """Hops from every source to every node, infinite where no path leads.

    Edges are followed along their direction; the result is ``[num_sources, num_nodes]``.

    Args:
        data: A graph, directed or not.
        sources: The nodes to start from.

    Shapes:
        - **input:** ``sources`` ``[num_sources]``
        - **output:** ``[num_sources, num_nodes]``

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import hop_distances
        >>> (ring,) = transfer("ring", 3, num_graphs=1)
        >>> hop_distances(ring, torch.tensor([0])).tolist()
        [[0.0, 1.0, 2.0, 3.0, 2.0, 1.0]]
    """
    row, column = edge_index_of(data, "hop_distances").cpu().numpy()
    num_nodes = int(data.num_nodes or 0)
    adjacency = csr_array((np.ones(row.size), (row, column)), shape=(num_nodes, num_nodes))
    places = checked_nodes(sources, num_nodes, "sources").cpu().numpy()
    hops = dijkstra(adjacency, indices=places, unweighted=True)
    return torch.from_numpy(hops).to(data.edge_index.device)


def _normalised(distance: Tensor) -> Tensor:
    """Distances as shares of the greatest from the same source; zero where there is none."""
    finite = torch.where(distance.isinf(), torch.zeros_like(distance), distance)
    return finite / finite.amax(1, keepdim=True).clamp(min=1)


def _unit_signals(states: NodeStates, count: int, unit: str) -> Tensor:
    """Every node's unit signal over its channels, one row for each copy of the graph."""
    total = states.values.sum(1).view(count, -1)
    if unit == "node":
        norm = (states.values.norm(dim=1) * states.width).view(count, -1)
    else:
        norm = states.values.abs().sum(1).view(count, -1).sum(1, keepdim=True)
    return torch.where(norm > 0, total / norm, torch.zeros_like(total))
