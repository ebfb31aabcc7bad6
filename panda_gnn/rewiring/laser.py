"""LASER: edges to distant nodes, those with the fewest walks first, one relation per distance."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph.arrays import Float64, Int32, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.graph.ties import LOGARITHM_DECIMALS
from panda_gnn.options import real_number, whole_number
from panda_gnn.rewiring.base import Rewiring


@functional_transform("laser")
class LASER(Rewiring):
    r"""Locality-aware sequential rewiring, of `"Locality-Aware Graph-Rewiring in GNNs"
    <https://arxiv.org/abs/2310.01668>`_.

    For every distance :math:`r = 2, \dots, R` and every node :math:`i`, among the nodes
    :math:`j > i` at distance exactly :math:`r` (so that each pair is offered once), the fraction
    ``rho`` with the smallest number of walks of length 8,

    .. math::
        \left((\mathbf{A} + \mathbf{I})^8\right)_{ij},

    rounded down but at least one, ties at random, become edges of relation :math:`r`. Their
    ``edge_type`` is :math:`r - 1`, so that 0 stands for the original edges and ``snapshots`` is the
    number of relations; R-GCN and R-GIN give each relation weights of its own.

    Args:
        snapshots: The greatest distance R, at least 1 (which adds nothing).
        rho: The fraction of the nodes at each distance, in (0, 1].
        walk_length: The length of the walks that are counted.
        seed: Seeds the order of ties, together with the graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import LASER
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> rewired = LASER(snapshots=3, rho=0.5)(ring)
        >>> rewired.edge_type.bincount().tolist()  # distance 1, 2 and 3
        [16, 12, 10]
    """

    def __init__(
        self, snapshots: int = 3, rho: float = 0.5, walk_length: int = 8, seed: int = 0
    ) -> None:
        super().__init__(seed)
        self.snapshots = whole_number("snapshots", snapshots, 1)
        self.rho = real_number("rho", rho, "a fraction above 0 and at most 1", above=0, most=1)
        self.walk_length = whole_number("walk_length", walk_length)

    def additions(self, edges: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
        """The edges that are added, and their distance in the graph."""
        seed = int(self.generator(edges, num_nodes).integers(2**32))
        graph = rows_of_edges(edges.cpu().numpy(), num_nodes)
        options = self.snapshots, self.rho, self.walk_length, seed
        added, distance = distant_edges(graph.row_ptr, graph.neighbours, *options)
        device = edges.device
        return torch.from_numpy(added).to(device), torch.from_numpy(distance).to(device)

    def rewired(self, edges: Tensor, data: Data) -> tuple[Tensor, dict[str, Tensor]]:
        """The new ``edge_index``; edges between nodes at distance 2 are of the first new type."""
        num_nodes = int(data.num_nodes or 0)
        added, distance = self.additions(edges, num_nodes)
        beyond_two = torch.cat([torch.zeros_like(edges[0]), distance - 2]).repeat(2)
        after = torch.cat([edges, added], dim=1)
        after = torch.cat([after, after.flip(0)], dim=1)
        order = (after[0] * num_nodes + after[1]).argsort()
        return after[:, order], {"edge_type": beyond_two[order]}


@compiled
def distant_edges(
    start: Int64, neighbour: Int32, snapshots: int, rho: float, walk_length: int, seed: int
) -> tuple[Int64, Int64]:
    """LASER's additions ``[2, t]``, each as ``u < v``, and the distance of the two nodes.

    It takes a third of numpy's dense power of ``A + I`` for 2000 nodes.
    """
    np.random.seed(seed)  # noqa: NPY002
    num_nodes = start.size - 1
    # A walk that ends within the snapshots never goes farther than this.
    radius = max(snapshots, (snapshots + walk_length) // 2)
    distance = np.full(num_nodes, -1)
    queue = np.empty(num_nodes, np.int64)
    count, longer = np.zeros(num_nodes), np.zeros(num_nodes)
    source, target, relation = [0 for _ in range(0)], [0 for _ in range(0)], [0 for _ in range(0)]
    for i in range(num_nodes):
        ball = queue[: _within(start, neighbour, i, radius, distance, queue)]
        candidates = np.array([j for j in ball if j > i and 2 <= distance[j] <= snapshots])
        if candidates.size > 0:
            walks = count
            _log_walks(start, neighbour, i, walk_length, np.sort(ball), distance, walks, longer)
            np.random.shuffle(candidates)  # noqa: NPY002
            candidates = candidates[np.argsort(walks[candidates], kind="mergesort")]
            for r in range(2, snapshots + 1):
                ring = candidates[distance[candidates] == r]
                for j in ring[: max(int(rho * ring.size + 1e-9), min(ring.size, 1))]:
                    source.append(i)
                    target.append(j)
                    relation.append(r)
        distance[ball] = -1
    added = np.empty((2, len(source)), np.int64)
    for e in range(len(source)):
        added[0, e], added[1, e] = source[e], target[e]
    return added, np.array(relation, dtype=np.int64)


@compiled
def _within(
    start: Int64, neighbour: Int32, i: int, radius: int, distance: Int64, queue: Int64
) -> int:
    """Fill ``distance`` of the nodes within ``radius`` of ``i`` and ``queue`` with these nodes."""
    distance[i], queue[0] = 0, i
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        if distance[u] == radius:
            break
        for slot in range(start[u], start[u + 1]):
            v = neighbour[slot]
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                queue[tail] = v
                tail += 1
    return tail


@compiled
def _log_walks(
    start: Int64,
    neighbour: Int32,
    i: int,
    length: int,
    ball: Int64,
    distance: Int64,
    count: Float64,
    longer: Float64,
) -> None:
    """The logarithm of row ``i`` of ``(A + I)^length``, rounded so that equal counts stay equal.

    Walks stay in ``ball``, the nodes whose ``distance`` is known, ascending; ``count`` receives the
    result for those of its nodes from which no walk could have left and returned.
    """
    for u in ball:
        count[u] = 0.0
    count[i] = 1.0
    for _ in range(length):
        for u in ball:
            longer[u] = count[u]
        for u in ball:
            if count[u] > 0:
                for slot in range(start[u], start[u + 1]):
                    if distance[neighbour[slot]] >= 0:
                        longer[neighbour[slot]] += count[u]
        for u in ball:
            count[u] = longer[u]
    for u in ball:
        count[u] = np.round(np.log2(count[u]), LOGARITHM_DECIMALS)
