"""Discrete Ricci curvatures of edges: negative where a graph has a bottleneck.

All of them take an undirected graph and give one value per column of ``edge_index``, in double
precision, the same for both directions. Weights play no part, repeated edges count once, and a
self-loop, which has no curvature, gets ``nan``.
"""

from __future__ import annotations

from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.graph.forman import augmented_forman, balanced_forman
from panda_gnn.graph.jost_liu import jost_liu
from panda_gnn.graph.ollivier import ollivier_ricci
from panda_gnn.graph.rows import per_column, read_graph
from panda_gnn.graph.twins import twin_classes


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

    Args:
        data: An undirected graph.

    Returns:
        One value for each column of ``edge_index``.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import balanced_forman_curvature
        >>> (square,) = transfer("ring", 2, num_graphs=1)
        >>> balanced_forman_curvature(square).unique().tolist()
        [1.0]
    """
    graph = read_graph(data, "balanced_forman_curvature")
    values = balanced_forman(graph.row_ptr, graph.neighbours)
    return per_column(data, graph, values[graph.sources < graph.neighbours])


def augmented_forman_curvature(data: Data, cycles: int = 3) -> Tensor:
    r"""Augmented Forman curvature, of `"Mitigating Over-Smoothing and Over-Squashing using
    Augmentations of Forman-Ricci Curvature" <https://arxiv.org/abs/2309.09384>`_.

    It is :math:`4 - d_u - d_v + 3 t` with :math:`t` the triangles on the edge (AFR-3,
    ``cycles=3``), and with ``cycles=4`` twice the number of 4-cycles on the edge more (AFR-4);
    4-cycles may have diagonals here.

    Args:
        data: An undirected graph.
        cycles: 3 for triangles only, 4 for 4-cycles too.

    Returns:
        One value for each column of ``edge_index``.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import augmented_forman_curvature
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)  # a clique and a path
        >>> augmented_forman_curvature(lollipop).unique().int().tolist()  # least on the path
        [-3, 0, 1, 4, 5]
    """
    graph = read_graph(data, "augmented_forman_curvature")
    return per_column(data, graph, augmented_forman(graph, cycles))


def ollivier_ricci_curvature(data: Data) -> Tensor:
    r"""Ollivier-Ricci curvature with exact transport, :math:`1 - W_1(\mu_u, \mu_v)`.

    The measure :math:`\mu_u` is uniform on the neighbours of :math:`u`, without :math:`u` itself,
    and the cost of transport is the hop distance. A tree edge has
    :math:`-2 \max(0, 1 - 1/d_u - 1/d_v)`, a clique :math:`(n - 2) / (n - 1)`.

    Args:
        data: An undirected graph.

    Returns:
        One value for each column of ``edge_index``.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import ollivier_ricci_curvature
        >>> (tree,) = transfer("tree", 2, num_graphs=1)
        >>> [round(value, 4) for value in ollivier_ricci_curvature(tree).unique().tolist()]
        [-0.3333, 0.0]
    """
    graph = read_graph(data, "ollivier_ricci_curvature")
    edges = graph.edges
    return per_column(data, graph, ollivier_ricci(twin_classes(graph), edges, edges.shape[1], 0))


def jost_liu_curvature(data: Data) -> Tensor:
    r"""The lower bound of Ollivier-Ricci curvature of `"Ollivier's Ricci curvature, local
    clustering and curvature dimension inequalities on graphs" <https://arxiv.org/abs/1103.4037>`_.

    .. math::
        \frac{t}{\max} - \Big(1 - \frac{1}{d_u} - \frac{1}{d_v} - \frac{t}{\min}\Big)_+
        - \Big(1 - \frac{1}{d_u} - \frac{1}{d_v} - \frac{t}{\max}\Big)_+

    with :math:`t` the triangles on the edge and the greater and the lesser degree of its ends. It
    needs no transport, which is why SJLR draws edges by it.

    Args:
        data: An undirected graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import jost_liu_curvature
        >>> (tree,) = transfer("tree", 2, num_graphs=1)
        >>> [round(value, 4) for value in jost_liu_curvature(tree).unique().tolist()]
        [-0.3333, 0.0]
    """
    graph = read_graph(data, "jost_liu_curvature")
    return per_column(data, graph, jost_liu(graph)[graph.sources < graph.columns])
