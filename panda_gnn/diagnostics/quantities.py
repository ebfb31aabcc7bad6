"""What a rewiring changes in a graph: its edges, spectral gap, resistance and curvature."""

from __future__ import annotations

from torch_geometric.data import Data
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


def _simple(data: Data) -> Data:
    """The graph without self-loops and, if it is directed, without direction."""
    edge_index = edge_index_of(data, "graph_quantities")
    edge_index = to_undirected(edge_index, num_nodes=data.num_nodes)
    proper = edge_index[0] != edge_index[1]
    return Data(edge_index=edge_index[:, proper], num_nodes=data.num_nodes)
