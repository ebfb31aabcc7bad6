"""Where a graph squashes: its nodes and edges ranked, and the numbers that sum it up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.centrality import CENTRALITIES, centrality
from panda_gnn.diagnostics.curvature import (
    augmented_forman_curvature,
    balanced_forman_curvature,
    ollivier_ricci_curvature,
)
from panda_gnn.diagnostics.resistance import (
    edge_resistance,
    resistance_sketch,
    total_resistance,
)
from panda_gnn.diagnostics.resistance_curvature import resistance_curvature
from panda_gnn.diagnostics.signal import hop_distances
from panda_gnn.diagnostics.spectrum import spectral_gap
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.components import components
from panda_gnn.graph.limits import EXACT_SUMMARY_NODES
from panda_gnn.graph.rows import undirected_edges
from panda_gnn.graph.ties import MEASURE_DIGITS, steps
from panda_gnn.options import whole_number

CURVATURES: Mapping[str, Callable[[Data], Tensor]] = MappingProxyType(
    {
        "curvature": balanced_forman_curvature,
        "augmented-forman": augmented_forman_curvature,
        "ollivier-ricci": ollivier_ricci_curvature,
        "resistance-curvature": resistance_curvature,
    }
)
NODE_MEASURES = (*(name for name in CENTRALITIES if name != "random"), *CURVATURES)
EDGE_MEASURES = ("resistance", *CURVATURES)


class Ranking(NamedTuple):
    """Nodes or edges, the tightest bottleneck first.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import bottleneck_nodes
        >>> (tree,) = transfer("tree", 3, num_graphs=1)
        >>> ranking = bottleneck_nodes(tree, by="degree", count=3)
        >>> ranking.items.tolist()
        [1, 2, 3]
    """

    #: Nodes ``[count]``, or edges ``[2, count]`` with the smaller node first.
    items: Tensor
    #: The measure of each.
    values: Tensor


def bottleneck_nodes(data: Data, by: str = "betweenness", count: int = 10) -> Ranking:
    """The ``count`` nodes most in the way of messages, equal ones by index.

    Args:
        data: An undirected graph.
        by: A centrality (the highest first; by ``"resistance"`` these are the nodes hardest to
            reach), or a curvature (the node with the lowest edge first): ``"curvature"`` for
            balanced Forman, ``"augmented-forman"``, ``"ollivier-ricci"`` or
            ``"resistance-curvature"``.
        count: How many nodes; all if there are fewer.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import bottleneck_nodes
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)  # a clique and a path
        >>> bottleneck_nodes(lollipop, count=2).items.tolist()  # where the path begins
        [4, 5]
    """
    choose("measure of nodes", by, NODE_MEASURES)
    return _ranking(
        node_measure(data, by), whole_number("count", count, 1), lowest_first=by in CURVATURES
    )


def bottleneck_edges(
    data: Data, by: str = "curvature", count: int = 10, *, exact_nodes: int = EXACT_SUMMARY_NODES
) -> Ranking:
    """The ``count`` edges most in the way of messages, equal ones in lexicographic order.

    Args:
        data: An undirected graph.
        by: ``"resistance"`` (the highest first; a bridge has 1, the greatest there is), or a
            curvature (the lowest first): ``"curvature"`` for balanced Forman,
            ``"augmented-forman"``, ``"ollivier-ricci"`` or ``"resistance-curvature"``.
        count: How many edges; all if there are fewer.
        exact_nodes: Estimate the resistances of larger graphs.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import bottleneck_edges
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)  # a clique and a path
        >>> bottleneck_edges(lollipop, by="resistance", count=3).items.t().tolist()  # the bridges
        [[4, 5], [5, 6], [6, 7]]
    """
    choose("measure of edges", by, EDGE_MEASURES)
    edges, values = edge_measure(data, by, exact_nodes=exact_nodes)
    ranking = _ranking(values, whole_number("count", count, 1), lowest_first=by in CURVATURES)
    return Ranking(edges[:, ranking.items], ranking.values)


def node_measure(data: Data, name: str) -> Tensor:
    """A measure of :data:`NODE_MEASURES` for every node; a node without edges has no curvature."""
    if name in CENTRALITIES:
        return centrality(name, data)
    (source, target), values = edge_measure(data, name)
    lowest = torch.full((data.num_nodes,), torch.inf, dtype=values.dtype, device=values.device)
    ends = torch.cat([source, target])
    lowest = lowest.scatter_reduce(0, ends, torch.cat([values, values]), "amin")
    return torch.where(lowest.isinf(), torch.nan, lowest)


def edge_measure(
    data: Data, name: str, *, exact_nodes: int = EXACT_SUMMARY_NODES
) -> tuple[Tensor, Tensor]:
    """Every edge ``u < v`` once, ``[2, m]``, and its measure of :data:`EDGE_MEASURES`.

    The resistances of a graph of more than ``exact_nodes`` nodes are estimated.
    """
    edges, place = undirected_edges(data, "edge_measure")
    if name in CURVATURES:
        values = CURVATURES[name](data)
    elif int(data.num_nodes or 0) <= exact_nodes:
        values = edge_resistance(data)
    else:
        values = resistance_sketch(data).resistance
    return edges, values[place[: edges.size(1)]]


class GraphSummary(NamedTuple):
    """The numbers that say how a graph as a whole carries messages.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import summarise
        >>> (tree,) = transfer("tree", 3, num_graphs=1)
        >>> summary = summarise(tree)
        >>> summary.diameter, summary.bridges, summary.negative_edges
        (6, 14, 0.42857142857142855)
    """

    num_nodes: int
    num_edges: int
    num_components: int
    isolated_nodes: int
    #: The greatest distance between two connected nodes; ``None`` where the graph is too large.
    diameter: int | None
    #: Edges without which their component falls apart.
    bridges: int
    spectral_gap: float
    #: The sum over pairs of connected nodes.
    total_resistance: float
    #: Its standard error; zero where it is exact.
    total_resistance_error: float
    #: Lowest and mean balanced Forman curvature; ``nan`` without edges.
    lowest_curvature: float
    mean_curvature: float
    #: The share of edges of negative curvature.
    negative_edges: float


def summarise(data: Data, *, exact_nodes: int = EXACT_SUMMARY_NODES) -> GraphSummary:
    """Count, measure and sum up an undirected graph of one node or more.

    Above ``exact_nodes`` nodes the diameter is left out and the total resistance is estimated by
    :func:`panda_gnn.diagnostics.resistance_sketch`.

    Args:
        data: An undirected graph.
        exact_nodes: Estimate the resistance of larger graphs, and leave out their diameter.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import summarise
        >>> summary = summarise(transfer("lollipop", 4, num_graphs=1)[0])
        >>> summary.num_edges, summary.bridges, summary.diameter
        (13, 3, 4)
    """
    edges, place = undirected_edges(data, "summarise")
    num_nodes, num_edges = int(data.num_nodes or 0), edges.size(1)
    if num_nodes == 0:
        raise InputError("the graph has no nodes, so there is nothing to sum up")
    degree = edges.flatten().bincount(minlength=num_nodes)
    diameter: int | None = None
    if num_nodes <= exact_nodes:
        hops = hop_distances(data, torch.arange(num_nodes))
        diameter = int(hops[hops.isfinite()].max())
        bridge = edge_resistance(data) > 1 - 1e-6
        total, error = total_resistance(data), 0.0
    else:
        sketch = resistance_sketch(data)
        bridge = (sketch.resistance > 1 - 1e-6) & (sketch.standard_error < 1e-6)
        total, error = sketch.total, sketch.total_error
    curvature = balanced_forman_curvature(data)[place[:num_edges]]
    return GraphSummary(
        num_nodes=num_nodes,
        num_edges=num_edges,
        num_components=int(components(edges, num_nodes).max()) + 1,
        isolated_nodes=int((degree == 0).sum()),
        diameter=diameter,
        bridges=int(bridge[place[:num_edges]].sum()),
        spectral_gap=spectral_gap(data),
        total_resistance=total,
        total_resistance_error=error,
        lowest_curvature=float(curvature.min()) if num_edges else float("nan"),
        mean_curvature=float(curvature.mean()) if num_edges else float("nan"),
        negative_edges=float((curvature < -1e-9).double().mean()) if num_edges else 0.0,
    )


def _ranking(values: Tensor, count: int, lowest_first: bool) -> Ranking:
    """The extreme values, those that agree to nine digits in the order of their index."""
    known = (~values.isnan()).nonzero().view(-1)
    scale = float(values[known].abs().max()) if known.numel() else 0.0
    rounded = steps(values[known], scale or 1.0, MEASURE_DIGITS)
    chosen = known[rounded.argsort(descending=not lowest_first, stable=True)[:count]]
    return Ranking(chosen, values[chosen])
