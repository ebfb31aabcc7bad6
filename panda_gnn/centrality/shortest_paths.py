r"""Betweenness, load and closeness, exactly, from one pass over a much smaller graph.

For ordered pairs :math:`s \ne t` of other nodes, betweenness adds up the share of the shortest
paths from :math:`s` to :math:`t` that run through :math:`v`; load sends one packet from :math:`t`
to :math:`s` that divides equally among the predecessors at every node, and adds up what reaches
:math:`v`; closeness inverts the sum of the distances. The graph is reduced first, without changing
any of the three (docs/centrality.md has the argument step by step):

1. connected components are independent of each other;
2. *leaf peeling*: a tree that hangs on a node :math:`c` of the core is seen by the rest of the
   graph only as :math:`c` being the source and target of :math:`\omega_c` nodes' paths. What its
   own nodes carry is a count of pairs: with branches of sizes :math:`b_i` (the children's trees
   and everything above) a node separates :math:`(n - 1)^2 - \sum_i b_i^2` ordered pairs;
3. *twin merging*: nodes with the same neighbours (adjacent to each other or not) have the same
   distances, path counts and predecessors, and never lie on each other's shortest paths; a class
   of them is searched once, as a source of their total weight and a target of as many copies;
4. one weighted Brandes pass over the classes, from each class once; then the way back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panda_gnn.centrality.compiled import compiled
from panda_gnn.centrality.components import connected_components
from panda_gnn.centrality.parallel import over_graphs
from panda_gnn.csr import BlockCSR, Int32, Int64

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Peeled:
    """Connected graphs with their hanging trees taken off (see the kernel for the fields)."""

    parent: Int32
    peeled: Int32
    num_peeled: Int64
    weight: Float64
    squares: Float64
    depth: Float64


@dataclass(frozen=True)
class Classes:
    """The cores of connected graphs with their twins merged (see the kernel for the fields)."""

    class_of: Int32
    class_ptr: Int64
    row_ptr: Int64
    neighbours: Int32
    kinds: npt.NDArray[np.int8]
    members: Float64
    total: Float64
    squares: Float64

    def numbers(self, csr: BlockCSR) -> tuple[Int64, Int64]:
        """The places of the nodes in the cores, and the class of each among all classes."""
        place = np.flatnonzero(self.class_of >= 0)
        first = np.repeat(self.class_ptr[:-1], csr.sizes)
        return place, first[place] + self.class_of[place]


def peel(csr: BlockCSR) -> Peeled:
    """Take the hanging trees off connected graphs."""
    nodes = csr.num_nodes
    result = Peeled(
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.empty(csr.num_graphs, np.int64),
        np.empty(nodes),
        np.empty(nodes),
        np.empty(nodes),
    )
    compiled("peeling").peel(csr.node_ptr, csr.row_ptr, csr.neighbours, *vars(result).values())
    return result


def merge_twins(csr: BlockCSR, parent: Int32, weight: Float64) -> Classes:
    """Merge the twins among the nodes without a ``parent``."""
    nodes, graphs = csr.num_nodes, csr.num_graphs
    result = Classes(
        np.empty(nodes, np.int32),
        np.empty(graphs + 1, np.int64),
        np.empty(nodes + 1, np.int64),
        np.empty(len(csr.neighbours), np.int32),
        np.empty(nodes, np.int8),
        np.empty(nodes),
        np.empty(nodes),
        np.empty(nodes),
    )
    compiled("twins").merge_twins(
        csr.node_ptr, csr.row_ptr, csr.neighbours, parent, weight, *vars(result).values()
    )
    return result


def path_sums(csr: BlockCSR) -> Float64:
    """Betweenness, load and sum of distances ``[3, num_nodes]`` of connected graphs.

    Betweenness and load are sums over ordered pairs of nodes, not normalised.
    """
    tree = peel(csr)
    core = merge_twins(csr, tree.parent, tree.weight)
    sums = np.empty((3, int(core.class_ptr[-1])))
    graph = core.class_ptr, core.row_ptr, core.neighbours
    compiled("brandes").accumulate(*graph, core.members, core.total, *sums)
    return expand(csr, tree, core, sums)


def expand(csr: BlockCSR, tree: Peeled, core: Classes, sums: Float64) -> Float64:
    """The sums of all nodes from the ``sums [3, num_classes]`` of weighted Brandes."""
    kernels = compiled("expansion")
    through, loaded, far = sums
    graph = core.class_ptr, core.row_ptr, core.neighbours
    kernels.pairs_of_false_twins(
        *graph, core.kinds, core.members, core.total, core.squares, through, loaded
    )
    betweenness, load, distances = expanded = np.empty((3, csr.num_nodes))
    kernels.distances_in_core(
        csr.node_ptr, core.class_ptr, core.class_of, core.kinds, core.total, far, tree.weight,
        distances,
    )  # fmt: skip
    kernels.distances_in_trees(
        csr.node_ptr, tree.parent, tree.peeled, tree.num_peeled, tree.weight, tree.depth, distances
    )
    size = np.repeat(csr.sizes, csr.sizes).astype(np.float64)
    above = size - tree.weight
    separated = (size - 1.0) ** 2 - tree.squares - above**2
    place, number = core.numbers(csr)
    betweenness[:] = load[:] = separated
    betweenness[place] += through[number]
    load[place] += loaded[number]
    return expanded


def shortest_paths(csr: BlockCSR, *, threads: int) -> dict[str, Float64]:
    """Betweenness and load, normalised, and closeness in the form of Wasserman and Faust."""
    connected, order = connected_components(csr)
    sums = over_graphs(
        connected,
        quadratic_cost(connected),
        path_sums,
        threads=threads,
        description="shortest paths",
    )
    return normalised(csr, sums, np.repeat(connected.sizes, connected.sizes), order)


def quadratic_cost(csr: BlockCSR) -> Float64:
    """What a search from every node of a graph costs: nodes times nodes and edges."""
    size = csr.sizes.astype(np.float64)
    return size * (size + np.diff(csr.row_ptr[csr.node_ptr]))


def normalised(csr: BlockCSR, sums: Float64, reached: Int64, order: Int64) -> dict[str, Float64]:
    r"""The three centralities from the sums over pairs of :func:`path_sums`.

    With :math:`n` nodes in the graph and :math:`r` in the component, betweenness and load are
    divided by the :math:`(n-1)(n-2)` ordered pairs of others, and the closeness of a node whose
    distances add up to :math:`D` is :math:`\frac{r-1}{D} \cdot \frac{r-1}{n-1}`, zero where it
    reaches nobody.
    """
    betweenness, load, distances, component = np.empty((4, csr.num_nodes))
    betweenness[order], load[order], distances[order] = sums
    component[order] = reached
    size = np.repeat(csr.sizes, csr.sizes).astype(np.float64)
    pairs = np.maximum((size - 1.0) * (size - 2.0), 1.0)
    others = component - 1.0
    closeness = others / np.maximum(distances, 1.0) * (others / np.maximum(size - 1.0, 1.0))
    return {"betweenness": betweenness / pairs, "closeness": closeness, "load": load / pairs}
