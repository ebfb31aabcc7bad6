"""The six graph classification sets of the TU collection."""

from __future__ import annotations

from torch_geometric.datasets import TUDataset
from torch_geometric.transforms import Constant

from panda_gnn.datasets.entry import DatasetEntry


def _tu(
    printed: str,
    num_graphs: int,
    average_nodes: float,
    average_edges: float,
    num_features: int,
    num_classes: int,
    citation: str,
) -> DatasetEntry:
    parts = ("A", "graph_indicator", "graph_labels")
    return DatasetEntry(
        name=printed.lower(),
        printed=printed,
        dataset_class=TUDataset,
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
        constant_features=num_features == 0,
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
    _tu("REDDIT-BINARY", 2000, 429.63, 995.51, 0, 2, _YANARDAG),
    _tu("IMDB-BINARY", 1000, 19.77, 193.06, 0, 2, _YANARDAG),
    _tu("MUTAG", 188, 17.93, 39.59, 7, 2, _DEBNATH),
    _tu("ENZYMES", 600, 32.63, 124.27, 3, 6, f"{_BORGWARDT}; {_SCHOMBURG}"),
    _tu("PROTEINS", 1113, 39.06, 145.63, 3, 2, f"{_BORGWARDT}; {_DOBSON}"),
    _tu("COLLAB", 5000, 74.49, 4914.43, 0, 3, _YANARDAG),
)
