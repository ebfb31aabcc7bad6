"""Diffusion by the heat kernel instead of personalised PageRank."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph import limits
from panda_gnn.options import real_number
from panda_gnn.rewiring.digl import DIGL


@functional_transform("heat_kernel")
class HeatKernel(DIGL):
    r"""Graph diffusion by the heat kernel, of `"Diffusion Improves Graph Learning"
    <https://arxiv.org/abs/1911.05485>`_, by PyG's :class:`~torch_geometric.transforms.GDC`.

    With :math:`\mathbf{H}` as in :class:`DIGL`,

    .. math::
        \mathbf{S} = e^{-t (\mathbf{I} - \mathbf{H})},

    and all that follows as there. A small ``t`` keeps close to a node, a large one reaches farther
    than personalised PageRank does. Graphs of more than
    :data:`~panda_gnn.graph.limits.DENSE_DIFFUSION_NODES` nodes are rejected.

    Args:
        t: The time that heat has to spread.
        eps: Entries below this are dropped.
        self_loops: Whether to keep the diagonal.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import HeatKernel
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> HeatKernel(t=1.0, eps=0.05)(ring).num_edges
        24
    """

    #: The kernel is computed, never approximated.
    approximate = False

    def __init__(self, t: float = 3.0, eps: float = 0.05, self_loops: bool = True) -> None:
        super().__init__(eps=eps, self_loops=self_loops)
        del self.alpha, self.approximate
        self.t = real_number("t", t, "above zero and finite", above=0)

    @property
    def kernel(self) -> dict[str, Any]:
        """The kernel of the diffusion, as options of PyG's GDC."""
        return {"method": "heat", "t": self.t}

    def _sparse(self, edges: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
        """Nothing approximates this kernel here: large graphs are rejected."""
        limits.refuse_above(limits.DENSE_DIFFUSION_NODES, num_nodes, "HeatKernel", "DIGL")
        raise AssertionError
