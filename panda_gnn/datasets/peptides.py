"""The two peptide sets of the long-range graph benchmark.

Both have the same 15,535 molecules. An atom has nine categories, a bond three; what each can be is
:data:`ATOM_CATEGORIES` and :data:`BOND_CATEGORIES`, the vocabulary of the Open Graph Benchmark.
"""

from __future__ import annotations

import torch
from torch_geometric.data import InMemoryDataset
from torch_geometric.datasets import LRGBDataset

from panda_gnn.datasets.entry import DatasetEntry

SPLITS = ("train", "val", "test")

ATOM_CATEGORIES = (119, 5, 12, 12, 10, 6, 6, 2, 2)
"""Element, chirality, degree, charge, hydrogens, radicals, hybridisation, aromatic, in a ring."""

BOND_CATEGORIES = (5, 6, 2)
"""Kind of bond, stereo configuration, conjugated."""


def joined(parts: list[InMemoryDataset]) -> InMemoryDataset:
    """The first of ``parts`` with the graphs of all of them, one part after the other."""
    whole = parts[0]
    for part in parts[1:]:
        for key, slices in part.slices.items():
            ours = whole.slices[key]
            whole.slices[key] = torch.cat([ours, ours[-1] + slices[1:]])
            dim = whole._data.__cat_dim__(key, whole._data[key])
            whole._data[key] = torch.cat([whole._data[key], part._data[key]], dim=dim)
    return whole


def _peptides(printed: str, task: str, num_targets: int, fingerprint: str = "") -> DatasetEntry:
    name = printed.lower()
    archive = LRGBDataset.dwnld_file_name[name]
    return DatasetEntry(
        name=name,
        printed=printed,
        dataset_class=LRGBDataset,
        home=name,
        archive=f"lrgb/{archive}.zip",
        url=LRGBDataset.urls[name],
        folder_in_archive=archive,
        raw_names=tuple(f"{split}.pt" for split in SPLITS),
        processed_names=tuple(f"{split}.pt" for split in SPLITS),
        task=task,
        num_classes=num_targets,
        num_graphs=15535,
        split_sizes=(10873, 2331, 2331),
        average_nodes=150.94,
        average_edges=307.30,
        num_features=len(ATOM_CATEGORIES),
        fingerprint=fingerprint,
        citation="Dwivedi et al., Long range graph benchmark, NeurIPS 2022; made of Singh et al., "
        "SATPdb: a database of structurally annotated therapeutic peptides, "
        "Nucleic Acids Research 44, 2016",
    )


PEPTIDE_SETS = (
    _peptides("Peptides-func", "multi-label", 10, "727c43cc11adc8be88f6a516e459811b"),
    _peptides("Peptides-struct", "regression", 11),
)
