"""Graphs whose class has one known cause."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from torch_geometric.utils import to_networkx

from panda_gnn.datasets import resolve
from panda_gnn.datasets.causes import CAUSES, labelled_graphs, write_csv_folder
from panda_gnn.errors import InputError


def test_the_class_follows_the_cause() -> None:
    for data in labelled_graphs("size", num_graphs=20):
        assert (data.num_nodes >= 20) == bool(data.y)
    for data in labelled_graphs("motif", num_graphs=20):
        triangles = sum(nx.triangles(to_networkx(data, to_undirected=True)).values())
        assert (triangles > 0) == bool(data.y)


def test_motifs_have_equal_sizes_and_degrees() -> None:
    graphs = labelled_graphs("motif", num_graphs=60)
    for label in (0, 1):
        part = [data for data in graphs if int(data.y) == label]
        assert {data.num_edges // 2 - data.num_nodes for data in part} == {1}
        ends = [sorted(data.edge_index[0].bincount()[-5:].tolist()) for data in part]
        assert {tuple(end) for end in ends} == {(2, 2, 3, 3, 3)}


@pytest.mark.parametrize(("hops", "alike"), [(1, True), (2, False)])
def test_two_hops_tell_the_message_and_one_does_not(hops: int, alike: bool) -> None:
    """What nodes see, by colour refinement, of two graphs of one size and different classes."""
    seen: dict[tuple[int, int], Counter[str]] = {}
    for data in labelled_graphs("message", num_graphs=12):
        graph = to_networkx(data, to_undirected=True)
        nx.set_node_attributes(graph, {v: str(data.x[v].tolist()) for v in graph}, "colour")
        found = nx.weisfeiler_lehman_subgraph_hashes(graph, node_attr="colour", iterations=hops)
        seen[data.num_nodes, int(data.y)] = Counter(found[node][-1] for node in graph)
    sizes = [size for size, label in seen if label == 0 and (size, 1) in seen]
    assert sizes
    for size in sizes:
        assert (seen[size, 0] == seen[size, 1]) == alike


@pytest.mark.parametrize("cause", CAUSES)
def test_a_folder_is_read_again(cause: str, tmp_path: Path) -> None:
    graphs = labelled_graphs(cause, num_graphs=10)
    write_csv_folder(graphs, tmp_path / cause)
    found = resolve(f"{tmp_path / cause}/")
    assert found.entry.task == "graph-classification"
    assert [int(data.y) for data in found.graphs] == [int(data.y) for data in graphs]
    for read, made in zip(found.graphs, graphs, strict=True):
        assert read.x.tolist() == made.x.tolist()
        assert sorted(read.edge_index.t().tolist()) == sorted(made.edge_index.t().tolist())


def test_the_same_seed_gives_the_same_graphs() -> None:
    first, again = (labelled_graphs("noise", num_graphs=4, seed=3) for _ in range(2))
    assert all(a.edge_index.equal(b.edge_index) for a, b in zip(first, again, strict=True))
    with pytest.raises(InputError, match="unknown cause 'luck'"):
        labelled_graphs("luck")
