"""Synthetic tasks that isolate over-squashing: the answer lies far away, or behind a bottleneck.

In a **transfer** task one node, the source, holds a class; another node, the target, must tell it.
Nothing else in the graph says anything about the class, so a model of fewer layers than the
distance can only guess. The topology decides how hard it is to carry a message over one and the
same distance :math:`r`:

============  ==============================================================================
ring          a cycle of :math:`2r` nodes, source and target opposite each other
crossed-ring  the ring, and the two arcs joined crosswise between any two successive steps:
              the distance stays, the number of shortest paths doubles at each step
lollipop      a clique of :math:`r + 1` nodes with the target in it, and a path of
              :math:`r - 1` nodes attached to another node of it, the source at its end
tree          a full binary tree of depth :math:`r`, the target at the root, the source a leaf
============  ==============================================================================

(Di Giovanni et al., "On over-squashing in message passing neural networks: the impact of width,
depth, and topology", ICML 2023, who call the two ends the other way round.)

In **Tree-NeighborsMatch** every leaf of a full binary tree holds a key and a value, the root holds
a key, and the root must tell the value that goes with it: all leaves squeeze through its two
children (Alon and Yahav, "On the bottleneck of graph neural networks and its practical
implications", ICLR 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn.functional import one_hot
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.errors import InputError, choose

Topology = tuple[int, list[tuple[int, int]], int]
"""The number of nodes, every edge once, and the source; the target is always node 0."""


def _ring(distance: int) -> Topology:
    num_nodes = 2 * distance
    return num_nodes, [(v, (v + 1) % num_nodes) for v in range(num_nodes)], distance


def _crossed_ring(distance: int) -> Topology:
    num_nodes, edges, source = _ring(distance)
    for step in range(1, distance - 1):
        here, there = num_nodes - step, num_nodes - step - 1
        edges += [(step, there), (step + 1, here)]
    return num_nodes, edges, source


def _lollipop(distance: int) -> Topology:
    clique = [(u, v) for v in range(distance + 1) for u in range(v)]
    path = [(v, v + 1) for v in range(distance, 2 * distance - 1)]
    return 2 * distance, clique + path, 2 * distance - 1


def _tree(distance: int) -> Topology:
    num_nodes = 2 ** (distance + 1) - 1
    return num_nodes, [((v - 1) // 2, v) for v in range(1, num_nodes)], num_nodes - 1


TOPOLOGIES: Mapping[str, Callable[[int], Topology]] = MappingProxyType(
    {"ring": _ring, "crossed-ring": _crossed_ring, "lollipop": _lollipop, "tree": _tree}
)
"""The topologies of :func:`transfer`, each a function of the distance."""


def transfer(
    topology: str,
    distance: int,
    *,
    num_graphs: int = 1000,
    num_classes: int = 5,
    seed: int = 0,
) -> list[Data]:
    """Graphs whose target must tell the class that the source, ``distance`` edges away, holds.

    Each graph has

    - ``x`` of ``num_classes`` columns: the class as a one-hot row at the source, zeros at the
      target, ones everywhere else;
    - ``target_mask``, true at the one node where the answer is read, and ``source_mask``, true at
      the one node that holds it;
    - ``y``, the class, each class equally often (up to one), in an order drawn with ``seed``.
    """
    shape = TOPOLOGIES[choose("topology", topology, TOPOLOGIES)]
    _at_least("distance", distance, 2)
    _at_least("num_graphs", num_graphs, 1)
    _at_least("num_classes", num_classes, 2)
    num_nodes, edges, source = shape(distance)
    edge_index = _both_ways(edges, num_nodes)
    graphs = []
    for answer in _balanced(num_graphs, num_classes, torch.Generator().manual_seed(seed)):
        x = torch.ones(num_nodes, num_classes)
        x[0] = 0
        x[source] = one_hot(answer, num_classes)
        graphs.append(
            Data(
                x=x,
                edge_index=edge_index,
                y=answer.reshape(1),
                target_mask=_only(0, num_nodes),
                source_mask=_only(source, num_nodes),
            )
        )
    return graphs


def tree_neighbors_match(depth: int, *, num_graphs: int = 1000, seed: int = 0) -> list[Data]:
    """Full binary trees of ``depth`` whose root must tell the value of the leaf with its own key.

    Keys and values are each a random order of :math:`1, \\ldots, 2^{depth}` over the leaves, drawn
    with ``seed``. Each graph has

    - ``x`` of :math:`2 \\cdot 2^{depth}` columns: the key, then the value, one-hot at the leaves;
      the root has a key and zeros for its value, the nodes between have zeros;
    - ``target_mask``, true at the root, where the answer is read, and ``source_mask``, true at the
      one leaf that holds it;
    - ``y``, the value, one of :math:`2^{depth}` classes, each equally often (up to one).
    """
    _at_least("depth", depth, 1)
    _at_least("num_graphs", num_graphs, 1)
    num_nodes, edges, _ = _tree(depth)
    edge_index = _both_ways(edges, num_nodes)
    num_leaves = 2**depth
    first_leaf = num_nodes - num_leaves
    generator = torch.Generator().manual_seed(seed)
    graphs = []
    for answer in _balanced(num_graphs, num_leaves, generator):
        keys = torch.randperm(num_leaves, generator=generator)
        values = torch.randperm(num_leaves, generator=generator)
        match = int((values == answer).nonzero())
        x = torch.zeros(num_nodes, 2 * num_leaves)
        x[first_leaf:] = torch.cat([one_hot(keys, num_leaves), one_hot(values, num_leaves)], dim=1)
        x[0, keys[match]] = 1
        graphs.append(
            Data(
                x=x,
                edge_index=edge_index,
                y=answer.reshape(1),
                target_mask=_only(0, num_nodes),
                source_mask=_only(first_leaf + match, num_nodes),
            )
        )
    return graphs


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise InputError(f"{name} is {value}, but must be at least {least}")


def _both_ways(edges: list[tuple[int, int]], num_nodes: int) -> Tensor:
    edge_index: Tensor = to_undirected(torch.tensor(edges).t().contiguous(), num_nodes=num_nodes)
    return edge_index


def _balanced(num_graphs: int, num_classes: int, generator: torch.Generator) -> Tensor:
    """Classes in random order, each as often as any other, up to one."""
    return torch.randperm(num_graphs, generator=generator) % num_classes


def _only(node: int, num_nodes: int) -> Tensor:
    return torch.arange(num_nodes) == node
