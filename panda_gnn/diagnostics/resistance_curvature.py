r"""Curvature from effective resistance: of nodes, and of the links between them.

After `"Discrete curvature on graphs from the effective resistance"
<https://doi.org/10.1088/2632-072X/ac730d>`_ (Devriendt and Lambiotte, 2022). Every edge is a
resistor of one ohm. With :math:`R_{ij}` the effective resistance,

.. math::
    p_i = 1 - \frac{1}{2} \sum_{j \sim i} R_{ij}, \qquad
    \kappa_{ij} = \frac{2 (p_i + p_j)}{R_{ij}}

are the curvature of a node and of a link. The :math:`p_i` of a connected graph sum to 1; on a tree
:math:`p_i = 1 - d_i / 2`. A link is negative where both sides hang together by few others: the
bridge between two cliques of four has -1, every link of a clique 2, of a cycle
:math:`4 / (n - 1)`. Resistances are exact, from the pseudo-inverse of the Laplacian. Inverting
:math:`\mathbf{L} + \varepsilon \mathbf{I}` instead, as is done where a pseudo-inverse is avoided,
makes them too small: a bridge then has 0.98 ohm at :math:`\varepsilon = 0.01`.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.resistance import edge_resistance
from panda_gnn.graph.limits import DENSE_RESISTANCE_NODES
from panda_gnn.graph.rows import undirected_edges


def resistance_node_curvature(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    """The curvature of every node, in double precision; a node without edges has 1.

    Weights and self-loops play no part, repeated edges count once. Components of more than
    ``max_nodes`` nodes are rejected.

    Args:
        data: An undirected graph.
        max_nodes: Components of more nodes are rejected.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from panda_gnn.diagnostics import resistance_node_curvature
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> [round(value, 4) for value in resistance_node_curvature(path).tolist()]
        [0.5, 0.0, 0.5]
    """
    return _of_nodes(data, edge_resistance(data, max_nodes=max_nodes))


def resistance_curvature(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    """The curvature of every column of ``edge_index``, in double precision; of a self-loop ``nan``.

    Components of more than ``max_nodes`` nodes are rejected.

    Args:
        data: An undirected graph.
        max_nodes: Components of more nodes are rejected.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from panda_gnn.diagnostics import resistance_curvature
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> [round(value, 4) for value in resistance_curvature(path).tolist()]
        [1.0, 1.0, 1.0, 1.0]
    """
    resistance = edge_resistance(data, max_nodes=max_nodes)
    node = _of_nodes(data, resistance)
    source, target = data.edge_index
    return torch.where(source == target, torch.nan, 2 * (node[source] + node[target]) / resistance)


def _of_nodes(data: Data, resistance: Tensor) -> Tensor:
    """One minus half the resistances of the edges of each node."""
    edges, place = undirected_edges(data, "resistance_curvature")
    once = resistance[place[: edges.size(1)]]
    sums = once.new_zeros(int(data.num_nodes or 0))
    return 1 - sums.index_add(0, edges.flatten(), once.repeat(2)) / 2
