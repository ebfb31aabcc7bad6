"""The tasks of the long-range graph benchmark: molecules with several labels or several numbers.

A *preset* is one of the two published ways to train its baselines:

* ``dwivedi``: those of the benchmark itself, `"Long Range Graph Benchmark"
  <https://arxiv.org/abs/2206.08164>`_: 5 layers of 300, batch norm, states of unit norm, a linear
  head, AdamW, the learning rate halved when the validation loss has not fallen for 20 epochs;
  GINE has 5 layers of 208 with residual connections instead of the norms;
* ``toenshoff``: the stronger ones of `"Where did the gap go?" <https://arxiv.org/abs/2309.00367>`_:
  6 layers of 235, GELU, residual connections, dropout, a head of 3 layers, clipped gradients, one
  period of a cosine after 5 epochs of warm-up; GINE has 8 layers of 160, or 10 of 145 for
  regression, and its activation and dropout are inside its MLP.

All layers of GINE share one embedding of bonds.

Neither gets positional features here (the second had them). Training ends after
``config.max_epochs``, not before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import torch
from torch.nn import functional as F
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau

from panda_gnn.datasets.peptides import ATOM_CATEGORIES, BOND_CATEGORIES
from panda_gnn.errors import choose
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.metrics import AVERAGE_PRECISION, MEAN_ABSOLUTE_ERROR
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.tasks.task import Task, TaskData
from panda_gnn.evaluation.train import Recipe
from panda_gnn.nn.models import PANDA_LAYERS

LONG_RANGE_BACKBONES = {"gcn": "gcn", "gin": "gine"}
"""What a backbone is here: GIN sees the bonds."""

LONG_RANGE_METHODS = ("none", "digl", "sdrf", "fosr", "borf", "gtr", "panda")
"""The methods that only change the graph or its widths."""


@dataclass(frozen=True)
class Preset:
    """One recipe.

    Attributes:
        training: The fields of a :class:`~panda_gnn.evaluation.config.Config` that it fixes.
        model: Options of the model.
        gine_sizes: Number and width of GINE's layers, by the name of the task.
        gine_model: Options of a model with GINE instead of ``model``.
        warmup: Epochs of warm-up before a cosine; ``None`` for the plateau rule.
        clip: The greatest norm of a gradient.
    """

    training: Mapping[str, int | float]
    model: Mapping[str, Any]
    gine_sizes: Mapping[str, tuple[int, int]]
    gine_model: Mapping[str, Any]
    warmup: int | None = None
    clip: float | None = None

    def scheduler(self, optimizer: Optimizer, epochs: int) -> LRScheduler:
        """What adapts the learning rate over so many epochs."""
        if self.warmup is None:
            return ReduceLROnPlateau(optimizer, factor=0.5, patience=20, min_lr=1e-5)
        warmup = self.warmup
        falling = max(1, epochs - warmup)

        def share(epoch: int) -> float:
            if epoch < warmup:
                return max(1e-6, epoch / warmup)
            return 0.5 * (1 + math.cos(math.pi * (epoch - warmup) / falling))

        return LambdaLR(optimizer, share)


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "dwivedi": Preset(
            training={
                "width": 300,
                "num_layers": 5,
                "dropout": 0.0,
                "learning_rate": 1e-3,
                "batch_size": 128,
                "max_epochs": 500,
            },
            model={"batch_norm": True, "unit_norm": True, "head_layers": 1},
            gine_sizes={"multi-label": (5, 208), "regression": (5, 208)},
            gine_model={"residual": True, "head_layers": 1, "share_edge_encoder": True},
        ),
        "toenshoff": Preset(
            training={
                "width": 235,
                "num_layers": 6,
                "dropout": 0.1,
                "learning_rate": 1e-3,
                "batch_size": 200,
                "max_epochs": 250,
            },
            model={
                "activation": "gelu",
                "batch_norm": False,
                "residual": True,
                "head_layers": 3,
            },
            gine_sizes={"multi-label": (8, 160), "regression": (10, 145)},
            gine_model={
                "activation": "gelu",
                "activate_layers": False,
                "mlp_activation": "gelu",
                "mlp_dropout": 0.1,
                "residual": True,
                "head_layers": 3,
                "share_edge_encoder": True,
            },
            warmup=5,
            clip=1.0,
        ),
    }
)


class LongRange(Task):
    """Several targets for every molecule, in the benchmark's own split.

    Training is AdamW by one of the :data:`PRESETS`, the setting ``preset``; they have another
    learning-rate schedule each.
    """

    edge_attributes = ("edge_attr", "edge_weight")

    def split(self, data: TaskData, settings: Mapping[str, Any], seed: int) -> Split:
        sizes = data.entry.split_sizes
        assert sizes is not None
        return Split(*torch.arange(sum(sizes)).split(sizes))

    def as_read(self, graphs: GraphTable, config: Config) -> GraphTable:
        """GIN is GINE here: it reads the bonds, and DIGL's edges count alike."""
        return graphs.without("edge_weight") if config.backbone == "gin" else graphs

    def training(self, settings: Mapping[str, Any], backbone: str) -> Mapping[str, Any]:
        name = settings.get("preset", self.settings["preset"])
        preset = PRESETS[choose("preset", name, PRESETS)]
        if LONG_RANGE_BACKBONES.get(backbone) != "gine":
            return preset.training
        num_layers, width = preset.gine_sizes[self.name]
        return {**preset.training, "num_layers": num_layers, "width": width}

    def check(self, config: Config) -> None:
        where = f"on {config.dataset}"
        choose("backbone", config.backbone, LONG_RANGE_BACKBONES, where)
        choose("method", config.method, LONG_RANGE_METHODS, where)
        choose("preset", config.settings["preset"], PRESETS)
        choose("panda_layers", config.settings.get("panda_layers", "last"), PANDA_LAYERS)

    def panda_settings(
        self, config: Config, names: Sequence[str] | None = None
    ) -> dict[str, Setting]:
        """The paper only says that PANDA is in the last layer here; the rest is our choice."""
        return {
            "k": 10,
            "high_width": config.width + config.width // 2,
            "centrality": "betweenness",
            "selector": "topk",
            "panda_layers": "last",
        }

    def recipe(self, config: Config) -> Recipe:
        preset = PRESETS[config.settings["preset"]]
        return Recipe(
            self.loss,
            self.metric,
            partial(AdamW, lr=config.learning_rate, weight_decay=0.0, fused=True),
            config.max_epochs,
            batch_size=config.batch_size,
            scheduler=partial(preset.scheduler, epochs=config.max_epochs),
            watches="validation",
            clip=preset.clip,
        )

    def in_channels(self, graphs: GraphTable) -> Sequence[int]:
        """The categories of an atom."""
        return ATOM_CATEGORIES

    def model_options(self, graphs: GraphTable, config: Config) -> dict[str, Any]:
        backbone, preset = LONG_RANGE_BACKBONES[config.backbone], PRESETS[config.settings["preset"]]
        options = dict(preset.gine_model if backbone == "gine" else preset.model)
        if "mlp_dropout" in options:
            options["mlp_dropout"] = config.dropout
        return {
            **super().model_options(graphs, config),
            "backbone": backbone,
            **({"edge_categories": BOND_CATEGORIES} if backbone == "gine" else {}),
            **options,
        }


MULTI_LABEL = LongRange(
    "multi-label",
    AVERAGE_PRECISION,
    {"preset": "dwivedi"},
    F.binary_cross_entropy_with_logits,
)
REGRESSION = LongRange("regression", MEAN_ABSOLUTE_ERROR, {"preset": "dwivedi"}, F.l1_loss)
