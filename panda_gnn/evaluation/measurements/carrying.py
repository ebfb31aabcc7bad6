"""What models have in common that carry messages in tasks made for them."""

from __future__ import annotations

from typing import Any

from panda_gnn.evaluation.config import Config
from panda_gnn.nn import GNN, PandaGNN


def carrying_model(
    config: Config, channels: tuple[int, int], convolutions: int, selector: str | None
) -> GNN:
    """A model with fresh weights and as many convolutions as the messages need.

    Args:
        config: Its backbone, width and dropout, and the setting ``high_width``.
        channels: Input features and classes.
        convolutions: How many.
        selector: That of PANDA; ``None`` for a plain model, with every node at ``high_width`` where
            the method is ``all-wide``.
    """
    high_width: Any = config.settings["high_width"]
    options: dict[str, Any] = {
        "backbone": config.backbone,
        "width": high_width if config.method == "all-wide" else config.width,
        "num_layers": convolutions - 1,
        "dropout": config.dropout,
        "readout": None,
    }
    if selector is None:
        return GNN(*channels, **options)
    return PandaGNN(*channels, high_width=high_width, selector=selector, **options)
