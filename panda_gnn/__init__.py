"""Width-aware message passing against over-squashing, for PyTorch Geometric.

Start with :class:`panda_gnn.nn.PandaGNN` and :class:`panda_gnn.transforms.ExpandWidth`, or with the
command ``panda --help``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from panda_gnn.nn.backend import backend

__all__ = ["backend"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import torch when the backend is first asked for, and not before."""
    if name == "backend":
        from panda_gnn.nn.backend import backend

        return backend
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
