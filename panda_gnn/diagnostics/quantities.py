"""What a rewiring changes in a graph: its edges, spectral gap, resistance and curvature."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import homophily as edge_homophily
from torch_geometric.utils import to_undirected

from panda_gnn.diagnostics.curvature import balanced_forman_curvature
from panda_gnn.diagnostics.resistance import total_resistance
from panda_gnn.diagnostics.spectrum import spectral_gap
from panda_gnn.graph.rows import edge_index_of


def graph_quantities(data: Data) -> dict[str, float]:
    """All quantities of one graph by name; without edges, its curvature is ``nan``."""
    simple = _simple(data)
    curvature = balanced_forman_curvature(simple)
    return {
        "edges": simple.num_edges / 2,
        "spectral gap": spectral_gap(simple),
        "total resistance": total_resistance(simple),
        "balanced Forman curvature": float(curvature.mean()),
    }


def count_edges(data: Data) -> dict[str, float]:
    """The first of the quantities, the quickest."""
    return {"edges": _simple(data).num_edges / 2}


def edge_changes(before: Data, after: Data) -> tuple[int, int]:
    """How many edges, without direction, are in the second graph alone, and in the first alone.

    Nodes that were added come after the others.
    """
    size = max(int(before.num_nodes or 0), int(after.num_nodes or 0))
    old, new = (_simple(data).edge_index for data in (before, after))
    old, new = (part[0] * size + part[1] for part in (old, new))
    added, removed = ~torch.isin(new, old), ~torch.isin(old, new)
    return int(added.sum()) // 2, int(removed.sum()) // 2


def homophily(data: Data) -> float | None:
    """The share of the edges whose nodes are of one class; ``None`` without classes of nodes or
    without edges. Nodes that a rewiring added have no class."""
    y, num_nodes = data.get("y"), int(data.num_nodes or 0)
    if not isinstance(y, Tensor) or y.shape != (num_nodes,) or y.is_floating_point():
        return None
    edge_index = _simple(data).edge_index
    if "virtual" in data:
        edge_index = edge_index[:, ~data.virtual[edge_index].any(dim=0)]
    if num_nodes < 2 or edge_index.numel() == 0:
        return None
    return float(edge_homophily(edge_index, y, method="edge"))


def _simple(data: Data) -> Data:
    """The graph without self-loops and, if it is directed, without direction."""
    edge_index = edge_index_of(data, "graph_quantities")
    edge_index = to_undirected(edge_index, num_nodes=data.num_nodes)
    proper = edge_index[0] != edge_index[1]
    return Data(edge_index=edge_index[:, proper], num_nodes=data.num_nodes)
