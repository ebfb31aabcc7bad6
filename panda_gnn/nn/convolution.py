"""Convolutions that take edges, ours and PyG's, and whether a graph may be split for them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import reset

from panda_gnn.errors import InputError
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.explain import explained
from panda_gnn.nn.inputs import EDGE_VALUES
from panda_gnn.nn.partition import Pair, WidthPartition

REPLACEMENTS = {
    "APPNP": "several layers of GCNConv",
    "ARMAConv": "GCNConv",
    "AntiSymmetricConv": "AntiSymmetricConv around GraphConv and with one iteration",
    "ChebConv": "several layers of GCNConv",
    "DirGNNConv": "RGCNConv with an edge_type for each direction",
    "EGConv": "EGConv with add_self_loops=False and other aggregators than symnorm",
    "GCNConv": "GCNConv without improved and cached",
    "GPSConv": "the convolution inside it",
    "GatedGraphConv": "GatedGraphConv with num_layers=1",
    "MixHopConv": "several layers of GCNConv",
    "PDNConv": "GCNConv with edge weights",
    "SAGEConv": "SAGEConv with the aggregation mean, sum or max and the usual flow",
    "SGConv": "several layers of GCNConv",
    "SSGConv": "several layers of GCNConv",
    "TAGConv": "several layers of TAGConv with K=1",
}
"""What to take instead of some of PyG's convolutions, where they cannot be split by width."""


class Convolution(nn.Module):
    """A convolution called with :class:`Edges`: ``conv(x, edges)`` gives the targets' new states.

    ``x`` is a tensor where sources and targets are the nodes of a graph, else the pair
    ``(sources, targets)``, the first sources being the targets themselves.
    """

    #: What it reads of the edges, besides ``edge_index``.
    reads: Sequence[str] = EDGE_VALUES
    #: Whether it has its activation inside, so that none follows it in a model.
    activates: bool = False

    def __call__(self, x: Tensor | Pair, edges: Edges) -> Any:
        """What :meth:`forward` gives for states and edges that fit together."""
        if not isinstance(edges, Edges):
            raise InputError(
                f"{type(self).__name__} is called with Edges, not with {type(edges).__name__}: "
                "give it Edges.of_graph(edge_index, num_nodes), or use panda_gnn.nn.GNN"
            )
        sources = x if isinstance(x, Tensor) else x[0]
        if not sources.is_floating_point():
            raise InputError(
                f"x is {sources.dtype}, but states of nodes are floating-point numbers"
            )
        if sources.size(0) != edges.num_sources:
            raise InputError(
                f"x has the shape {list(sources.shape)}, but the edges have {edges.num_sources} "
                "sources: give one row for each"
            )
        return super().__call__(x, edges)

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        for child in self.children():
            reset(child)


class GraphConvolution(Convolution):
    """A PyG convolution called with :class:`Edges` instead of ``edge_index``.

    It gets those of ``edge_weight``, ``edge_attr`` and ``edge_type`` that it asks for and that the
    edges have, in the order of the whole graph. A convolution that takes no pair of sources and
    targets runs on all sources at once and keeps the rows of the targets.

    Args:
        conv: The convolution.
        bipartite: Whether it takes ``(sources, targets)``; by default read off its signature.
    """

    def __init__(self, conv: nn.Module, bipartite: bool | None = None) -> None:
        super().__init__()
        asked = list(inspect.signature(conv.forward).parameters.values())
        self.conv = conv
        self.bipartite = bipartite
        if bipartite is None:
            self.bipartite = any(word in str(asked[0].annotation) for word in ("uple", "Pair"))
        names = [parameter.name for parameter in asked]
        self.reads = [name for name in EDGE_VALUES if name in names]
        if getattr(conv, "edge_dim", 0) is None:  # asks for edge_attr, but was made without
            self.reads = [name for name in self.reads if name != "edge_attr"]
        #: Where the weights of edges are normalised for it, whether nodes get self-loops.
        self.normalises: bool | None = None
        needed = [p.name for p in asked[2:] if p.default is p.empty and p.kind not in (2, 4)]
        if names[1:2] != ["edge_index"] or not set(needed) <= set(EDGE_VALUES):
            raise InputError(
                f"{type(conv).__name__} is called with {', '.join(names)}, but layers of a model "
                "have x, edge_index, edge_weight, edge_attr and edge_type: use a convolution that "
                "is called with these, such as GraphConv, GATv2Conv or RGCNConv"
            )

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        edges = edges.in_graph_order()
        edge_index = edges.edge_index
        options = {
            name: value for name in self.reads if (value := getattr(edges, name)) is not None
        }
        self._check_columns(options.get("edge_attr"))
        sources = x if isinstance(x, Tensor) else x[0]
        if self.normalises is not None:
            weight, loop = edges.norm(self.normalises, sources.dtype)
            if loop is not None:
                node = torch.arange(edges.num_targets, device=edge_index.device)
                edge_index = torch.cat([edge_index, torch.stack([node, node])], dim=1)
                weight = torch.cat([weight, loop])
                if edges.mask is not None:
                    ones = edges.mask.new_ones(edges.num_targets)
                    edges = replace(edges, mask=torch.cat([edges.mask, ones]))
            options["edge_weight"] = weight
        given = x if self.bipartite else sources
        if edges.mask is None and edges.listener is None:
            out: Tensor = self.conv(given, edge_index, **options)
        else:
            with explained(self.conv, edges):
                out = self.conv(given, edge_index, **options)
        return out[: edges.num_targets]

    def _check_columns(self, edge_attr: Tensor | None) -> None:
        columns = getattr(self.conv, "edge_dim", None)
        if edge_attr is not None and isinstance(columns, int):
            found = edge_attr.size(1) if edge_attr.dim() == 2 else 1
            if found != columns:
                raise InputError(
                    f"edge_attr has {found} columns, but {type(self.conv).__name__} was made for "
                    f"edge_dim={columns}"
                )

    def __repr__(self) -> str:
        return repr(self.conv)


def as_convolution(conv: nn.Module, bipartite: bool | None = None) -> Convolution:
    """``conv`` itself if it takes :class:`Edges`, else the PyG convolution ``conv`` made to."""
    return conv if isinstance(conv, Convolution) else GraphConvolution(conv, bipartite)


def small_graph(width: int, dtype: torch.dtype, seed: int = 0, **values: Tensor) -> Any:
    """States of nodes and the partition of a random directed graph, some nodes of which are high.

    There are self-loops and a node without edges, and edges are sorted by their targets.

    Args:
        width: Width of the states.
        dtype: Their type.
        seed: Seeds the graph.
        **values: Rows to draw those of ``edge_weight``, ``edge_attr`` and ``edge_type`` from.
    """
    generator = torch.Generator().manual_seed(seed)
    matrix = torch.rand(10, 10, generator=generator) < 0.35
    matrix[0, 0] = matrix[1, 1] = True
    matrix[9] = matrix[:, 9] = False
    target, source = matrix.nonzero().t()
    drawn = {
        name: rows.detach().cpu()[torch.randint(len(rows), target.shape, generator=generator)]
        for name, rows in values.items()
    }
    high = torch.arange(10) % 3 == 1
    x = torch.randn(10, width, generator=generator, dtype=torch.float64).to(dtype)
    floats = {
        name: rows.to(dtype) if rows.is_floating_point() else rows for name, rows in drawn.items()
    }
    return x, WidthPartition(torch.stack([source, target]), high, **floats)


def split_result(
    low: Convolution, high: Convolution, x: Tensor, partition: WidthPartition
) -> Tensor:
    """The new states of all nodes, by two convolutions of one width on the two halves."""
    x_low, x_high = partition.split(x)
    sources = torch.cat([x_low, x_high[partition.crossing[0]]])
    out_low = low((sources, x_low), partition.into_low)
    out_high = high((torch.cat([x_high, x_low]), x_high), partition.into_high)
    return partition.merge(out_low, out_high)


def settle(convs: Sequence[GraphConvolution], width: int, edges: Edges | None = None) -> bool:
    """Find out how convolutions of one kind must be called on one half of a graph.

    On small random graphs, the first of them must give on the two halves what it gives on the
    whole. It is tried as its signature says, then with and without a pair of sources and targets,
    then with weights that were normalised by the degrees of the whole graph. If all differ, an
    error says so. What happens in the trials changes neither parameters nor random numbers.

    Args:
        convs: The convolutions.
        width: The input width of the first one.
        edges: Edges to draw edge values from; without them, values are made up.

    Returns:
        Whether the convolution could be called at all; without ``edges`` it need not be.
    """
    first, raised, ran = convs[0], None, False
    for values in _edge_values(first, width, edges):
        for bipartite, normalises in _ways(first):
            for dtype in (torch.float64, torch.float32):
                try:
                    difference = _difference(first, bipartite, normalises, width, dtype, values)
                except Exception as error:  # whatever a user's convolution may raise
                    raised = raised or error
                    continue
                if difference < (1e-9 if dtype == torch.float64 else 1e-4):
                    for conv in convs:
                        conv.bipartite, conv.normalises = bipartite, normalises
                        if normalises is not None:
                            conv.conv.normalize = False  # type: ignore[assignment]
                    return True
                ran = True
                break
        if ran:
            break
    name = type(first.conv).__name__
    instead = REPLACEMENTS.get(name, "GraphConv, SAGEConv, GATv2Conv or panda_gnn.nn.PandaGCNConv")
    if ran:
        raise InputError(
            f"{name} cannot be made width-aware, since on a graph split by width it gives other "
            "results (it normalises by degrees itself, goes further than to a node's neighbours or "
            f"treats directions differently): use {instead}"
        )
    if edges is not None:
        raise InputError(
            f"{name} cannot be made width-aware, since on a small graph it raised "
            f"{type(raised).__name__} ({raised}): use {instead}"
        )
    return False


def _ways(conv: GraphConvolution) -> Iterator[tuple[bool | None, bool | None]]:
    yield conv.bipartite, None
    yield not conv.bipartite, None
    if getattr(conv.conv, "normalize", False) is True and "edge_weight" in conv.reads:
        yield False, True
        yield False, False


def _edge_values(
    conv: GraphConvolution, width: int, edges: Edges | None
) -> Iterator[dict[str, Tensor]]:
    """Rows of edge values to try, those of ``edges`` or made up ones."""
    if edges is not None:
        values = {name: getattr(edges, name) for name in conv.reads}
        yield {name: rows for name, rows in values.items() if rows is not None}
        return
    made: dict[str, Tensor] = {}
    if "edge_weight" in conv.reads:
        made["edge_weight"] = torch.linspace(0.2, 2, 20)
    if "edge_type" in conv.reads:
        made["edge_type"] = torch.arange(int(getattr(conv.conv, "num_relations", 2)))
    if "edge_attr" in conv.reads:
        widths = [getattr(conv.conv, name, None) for name in ("edge_dim", "dim")]
        for columns in dict.fromkeys([*widths, width, 1]):
            if isinstance(columns, int) and columns > 0:
                yield made | {"edge_attr": torch.linspace(0, 1, 20 * columns).view(20, columns)}
    yield made
    yield {}


@torch.no_grad()
def _difference(
    conv: GraphConvolution,
    bipartite: bool | None,
    normalises: bool | None,
    width: int,
    dtype: torch.dtype,
    values: dict[str, Tensor],
) -> float:
    """How far the results on the halves are from those on the whole graph, relatively."""
    with torch.random.fork_rng(devices=[]), torch.device("cpu"):
        plain = deepcopy(conv).to("cpu", dtype).eval()
        split = deepcopy(plain)
        split.bipartite, split.normalises = bipartite, normalises
        if normalises is not None:
            split.conv.normalize = False  # type: ignore[assignment]
        differences = []
        for seed in range(3):
            x, partition = small_graph(width, dtype, seed, **values)
            expected = plain(x, partition.whole)
            found = split_result(split, split, x, partition)
            scale = expected.abs().max().clamp(min=1e-6)
            differences.append(float((found - expected).abs().max() / scale))
        return max(differences)
