"""Every dataset by its name."""

from __future__ import annotations

from panda_gnn.datasets.entry import DatasetEntry
from panda_gnn.datasets.node import NODE_SETS
from panda_gnn.datasets.peptides import PEPTIDE_SETS
from panda_gnn.datasets.tu import TU_SETS
from panda_gnn.registry import Registry

DATASETS: Registry[DatasetEntry] = Registry(
    "dataset", {entry.name: entry for entry in (*TU_SETS, *NODE_SETS, *PEPTIDE_SETS)}
)
"""Every dataset that :func:`panda_gnn.datasets.load` knows, in the order of the paper's tables."""

__all__ = ["DATASETS", "DatasetEntry"]
