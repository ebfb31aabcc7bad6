"""Expander: every second layer runs on a Cayley graph, which has no bottleneck."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph.rows import undirected_edges
from panda_gnn.options import flag
from panda_gnn.rewiring.base import Rewiring, both_directions


class SecondEdgeSet(Rewiring):
    """A rewiring whose edges stay apart from the graph's, for models that use the two in turn.

    Args:
        interleaved: Whether to write a second edge set rather than to change the first.
    """

    kept = False

    def __init__(self, interleaved: bool = True) -> None:
        super().__init__()
        self.interleaved = flag("interleaved", interleaved)


@functional_transform("expander")
class Expander(SecondEdgeSet):
    r"""Expander graph propagation, of `"Expander Graph Propagation"
    <https://arxiv.org/abs/2210.02997>`_.

    The expander is the Cayley graph of :math:`\mathrm{SL}(2, \mathbb{Z}_n)`, the 2 x 2 matrices of
    determinant 1 modulo :math:`n`: a matrix is joined to its products with

    .. math::
        \begin{pmatrix} 1 & 1 \\ 0 & 1 \end{pmatrix}, \quad
        \begin{pmatrix} 1 & 0 \\ 1 & 1 \end{pmatrix}

    and their inverses. It has :math:`n^3 \prod_{p | n} (1 - p^{-2})` nodes, all of degree 4 (2 for
    :math:`n = 2`), and is sparse and well connected whatever :math:`n` is. The smallest one with at
    least as many nodes as the graph is taken, and of it the first nodes in breadth-first order from
    the identity, so that it stays connected.

    By default the graph itself is left alone and the expander is written to
    ``expander_edge_index``, for models whose layers use the two in turn, such as
    :class:`panda_gnn.nn.GNN`. With ``interleaved=False`` its edges are added to the graph's, as
    every other rewiring does.

    Args:
        interleaved: Whether to write a second edge set rather than to change the first.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import Expander
        >>> (ring,) = transfer("ring", 12, num_graphs=1)
        >>> Expander()(ring).expander_edge_index.shape  # 24 nodes of degree 4
        torch.Size([2, 96])
    """

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges of the graph and of the expander."""
        expander = expander_edges(num_nodes).to(edges.device)
        union: Tensor = torch.unique(torch.cat([edges, expander], dim=1), dim=1)
        return union

    def rewired_graph(self, data: Data, added_type: int) -> Data:
        """The graph with ``expander_edge_index``, or with more edges."""
        if not self.interleaved:
            return super().rewired_graph(data, added_type)
        self.check_free(data, "expander_edge_index")
        undirected_edges(data, "Expander")
        num_nodes = int(data.num_nodes or 0)
        result = data.clone()
        expander = both_directions(expander_edges(num_nodes), num_nodes)
        result.expander_edge_index = expander.to(data.edge_index.device)
        result.num_nodes = num_nodes
        return result


def group_size(modulus: int) -> int:
    r"""The number of 2 x 2 matrices of determinant 1 modulo ``modulus``."""
    size, rest, prime = modulus**3, modulus, 2
    while rest > 1:
        if rest % prime == 0:
            size = size // prime**2 * (prime**2 - 1)
            while rest % prime == 0:
                rest //= prime
        prime += 1
    return size


def cayley_graph(modulus: int, num_nodes: int | None = None) -> Tensor:
    """The edges ``u < v`` of the Cayley graph, or of its first ``num_nodes`` nodes.

    Nodes are numbered in breadth-first order from the identity, neighbours in the order of the
    two generators and then their inverses.
    """
    num_nodes = group_size(modulus) if num_nodes is None else num_nodes
    identity = tuple(entry % modulus for entry in (1, 0, 0, 1))
    number = {identity: 0}
    queue = [identity]
    edges = set()
    for u, (a, b, c, d) in enumerate(queue):  # the queue grows while it is read
        products = (
            (a, a + b, c, c + d),
            (a + b, b, c + d, d),
            (a, b - a, c, d - c),
            (a - b, b, c - d, d),
        )
        for product in products:
            neighbour = tuple(entry % modulus for entry in product)
            if neighbour not in number and len(queue) < num_nodes:
                number[neighbour] = len(queue)
                queue.append(neighbour)
            v = number.get(neighbour, u)
            if u != v:
                edges.add((min(u, v), max(u, v)))
    return torch.tensor(sorted(edges), dtype=torch.long).reshape(-1, 2).t().contiguous()


@lru_cache(maxsize=128)
def expander_edges(num_nodes: int) -> Tensor:
    """The edges ``u < v`` of the expander for a graph with ``num_nodes`` nodes."""
    return cayley_graph(smallest_modulus(num_nodes), num_nodes)


def smallest_modulus(num_nodes: int) -> int:
    """The least modulus whose Cayley graph has at least ``num_nodes`` nodes."""
    modulus = 1
    while group_size(modulus) < num_nodes:
        modulus += 1
    return modulus
