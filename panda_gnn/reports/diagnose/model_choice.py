"""Which untrained model a diagnosis looks at; its defaults are known without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from panda_gnn.errors import choose

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
        """A model with random weights, in evaluation mode; torch's own random state stays as it is.

        Args:
            name: One of :data:`panda_gnn.reports.models.MODELS`.
            in_channels: Number of input features; two scores come after the hidden layers.
            **options: Options of :class:`~panda_gnn.nn.GNN` instead of these sizes.
        """
        import torch

        from panda_gnn.nn import GNN, PandaGNN
        from panda_gnn.reports.models import MODELS

        backbone = choose("model", name, MODELS).removeprefix("panda-")
        shared: dict[str, Any] = {
            "backbone": backbone,
            "width": self.width,
            "num_layers": self.num_layers,
        }
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            if name == backbone:
                return GNN(in_channels, 2, **{**shared, **options}).eval()
            wide = {"high_width": self.high_width, **shared, **options}
            return PandaGNN(in_channels, 2, **wide).eval()
