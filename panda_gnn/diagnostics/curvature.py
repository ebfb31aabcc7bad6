"""Discrete Ricci curvatures of edges: negative where a graph has a bottleneck.

All of them take an undirected graph and give one value per column of ``edge_index``, in double
precision, the same for both directions. Weights play no part, repeated edges count once, and a
self-loop, which has no curvature, gets ``nan``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.graphs import undirected_edges

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def balanced_forman_curvature(data: Data) -> Tensor:
    r"""Balanced Forman curvature, by its definition in `"Understanding over-squashing and
    bottlenecks on graphs via curvature" <https://arxiv.org/abs/2111.14522>`_.

    It is zero for an edge with an end of degree one, else

    .. math::
        \mathrm{Ric}(i, j) = \frac{2}{d_i} + \frac{2}{d_j} - 2 + \frac{2 t}{\max(d_i, d_j)}
        + \frac{t}{\min(d_i, d_j)} + \frac{s_i + s_j}{\gamma \max(d_i, d_j)}

    with :math:`t` the triangles on the edge, :math:`s_i` the neighbours of :math:`i` that form a
    4-cycle without diagonals through the edge, :math:`s_j` those of :math:`j`, and :math:`\gamma`
    the largest number of such cycles through one of these nodes (without any, the term is zero).
    A cycle of five or more nodes has 0, :math:`C_4` has 1, a clique :math:`n / (n - 1)`.
    """
    from panda_gnn.diagnostics.forman_kernels import balanced_forman

    return _per_column(data, "balanced_forman_curvature", _from_slots(balanced_forman))


def augmented_forman_curvature(data: Data, cycles: int = 3) -> Tensor:
    r"""Augmented Forman curvature, of `"Mitigating Over-Smoothing and Over-Squashing using
    Augmentations of Forman-Ricci Curvature" <https://arxiv.org/abs/2309.09384>`_.

    It is :math:`4 - d_u - d_v + 3 t` with :math:`t` the triangles on the edge (AFR-3,
    ``cycles=3``), and with ``cycles=4`` twice the number of 4-cycles on the edge more (AFR-4);
    4-cycles may have diagonals here.
    """
    curvature = augmented_forman(cycles)
    return _per_column(data, "augmented_forman_curvature", _from_slots(curvature))


def ollivier_ricci_curvature(data: Data) -> Tensor:
    r"""Ollivier-Ricci curvature with exact transport, :math:`1 - W_1(\mu_u, \mu_v)`.

    The measure :math:`\mu_u` is uniform on the neighbours of :math:`u`, without :math:`u` itself,
    and the cost of transport is the hop distance. A tree edge has
    :math:`-2 \max(0, 1 - 1/d_u - 1/d_v)`, a clique :math:`(n - 2) / (n - 1)`.
    """
    from panda_gnn.diagnostics.ollivier_kernels import ollivier_ricci
    from panda_gnn.diagnostics.twins import twin_classes

    def curvature(edges: Ints, num_nodes: int) -> Floats:
        twins = twin_classes(*neighbour_lists(edges, num_nodes))
        values: Floats = ollivier_ricci(twins, edges, edges.shape[1], 0)
        return values

    return _per_column(data, "ollivier_ricci_curvature", curvature)


def neighbour_lists(edges: Ints, num_nodes: int) -> tuple[Ints, Ints]:
    """The neighbours of ``v``, ascending, as ``neighbour[start[v]:start[v + 1]]``.

    ``edges`` is ``[2, m]`` with every undirected edge once; returns ``start`` and ``neighbour``.
    """
    source, target = np.concatenate([edges, edges[::-1]], axis=1)
    rank = np.sort(source * num_nodes + target)
    start = np.searchsorted(rank, np.arange(num_nodes + 1) * num_nodes)
    return start, rank % max(num_nodes, 1)


def augmented_forman(cycles: int) -> Callable[[Ints, Ints], Floats]:
    """The function from neighbour lists to the curvature AFR-3 or AFR-4 of every slot of them."""
    from panda_gnn.diagnostics.forman_kernels import four_cycles_on_edges, triangles_on_edges

    if cycles not in (3, 4):
        raise InputError(f"cycles is the longest cycle that counts, 3 or 4, not {cycles!r}")

    def curvature(start: Ints, neighbour: Ints) -> Floats:
        degree = np.diff(start)
        value = 4 - np.repeat(degree, degree) - degree[neighbour]
        value += 3 * triangles_on_edges(start, neighbour)
        if cycles == 4:
            value += 2 * four_cycles_on_edges(start, neighbour)
        return value.astype(np.float64)

    return curvature


def _from_slots(curvature: Callable[[Ints, Ints], Floats]) -> Callable[[Ints, int], Floats]:
    """The values of a function of the slots of neighbour lists, for edges ``u < v`` in order."""

    def of_edges(edges: Ints, num_nodes: int) -> Floats:
        start, neighbour = neighbour_lists(edges, num_nodes)
        upper = np.repeat(np.arange(num_nodes), np.diff(start)) < neighbour
        return curvature(start, neighbour)[upper]

    return of_edges


def _per_column(data: Data, who: str, curvature: Callable[[Ints, int], Floats]) -> Tensor:
    """Spread the values of the undirected edges over the columns of ``edge_index``."""
    edges, _ = undirected_edges(data, who)
    num_nodes = int(data.num_nodes or 0)
    values = torch.from_numpy(curvature(edges.cpu().numpy(), num_nodes)).to(edges.device)
    source, target = data.edge_index
    result = torch.full(source.shape, torch.nan, dtype=torch.float64, device=edges.device)
    proper = source != target
    low, high = torch.minimum(source, target)[proper], torch.maximum(source, target)[proper]
    place = torch.searchsorted(edges[0] * num_nodes + edges[1], low * num_nodes + high)
    result[proper] = values[place]
    return result
