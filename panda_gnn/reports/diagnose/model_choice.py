"""Which untrained model a diagnosis looks at; its defaults are known without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from panda_gnn.nn import GNN


@dataclass(frozen=True)
class ModelChoice:
    """The untrained model that is looked at.

    Attributes:
        name: A backbone, or ``panda-`` and a backbone.
        width: Hidden width.
        high_width: Hidden width of high nodes.
        num_layers: Number of hidden layers.
        k: How many nodes are high.
        centrality: Which nodes these are.
        seed: Seeds the weights and whatever else is random.
    """

    name: str = "panda-gcn"
    width: int = 64
    high_width: int = 128
    num_layers: int = 4
    k: int = 3
    centrality: str = "betweenness"
    seed: int = 0

    @property
    def backbone(self) -> str:
        """The backbone."""
        return self.name.removeprefix("panda-")

    @property
    def width_aware(self) -> bool:
        """Whether high nodes are wider."""
        return self.name != self.backbone

    def make(self, name: str, in_channels: int, **options: Any) -> GNN:
        """An untrained model with these sizes; two scores come after the hidden layers."""
        from panda_gnn.reports.models import untrained_model

        sizes: dict[str, Any] = {"width": self.width, "high_width": self.high_width} | options
        return untrained_model(
            name, in_channels, 2, num_layers=self.num_layers, seed=self.seed, **sizes
        )
