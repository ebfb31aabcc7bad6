"""The six node classification sets, and Squirrel without its duplicates.

Each is one graph, made simple and undirected (the files of four of them are directed and have
self-loops), with ten public splits as columns of ``train_mask``, ``val_mask`` and ``test_mask``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.datasets import Planetoid, WebKB, WikipediaNetwork
from torch_geometric.transforms import BaseTransform, Compose
from torch_geometric.utils import remove_self_loops, to_undirected

from panda_gnn.datasets.entry import DatasetEntry, LooseFile


class Simplify(BaseTransform):
    """Makes every edge undirected, drops self-loops, and makes the masks of the splits boolean."""

    def forward(self, data: Any) -> Any:
        edge_index, _ = remove_self_loops(data.edge_index)
        data.edge_index = to_undirected(edge_index, num_nodes=data.num_nodes)
        for key in ("train_mask", "val_mask", "test_mask"):
            data[key] = data[key].bool()
        return data


class DropDuplicates(BaseTransform):
    """Drops nodes that repeat another node's links and label, as many of Squirrel's do.

    A node to which no edge leads is a duplicate if another node has the same outgoing edges and the
    same label; it is dropped, but one node of every such group stays. Nodes to which an edge leads
    all stay. To be applied while the edges are directed.
    """

    def forward(self, data: Any) -> Any:
        return data.subgraph(self.kept(data))

    def kept(self, data: Data) -> Tensor:
        """The mask of the nodes that stay."""
        num_nodes = int(data.num_nodes or 0)
        source, target = data.edge_index
        pointed_at = torch.zeros(num_nodes, dtype=torch.bool)
        pointed_at[target] = True
        outgoing: list[list[int]] = [[] for _ in range(num_nodes)]
        for u, v in zip(source.tolist(), target.tolist(), strict=True):
            outgoing[u].append(v)
        looks = [
            (label, *sorted(links)) for label, links in zip(data.y.tolist(), outgoing, strict=True)
        ]
        seen = {looks[node] for node in pointed_at.nonzero().view(-1).tolist()}
        kept = pointed_at.clone()
        for node in (~pointed_at).nonzero().view(-1).tolist():
            if looks[node] not in seen:
                seen.add(looks[node])
                kept[node] = True
        return kept


_GEOM_GCN_URLS = {
    WebKB: WebKB.url,
    WikipediaNetwork: WikipediaNetwork.processed_url,
    Planetoid: Planetoid.geom_gcn_url,
}
_GEOM_GCN_FILES = ("out1_node_feature_label.txt", "out1_graph_edges.txt")
PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")


def planetoid_files(name: str) -> list[LooseFile]:
    """The raw files of a dataset of Planetoid, by its name in small letters."""
    names = [f"ind.{name}.{part}" for part in PLANETOID_PARTS]
    return [LooseFile(file, f"planetoid/{file}", f"{Planetoid.url}/{file}") for file in names]


def _node(
    printed: str,
    dataset_class: type[InMemoryDataset],
    num_nodes: int,
    num_edges: int,
    num_features: int,
    num_classes: int,
    citation: str,
    fingerprint: str,
) -> DatasetEntry:
    name = printed.lower()
    url = _GEOM_GCN_URLS[dataset_class]

    def of_geom_gcn(file: str, folder: str) -> LooseFile:
        return LooseFile(file, f"geom-gcn/{folder}/{file}", f"{url}/{folder}/{file}")

    home, options = name, {}
    if dataset_class is Planetoid:
        home, options = f"{printed}/geom-gcn", {"split": "geom-gcn"}
        files = planetoid_files(name)
    else:
        if dataset_class is WikipediaNetwork:
            home = f"{name}/geom_gcn"
        files = [of_geom_gcn(file, f"new_data/{name}") for file in _GEOM_GCN_FILES]
    splits = [f"{name}_split_0.6_0.2_{number}.npz" for number in range(10)]
    files += [of_geom_gcn(file, "splits") for file in splits]
    return DatasetEntry(
        name=name,
        printed=printed,
        dataset_class=dataset_class,
        options=options,
        prepare=Simplify(),
        home=home,
        loose_files=tuple(files),
        raw_names=tuple(file.name for file in files),
        task="node-classification",
        num_classes=num_classes,
        num_graphs=1,
        average_nodes=num_nodes,
        average_edges=num_edges,
        num_features=num_features,
        fingerprint=fingerprint,
        citation=citation,
    )


def _without_duplicates(
    entry: DatasetEntry, num_nodes: int, num_edges: int, fingerprint: str
) -> DatasetEntry:
    """The same files, other graphs: in a folder of its own."""
    return replace(
        entry,
        name=f"{entry.name}-filtered",
        printed=f"{entry.printed}-filtered",
        pyg_name=entry.name,
        prepare=Compose([DropDuplicates(), Simplify()]),
        below="filtered",
        average_nodes=num_nodes,
        average_edges=num_edges,
        fingerprint=fingerprint,
        citation=f"{entry.citation}; the duplicates: {_PLATONOV}",
    )


_PEI = "Pei et al., Geom-GCN: Geometric graph convolutional networks, ICLR 2020"
_ROZEMBERCZKI = (
    "Rozemberczki et al., Multi-scale attributed node embedding, Journal of Complex Networks 9(2), "
    f"2021; in the classes and splits of {_PEI}"
)
_YANG = (
    "Yang et al., Revisiting semi-supervised learning with graph embeddings, ICML 2016; "
    f"in the splits of {_PEI}"
)
_PLATONOV = (
    "Platonov et al., A critical look at the evaluation of GNNs under heterophily: are we really "
    "making progress?, ICLR 2023"
)
_SQUIRREL = _node(
    "Squirrel",
    WikipediaNetwork,
    5201,
    396706,
    2089,
    5,
    _ROZEMBERCZKI,
    "929b5c91ac366349343822450bb4697e",
)

NODE_SETS = (
    _node("Texas", WebKB, 183, 558, 1703, 5, _PEI, "9a6980f9bca722abdf99fd87f534f4c9"),
    _node("Cornell", WebKB, 183, 554, 1703, 5, _PEI, "eaaedb5b33fc5f23f82684c1eb19d343"),
    _node("Wisconsin", WebKB, 251, 900, 1703, 5, _PEI, "6862622ef6fe8a77e35199ae859a268b"),
    _SQUIRREL,
    _node("Cora", Planetoid, 2708, 10556, 1433, 7, _YANG, "d4c4044a8d66bd34e0c6148fc83e135a"),
    _node("CiteSeer", Planetoid, 3327, 9104, 3703, 6, _YANG, "7ddb997519aa761d2479cddce0d4edaa"),
    _without_duplicates(_SQUIRREL, 2218, 93674, "c0ff84d600de1611349a1e292f38edcb"),
)
