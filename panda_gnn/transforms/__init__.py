"""Transforms that tell a model where a node stands: a mark, a role, or numbers."""

from panda_gnn.transforms.encoding import CentralityEncoding
from panda_gnn.transforms.expand_width import ExpandWidth, high_nodes, ranks, top_nodes
from panda_gnn.transforms.roles import AssignRoles
from panda_gnn.transforms.scores import own_scores

__all__ = [
    "AssignRoles",
    "CentralityEncoding",
    "ExpandWidth",
    "high_nodes",
    "own_scores",
    "ranks",
    "top_nodes",
]
