"""The names of models, in reports and figures."""

from __future__ import annotations

from panda_gnn.nn.models import BACKBONES

MODELS = (*BACKBONES, *(f"panda-{backbone}" for backbone in BACKBONES))
"""Backbones (``gcn``, ``gin``, ``rgcn``, ``rgin``), and ``panda-`` and a backbone."""


def printed_name(name: str) -> str:
    """The name of a model in tables and legends, such as ``PANDA-GCN`` or ``R-GIN``."""
    backbone = name.removeprefix("panda-")
    printed = f"R-{backbone[1:].upper()}" if backbone.startswith("r") else backbone.upper()
    return printed if name == backbone else f"PANDA-{printed}"
