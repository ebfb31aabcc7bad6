"""FoSR: edges that widen the spectral gap, to first order."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.rewiring.base import Rewiring, whole_number


@functional_transform("fosr")
class FoSR(Rewiring):
    r"""First-order spectral rewiring, of `"FoSR: First-order spectral rewiring for addressing
    oversquashing in GNNs" <https://arxiv.org/abs/2210.11790>`_.

    With :math:`\mathbf{x}` an approximation of the second eigenvector of the normalised adjacency
    matrix, adding the edge :math:`\{i, j\}` changes the spectral gap, to first order, the more the
    smaller :math:`x_i x_j / \sqrt{(d_i + 1)(d_j + 1)}` is. So ``iterations`` times the pair of
    non-adjacent nodes :math:`i \neq j` that minimises it becomes an edge, and one power step

    .. math::
        \mathbf{x} &\leftarrow \mathbf{x} -
        \frac{\mathbf{x}^\top \sqrt{\mathbf{d}}}{\sum_i d_i} \sqrt{\mathbf{d}} \\
        \mathbf{y} &\leftarrow \mathbf{x} +
        \mathbf{D}^{-1/2} \mathbf{A} \mathbf{D}^{-1/2} \mathbf{x} \\
        \mathbf{x} &\leftarrow \mathbf{y} / \lVert \mathbf{y} \rVert

    on the new graph improves :math:`\mathbf{x}`, which starts uniform in :math:`(-1, 1)^n` and
    takes ``warmup`` power steps before the first edge. A clique gets nothing, isolated nodes take
    part. Of several minimal pairs the first is taken; to tell them from almost minimal ones, the
    numbers :math:`x_i / \sqrt{d_i + 1}` are rounded to twelve decimals.

    Args:
        iterations: How many edges to add; fewer where no pair is left.
        warmup: Power steps before the first edge.
        seed: Seeds the starting vector, together with the graph.
    """

    def __init__(self, iterations: int = 10, warmup: int = 5, seed: int = 0) -> None:
        super().__init__(seed)
        self.iterations = whole_number("iterations", iterations)
        self.warmup = whole_number("warmup", warmup)

    def additions(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges that are added, in order: fewer iterations give the first of them."""
        from panda_gnn.rewiring.fosr_kernel import greedy_edges

        start = self.generator(edges, num_nodes).uniform(-1, 1, num_nodes)
        added = greedy_edges(edges.cpu().numpy(), start, self.iterations, self.warmup)
        return torch.from_numpy(added).to(edges.device)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges and their :meth:`additions`."""
        return torch.cat([edges, self.additions(edges, num_nodes)], dim=1)
