"""DIGL: the graph is replaced by what diffuses through it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import GDC
from torch_geometric.utils import add_self_loops

from panda_gnn.errors import InputError
from panda_gnn.graph import limits
from panda_gnn.graph.diffusion import large_entries, twin_entries
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.options import flag, real_number
from panda_gnn.rewiring.base import Rewiring, both_directions

#: Entries of the diffusion of a large graph are too small by this share of ``eps`` at most.
PUSH_ERROR = 0.01


@functional_transform("digl")
class DIGL(Rewiring):
    r"""Graph diffusion by personalised PageRank, of `"Diffusion Improves Graph Learning"
    <https://arxiv.org/abs/1911.05485>`_, by PyG's :class:`~torch_geometric.transforms.GDC`.

    .. math::
        \mathbf{H} = \mathbf{D}^{-1/2} (\mathbf{A} + \mathbf{I}) \mathbf{D}^{-1/2}, \qquad
        \mathbf{S} = \alpha \left(\mathbf{I} - (1 - \alpha) \mathbf{H}\right)^{-1}

    Entries of :math:`\mathbf{S}` below :math:`\epsilon` are dropped, the columns of the rest are
    divided by their sums, and every remaining entry becomes an edge with that ``edge_weight``: the
    weights of the edges into a node add up to one. The original graph is discarded; ``edge_type``
    still tells which edges it had.

    This is the one rewiring that makes self-loops, because diffusion also stays where it is: they
    are of type 1, and the weights are meaningless without them. With ``self_loops=False`` they are
    dropped before the columns are divided. The matrix is computed densely in double precision and
    made symmetric, so that no edge loses its opposite to rounding.

    For graphs of more than :data:`~panda_gnn.graph.limits.DENSE_DIFFUSION_NODES` nodes the matrix
    is approximated by pushing (:mod:`panda_gnn.graph.diffusion`). Before the division an entry is
    then too small by :data:`PUSH_ERROR` times ``eps`` at most: of the edges, only those whose entry
    is between ``eps`` and that much more can be missing, and none is there that should not be. With
    ``approximate``, smaller graphs have a matrix over classes of twins inverted, which is exact up
    to rounding and quicker where many nodes have the same neighbours, as the leaves of hubs do.

    Args:
        alpha: The probability of a random walk to return to its start, in (0, 1].
        eps: Entries below this are dropped.
        self_loops: Whether to keep the diagonal.
        approximate: Whether rounding may differ from that of the dense matrix over the nodes.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import DIGL
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> rewired = DIGL(alpha=0.2, eps=0.08)(ring)
        >>> ring.num_edges, rewired.num_edges
        (16, 24)
        >>> float(rewired.edge_weight.sum())  # one for each of the 8 nodes
        8.0
    """

    writes = ("edge_weight",)

    def __init__(
        self,
        alpha: float = 0.1,
        eps: float = 0.05,
        self_loops: bool = True,
        approximate: bool = False,
    ) -> None:
        super().__init__()
        self.alpha = real_number("alpha", alpha, "above 0 and at most 1", above=0, most=1)
        self.eps = real_number("eps", eps, "zero or more and finite", least=0)
        self.self_loops = flag("self_loops", self_loops)
        self.approximate = flag("approximate", approximate)
        if self.approximate and self.eps == 0:
            raise InputError("eps is 0, it must be above zero where the diffusion is approximate")

    @property
    def kernel(self) -> dict[str, Any]:
        """The kernel of the diffusion, as options of PyG's GDC."""
        return {"method": "ppr", "alpha": self.alpha}

    def rewired(self, edges: Tensor, data: Data) -> tuple[Tensor, dict[str, Tensor]]:
        """The new ``edge_index``, with self-loops unless they are dropped, and ``edge_weight``."""
        edge_index, edge_weight = self.diffuse(edges, int(data.num_nodes or 0))
        return edge_index, {"edge_weight": edge_weight}

    def diffuse(self, edges: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
        """The new ``edge_index`` and ``edge_weight``."""
        if num_nodes < 2:  # what GDC does not take
            loop = torch.zeros(2, num_nodes * self.self_loops, dtype=torch.long).to(edges.device)
            return loop, torch.ones(loop.size(1), device=edges.device)
        if self.approximate or num_nodes > limits.DENSE_DIFFUSION_NODES:
            return self._sparse(edges, num_nodes)
        gdc = GDC()
        edge_index = both_directions(edges, num_nodes)
        weight = torch.ones(edge_index.size(1), dtype=torch.float64, device=edges.device)
        edge_index, weight = add_self_loops(edge_index, weight, 1.0, num_nodes)
        edge_index, weight = gdc.transition_matrix(edge_index, weight, num_nodes, "sym")
        matrix = gdc.diffusion_matrix_exact(edge_index, weight, num_nodes, **self.kernel)
        matrix = (matrix + matrix.t()) / 2
        edge_index, weight = gdc.sparsify_dense(matrix, "threshold", eps=self.eps)
        if not self.self_loops:
            other = edge_index[0] != edge_index[1]
            edge_index, weight = edge_index[:, other], weight[other]
        edge_index, weight = gdc.transition_matrix(edge_index, weight, num_nodes, "col")
        return edge_index, weight.to(torch.get_default_dtype())

    def _sparse(self, edges: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
        """The ``edge_index`` and ``edge_weight`` without a dense matrix over the nodes."""
        if self.eps == 0:
            what, instead = "DIGL(eps=0)", "eps above zero"
            limits.refuse_above(limits.DENSE_DIFFUSION_NODES, num_nodes, what, instead)
        graph = rows_of_edges(edges.cpu().numpy(), num_nodes)
        if num_nodes > limits.DENSE_DIFFUSION_NODES:
            entries, values = large_entries(
                graph.row_ptr, graph.neighbours, self.alpha, self.eps, PUSH_ERROR * self.eps
            )
        else:
            entries, values = twin_entries(graph, self.alpha, self.eps)
        row, column = entries
        rank = torch.from_numpy(np.r_[row * num_nodes + column, column * num_nodes + row])
        both = torch.from_numpy(values).repeat(2)  # of an entry and its opposite the greater counts
        rank, place = rank.unique(return_inverse=True)
        weight = both.new_zeros(rank.numel()).scatter_reduce(0, place, both, "amax")
        edge_index = torch.stack([rank // num_nodes, rank % num_nodes])
        if not self.self_loops:
            other = edge_index[0] != edge_index[1]
            edge_index, weight = edge_index[:, other], weight[other]
        total = weight.new_zeros(num_nodes).index_add(0, edge_index[1], weight)
        weight = weight / total[edge_index[1]]
        device = edges.device
        return edge_index.to(device), weight.to(device, torch.get_default_dtype())
