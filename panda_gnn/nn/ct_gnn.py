"""A plain model behind a CT-Layer."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from panda_gnn.nn.ct_layer import CTLayer
from panda_gnn.nn.models import GNN
from panda_gnn.nn.partition import Edges


class CommuteTimeGNN(GNN):
    """:class:`GNN` on the graph whose edge weights a :class:`CTLayer` learns with it, end to end.

    Every forward pass leaves the layer's loss in ``auxiliary_loss``: add it to that of the task.

    Args:
        in_channels: Width of the node features.
        out_channels: Number of classes or targets.
        centers: Number of coordinates of the CT-Layer.
        **options: Those of :class:`GNN`; the backbone must use edge weights, as GCN and GIN do.
    """

    def __init__(
        self, in_channels: int, out_channels: int, *, centers: int, **options: Any
    ) -> None:
        super().__init__(in_channels, out_channels, **options)
        self.commute_time = CTLayer(in_channels, centers)

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Edges,
        *,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        **options: Any,
    ) -> Tensor:
        """The scores of each graph, or of each node where ``readout`` is ``None``."""
        index = edge_index.edge_index if isinstance(edge_index, Edges) else edge_index
        weight, self.auxiliary_loss = self.commute_time(x, index, batch, num_graphs)
        return super().forward(
            x, index, batch=batch, num_graphs=num_graphs, edge_weight=weight, **options
        )
