r"""Resistance and current-flow centrality: how well a node is wired to the rest.

With every edge a resistor of one ohm, :math:`R_{uv}` is the effective resistance between
:math:`u` and :math:`v`, and :math:`S(v) = \sum_u R_{uv}` over the nodes of its component.

*resistance* is :math:`S(v)` itself: **high values are badly wired, peripheral nodes**, the ends of
the bottlenecks. *current-flow* turns it around: :math:`1 / S(v)`, high for central nodes, is
networkx's ``information_centrality`` (current-flow closeness). In a disconnected graph, which
networkx refuses, a component with :math:`r` of the :math:`n` nodes has
:math:`\frac{1}{S(v)} \left(\frac{r-1}{n-1}\right)^2`, the correction that closeness makes, and a
lone node has zero in both.

Trees hanging on the graph cost nothing: the resistance across them is their distance. What is left,
the core, costs a dense factorisation.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from panda_gnn.centrality.compiled import compiled
from panda_gnn.centrality.components import connected_components
from panda_gnn.centrality.parallel import over_graphs
from panda_gnn.centrality.shortest_paths import Peeled, peel
from panda_gnn.csr import BlockCSR, Int64, pointer
from panda_gnn.errors import InputError

Float64 = npt.NDArray[np.float64]

#: The largest core: its dense matrix has the square of this many entries.
MAX_CORE = 12_000


def resistance(csr: BlockCSR, *, threads: int) -> dict[str, Float64]:
    """The sum of a node's effective resistances, and its inverse, current-flow centrality."""
    connected, order = connected_components(csr)
    cost = connected.sizes.astype(np.float64) ** 3
    total, reached = np.empty((2, csr.num_nodes))
    total[order] = over_graphs(
        connected, cost, _resistance, threads=threads, description="resistance"
    )
    reached[order] = np.repeat(connected.sizes, connected.sizes)
    others = np.maximum(np.repeat(csr.sizes, csr.sizes) - 1.0, 1.0)
    share = (reached - 1.0) / others
    flow = share**2 / np.where(reached > 1.0, total, 1.0)
    return {"resistance": total, "current-flow": flow}


def _resistance(csr: BlockCSR) -> Float64:
    tree = peel(csr)
    core_ptr = pointer(csr.sizes - tree.num_peeled)
    largest = int(np.diff(core_ptr).max(initial=0))
    if largest > MAX_CORE:
        raise InputError(
            f"resistance and current-flow need a dense matrix of the {largest} nodes that are "
            f"left of a graph without its hanging trees; at most {MAX_CORE} are accepted"
        )
    sums = np.empty(csr.num_nodes)
    compiled("resistance").resistance_sums(
        csr.node_ptr, csr.row_ptr, csr.neighbours, core_ptr, _elimination_order(csr, tree),
        tree.weight, sums,
    )  # fmt: skip
    compiled("expansion").distances_in_trees(
        csr.node_ptr, tree.parent, tree.peeled, tree.num_peeled, tree.weight, tree.depth, sums
    )
    return sums


def _elimination_order(csr: BlockCSR, tree: Peeled) -> Int64:
    """The nodes of every core, those with few neighbours in it first: it keeps rows sparse."""
    graph = np.repeat(np.arange(csr.num_graphs), csr.sizes)
    hangs = tree.parent >= 0
    below = np.repeat(csr.node_ptr[:-1], csr.sizes)[hangs] + tree.parent[hangs]
    degree = csr.degrees - np.bincount(below, minlength=csr.num_nodes)
    place = np.flatnonzero(~hangs)
    order: Int64 = place[np.lexsort((degree[place], graph[place]))]
    return order
