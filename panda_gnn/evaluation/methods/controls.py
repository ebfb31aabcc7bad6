"""Controls that take PANDA apart: each has some of what PANDA adds to its backbone, or what a mark
on k nodes tells besides: how large the graph is, and where a node stands in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from panda_gnn.centrality import centrality
from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.features import centrality_features, size_feature
from panda_gnn.evaluation.methods.method import Method, as_it_is, network, plain_model
from panda_gnn.evaluation.methods.panda import panda_defaults, panda_model, with_high_nodes
from panda_gnn.evaluation.methods.readouts import RoleReadout, SizeReadout, SumReadout
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.options import real_number
from panda_gnn.transforms import ExpandWidth, top_nodes

MakeGraphs = Callable[[TaskData, Mapping[str, Any], int], GraphTable]
MakeColumns = Callable[[TaskData, Mapping[str, Any], int], Tensor]


def _which(*names: str) -> Callable[[Task, Config], dict[str, Setting]]:
    """Those of PANDA's settings that a control has too."""
    return lambda task, config: panda_defaults(task, config, names)


def _ratio_and(*names: str) -> Callable[[Task, Config], dict[str, Setting]]:
    """The share of high nodes, by default k over the average size of a graph of the dataset, and
    those of PANDA's settings that a control has too."""

    def defaults(task: Task, config: Config) -> dict[str, Setting]:
        others = _which(*names)(task, config)
        if "ratio" in config.settings:
            return {"ratio": config.settings["ratio"], **others}
        try:
            k = _which("k")(task, config)["k"]
        except InputError as error:
            raise InputError(f"{error}".replace("give k", "give ratio, a share of nodes")) from None
        assert isinstance(k, int)
        ratio = min(1.0, float(f"{k / DATASETS[config.dataset].average_nodes:.3g}"))
        return {"ratio": ratio, **others}

    return defaults


def _check_ratio(settings: Mapping[str, Any]) -> None:
    real_number("ratio", settings["ratio"], "between 0 and 1", least=0, most=1)


def _with_columns(columns: MakeColumns, graphs: MakeGraphs = as_it_is) -> MakeGraphs:
    """The graphs with more features of their nodes."""

    def make(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
        return graphs(data, settings, seed).with_columns(columns(data, settings, seed))

    return make


def _mark(high_nodes: MakeGraphs) -> MakeColumns:
    """A feature that is 1 at high nodes and 0 elsewhere."""

    def column(data: TaskData, settings: Mapping[str, Any], seed: int) -> Tensor:
        high = high_nodes(data, settings, seed).high
        assert high is not None
        return high.view(-1, 1)

    return column


def _random_high(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    return with_high_nodes(data, {**settings, "centrality": "random"}, seed)


def _share_high(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    """The same share of the nodes of every graph is high, rounded up."""
    expand = ExpandWidth(settings["centrality"], ratio=settings["ratio"], seed=seed)
    return data.graphs.with_nodes(high=expand.mask(data.dataset))


def _permuted_high(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    """The k nodes are high that have the largest scores after a permutation in every graph."""
    graph_of_node = data.graphs.graph_of_node
    scores = centrality(settings["centrality"], data.dataset, seed=seed)
    chance = torch.rand(scores.numel(), generator=torch.Generator().manual_seed(seed))
    order = chance.argsort()
    order = order[graph_of_node[order].argsort(stable=True)]
    counts = torch.full((data.graphs.num_graphs,), settings["k"])
    return data.graphs.with_nodes(high=top_nodes(scores[order], counts, graph_of_node))


def _no_edges(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    return data.graphs.without_edges()


def _equal_width(task: Task, graphs: GraphTable, config: Config) -> PandaGNN:
    return panda_model(task, graphs, config, high_width=config.width)


def _residual_stack(task: Task, graphs: GraphTable, config: Config) -> GNN:
    """PANDA without high nodes: the plain stack with the options of PANDA's layers."""
    options: dict[str, Any] = {}
    if config.backbone == "gcn":
        options = {"residual": True, "self_loops": False, "bias": False}
    return plain_model(task, graphs, config, **options)


def _plain_panda(task: Task, graphs: GraphTable, config: Config) -> PandaGNN:
    options = {"self_loops": True, "bias": True} if config.backbone == "gcn" else {}
    return panda_model(task, graphs, config, residual=False, **options)


def _all_wide(task: Task, graphs: GraphTable, config: Config) -> GNN:
    return plain_model(task, graphs, config, width=config.settings["high_width"])


def _parameter_matched(task: Task, graphs: GraphTable, config: Config) -> GNN:
    """The plain backbone of the width that comes nearest to PANDA's trained parameters."""
    panda = panda_model(task, graphs, config, selector="topk", variant="paper")
    target = panda.num_parameters.trained

    def parameters(width: int) -> int:
        with torch.device("meta"):
            model = plain_model(task, graphs, config, width=width)
        return model.num_parameters.trained

    widths = range(1, 4 * config.settings["high_width"])
    above = bisect_left(widths, target, key=parameters)  # wider has more
    near = widths[max(above - 1, 0) : above + 1]
    best = min(near, key=lambda width: abs(parameters(width) - target))
    return plain_model(task, graphs, config, width=best)


_degree = partial(centrality_features, names=("degree",))

CONTROL_METHODS = {
    "panda-plain": Method(
        "PANDA that differs from the plain backbone in its high nodes alone: no residual",
        panda_defaults,
        with_high_nodes,
        _plain_panda,
    ),
    "flag": Method(
        "the plain backbone, told by an input feature which nodes are central",
        _which("k", "centrality"),
        _with_columns(_mark(with_high_nodes)),
    ),
    "equal-width": Method(
        "PANDA with high_width = width: two kinds of nodes, no extra width",
        _which("k", "centrality", "selector", "variant"),
        with_high_nodes,
        _equal_width,
    ),
    "residual-twin": Method(
        "PANDA without high nodes: the plain backbone with PANDA's residual connection",
        model=_residual_stack,
        same_as=lambda backbone: None if backbone == "gcn" else "none",
    ),
    "all-wide": Method(
        "the plain backbone with every node at high_width",
        _which("high_width"),
        model=_all_wide,
    ),
    "parameter-matched": Method(
        "the plain backbone with as many parameters as PANDA trains",
        _which("high_width"),
        model=_parameter_matched,
    ),
    "random-k": Method(
        "PANDA with k random nodes",
        _which("k", "high_width", "selector", "variant"),
        _random_high,
        panda_model,
    ),
    "mlp": Method("the backbone without any edge", graphs=_no_edges),
    "size": Method(
        "the plain backbone, told by an input feature how large the graph is",
        graphs=_with_columns(size_feature),
        whole_graphs=True,
    ),
    "degree": Method(
        "the plain backbone with the degree, raw and relative, as input features",
        graphs=_with_columns(_degree),
    ),
    "centralities": Method(
        "the plain backbone with five centralities, raw and relative, as input features",
        graphs=_with_columns(centrality_features),
    ),
    "k-fraction": Method(
        "the plain backbone with a mark on the same share of the nodes of every graph",
        _ratio_and("centrality"),
        _with_columns(_mark(_share_high)),
        check=_check_ratio,
        whole_graphs=True,
    ),
    "flag-permuted": Method(
        "the plain backbone with a mark on k nodes, centralities permuted within graphs",
        _which("k", "centrality"),
        _with_columns(_mark(_permuted_high)),
    ),
    "readout-sum": Method(
        "the plain backbone with the sum over the nodes as its read-out",
        model=network(SumReadout),
        whole_graphs=True,
    ),
    "readout-mean-size": Method(
        "the plain backbone whose read-out knows the size of the graph beside the mean",
        graphs=_with_columns(size_feature),
        model=network(SizeReadout),
        whole_graphs=True,
    ),
    "readout-per-role": Method(
        "the plain backbone with one mean over central nodes and one over the others",
        _which("k", "centrality"),
        _with_columns(_mark(with_high_nodes)),
        network(RoleReadout),
        whole_graphs=True,
    ),
    "panda-size": Method(
        "PANDA, told by an input feature how large the graph is",
        panda_defaults,
        _with_columns(size_feature, with_high_nodes),
        panda_model,
        whole_graphs=True,
    ),
    "panda-centralities": Method(
        "PANDA with five centralities, raw and relative, as input features",
        panda_defaults,
        _with_columns(centrality_features, with_high_nodes),
        panda_model,
    ),
    "panda-fraction": Method(
        "PANDA with the same share of high nodes in every graph",
        _ratio_and("high_width", "centrality", "selector", "variant"),
        _share_high,
        panda_model,
        check=_check_ratio,
        whole_graphs=True,
    ),
    "panda-permuted": Method(
        "PANDA with k high nodes, centralities permuted within graphs",
        panda_defaults,
        _permuted_high,
        panda_model,
    ),
}
