"""Who takes part in the figures of untrained models, and how each is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods import METHODS
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.reports.figures.request import Request, untrained

REWIRINGS = ("digl", "sdrf", "fosr", "borf", "gtr")


@dataclass(frozen=True)
class Contestant:
    """A series of a figure: a method, its settings, and whether PANDA keeps its residual."""

    method: str
    settings: Mapping[str, Setting]
    width: int = 64
    residual: bool = True

    def model(
        self,
        request: Request,
        dataset: str,
        backbone: str,
        num_layers: int,
        seed: int,
        in_channels: int | None = None,
    ) -> tuple[GNN, GraphTable]:
        """The untrained model and the graphs it sees, in double precision.

        In single precision a rounding error now and then changes which dimensions a low node takes.
        """
        config = Config(
            dataset, backbone, self.method, self.settings, width=self.width, num_layers=num_layers
        )
        make = None if self.residual else self._without_residual(config)
        model, table = untrained(request, config, seed, in_channels=in_channels, make=make)
        return model.double(), table.with_nodes(x=table.x.double(), high=table.high)

    def _without_residual(self, config: Config) -> Callable[[GraphTable], GNN]:
        """PANDA that differs from the plain backbone in nothing but its high nodes."""
        plain: dict[str, Any] = (
            {"self_loops": True, "bias": True} if config.backbone == "gcn" else {}
        )
        return lambda table: PandaGNN(
            table.x.size(1),
            table.num_outputs,
            high_width=int(self.settings["high_width"] or 0),
            backbone=config.backbone,
            width=config.width,
            num_layers=config.num_layers,
            residual=False,
            **plain,
        )


def contestants(
    k: int, high_width: int, centrality: str, *, rewirings: bool = True
) -> dict[str, Contestant]:
    """The plain backbone, rewirings with their default settings, PANDA and its controls."""
    panda: dict[str, Setting] = {"k": k, "high_width": high_width, "centrality": centrality}
    found = {"none": Contestant("none", {})}
    if rewirings:
        found |= {name: Contestant(name, {}) for name in REWIRINGS if name in METHODS}
    return found | {
        "all-wide": Contestant("all-wide", {"high_width": high_width}),
        "residual": Contestant("residual-twin", {}),
        "panda-plain": Contestant("panda", panda, residual=False),
        "panda": Contestant("panda", panda),
    }
