"""Benchmark datasets by name, through PyG's own classes, and synthetic over-squashing tasks."""

from panda_gnn.datasets.entries import DATASETS, DatasetEntry
from panda_gnn.datasets.loading import data_root, load, prepare
from panda_gnn.datasets.resolver import Resolved, resolve
from panda_gnn.datasets.synthetic import TOPOLOGIES, transfer, tree_neighbors_match

__all__ = [
    "DATASETS",
    "TOPOLOGIES",
    "DatasetEntry",
    "Resolved",
    "data_root",
    "load",
    "prepare",
    "resolve",
    "transfer",
    "tree_neighbors_match",
]
