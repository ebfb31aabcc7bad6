r"""Plain backbones that see a graph by something else than the mean over its nodes.

With :math:`\mathbf{h}_v` the scores that the last layer gives for node v of a graph of n nodes,

* the sum is :math:`\sum_v \mathbf{h}_v`;
* the mean with the size is :math:`\frac{1}{n} \sum_v \mathbf{h}_v + \mathbf{w} s + \mathbf{b}`, s
  being the size feature of :mod:`~panda_gnn.evaluation.methods.features`;
* the mean per role is :math:`\frac{1}{|H|} \sum_{v \in H} \mathbf{h}_v + \frac{1}{|L|} \sum_{v \in
  L} \mathbf{g}_v` over the high nodes H and the others L, the last layer giving :math:`\mathbf{h}`
  and :math:`\mathbf{g}` for every node. No share of any kind of node is in it, so it does not tell
  the size; where a graph has no node of a kind, that mean is 0.

What the read-out needs is the last column of ``x``, which the layers do not see.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from panda_gnn.nn import GNN
from panda_gnn.nn.readout import graphs_of, mean_of_graphs


class SumReadout(GNN):
    """The plain backbone with the sum over the nodes as its read-out."""

    def read(self, out: Tensor, batch: Tensor | None, num_graphs: int | None) -> Tensor:
        """The sum over the nodes of each graph."""
        batch, num_graphs = graphs_of(out, batch, num_graphs)
        sizes = torch.bincount(batch, minlength=num_graphs).to(out.dtype)
        return super().read(out, batch, num_graphs) * sizes.view(-1, 1)


class SizeReadout(GNN):
    """The plain backbone whose read-out knows the size of the graph beside the mean."""

    def __init__(self, in_channels: int, out_channels: int, **options: Any) -> None:
        super().__init__(in_channels - 1, out_channels, **options)
        self.size = nn.Linear(1, out_channels)

    def forward(self, x: Tensor, *args: Any, **options: Any) -> Tensor:
        """The scores of each graph; the last column of ``x`` is the size."""
        graphs = graphs_of(x, options.get("batch"), options.get("num_graphs"))
        size: Tensor = self.size(mean_of_graphs(x[:, -1:].contiguous(), *graphs))
        return super().forward(x[:, :-1].contiguous(), *args, **options) + size


class RoleReadout(GNN):
    """The plain backbone whose read-out has a mean over high nodes and a mean over the others."""

    def __init__(self, in_channels: int, out_channels: int, **options: Any) -> None:
        super().__init__(in_channels - 1, 2 * out_channels, **{**options, "readout": None})

    def forward(self, x: Tensor, *args: Any, **options: Any) -> Tensor:
        """The scores of each graph; the last column of ``x`` is 1 for high nodes, else 0."""
        graphs = graphs_of(x, options.get("batch"), options.get("num_graphs"))
        high = x[:, -1:]
        out = super().forward(x[:, :-1].contiguous(), *args, **options)
        of_high, of_low = out.chunk(2, dim=1)
        share = mean_of_graphs(high.contiguous(), *graphs)
        tiny = torch.finfo(share.dtype).tiny
        means = (
            mean_of_graphs(of_high * high, *graphs) / share.clamp(min=tiny),
            mean_of_graphs(of_low * (1 - high), *graphs) / (1 - share).clamp(min=tiny),
        )
        return means[0] + means[1]
