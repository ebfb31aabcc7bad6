"""The six graph classification sets of the TU collection."""

from __future__ import annotations

from pathlib import Path

import torch
from torch_geometric.datasets import TUDataset
from torch_geometric.transforms import Constant

from panda_gnn.datasets.entry import DatasetEntry
from panda_gnn.datasets.tu_files import read_tu


class FastTUDataset(TUDataset):
    """PyG's class, which reads its text files by :func:`~panda_gnn.datasets.tu_files.read_tu`."""

    def process(self) -> None:
        """Read the text files and write what PyG's own class would write."""
        self.data, self.slices, sizes = read_tu(Path(self.raw_dir), self.name)
        if self.pre_transform is not None:
            graphs = [self.pre_transform(self.get(index)) for index in range(len(self))]
            self.data, self.slices = self.collate(graphs)
            self._data_list = None
        content = (self._data.to_dict(), self.slices, sizes, type(self._data))
        torch.save(content, self.processed_paths[0])


def _tu(
    printed: str,
    num_graphs: int,
    average_nodes: float,
    average_edges: float,
    num_features: int,
    num_classes: int,
    citation: str,
    fingerprint: str,
) -> DatasetEntry:
    parts = ("A", "graph_indicator", "graph_labels")
    return DatasetEntry(
        name=printed.lower(),
        printed=printed,
        dataset_class=FastTUDataset,
        prepare=Constant() if num_features == 0 else None,
        archive=f"tudataset/{printed}.zip",
        url=f"{TUDataset.url}/{printed}.zip",
        raw_names=tuple(f"{printed}_{part}.txt" for part in parts),
        task="graph-classification",
        num_classes=num_classes,
        num_graphs=num_graphs,
        average_nodes=average_nodes,
        average_edges=average_edges,
        num_features=num_features or 1,
        features="x" if num_features else "constant",
        fingerprint=fingerprint,
        citation=f"{citation}; collected in {_MORRIS}",
    )


_MORRIS = (
    "Morris et al., TUDataset: A collection of benchmark datasets for learning with graphs, "
    "ICML GRL+ workshop, 2020"
)
_DEBNATH = (
    "Debnath et al., Structure-activity relationship of mutagenic aromatic and heteroaromatic "
    "nitro compounds, Journal of Medicinal Chemistry 34(2), 1991"
)
_SCHOMBURG = (
    "Schomburg et al., BRENDA, the enzyme database: updates and major new developments, "
    "Nucleic Acids Research 32, 2004"
)
_BORGWARDT = (
    "Borgwardt et al., Protein function prediction via graph kernels, Bioinformatics 21, 2005"
)
_DOBSON = (
    "Dobson and Doig, Distinguishing enzyme structures from non-enzymes without alignments, "
    "Journal of Molecular Biology 330(4), 2003"
)
_YANARDAG = "Yanardag and Vishwanathan, Deep graph kernels, KDD 2015"

TU_SETS = (
    _tu("REDDIT-BINARY", 2000, 429.63, 995.51, 0, 2, _YANARDAG, "d4250da77e0f64abccadcef6bd187f56"),
    _tu("IMDB-BINARY", 1000, 19.77, 193.06, 0, 2, _YANARDAG, "4815c742fd3b8dc732246066c2aba023"),
    _tu("MUTAG", 188, 17.93, 39.59, 7, 2, _DEBNATH, "e76f3237b526c244a75afeee79d0c273"),
    _tu(
        "ENZYMES",
        600,
        32.63,
        124.27,
        3,
        6,
        f"{_BORGWARDT}; {_SCHOMBURG}",
        "95e1302347c6e508fd8337f9e2159158",
    ),
    _tu(
        "PROTEINS",
        1113,
        39.06,
        145.63,
        3,
        2,
        f"{_BORGWARDT}; {_DOBSON}",
        "068315f5846bbcfc36728cb8caf6f1b3",
    ),
    _tu("COLLAB", 5000, 74.49, 4914.43, 0, 3, _YANARDAG, "49157405e854cc9a21d4fb8b2709b178"),
)
