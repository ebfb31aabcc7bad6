"""GTR: edges that lower the total effective resistance the most."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.graph.twins import twin_classes
from panda_gnn.rewiring.base import Rewiring, whole_number
from panda_gnn.rewiring.gtr_kernel import class_matrices, greedy_edges


@functional_transform("gtr")
class GTR(Rewiring):
    r"""Greedy total resistance, of `"Understanding Oversquashing in GNNs through the Lens of
    Effective Resistance" <https://arxiv.org/abs/2302.06835>`_.

    With the pseudo-inverse :math:`\mathbf{L}^+` of the Laplacian, the resistance
    :math:`R_{st} = \mathbf{L}^+_{ss} + \mathbf{L}^+_{tt} - 2 \mathbf{L}^+_{st}` and the squared
    biharmonic distance :math:`B^2_{st}`, the same of :math:`(\mathbf{L}^+)^2`, the new edge
    :math:`\{s, t\}` changes the pseudo-inverse to

    .. math::
        \mathbf{L}^+ - \frac{\mathbf{v} \mathbf{v}^\top}{1 + R_{st}}, \qquad
        \mathbf{v} = \mathbf{L}^+ (\mathbf{1}_s - \mathbf{1}_t),

    so its trace, which is the total resistance of a connected graph over the number of nodes, falls
    by exactly :math:`B^2_{st} / (1 + R_{st})`. So ``iterations`` times the non-adjacent pair of
    nodes of one component with the greatest fall becomes an edge. Nothing is drawn at random: of
    pairs that are equal to nine digits the first is taken. The components stay as they are.

    The pseudo-inverse is kept for classes of twins only, nodes that nothing but their number tells
    apart (such as the leaves of a hub), until one of them gets an edge; this is exact.

    Args:
        iterations: How many edges to add; fewer where no pair is left.
    """

    def __init__(self, iterations: int = 10) -> None:
        super().__init__()
        self.iterations = whole_number("iterations", iterations)

    def additions(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges that are added, in order: fewer iterations give the first of them."""
        twins = twin_classes(rows_of_edges(edges.cpu().numpy(), num_nodes))
        added = greedy_edges(twins, *class_matrices(twins), self.iterations)
        return torch.from_numpy(added).to(edges.device)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges and their :meth:`additions`."""
        return torch.cat([edges, self.additions(edges, num_nodes)], dim=1)
