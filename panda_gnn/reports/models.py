"""Untrained models by name, for reports and figures."""

from __future__ import annotations

from typing import Any

import torch

from panda_gnn.errors import choose
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.nn.models import BACKBONES

MODELS = (*BACKBONES, *(f"panda-{backbone}" for backbone in BACKBONES))


def untrained_model(
    name: str,
    in_channels: int,
    out_channels: int,
    *,
    width: int = 64,
    high_width: int = 128,
    num_layers: int = 4,
    seed: int = 0,
    **options: Any,
) -> GNN:
    """A model with random weights, in evaluation mode; torch's own random state stays as it is.

    Args:
        name: A backbone (``gcn``, ``gin``, ``rgcn``, ``rgin``), or ``panda-`` and a backbone.
        in_channels: Number of input features.
        out_channels: Number of classes.
        width: Hidden width.
        high_width: Hidden width of high nodes, where the model is width-aware.
        num_layers: Number of hidden layers.
        seed: Seeds the weights.
        **options: Other options of :class:`~panda_gnn.nn.GNN`, such as ``residual``.
    """
    choose("model", name, MODELS)
    panda, backbone = name.startswith("panda-"), name.removeprefix("panda-")
    options |= {"backbone": backbone, "width": width, "num_layers": num_layers}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if panda:
            model: GNN = PandaGNN(in_channels, out_channels, high_width=high_width, **options)
        else:
            model = GNN(in_channels, out_channels, **options)
    return model.eval()


def printed_name(name: str) -> str:
    """The name of a model in tables and legends, such as ``PANDA-GCN`` or ``R-GIN``."""
    panda, backbone = name.startswith("panda-"), name.removeprefix("panda-")
    printed = f"R-{backbone[1:].upper()}" if backbone.startswith("r") else backbone.upper()
    return f"PANDA-{printed}" if panda else printed
