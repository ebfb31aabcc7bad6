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

from typing import Any, NamedTuple

import numpy as np

from panda_gnn.centrality.brandes import accumulate
from panda_gnn.centrality.peeling import Peeled, distances_in_trees, peel
from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.parallel import over_components
from panda_gnn.graph.rows import GraphRows
from panda_gnn.graph.twins import TwinClasses, twin_classes


class Core(NamedTuple):
    """Connected graphs without their hanging trees and with twins merged."""

    tree: Peeled
    classes: TwinClasses
    #: How many nodes each class has, their total weight and the sum of their squared weights.
    members: Float64
    total: Float64
    squares: Float64
    #: The places of the nodes in the cores, and the class of each among all classes.
    place: Int64
    number: Int64


def reduce(graphs: GraphRows) -> Core:
    """Take the hanging trees off connected graphs and merge the twins of what is left."""
    tree = peel(graphs)
    classes = twin_classes(graphs, tree.parent < 0)
    place, number = class_of_nodes(graphs, classes)
    weight, count = tree.weight[place], len(classes.size)
    total: Any = np.bincount(number, weights=weight, minlength=count)
    squares: Any = np.bincount(number, weights=weight * weight, minlength=count)
    return Core(tree, classes, classes.size.astype(np.float64), total, squares, place, number)


def class_of_nodes(graphs: GraphRows, classes: TwinClasses) -> tuple[Int64, Int64]:
    """The places of the nodes that have a class, and the class of each among all classes."""
    place = np.flatnonzero(classes.label >= 0)
    return place, classes.class_ptr[graphs.graph_of_node[place]] + classes.label[place]


def path_sums(graphs: GraphRows) -> Float64:
    """Betweenness, load and sum of distances ``[3, num_nodes]`` of connected graphs.

    Betweenness and load are sums over ordered pairs of nodes, not normalised.
    """
    core = reduce(graphs)
    return expand(graphs, core, accumulate(core.classes, core.members, core.total))


def expand(graphs: GraphRows, core: Core, sums: Float64) -> Float64:
    """The sums of all nodes from the ``sums [3, num_classes]`` of weighted Brandes."""
    tree, place, number = core.tree, core.place, core.number
    through, loaded, far = sums
    _add_pairs_of_false_twins(core, through, loaded)
    size = np.repeat(graphs.sizes, graphs.sizes).astype(np.float64)
    above = size - tree.weight
    separated = (size - 1.0) ** 2 - tree.squares - above**2
    betweenness, load, distances = expanded = np.stack([separated, separated, np.zeros_like(size)])
    betweenness[place] += through[number]
    load[place] += loaded[number]
    twins = core.total[number] - tree.weight[place]
    apart = np.where(core.classes.inside[number] > 0, 1.0, 2.0)
    distances[place] = far[number] + apart * twins
    distances_in_trees(graphs, tree, distances)
    return expanded


def _add_pairs_of_false_twins(core: Core, through: Float64, loaded: Float64) -> None:
    r"""Add the paths between false twins, which run through one common neighbour each.

    The ordered pairs of different members of a class weigh :math:`\Omega^2 - \sum_i \omega_i^2`,
    and each of the common neighbours carries an equal share of them.
    """
    classes = core.classes
    degree = np.diff(classes.row_ptr)
    entries = np.repeat((classes.size > 1) & (classes.inside == 0), degree)
    graph = np.repeat(classes.class_ptr[:-1], np.diff(classes.row_ptr[classes.class_ptr]))
    middle = (graph + classes.neighbours)[entries]
    twins = np.repeat(np.arange(len(degree)), degree)[entries]
    common = np.bincount(twins, weights=core.members[middle], minlength=len(degree))
    share = (core.total * core.total - core.squares) / np.where(common > 0.0, common, 1.0)
    np.add.at(through, middle, share[twins])
    np.add.at(loaded, middle, share[twins])


def shortest_paths(graphs: GraphRows, *, threads: int) -> dict[str, Float64]:
    """Betweenness and load, normalised, and closeness in the form of Wasserman and Faust."""
    sums, component = over_components(path_sums, graphs, quadratic_cost, "shortest paths", threads)
    return normalised(graphs, sums, np.bincount(component)[component])


def quadratic_cost(graphs: GraphRows) -> Float64:
    """What a search from every node of a graph costs: nodes times nodes and edges."""
    size = graphs.sizes.astype(np.float64)
    return size * (size + np.diff(graphs.row_ptr[graphs.node_ptr]))


def normalised(graphs: GraphRows, sums: Float64, reached: Int64) -> dict[str, Float64]:
    r"""The three centralities from the sums over pairs of :func:`path_sums`.

    With :math:`n` nodes in the graph and :math:`r` in the component, betweenness and load are
    divided by the :math:`(n-1)(n-2)` ordered pairs of others, and the closeness of a node whose
    distances add up to :math:`D` is :math:`\frac{r-1}{D} \cdot \frac{r-1}{n-1}`, zero where it
    reaches nobody.
    """
    betweenness, load, distances = sums
    size = np.repeat(graphs.sizes, graphs.sizes).astype(np.float64)
    pairs = np.maximum((size - 1.0) * (size - 2.0), 1.0)
    others = reached - 1.0
    closeness = others / np.maximum(distances, 1.0) * (others / np.maximum(size - 1.0, 1.0))
    return {"betweenness": betweenness / pairs, "closeness": closeness, "load": load / pairs}
