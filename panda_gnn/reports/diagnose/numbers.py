"""Where a graph squashes, and what width or rewiring would change: all numbers of the report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.centrality import centrality
from panda_gnn.diagnostics import (
    GraphSummary,
    Sensitivity,
    SensitivityDecay,
    hop_distances,
    node_range,
    range_of_influence,
    sensitivity,
    sensitivity_bound,
    spectral_gap,
    summarise,
    total_resistance,
)
from panda_gnn.diagnostics.bottlenecks import edge_measure
from panda_gnn.diagnostics.dataset_summary import decay_where_defined
from panda_gnn.errors import InputError
from panda_gnn.graph.components import components
from panda_gnn.graph.limits import EXACT_SENSITIVITY_NODES, EXACT_SUMMARY_NODES
from panda_gnn.nn import GNN
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.models import printed_name
from panda_gnn.rewiring.base import Rewiring
from panda_gnn.rewiring.fosr import FoSR
from panda_gnn.transforms import ExpandWidth

#: Of graphs with more input features, a few random ones are varied at a few random nodes.
MANY_FEATURES = 32
FEW_SOURCES = 16
FEATURES = 4
#: Changes are compared on the inputs of so many nodes.
SOURCES = 64


@dataclass(frozen=True)
class MapMeasure:
    """A measure of all nodes or of all edges, which maps show and tables list.

    Attributes:
        name: What it is called.
        about: A sentence about it.
        values: One for each node or edge; ``nan`` where there is none.
        zero: Whether negative and positive values mean opposite things.
    """

    name: str
    about: str
    values: Tensor
    zero: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The measure, ready for JSON."""
        return {
            "name": self.name,
            "about": self.about,
            "values": self.values.tolist(),
            "zero": self.zero,
        }


def edge_measures(data: Data) -> list[MapMeasure]:
    """The measures of all edges of a graph that maps show.

    The curvature from effective resistance is left out of graphs that are too large for it.
    """
    measures = [
        MapMeasure(
            "effective resistance",
            "Of every edge; 1 is a bridge.",
            edge_measure(data, "resistance")[1],
        ),
        MapMeasure(
            "curvature",
            "Balanced Forman curvature of every edge; negative where the graph is tight.",
            edge_measure(data, "curvature")[1],
            zero=True,
        ),
    ]
    if int(data.num_nodes or 0) <= EXACT_SUMMARY_NODES:
        about = (
            "Curvature of every edge from effective resistance; negative where both sides hang "
            "together by few others."
        )
        values = edge_measure(data, "resistance-curvature")[1]
        measures.append(MapMeasure("resistance curvature", about, values, zero=True))
    return measures


@dataclass(frozen=True)
class Remedy:
    """What the graph and a model on it would be like with a change.

    Attributes:
        name: The change.
        num_edges: Edges of the graph.
        total_resistance: Its total effective resistance; ``nan`` where the graph is too large for
            that, and where the change joined components, which makes it incomparable.
        spectral_gap: Its spectral gap.
        near: Mean sensitivity over all pairs of nodes after the last hidden layer.
        far: The same over pairs far apart in the original graph.
    """

    name: str
    num_edges: int
    total_resistance: float
    spectral_gap: float
    near: float
    far: float


@dataclass(frozen=True)
class Diagnosis:
    """Everything the report says.

    Attributes:
        title: What the graph is called.
        data: The graph, with ``data.high``.
        names: The names of its nodes.
        summary: Its numbers.
        model: The model.
        scores: The centrality of every node.
        edges: Every edge once, ``[2, m]``.
        resistance: The effective resistance of every edge.
        curvature: The balanced Forman curvature of every edge.
        link_curvature: The curvature of every edge from effective resistance; ``nan`` where the
            graph is too large for that.
        range_hops: The range of the model after the last hidden layer, in hops.
        range_ohm: The same in effective resistance; ``nan`` where the graph is too large for that.
        range_needed: The range in hops of a task that needs all nodes alike.
        decay: Prevalence and so on, where the graph has them.
        felt: How much the others feel each node, on average, after the last hidden layer; ``nan``
            for nodes that were not varied.
        measured: The sensitivity of all pairs that were measured, after every layer.
        norm: Which norm that is.
        bound: The paper's bound, where it holds; the mean over pairs after every layer.
        by_distance: Mean sensitivity after every hidden layer at every distance.
        pairs: How many measured pairs are at each distance.
        out_of_reach: The share of connected pairs further apart than the model is deep.
        far_hops: From which distance on a pair is called far: half the greatest one, or the depth
            of the model where that is less.
        remedies: What would change.
        node_measures: What maps show of nodes beside their centralities.
        edge_measures: What maps show of edges.
        rewired: What a rewiring to compare with is called, and the graph after it.
    """

    title: str
    data: Data
    names: list[str]
    summary: GraphSummary
    model: ModelChoice
    scores: Tensor
    edges: Tensor
    resistance: Tensor
    curvature: Tensor
    link_curvature: Tensor
    range_hops: float
    range_ohm: float
    range_needed: float
    decay: SensitivityDecay | None
    felt: Tensor
    measured: Sensitivity
    norm: str
    bound: Tensor | None
    by_distance: Tensor
    pairs: list[int]
    out_of_reach: float
    far_hops: int
    remedies: list[Remedy]
    node_measures: list[MapMeasure]
    edge_measures: list[MapMeasure]
    rewired: tuple[str, Data] | None = None

    @property
    def num_high(self) -> int:
        """How many nodes are high, or would be in a width-aware model."""
        return int(self.data.high.sum())


def diagnose(
    data: Data,
    model: ModelChoice,
    *,
    title: str,
    names: Sequence[str] | None = None,
    rewiring: Rewiring | None = None,
) -> Diagnosis:
    """Measure a graph, an untrained model on it, and what some changes would do.

    Args:
        data: An undirected graph with features.
        model: The model.
        title: What to call the graph.
        names: What to call its nodes; their numbers if omitted.
        rewiring: What the page compares the graph with; up to 10 edges by FoSR if omitted.
    """
    num_nodes = int(data.num_nodes or 0)
    if num_nodes == 0:
        raise InputError(f"{title} has no nodes, so there is nothing to diagnose")
    data = ExpandWidth(model.centrality, model.k, seed=model.seed)(data.clone().cpu())
    summary = summarise(data)
    edges, _ = edge_measure(data, "curvature")
    of_edges = edge_measures(data)
    resistance, curvature = (measure.values for measure in of_edges[:2])
    small = num_nodes <= EXACT_SUMMARY_NODES
    link_curvature = of_edges[2].values if small else torch.full_like(curvature, torch.nan)
    network = model.make(model.name, data.x.size(1))
    norm = "operator" if data.x.size(1) <= MANY_FEATURES else "entrywise"
    sources = None if norm == "operator" else FEW_SOURCES
    measured = _sensitivity(network, data, norm, model.seed, sources)
    distance = hop_distances(data, measured.sources).t()
    known = distance.isfinite()
    furthest = int(distance[known].max())
    pairs = [int((distance == hops).sum()) for hops in range(furthest + 1)]
    connected = sum(pairs[1:])
    last = model.num_layers - 1
    far_hops = max(1, min(math.ceil(furthest / 2), model.num_layers))
    felt = torch.full((num_nodes,), torch.nan, dtype=measured.norms.dtype)
    felt[measured.sources] = measured.of_sources()[last]
    return Diagnosis(
        title=title,
        data=data,
        names=list(names) if names is not None else [str(node) for node in range(num_nodes)],
        summary=summary,
        model=model,
        scores=centrality(model.centrality, data, seed=model.seed),
        edges=edges,
        resistance=resistance,
        curvature=curvature,
        link_curvature=link_curvature,
        range_hops=_range(network, data, model, norm, "hops"),
        range_ohm=_range(network, data, model, norm, "resistance") if small else float("nan"),
        range_needed=range_of_influence(known, distance).mean,
        decay=decay_where_defined(data),
        felt=felt,
        measured=measured,
        norm=norm,
        bound=_bound(network, data, measured) if norm == "operator" else None,
        by_distance=measured.by_distance(distance, furthest)[: model.num_layers],
        pairs=pairs,
        out_of_reach=sum(pairs[model.num_layers + 2 :]) / connected if connected else 0.0,
        far_hops=far_hops,
        remedies=_remedies(data, model, norm, measured.sources, far_hops, summary.num_components),
        node_measures=[
            MapMeasure(
                "sensitivity",
                "How much the other nodes feel each node's input, on average, after layer "
                f"{model.num_layers}.",
                felt,
            )
        ],
        edge_measures=of_edges,
        rewired=_rewired(data, rewiring or FoSR(10, seed=model.seed)),
    )


def _rewired(data: Data, rewiring: Rewiring) -> tuple[str, Data]:
    """The graph after a rewiring, without directions and weights, and what to call it."""
    after = rewiring(Data(edge_index=data.edge_index, num_nodes=data.num_nodes, x=data.x))
    edge_index = to_undirected(after.edge_index, num_nodes=after.num_nodes)
    return f"after {rewiring}", Data(edge_index=edge_index, num_nodes=after.num_nodes)


def _sensitivity(
    network: GNN, data: Data, norm: str, seed: int, sources: Tensor | int | None
) -> Sensitivity:
    few = FEATURES if norm == "entrywise" else None
    return sensitivity(network, data, norm=norm, sources=sources, input_features=few, seed=seed)


def _range(network: GNN, data: Data, model: ModelChoice, norm: str, distance: str) -> float:
    """Exact where the sensitivity is, else at a few nodes and channels."""
    few = norm == "entrywise" or int(data.num_nodes or 0) > EXACT_SENSITIVITY_NODES
    measured = node_range(
        network,
        data,
        distance=distance,
        layer=model.num_layers - 1,
        nodes=FEW_SOURCES if few else None,
        channels=FEATURES if few else None,
        seed=model.seed,
    )
    return measured.mean


def _bound(network: GNN, data: Data, measured: Sensitivity) -> Tensor | None:
    """The mean of the bound over the measured pairs, where the model is one it holds for."""
    try:
        bound = sensitivity_bound(network, data, sources=measured.sources)
    except InputError:
        return None
    return Sensitivity(bound, measured.sources, measured.exact).mean()


def _remedies(
    data: Data,
    model: ModelChoice,
    norm: str,
    sources: Tensor,
    far_hops: int,
    num_components: int,
) -> list[Remedy]:
    """The plain backbone, more width everywhere or at high nodes, and ten new edges."""
    generator = torch.Generator().manual_seed(model.seed)
    sources = sources[torch.randperm(sources.numel(), generator=generator)[:SOURCES]]
    distance = hop_distances(data, sources).t()
    backbone = printed_name(model.backbone)
    in_channels = data.x.size(1)
    wide = f"{backbone}, every node {model.high_width} wide"
    panda = f"PANDA, {int(data.high.sum())} of the nodes {model.high_width} wide"
    rewired = FoSR(10, seed=model.seed)(data)
    del rewired.edge_type
    changes: list[tuple[str, Data, GNN]] = [
        (f"{backbone}, {model.width} wide", data, model.make(model.backbone, in_channels)),
        (wide, data, model.make(model.backbone, in_channels, width=model.high_width)),
        (panda, data, model.make(f"panda-{model.backbone}", in_channels)),
        (
            f"{backbone} after FoSR, up to 10 new edges",
            rewired,
            model.make(model.backbone, in_channels),
        ),
    ]
    if model.backbone == "gcn":
        residual = model.make("gcn", in_channels, residual=True, self_loops=False, bias=False)
        name = "PANDA without high nodes: GCN with its residual"
        changes.insert(3, (name, data, residual))
    far = distance.isfinite() & (distance >= far_hops)
    remedies = []
    for name, graph, network in changes:
        after = _sensitivity(network, graph, norm, model.seed, sources)
        norms = after.norms[model.num_layers - 1]
        remedies.append(
            Remedy(
                name=name,
                num_edges=graph.num_edges // 2,
                total_resistance=_resistance(graph, num_components),
                spectral_gap=spectral_gap(graph),
                near=float(after.mean()[model.num_layers - 1]),
                far=float(norms[far].mean()) if bool(far.any()) else 0.0,
            )
        )
    return remedies


def _resistance(data: Data, num_components: int) -> float:
    num_nodes = int(data.num_nodes or 0)
    joined = int(components(data.edge_index, num_nodes).max()) + 1 < num_components
    return float("nan") if joined or num_nodes > EXACT_SUMMARY_NODES else total_resistance(data)
