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

In the **short-range** tasks every message has one or two edges to go, so that neither depth nor
vanishing gradients are in the way: all that is hard is how much one node has to hold
(`"Short-Range Oversquashing" <https://arxiv.org/abs/2511.20406>`_). In :func:`two_radius` every
target asks for the label of the source with its own key, and all of them share one centre; in
:func:`one_radius` the centre itself asks. In :func:`hub` each of m sources holds a random bit that
one of m targets needs, and who belongs to whom is fixed: nothing has to be found out, only carried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn.functional import one_hot
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.errors import choose
from panda_gnn.options import whole_number

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

    Args:
        topology: One of :data:`TOPOLOGIES`.
        distance: Edges from the source to the target.
        num_graphs: How many graphs.
        num_classes: How many classes.
        seed: Seeds the order of the classes.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> graphs = transfer("ring", 4, num_graphs=10)
        >>> graphs[0].num_nodes, sorted(int(data.y) for data in graphs)
        (8, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    """
    shape = TOPOLOGIES[choose("topology", topology, TOPOLOGIES)]
    whole_number("distance", distance, 2)
    whole_number("num_graphs", num_graphs, 1)
    whole_number("num_classes", num_classes, 2)
    num_nodes, edges, source = shape(distance)
    edge_index = _both_ways(edges, num_nodes)
    graphs = []
    for answer in _balanced(num_graphs, num_classes, torch.Generator().manual_seed(seed)):
        x = torch.ones(num_nodes, num_classes)
        x[0] = 0
        x[source] = one_hot(answer, num_classes)
        graphs.append(_told_at_node_0(x, edge_index, answer, source))
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

    Args:
        depth: The depth of the trees.
        num_graphs: How many graphs.
        seed: Seeds keys and values.

    Example:
        >>> from panda_gnn.datasets import tree_neighbors_match
        >>> tree = tree_neighbors_match(3, num_graphs=1)[0]
        >>> tree.num_nodes, tree.x.shape
        (15, torch.Size([15, 16]))
    """
    whole_number("depth", depth, 1)
    whole_number("num_graphs", num_graphs, 1)
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
        graphs.append(_told_at_node_0(x, edge_index, answer, first_leaf + match))
    return graphs


def hub(size: int, *, num_graphs: int = 1000, seed: int = 0) -> list[Data]:
    """Stars whose centre must carry ``size`` random bits, each from a source to its own target.

    The sources are nodes 0 to m - 1, the targets the m nodes after them, the hub is the last node.
    Each graph has

    - ``x`` of :math:`2 m` columns: source i has +1 or -1 in column i, target i has a one in column
      m + i, the hub has zeros;
    - ``target_mask``, true at the targets, ``source_mask``, true at the sources;
    - ``y``, the class of each target: 1 if its source has +1, else 0.

    Args:
        size: The number m of sources, and of targets.
        num_graphs: How many graphs.
        seed: Seeds the bits.

    Example:
        >>> from panda_gnn.datasets import hub
        >>> star = hub(3, num_graphs=1)[0]
        >>> star.num_nodes, star.x.shape, star.y.shape
        (7, torch.Size([7, 6]), torch.Size([3]))
    """
    whole_number("size", size, 1)
    whole_number("num_graphs", num_graphs, 1)
    bits = torch.randint(2, (num_graphs, size), generator=torch.Generator().manual_seed(seed))
    keys = torch.eye(size)
    nothing = torch.zeros(size, size)
    graphs = []
    for answers in bits:
        sources = torch.cat([torch.diag(2.0 * answers - 1), nothing], dim=1)
        targets = torch.cat([nothing, keys], dim=1)
        x = torch.cat([sources, targets, torch.zeros(1, 2 * size)])
        graphs.append(_around_a_centre(x, answers, sources=size))
    return graphs


def two_radius(
    size: int, *, num_labels: int = 10, num_graphs: int = 1000, seed: int = 0
) -> list[Data]:
    """Stars whose leaves are ``size`` sources with a key and a label, and as many targets with a
    key that must tell the label of the source with the same key.

    Nodes are in the order of :func:`hub`. Each graph has

    - ``x``: the key, one-hot, a random order of 0 to size - 1 over the sources and another over the
      targets, the centre having a key of its own; then the label, one-hot, with a class of its own
      for nodes that have none;
    - ``target_mask`` and ``source_mask`` as in :func:`hub`;
    - ``y``, the label that each target asks for.

    Args:
        size: The number of sources, and of targets.
        num_labels: How many labels there are.
        num_graphs: How many graphs.
        seed: Seeds keys and labels.

    Example:
        >>> from panda_gnn.datasets import two_radius
        >>> star = two_radius(3, num_graphs=1)[0]
        >>> star.num_nodes, star.y.shape
        (7, torch.Size([3]))
    """
    whole_number("size", size, 1)
    whole_number("num_graphs", num_graphs, 1)
    whole_number("num_labels", num_labels, 2)
    generator = torch.Generator().manual_seed(seed)
    centre = torch.tensor([size])
    graphs = []
    for _ in range(num_graphs):
        given, asked = (torch.randperm(size, generator=generator) for _ in range(2))
        labels = torch.randint(num_labels, (size,), generator=generator)
        answers = labels[given.argsort()[asked]]
        unlabelled = torch.full((size + 1,), num_labels)
        x = _one_hots(
            (torch.cat([given, asked, centre]), size + 1),
            (torch.cat([labels, unlabelled]), num_labels + 1),
        )
        graphs.append(_around_a_centre(x, answers, sources=size))
    return graphs


def one_radius(
    size: int, *, num_labels: int = 10, num_graphs: int = 1000, seed: int = 0
) -> list[Data]:
    """Stars of ``size`` leaves with a key and a label each, whose centre has a key and must tell
    the label of the leaf with the same key. The columns of ``x`` are those of :func:`two_radius`,
    the centre, which is the target, is the last node.

    Args:
        size: The number of leaves.
        num_labels: How many labels there are.
        num_graphs: How many graphs.
        seed: Seeds keys and labels.

    Example:
        >>> from panda_gnn.datasets import one_radius
        >>> star = one_radius(4, num_graphs=1)[0]
        >>> star.num_nodes, star.target_mask.nonzero().flatten().tolist()
        (5, [4])
    """
    whole_number("size", size, 1)
    whole_number("num_graphs", num_graphs, 1)
    whole_number("num_labels", num_labels, 2)
    generator = torch.Generator().manual_seed(seed)
    graphs = []
    for _ in range(num_graphs):
        keys = torch.randperm(size, generator=generator)
        labels = torch.randint(num_labels, (size,), generator=generator)
        asked = torch.randint(size, (1,), generator=generator)
        x = _one_hots(
            (torch.cat([keys, keys[asked]]), size),
            (torch.cat([labels, torch.tensor([num_labels])]), num_labels + 1),
        )
        graphs.append(_around_a_centre(x, labels[asked], sources=size))
    return graphs


def _one_hots(*columns: tuple[Tensor, int]) -> Tensor:
    """Numbers and how many there are of each, one-hot and side by side."""
    return torch.cat([one_hot(numbers, count) for numbers, count in columns], dim=1).float()


def _around_a_centre(x: Tensor, y: Tensor, *, sources: int) -> Data:
    """A star whose centre is the last node; where no leaf but the sources is there, the target."""
    centre = x.size(0) - 1
    leaves = torch.arange(centre)
    star = torch.stack([leaves, torch.full_like(leaves, centre)])
    nodes = torch.arange(centre + 1)
    targets = (nodes >= sources) & (nodes < centre) if centre > sources else nodes == centre
    return Data(
        x=x,
        edge_index=torch.cat([star, star.flip(0)], dim=1),
        y=y,
        target_mask=targets,
        source_mask=nodes < sources,
    )


def _both_ways(edges: list[tuple[int, int]], num_nodes: int) -> Tensor:
    edge_index: Tensor = to_undirected(torch.tensor(edges).t().contiguous(), num_nodes=num_nodes)
    return edge_index


def _balanced(num_graphs: int, num_classes: int, generator: torch.Generator) -> Tensor:
    """Classes in random order, each as often as any other, up to one."""
    return torch.randperm(num_graphs, generator=generator) % num_classes


def _told_at_node_0(x: Tensor, edge_index: Tensor, answer: Tensor, source: int) -> Data:
    nodes = torch.arange(x.size(0))
    masks = {"target_mask": nodes == 0, "source_mask": nodes == source}
    return Data(x=x, edge_index=edge_index, y=answer.reshape(1), **masks)
