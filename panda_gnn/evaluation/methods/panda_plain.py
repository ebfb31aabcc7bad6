"""PANDA that differs from the plain backbone in nothing but its high nodes."""

from __future__ import annotations

from typing import Any

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods.method import Method, Settings, shared_options
from panda_gnn.evaluation.methods.panda import panda_defaults, with_high_nodes
from panda_gnn.nn import PandaGNN


def _without_residual(graphs: GraphTable, config: Config, settings: Settings) -> PandaGNN:
    plain: dict[str, Any] = {"self_loops": True, "bias": True} if config.backbone == "gcn" else {}
    return PandaGNN(
        graphs.x.size(1),
        graphs.num_classes,
        high_width=settings["high_width"],
        selector=settings["selector"],
        variant=settings["variant"],
        residual=False,
        **plain,
        **shared_options(config, graphs),
    )


PANDA_PLAIN = Method(
    "PANDA without its residual connection, with the plain backbone's self-loops",
    panda_defaults,
    with_high_nodes,
    _without_residual,
)
