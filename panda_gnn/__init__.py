"""Width-aware message passing against over-squashing, for PyTorch Geometric.

Start with :class:`panda_gnn.nn.PandaGNN` and :class:`panda_gnn.transforms.ExpandWidth`, or with the
command ``panda --help``.
"""

from panda_gnn.backend import backend

__all__ = ["backend"]

__version__ = "0.1.0"
