"""Benchmark datasets by name, through PyG's own classes, and synthetic over-squashing tasks."""

from panda_gnn.datasets.entries import DATASETS, DatasetEntry
from panda_gnn.datasets.loading import data_root, load, prepare
from panda_gnn.datasets.resolver import Resolved, resolve
from panda_gnn.datasets.synthetic import (
    TOPOLOGIES,
    hub,
    one_radius,
    transfer,
    tree_neighbors_match,
    two_radius,
)

__all__ = [
    "DATASETS",
    "TOPOLOGIES",
    "DatasetEntry",
    "Resolved",
    "data_root",
    "hub",
    "load",
    "one_radius",
    "prepare",
    "resolve",
    "transfer",
    "tree_neighbors_match",
    "two_radius",
]
