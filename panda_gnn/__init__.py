"""Width-aware message passing against over-squashing, for PyTorch Geometric.

Start with :class:`panda_gnn.nn.PandaGNN` and :class:`panda_gnn.transforms.ExpandWidth`, or with the
command ``panda --help``.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from panda_gnn.evaluation.plugins import (
        register_backbone,
        register_centrality,
        register_dataset,
        register_method,
        register_rewiring,
    )
    from panda_gnn.nn.backend import backend

__all__ = [
    "backend",
    "register_backbone",
    "register_centrality",
    "register_dataset",
    "register_method",
    "register_rewiring",
]

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Import torch when the backend or a registration is first asked for, and not before."""
    if name in __all__:
        place = "nn.backend" if name == "backend" else "evaluation.plugins"
        return getattr(importlib.import_module(f"panda_gnn.{place}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
