"""The long-range graph benchmark: molecules with several targets, a fixed split, two recipes.

A *preset* is one of the two published ways to train its baselines:

* ``dwivedi``: those of the benchmark itself, `"Long Range Graph Benchmark"
  <https://arxiv.org/abs/2206.08164>`_: 5 layers of 300, batch norm, states of unit norm, a linear
  head, AdamW, the learning rate halved when the validation loss has not fallen for 20 epochs;
* ``toenshoff``: the stronger ones of `"Where did the gap go?" <https://arxiv.org/abs/2309.00367>`_:
  6 layers of 235, GELU, residual connections, dropout, a head of 3 layers, clipped gradients, one
  period of a cosine after 5 epochs of warm-up.

Neither gets positional features here (the second had them). Training ends after
``config.max_epochs``, not before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau
from torch_geometric.data import Batch, Data

from panda_gnn.datasets import DATASETS
from panda_gnn.datasets.peptides import ATOM_CATEGORIES, BOND_CATEGORIES
from panda_gnn.errors import choose
from panda_gnn.evaluation.batches import GraphBatch, GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.metrics import evaluate
from panda_gnn.evaluation.protocol import Curves, Split
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.nn.models import PANDA_LAYERS

LRGB_SETTINGS = {"preset": "dwivedi"}
"""What a config of the benchmark has beside the settings of its method."""

LRGB_BACKBONES = {"gcn": "gcn", "gin": "gine"}
"""What a backbone is here: GIN sees the bonds."""

LRGB_METHODS = ("none", "digl", "sdrf", "fosr", "borf", "gtr", "panda")
"""The methods that only change the graph or its widths."""


@dataclass(frozen=True)
class Preset:
    """One recipe.

    Attributes:
        training: The fields of a :class:`~panda_gnn.evaluation.config.Config` that it fixes.
        model: Options of the model.
        warmup: Epochs of warm-up before a cosine; ``None`` for the plateau rule.
        clip: The greatest norm of a gradient.
    """

    training: Mapping[str, int | float]
    model: Mapping[str, Any]
    warmup: int | None = None
    clip: float | None = None


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
            warmup=5,
            clip=1.0,
        ),
    }
)


def check_lrgb_settings(config: Config, settings: Mapping[str, Any]) -> None:
    """Refuse what no trial on the benchmark can have."""
    where = f"on {config.dataset}"
    choose("backbone", config.backbone, LRGB_BACKBONES, where)
    choose("method", config.method, LRGB_METHODS, where)
    choose("preset", settings["preset"], PRESETS)
    choose("panda_layers", settings.get("panda_layers", "last"), PANDA_LAYERS)


def panda_lrgb_defaults(config: Config) -> dict[str, Any]:
    """PANDA's settings where none are given: the paper only says that it is in the last layer.

    The number of high nodes, the expansion by a half and the centrality are our choice.
    """
    return {
        "k": 10,
        "high_width": config.width + config.width // 2,
        "centrality": "betweenness",
        "selector": "topk",
        "panda_layers": "last",
    }


def lrgb_split(dataset: str) -> Split:
    """The split of the benchmark, the same for every seed."""
    sizes = DATASETS[dataset].split_sizes
    assert sizes is not None
    return Split(*torch.arange(sum(sizes)).split(sizes))


def molecule_table(graphs: Iterable[Data]) -> GraphTable:
    """Molecules in one piece, with the categories of their bonds."""
    everything = Batch.from_data_list(list(graphs))
    names = [name for name in ("edge_attr", "edge_weight") if name in everything]
    sizes = torch.bincount(
        everything.batch[everything.edge_index[0]], minlength=everything.num_graphs
    )
    return GraphTable(
        everything.x,
        everything.y,
        everything.edge_index,
        everything.ptr,
        torch.cat([sizes.new_zeros(1), sizes.cumsum(0)]),
        edge_options={name: everything[name] for name in names},
    )


def make_model(graphs: GraphTable, config: Config, settings: Mapping[str, Any]) -> GNN:
    """The model of a config: width-aware where ``graphs`` have high nodes."""
    options: dict[str, Any] = {
        "backbone": LRGB_BACKBONES[config.backbone],
        "width": config.width,
        "num_layers": config.num_layers,
        "dropout": config.dropout,
        **PRESETS[settings["preset"]].model,
    }
    channels = (ATOM_CATEGORIES, DATASETS[config.dataset].num_classes)
    options["edge_categories"] = BOND_CATEGORIES
    if graphs.high is None:
        return GNN(*channels, **options)
    options |= {name: settings[name] for name in ("high_width", "panda_layers", "selector")}
    return PandaGNN(*channels, **options)


def loss_of(dataset: str, output: Tensor, target: Tensor) -> Tensor:
    """Binary cross-entropy of every label, or the mean absolute error of every target."""
    if DATASETS[dataset].metric == "average precision":
        return F.binary_cross_entropy_with_logits(output, target)
    return F.l1_loss(output, target)


def train_lrgb(
    model: GNN,
    graphs: GraphTable,
    split: Split,
    config: Config,
    seed: int,
    on_epoch: Callable[[int, float], None] | None = None,
) -> Curves:
    """Train ``model`` and return its scores after every epoch.

    The arguments are those of :func:`panda_gnn.evaluation.protocol.train`.
    """
    preset = PRESETS[str(config.settings["preset"])]
    shuffle = torch.Generator().manual_seed(seed)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=config.learning_rate, weight_decay=0.0, fused=True)
    adapt = _rate(preset, optimizer, config.max_epochs)
    held_out = list(graphs.batches(split.validation, config.batch_size))
    unseen = list(graphs.batches(split.test, config.batch_size))
    validation: list[float] = []
    test: list[float] = []
    for epoch in range(config.max_epochs):
        model.train()
        for batch in graphs.batches(split.train, config.batch_size, shuffle):
            loss = loss_of(config.dataset, batch.scores(model), batch.y)
            optimizer.zero_grad()
            loss.backward()
            if preset.clip is not None:
                torch.nn.utils.clip_grad_norm_(trained, preset.clip)
            optimizer.step()
        output, target = predict(model, held_out)
        adapt(float(loss_of(config.dataset, output, target)))
        validation.append(evaluate(config.dataset, output, target))
        test.append(evaluate(config.dataset, *predict(model, unseen)))
        if on_epoch is not None:
            on_epoch(epoch, validation[-1])
    return Curves(tuple(validation), tuple(test))


def predict(model: GNN, batches: Sequence[GraphBatch]) -> tuple[Tensor, Tensor]:
    """What the model gives for some graphs, and what is right."""
    model.eval()
    with torch.no_grad():
        output = torch.cat([batch.scores(model) for batch in batches])
    return output, torch.cat([batch.y for batch in batches])


def _rate(preset: Preset, optimizer: Optimizer, epochs: int) -> Callable[[float], None]:
    """Adapts the learning rate after an epoch with the given validation loss."""
    if preset.warmup is None:
        plateau = ReduceLROnPlateau(optimizer, factor=0.5, patience=20, min_lr=1e-5)
        return plateau.step
    warmup = preset.warmup

    def share(epoch: int) -> float:
        if epoch < warmup:
            return max(1e-6, epoch / warmup)
        return 0.5 * (1 + math.cos(math.pi * (epoch - warmup) / max(1, epochs - warmup)))

    cosine = LambdaLR(optimizer, share)
    return lambda loss: cosine.step()
