"""Graphs of networkx and igraph, and GML files, as PyG's ``Data``.

Numbers that every node has become its features, in the order of their names; an attribute called
``y``, ``label``, ``class`` or ``target`` is its target (of a graph of networkx or igraph: the
target of the graph, where the graph itself has such an attribute). Numbers called ``weight`` that
every edge has become ``edge_weight``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.datasets.checked import MASKS
from panda_gnn.datasets.files import LABELS, graph_of_names, set_masks, set_targets
from panda_gnn.errors import InputError, reason, require, within


def is_library_graph(graph: Any) -> bool:
    """Whether this is a graph of networkx or igraph; neither is imported to find out."""
    kinds = [kind.__module__.partition(".")[0] for kind in type(graph).__mro__]
    if "networkx" in kinds:
        return hasattr(graph, "adj")
    return "igraph" in kinds and hasattr(graph, "vs")


def of_library(graph: Any) -> Data:
    """A graph of networkx or igraph as ``Data``."""
    if hasattr(graph, "vs"):
        names = [str(number) for number in range(graph.vcount())]
        edges = [(str(u), str(v)) for u, v in graph.get_edgelist()]
        nodes = [dict(vertex.attributes()) for vertex in graph.vs]
        of_edges = [dict(edge.attributes()) for edge in graph.es]
        of_graph = {name: graph[name] for name in graph.attributes()}
        data = _data(names, edges, nodes, of_edges, of_graph, bool(graph.is_directed()))
        if "name" in graph.vs.attributes():
            data.node_names = list(graph.vs["name"])
        return data
    numbers = {node: str(number) for number, node in enumerate(graph.nodes)}
    pairs = [(numbers[u], numbers[v], values) for u, v, values in graph.edges(data=True)]
    data = _data(
        list(numbers.values()),
        [(u, v) for u, v, _ in pairs],
        [values for _, values in graph.nodes(data=True)],
        [values for _, _, values in pairs],
        graph.graph,
        bool(graph.is_directed()),
    )
    data.node_names = list(graph.nodes)
    return data


def read_gml(path: Path) -> Data:
    """Read a GML file with networkx."""
    networkx = require("networkx", "compare")
    try:
        graph = networkx.read_gml(path, label="id")
    except (networkx.NetworkXError, ValueError, KeyError, RecursionError) as error:
        raise InputError(f"'{path}' is no GML that can be read ({reason(error)})") from error
    if graph.number_of_nodes() == 0:
        raise InputError(f"'{path}' has no node")
    names = [values.pop("label", node) for node, values in graph.nodes(data=True)]
    with within(f"'{path}'"):
        data = of_library(graph)
    data.node_names = names
    return data


def _data(
    names: list[str],
    edges: list[tuple[str, str]],
    nodes: Sequence[Mapping[str, Any]],
    of_edges: Sequence[Mapping[str, Any]],
    of_graph: Mapping[str, Any],
    directed: bool,
) -> Data:
    if not names:
        raise InputError("the graph has no nodes: give one that has")
    label = next((name for name in LABELS if all(name in node for node in nodes)), None)
    shared = set.intersection(*(set(node) for node in nodes)) - {label}
    columns = sorted(str(name) for name in shared if all(_is_number(node[name]) for node in nodes))
    masks = [name for name in columns if name in MASKS]
    columns = [name for name in columns if name not in masks]
    x = torch.tensor([[float(node[name]) for name in columns] for node in nodes])
    weights = [values["weight"] for values in of_edges if _is_number(values.get("weight"))]
    if weights and len(weights) < len(of_edges):
        raise InputError("some edges have a weight and some have none: give all of them one")
    weights = [float(weight) for weight in weights]
    data = graph_of_names(names, edges, x if columns else None, weights or None)
    if not columns:
        del data.x
    if label is not None:
        set_targets(data, [str(node[label]) for node in nodes], _refuse_node)
    set_masks(data, {name: [float(node[name]) for node in nodes] for name in masks})
    of_whole = next((name for name in LABELS if name in of_graph), None)
    if of_whole is not None:
        value = of_graph[of_whole]
        data.y = value if isinstance(value, str) else _target(value)
    if directed:
        data.was_directed = True
    return data


def _refuse_node(place: int, problem: str) -> NoReturn:
    raise InputError(f"node {place}: {problem}")


def _target(value: Any) -> Tensor:
    try:
        return torch.as_tensor(value).reshape(1, -1)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"the target of a graph is {value!r}: give numbers or a word") from error


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, bool)) and math.isfinite(float(value))
