"""What the maps of a graph show: its layout, and all measures of its nodes and edges.

A graph is shown as it is and, for comparison, after a rewiring, in one layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.centrality import CENTRALITIES, centrality
from panda_gnn.diagnostics.bottlenecks import edge_measure
from panda_gnn.reports.diagnose.numbers import MapMeasure, edge_measures
from panda_gnn.reports.drawing.layout import layout
from panda_gnn.transforms import ranks

DRAWN_NODES = 2000
"""Larger graphs are not drawn: nobody could see anything."""


def graph_maps(
    data: Data,
    names: Sequence[str],
    node_measures: Sequence[MapMeasure],
    links: Sequence[MapMeasure],
    rewired: tuple[str, Data] | None = None,
    *,
    centrality_name: str = "betweenness",
    k: int = 3,
    seed: int = 0,
) -> dict[str, Any]:
    """The data of the maps of one graph.

    Args:
        data: The graph.
        names: The names of its nodes.
        node_measures: Measures of its nodes; the centralities are added.
        links: Measures of its edges, in the order of
            :func:`panda_gnn.diagnostics.bottlenecks.edge_measure`.
        rewired: What a rewiring is called, and the graph after it.
        centrality_name: By what nodes are high at first.
        k: How many of them.
        seed: Seed of the centrality ``random``.
    """
    position = layout(data)
    stages = [_stage("as it is", data, None, node_measures, links, seed)]
    labels = list(names)
    if rewired is not None:
        title, after = rewired
        added = int(after.num_nodes or 0) - len(position)
        middle = position.mean(0, keepdim=True)
        position = torch.cat([position, middle.expand(added, 2)])
        labels += [f"new {number + 1}" for number in range(added)]
        before, _ = edge_measure(data, "curvature")
        stages.append(_stage(title, after, before, [], edge_measures(after), seed))
    return {
        "position": [round(value, 3) for value in position.flatten().tolist()],
        "names": labels,
        "stages": stages,
        "centrality": centrality_name,
        "k": k,
    }


def _stage(
    name: str,
    data: Data,
    before: Tensor | None,
    node_measures: Sequence[MapMeasure],
    links: Sequence[MapMeasure],
    seed: int,
) -> dict[str, Any]:
    """A graph with its measures; new and removed edges where it was another ``before``."""
    edges, _ = edge_measure(data, "curvature")
    scores = {name: centrality(name, data, seed=seed) for name in CENTRALITIES}
    alone = torch.zeros(int(data.num_nodes or 0), dtype=torch.long)
    central = [MapMeasure(name, f"Centrality: {name}.", values) for name, values in scores.items()]
    now = _pairs(edges)
    old = now if before is None else _pairs(before)
    kept, present = set(old), set(now)
    return {
        "name": name,
        "size": int(data.num_nodes or 0),
        "edges": edges.t().flatten().tolist(),
        "fresh": [int(pair not in kept) for pair in now],
        "gone": [end for pair in old if pair not in present for end in pair],
        "nodes": [measure.to_dict() for measure in (*node_measures, *central)],
        "links": [measure.to_dict() for measure in links],
        "orders": {
            name: ranks(values.cpu(), alone).argsort().tolist() for name, values in scores.items()
        },
    }


def _pairs(edges: Tensor) -> list[tuple[int, ...]]:
    return [tuple(pair) for pair in edges.t().tolist()]
