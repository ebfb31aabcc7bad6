"""ProxyAdd and ProxyDelete: edges by the first-order change of the spectral gap."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.errors import choose
from panda_gnn.graph import limits
from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.components import components
from panda_gnn.graph.ties import TIE
from panda_gnn.options import whole_number
from panda_gnn.rewiring.base import Rewiring, edited


class Mode(NamedTuple):
    """The eigenvector of the least non-zero eigenvalue of one component."""

    #: Its nodes, ascending, and its edges by their places among them.
    nodes: Int64
    ends: Int64
    #: The eigenvalue, and the eigenvector with f^T D f = 1.
    gap: float
    vector: Float64


class _Proxy(Rewiring):
    """What the two share: the loop, and the eigenvector behind the proxy."""

    #: Whether edges are added; else they are deleted.
    adds: bool

    def __init__(self, iterations: int = 10, criterion: str = "max") -> None:
        super().__init__()
        self.iterations = whole_number("iterations", iterations)
        self.criterion = choose("criterion", criterion, ("max", "min"), f"of {type(self).__name__}")

    @abstractmethod
    def eligible(self, sizes: Tensor, counts: Tensor) -> Tensor:
        """Which components, of so many nodes and edges, have a candidate."""

    @abstractmethod
    def choice(self, edges: Tensor, mode: Mode) -> Tensor | None:
        """The next edge ``[2, 1]`` in the component of a mode, or ``None``."""

    def changes(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges that are added or deleted, in order: fewer iterations give the first ones."""
        chosen = [edges[:, :0]]
        for _ in range(self.iterations):
            mode = self._slowest_mode(edges, num_nodes)
            pair = None if mode is None else self.choice(edges, mode)
            if pair is None:
                break
            chosen.append(pair)
            edges = self.changed(edges, num_nodes, pair)
        return torch.cat(chosen, dim=1)

    def changed(self, edges: Tensor, num_nodes: int, pairs: Tensor) -> Tensor:
        """The edges with ``pairs`` added, or without them."""
        none = edges[:, :0]
        return edited(edges, num_nodes, *((pairs, none) if self.adds else (none, pairs)))

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges after all :meth:`changes`."""
        return self.changed(edges, num_nodes, self.changes(edges, num_nodes))

    def _slowest_mode(self, edges: Tensor, num_nodes: int) -> Mode | None:
        """The eigenvector of the least gap among the components with a candidate."""
        label = components(edges, num_nodes)
        sizes = label.bincount()
        counts = label[edges[0]].bincount(minlength=sizes.numel())
        modes = [
            mode_of(edges, label, number)
            for number in self.eligible(sizes, counts).nonzero().view(-1).tolist()
        ]
        return min(modes, key=lambda mode: round(mode.gap / TIE), default=None)

    def _ranked(self, gain: Float64) -> Int64:
        """The places of ``gain`` from the best on, tied ones in their order."""
        gain = gain if self.criterion == "max" else -gain
        return np.argsort(-np.round(gain / TIE), kind="stable")


@functional_transform("proxy_add")
class ProxyAdd(_Proxy):
    r"""Spectral addition by a first-order proxy, of `"Spectral Graph Pruning Against Over-Squashing
    and Over-Smoothing" <https://arxiv.org/abs/2404.04612>`_.

    With a self-loop at every node, degrees :math:`\mathbf{D}`, and the least non-zero eigenvalue
    :math:`\lambda` of :math:`\mathbf{L} \mathbf{f} = \lambda \mathbf{D} \mathbf{f}`,
    :math:`\mathbf{f}^\top \mathbf{D} \mathbf{f} = 1`, the new edge :math:`\{u, v\}` changes
    :math:`\lambda` to first order by

    .. math::
        (f_u - f_v)^2 - \lambda (f_u^2 + f_v^2).

    ``iterations`` times the non-adjacent pair with the greatest change (or the least, with
    ``criterion="min"``, against over-smoothing) becomes an edge, and the eigenvector is computed
    again. Of a disconnected graph the component with the least :math:`\lambda` is taken each time;
    components are never joined. Equal pairs are taken in their order. Where :math:`\lambda` is a
    multiple eigenvalue, as in cycles, one of many eigenvectors decides, and the proxy means little.
    Components of more than :data:`~panda_gnn.graph.limits.DENSE_PROXY_NODES` nodes are rejected.

    Args:
        iterations: How many edges to add; fewer where no pair is left.
        criterion: ``"max"`` to widen the spectral gap, ``"min"`` to narrow it.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import ProxyAdd
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)  # a clique and a path
        >>> lollipop.num_edges, ProxyAdd(iterations=1)(lollipop).num_edges
        (26, 28)
    """

    adds = True

    def eligible(self, sizes: Tensor, counts: Tensor) -> Tensor:
        return 2 * counts < sizes * (sizes - 1)

    def choice(self, edges: Tensor, mode: Mode) -> Tensor | None:
        closed = np.zeros((mode.nodes.size, mode.nodes.size), dtype=np.bool_)
        closed[mode.ends[0], mode.ends[1]] = True
        first, second = np.nonzero(np.triu(~closed, 1))
        best = self._ranked(proxy(mode, first, second))[0]
        pair = mode.nodes[[[first[best]], [second[best]]]]
        return torch.from_numpy(pair).to(edges)


@functional_transform("proxy_delete")
class ProxyDelete(_Proxy):
    r"""Spectral deletion by a first-order proxy, of `"Spectral Graph Pruning Against Over-Squashing
    and Over-Smoothing" <https://arxiv.org/abs/2404.04612>`_.

    ``iterations`` times the edge whose deletion changes :math:`\lambda` the most to first order, by
    minus the proxy of :class:`ProxyAdd`, is deleted. That fewer edges can widen a gap is Braess's
    paradox. An edge whose deletion would take a component apart stays, and the next best is tried.

    Args:
        iterations: How many edges to delete; fewer where only bridges are left.
        criterion: ``"max"`` to widen the spectral gap, ``"min"`` to narrow it.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import ProxyDelete
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)  # a clique and a path
        >>> lollipop.num_edges, ProxyDelete(iterations=2)(lollipop).num_edges
        (26, 22)
    """

    adds = False

    def eligible(self, sizes: Tensor, counts: Tensor) -> Tensor:
        return counts >= sizes

    def choice(self, edges: Tensor, mode: Mode) -> Tensor | None:
        size = mode.nodes.size
        ends = torch.from_numpy(mode.ends)
        for place in self._ranked(-proxy(mode, *mode.ends)):
            rest = torch.cat([ends[:, :place], ends[:, place + 1 :]], dim=1)
            if not components(rest, size).any():
                return torch.from_numpy(mode.nodes[mode.ends[:, place : place + 1]]).to(edges)
        return None


def proxy(mode: Mode, u: Int64, v: Int64) -> Float64:
    """The first-order change of the gap by edges between the nodes ``u`` and ``v`` of a mode."""
    f_u, f_v = mode.vector[u], mode.vector[v]
    change: Float64 = np.square(f_u - f_v) - mode.gap * (np.square(f_u) + np.square(f_v))
    return change


def mode_of(edges: Tensor, label: Tensor, number: int) -> Mode:
    """The slowest mode of the component ``number``."""
    nodes = (label == number).nonzero().view(-1).cpu().numpy()
    size = nodes.size
    limits.refuse_above(limits.DENSE_PROXY_NODES, size, "ProxyAdd or ProxyDelete", "FoSR")
    inside = edges[:, label[edges[0]] == number].cpu().numpy()
    ends = np.searchsorted(nodes, inside)
    matrix = np.zeros((size, size))
    matrix[ends[0], ends[1]] = matrix[ends[1], ends[0]] = -1.0
    degree = 1 - matrix.sum(axis=0)
    matrix[np.diag_indices(size)] = degree - 1
    root = np.sqrt(degree)
    values, vectors = np.linalg.eigh(matrix / np.outer(root, root))
    return Mode(nodes, ends, float(values[1]), vectors[:, 1] / root)
