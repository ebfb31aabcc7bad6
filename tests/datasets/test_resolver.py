"""Whatever names or is a dataset: what is read, and what a malformed input is told."""

from __future__ import annotations

import os
import pickle
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import pytest
import torch
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets import DATASETS, load, resolve, resolver
from panda_gnn.datasets.csv_graphs import read_csv_folder
from panda_gnn.datasets.resolver import is_own
from panda_gnn.datasets.tables import read_edges
from panda_gnn.errors import InputError

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
Files = dict[str, str | bytes | Callable[[Path], Any]]


def graphs(count: int = 12) -> list[Data]:
    return [
        Data(x=torch.full((3, 2), float(i)), edge_index=EDGES, y=torch.tensor([i % 2]))
        for i in range(count)
    ]


def save(content: Any) -> Callable[[Path], Any]:
    return lambda path: torch.save(content, path)


def write(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)


def csv_folder(count: int = 12) -> Files:
    """Paths and triangles as edge lists with a table of labels."""
    files: Files = {
        f"g/{i}.csv": "source,target\na,b\nb,c\n" + ("c,a\n" if i % 2 else "") for i in range(count)
    }
    lines = [f"{i},{'triangle' if i % 2 else 'path'}" for i in range(count)]
    return {**files, "g/labels.csv": "graph,label\n" + "\n".join(lines) + "\n"}


def tu_folder(**parts: str) -> Files:
    """Twelve graphs of two nodes in the raw format of the TU collection."""
    pairs = [(2 * i + 1, 2 * i + 2) for i in range(12)]
    content = {
        "A": "".join(f"{u}, {v}\n{v}, {u}\n" for u, v in pairs),
        "graph_indicator": "".join(f"{i}\n{i}\n" for i in range(1, 13)),
        "graph_labels": "".join(f"{i % 2}\n" for i in range(12)),
        **parts,
    }
    return {f"tu/OWN_{part}.txt": text for part, text in content.items() if text}


def node_table(rows: int = 12, label: Callable[[int], object] = lambda i: i % 2) -> Files:
    """A ring of nodes with a feature and a class each."""
    edges = "".join(f"{i} {(i + 1) % rows}\n" for i in range(rows))
    lines = "".join(f"{i},{i / 2},{label(i)}\n" for i in range(rows))
    return {"ring.csv": edges.replace(" ", ","), "ring.nodes.csv": f"id,size,label\n{lines}"}


def test_saved_graphs_in_every_form(tmp_path: Path) -> None:
    processed = InMemoryDataset.collate(graphs())
    forms: dict[str, Any] = {
        "list.pt": graphs(),
        "processed.pt": (processed[0].to_dict(), processed[1], Data),
        "with_sizes.pt": (processed[0].to_dict(), processed[1], {"num_node_labels": 2}, Data),
        "older.pt": processed,
    }
    for name, content in forms.items():
        torch.save(content, tmp_path / name)
        found = resolve(tmp_path / name)
        assert found.entry.task == "graph-classification", name
        assert found.entry.num_graphs == 12
        assert found.dataset[3].x.tolist() == [[3.0, 3.0]] * 3
        assert torch.equal(found.dataset[3].edge_index, EDGES)
    whole = Data(x=torch.ones(12, 1), edge_index=EDGES, y=torch.arange(12) % 3)
    torch.save(whole, tmp_path / "one.pt")
    assert resolve(str(tmp_path / "one.pt")).entry.task == "node-classification"


def test_a_folder_of_edge_lists(tmp_path: Path) -> None:
    write(tmp_path, csv_folder())
    found = resolve(tmp_path / "g")
    assert found.entry.num_graphs == 12
    assert [data.num_edges for data in found.dataset][:2] == [4, 6]
    assert [int(data.y) for data in found.dataset][:4] == [0, 1, 0, 1]
    assert "without features, the number 1 is used" in found.summary
    assert resolve(f"{tmp_path / 'g'}?features=degree&split=cv4").entry.split == "cv4"


def test_a_folder_in_the_raw_format_of_the_tu_collection(tmp_path: Path) -> None:
    write(tmp_path, tu_folder())
    found = resolve(tmp_path / "tu")
    assert found.entry.num_graphs == 12
    assert found.entry.task == "graph-classification"
    assert found.dataset[5].edge_index.tolist() == [[0, 1], [1, 0]]
    labels = "".join(f"{(-1) ** i}\n" for i in range(12))
    write(tmp_path, tu_folder(graph_labels=labels))
    signed = resolve(tmp_path / "tu")
    assert signed.entry.classes == (-1, 1)
    assert [int(data.y) for data in signed.graphs][:3] == [1, -1, 1]
    assert [int(data.y) for data in signed.dataset][:3] == [1, 0, 1]


def test_a_graph_with_a_table_of_nodes(tmp_path: Path) -> None:
    write(tmp_path, node_table(label=lambda i: "even" if i % 2 == 0 else "odd"))
    found = resolve(str(tmp_path / "ring.csv"))
    assert found.entry.task == "node-classification"
    assert found.dataset[0].x[3].tolist() == [1.5]
    assert found.dataset[0].y.tolist() == [0, 1] * 6
    split = "id,label,split\n" + "".join(
        f"{i},{i % 2},{('train', 'val', 'test')[i % 3]}\n" for i in range(12)
    )
    write(tmp_path, {"ring.nodes.csv": split})
    found = resolve(str(tmp_path / "ring.csv"))
    assert found.entry.split == "masks"
    assert found.dataset[0].val_mask.view(-1).nonzero().view(-1).tolist() == [1, 4, 7, 10]


def test_masks_in_a_table_of_nodes_are_no_features(tmp_path: Path) -> None:
    """The test nodes of one's own split must not be told to the model."""
    table = "id,label,size,train_mask,val_mask,test_mask\n" + "".join(
        f"{i},{i % 2},{i},{int(i < 6)},{int(6 <= i < 9)},{int(i >= 9)}\n" for i in range(12)
    )
    write(tmp_path, {"ring.csv": node_table()["ring.csv"], "ring_nodes.tsv": table})
    found = resolve(str(tmp_path / "ring.csv"))
    assert found.entry.split == "masks"
    assert found.dataset[0].x.tolist() == [[float(i)] for i in range(12)]
    assert found.dataset[0].test_mask.view(-1).nonzero().view(-1).tolist() == [9, 10, 11]


@pytest.mark.parametrize("kind", ["networkx", "graphml"])
def test_masks_of_other_graphs_are_no_features(kind: str, tmp_path: Path) -> None:
    graph = nx.path_graph(12)
    for node in graph:
        parts = {"train_mask": node < 6, "val_mask": 6 <= node < 9, "test_mask": node >= 9}
        graph.nodes[node].update(parts, y=node % 2, size=float(node))
    nx.write_graphml(graph, tmp_path / "a.graphml")
    source: Any = graph if kind == "networkx" else str(tmp_path / "a.graphml")
    found = resolve(source)
    assert found.entry.split == "masks"
    assert found.dataset[0].x.tolist() == [[float(i)] for i in range(12)]
    assert found.dataset[0].val_mask.view(-1).nonzero().view(-1).tolist() == [6, 7, 8]
    for node in graph:
        graph.nodes[node]["val_mask"] = 2
    with pytest.raises(InputError, match="val_mask of node 0 is 2"):
        resolve(graph)
    for node in graph:
        del graph.nodes[node]["val_mask"]
    with pytest.raises(InputError, match="have test_mask, train_mask and no val_mask"):
        resolve(graph)


def test_quoted_fields(tmp_path: Path) -> None:
    """What stands between quotation marks is one field, whatever is in it."""
    lines = ['"from"\t"to"', '"New York, NY"\t"#1 ""x"" 50%"', 'Ulm\t"New York, NY"  # a remark']
    write(tmp_path, {"a.tsv": "\n".join(lines), "b.csv": '"a,b";"c d"\n"a,b";e\n"lonely one"\n'})
    tabs = read_edges(tmp_path / "a.tsv")
    assert tabs.edges == [("New York, NY", '#1 "x" 50%'), ("Ulm", "New York, NY")]
    assert read_edges(tmp_path / "b.csv").names == ["a,b", "c d", "e", "lonely one"]
    write(tmp_path, {"c.txt": '"a b" "c"\n'})
    assert read_edges(tmp_path / "c.txt").edges == [("a b", "c")]


def labelled(*labels: str, last: str = "") -> Files:
    """Twelve graphs with these labels in turn; the last has another one where one is said."""
    rows = [labels[i % len(labels)] for i in range(12)]
    rows[-1] = last or rows[-1]
    return {
        **csv_folder(),
        "g/labels.csv": "graph,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(rows)),
    }


@pytest.mark.parametrize("gap", ["NA", "nan", "N/A", "null", "None", "inf", "-Infinity", "1e999"])
@pytest.mark.parametrize("labels", [("2.5", "10.5"), ("0", "1")])
def test_a_missing_number_among_targets_is_no_class(
    gap: str, labels: tuple[str, str], tmp_path: Path
) -> None:
    says = f"line 13: the target is '{gap}' and others are numbers: give a number"
    write(tmp_path, labelled(*labels, last=gap))
    with pytest.raises(InputError, match=f"labels.csv', {says}"):
        resolve(tmp_path / "g")
    write(tmp_path, node_table(label=lambda i: gap if i == 11 else labels[i % 2]))
    with pytest.raises(InputError, match=f"ring.nodes.csv', {says}"):
        resolve(tmp_path / "ring.csv")


def test_a_missing_number_in_other_sources_names_its_place(tmp_path: Path) -> None:
    graph = nx.path_graph(12)
    nx.set_node_attributes(graph, {node: float(node) for node in graph}, "y")
    graph.nodes[7]["y"] = float("nan")
    says = "node 7: the target is 'nan' and others are numbers"
    with pytest.raises(InputError, match=f"^{says}"):
        resolve(graph)
    (tmp_path / "a.gml").write_text("\n".join(nx.generate_gml(graph)))
    with pytest.raises(InputError, match=f"a.gml': {says}"):
        resolve(tmp_path / "a.gml")
    nx.set_node_attributes(graph, {node: "null" if node == 7 else "3" for node in graph}, "y")
    nx.write_graphml(graph, tmp_path / "a.graphml")
    line = (tmp_path / "a.graphml").read_text().partition('id="7"')[0].count("\n") + 1
    with pytest.raises(InputError, match=f"line {line}: the target is 'null'"):
        resolve(tmp_path / "a.graphml")
    for number, ring in enumerate(rings := [nx.cycle_graph(3) for _ in range(12)]):
        ring.graph["label"] = "NA" if number == 4 else str(number % 2)
    with pytest.raises(InputError, match=r"^graph 4: the target is 'NA'"):
        resolve(rings)


def test_words_for_nothing_are_classes_among_words(tmp_path: Path) -> None:
    write(tmp_path, labelled("none", "NA", "nan"))
    assert resolve(tmp_path / "g").entry.classes == ("NA", "nan", "none")


def test_whole_numbers_are_targets_to_the_last_digit(tmp_path: Path) -> None:
    write(tmp_path, labelled("9007199254740992", "9007199254740993", "2.0"))
    labels = [int(data.y) for data in resolve(tmp_path / "g").graphs]
    assert labels[:3] == [2**53, 2**53 + 1, 2]
    graph = nx.path_graph(12)
    nx.set_node_attributes(graph, {node: 2**53 + node for node in graph}, "y")
    nx.write_graphml(graph, tmp_path / "a.graphml")
    for source in (graph, tmp_path / "a.graphml"):
        assert resolve(source).graphs[0].y.tolist() == [2**53 + node for node in graph]
    write(tmp_path, labelled("0", "1", last="10000000000000000001"))
    with pytest.raises(InputError, match="line 13: the target 10000000000000000001 does not fit"):
        resolve(tmp_path / "g")


def test_words_are_classes_however_many_and_no_numbers(tmp_path: Path) -> None:
    write(tmp_path, csv_folder())
    says = "graph-regression needs numbers as targets, got words such as 'path'"
    with pytest.raises(InputError, match=says):
        assert resolve(f"{tmp_path}/g?task=regression").entry
    with pytest.raises(InputError, match="graph-multi-label needs numbers"):
        assert resolve(tmp_path / "g", task="multi-label").entry
    assert resolve(tmp_path / "g", task="classification").entry.num_classes == 2
    write(tmp_path, node_table(rows=120, label=lambda i: f"kind {i}"))
    entry = resolve(tmp_path / "ring.csv").entry
    assert (entry.task, entry.num_classes) == ("node-classification", 120)


def test_edge_attributes_are_kept_and_it_is_said_who_reads_them() -> None:
    bonds = torch.arange(8.0).view(4, 2)
    with_bonds = [Data(x=d.x, edge_index=d.edge_index, edge_attr=bonds, y=d.y) for d in graphs()]
    resolved = resolve(with_bonds)
    assert resolved.summary.endswith("; edge_attr is read by the backbone gine alone")
    assert "edge_attr" not in resolve(graphs()).summary
    # Both directions of an edge have the mean of theirs.
    kept, given = resolved.graphs[0], with_bonds[0]
    for (u, v), row in zip(kept.edge_index.t().tolist(), kept.edge_attr, strict=True):
        theirs = [
            bonds[i] for i, ends in enumerate(given.edge_index.t().tolist()) if {*ends} == {u, v}
        ]
        assert torch.allclose(row, torch.stack(theirs).mean(0))
    some = resolve([*with_bonds[:-1], graphs()[-1]])
    assert some.summary.endswith("; edge_attr is left out")


def test_lists_of_numbers_are_taken() -> None:
    listed = [
        Data(x=d.x.tolist(), edge_index=d.edge_index, y=d.y.tolist(), edge_weight=[[0.5]] * 4)
        for d in graphs()
    ]
    found = resolve(listed)
    assert found.entry.task == "graph-classification"
    assert found.dataset[3].x.tolist() == [[3.0, 3.0]] * 3
    assert found.dataset[3].edge_weight.tolist() == [0.5] * 4


def test_words_as_targets_of_graphs(tmp_path: Path) -> None:
    words = ["ring", "path"] * 6
    named = [
        Data(x=d.x, edge_index=d.edge_index, y=y) for d, y in zip(graphs(), words, strict=True)
    ]
    torch.save(named, tmp_path / "a.pt")
    found = resolve(str(tmp_path / "a.pt"))
    assert found.entry.classes == ("path", "ring")
    assert [int(data.y) for data in found.dataset] == [1, 0] * 6
    assert named[0].y == "ring"
    rings = [nx.cycle_graph(3 + i % 2) for i in range(12)]
    for ring, word in zip(rings, words, strict=True):
        ring.graph["label"] = word
    assert resolve(rings).entry.classes == ("path", "ring")


def test_columns_weights_and_marks(tmp_path: Path) -> None:
    """A line with names of columns is no edge, and weights are kept."""
    write(
        tmp_path,
        {
            "a.csv": "\ufefffrom;to;weight\r\nx;y;2\r\ny;z;0.5\r\n",
            "b.tsv": "km\tstart\tend\n2\tx\ty\n0.5\ty\tz\n",
            "c.edges": "x y 2\ny z 0.5\n",
        },
    )
    for name in ("a.csv", "b.tsv?source=start&target=3&weight=km", "c.edges"):
        data = resolve(f"{tmp_path}/{name}").graphs[0]
        assert data.num_nodes == 3, name
        assert data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
        assert data.edge_weight.tolist() == [2.0, 2.0, 0.5, 0.5]


def test_numbers_of_any_size_are_names(tmp_path: Path) -> None:
    write(tmp_path, {"big.csv": "1000000000000,5\n5,7\n"})
    assert resolve(tmp_path / "big.csv").graphs[0].num_nodes == 3


@pytest.mark.parametrize("kind", ["graphml", "gml"])
def test_graph_files_with_attributes(kind: str, tmp_path: Path) -> None:
    graph = nx.cycle_graph(12, create_using=nx.DiGraph)
    for node in graph:
        graph.nodes[node].update(age=node / 2, target=node % 3)
    path = tmp_path / f"net.{kind}"
    (nx.write_graphml if kind == "graphml" else nx.write_gml)(graph, path)
    found = resolve(path)
    assert found.entry.task == "node-classification"
    assert found.entry.num_classes == 3
    assert found.dataset[0].x.view(-1).tolist() == [i / 2 for i in range(12)]
    assert "it is directed, edges are used in both directions" in found.summary
    assert found.dataset[0].num_edges == 24


def test_objects_of_networkx_and_igraph() -> None:
    graph = nx.path_graph(12)
    nx.set_node_attributes(graph, {node: node % 2 for node in graph}, "y")
    nx.set_edge_attributes(graph, 0.5, "weight")
    found = resolve(graph)
    assert found.dataset[0].y.tolist() == [0, 1] * 6
    assert set(found.dataset[0].edge_weight.tolist()) == {0.5}
    same = igraph.Graph.Ring(12, circular=False)
    same.vs["y"] = [node % 2 for node in range(12)]
    same.es["weight"] = [0.5] * 11
    assert torch.equal(resolve(same).dataset[0].edge_index, found.dataset[0].edge_index)
    rings = [nx.cycle_graph(3 + i % 2, create_using=nx.Graph) for i in range(12)]
    for i, ring in enumerate(rings):
        ring.graph["label"] = i % 2
    assert resolve(rings).entry.task == "graph-classification"
    assert resolve(graphs()).entry.num_graphs == 12


def test_a_graph_is_the_same_as_an_object_and_as_a_file(tmp_path: Path) -> None:
    graph = nx.cycle_graph(12)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = number if number % 2 else number + 0.5
    for node in graph:
        graph.nodes[node].update(size=node if node % 2 else node / 4, y=node % 3)
    nx.write_graphml(graph, tmp_path / "a.graphml")
    nx.write_gml(graph, tmp_path / "a.gml")
    prints = {
        resolve(s).entry.fingerprint for s in (graph, tmp_path / "a.graphml", tmp_path / "a.gml")
    }
    assert len(prints) == 1
    assert resolve(tmp_path / "a.graphml").dataset[0].edge_weight.unique().numel() == 12


def test_what_only_some_nodes_or_edges_have_is_said(tmp_path: Path) -> None:
    graph = nx.cycle_graph(12)
    nx.set_node_attributes(graph, {node: node % 2 for node in graph}, "y")
    graph.nodes[3]["size"] = 1.0
    nx.write_graphml(graph, tmp_path / "a.graphml")
    for source in (graph, tmp_path / "a.graphml"):
        assert "without features, the number 1 is used" in resolve(source).summary
    graph[0][1]["weight"] = 2.0
    with pytest.raises(InputError, match="some edges have a weight and some have none"):
        resolve(graph)


def test_module_and_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path,
        {
            "mydata_of_tests.py": "from tests.datasets.test_resolver import graphs\n"
            "listed = graphs()\nbroken = 3\ndef fails():\n    return 1 / 0\n"
        },
    )
    monkeypatch.chdir(tmp_path)
    for name in ("listed", "graphs"):
        assert resolve(f"mydata_of_tests:{name}").entry.num_graphs == 12
    for name, message in (
        ("none", "has no none"),
        ("broken", "holds a int"),
        ("fails", "raised ZeroDivisionError"),
    ):
        with pytest.raises(InputError, match=message):
            resolve(f"mydata_of_tests:{name}")
    with pytest.raises(InputError, match="cannot be imported"):
        resolve("no_such_module_here:data")


def test_directed_edges_are_said_and_used_in_both_directions() -> None:
    one_way = Data(x=torch.ones(12, 1), edge_index=EDGES[:, :1], y=torch.arange(12) % 2)
    found = resolve(one_way)
    assert found.dataset[0].edge_index.tolist() == [[0, 1], [1, 0]]
    assert "it is directed" in found.summary
    assert "directed" not in resolve(graphs()).summary


def test_registries_and_load_take_own_data(tmp_path: Path) -> None:
    torch.save(graphs(), tmp_path / "own.pt")
    name = str(tmp_path / "own.pt")
    assert is_own(name)
    assert not is_own("mutag")
    assert DATASETS[name].fingerprint == DATASETS.lookup(name).fingerprint != ""
    assert len(load(name)) == 12
    first = DATASETS[name].fingerprint
    torch.save(graphs(14), tmp_path / "own.pt")
    assert DATASETS[name].fingerprint != first


def test_built_in_names_and_choices(shared_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    plain = resolve("mutag")
    assert plain.entry is DATASETS["mutag"]
    folds = resolve("mutag?split=cv10")
    assert folds.entry.split == "cv10"
    assert folds.entry.num_graphs == 188
    assert resolve("mutag", split="cv5").entry.split == "cv5"


class Rogue:
    """Would run code when unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('the file ran code')",)


def graph_with(**values: Any) -> list[Data]:
    changed = graphs()
    changed[5] = Data(**{**changed[5].to_dict(), **values})
    return changed


def with_weights(weights: torch.Tensor) -> list[Data]:
    return [Data(**data.to_dict(), edge_weight=weights) for data in graphs()]


def without_targets() -> list[Data]:
    return [Data(x=data.x, edge_index=data.edge_index) for data in graphs()]


MALFORMED: list[tuple[str, Files, str]] = [
    ("a.csv", {"a.csv": ""}, "line 1: the file names no node"),
    ("a.csv", {"a.csv": "\n# nothing\n"}, "line 1: the file names no node"),
    ("a.csv", {"a.csv": "source,target\n"}, "line 1: the file has a line with names of columns"),
    ("a.csv", {"a.csv": "1,2\n3;4\n"}, "line 2: expected columns separated by commas"),
    ("a.csv", {"a.csv": "1,2\n3 4\n"}, "line 2: expected columns separated by commas"),
    ("a.csv", {"a.csv": "source,target,weight\n1,2,3\n2,3\n"}, "line 3: expected 3 columns, got 2"),
    ("a.csv", {"a.csv": "1,2,3\n2,3\n"}, "line 2: some edges have a weight"),
    ("a.csv", {"a.csv": '1,"2\n'}, "line 1: a quotation mark is not closed"),
    (
        "ring.csv",
        {**node_table(), "ring.nodes.csv": "id,y,split,val_mask\n0,1,val,1\n"},
        "line 1: expected split or masks, got split and val_mask",
    ),
    ("a.csv", {"a.csv": "1,2,heavy\n"}, "line 1: expected 'node node'"),
    ("a.csv", {"a.csv": "1,2,-3\n"}, "line 1: the weight -3 is negative"),
    ("a.csv", {"a.csv": "1,2,3,4\n"}, "line 1: expected 'node node'"),
    ("a.csv", {"a.csv": "M\xfcnchen,Ulm\n".encode("latin-1")}, "line 1: expected text in UTF-8"),
    ("a.csv", {"a.csv": b"1,2\n\0\0\n"}, "line 2: expected text, got a zero byte"),
    ("a.csv?source=here", {"a.csv": "from,to\n1,2\n"}, "line 1: there is no column 'here'"),
    ("a.csv?source=9", {"a.csv": "1,2\n"}, "line 1: there is no column '9'"),
    ("a.csv?colour=red", {"a.csv": "1,2\n"}, "unknown choice 'colour'"),
    ("a.csv?split", {"a.csv": "1,2\n"}, "expected NAME=VALUE after the question mark"),
    ("a.csv", {"a.csv": "1\n2\n3\n"}, "graph 0 has no target y"),
    ("ring.csv", {**node_table(), "ring.nodes.csv": "id,label\n"}, "line 1: expected a line with"),
    (
        "ring.csv",
        {**node_table(), "ring.nodes.csv": "id,size\n0,big\n"},
        "no line|expected a number",
    ),
    ("ring.csv", node_table(label=lambda i: ""), "line 2: the column 'label' is empty"),
    ("ring.csv", node_table(label=lambda i: 1), "one class"),
    ("ring.csv", node_table(rows=4), "there are 4 nodes with a target"),
    (
        "ring.csv",
        {**node_table(), "ring.nodes.csv": "id,label\n0,1\n0,1\n"},
        "line 3: the node '0' is there twice",
    ),
    (
        "ring.csv",
        {**node_table(), "ring.nodes.csv": "id,x\n" + "".join(f"{i},nan\n" for i in range(12))},
        "line 2: expected a number in the column 'x', got 'nan'",
    ),
    ("g", {**csv_folder(), "g/labels.csv": "graph,label\n0,a\n1,b\n"}, "no label for the graph"),
    ("g", {**csv_folder(), "g/labels.csv": "graph,label\nzero,a\n"}, "line 2: there is no file"),
    ("g", {**csv_folder(), "g/labels.csv": "graph,label\n../x,a\n"}, "line 2: '../x' is no name"),
    ("g", {**csv_folder(), "g/labels.csv": "graph\n0\n"}, "line 1: expected a column with labels"),
    (
        "g",
        {**csv_folder(), "g/labels.csv": "graph,label\n0,a\n0,b\n"},
        "line 3: the graph 0.csv is",
    ),
    ("g", csv_folder(3), "there are 3 graphs with a target"),
    ("g", {"g/a.csv": "1,2\n"}, "holds neither NAME_A.txt"),
    ("tu", tu_folder(graph_labels="1\n2\n"), "do not fit"),
    ("tu", tu_folder(graph_indicator=""), "has no OWN_graph_indicator.txt"),
    ("tu", tu_folder(A="1, 99\n"), "do not fit: an edge names a node outside 1..24"),
    ("tu", tu_folder(A="one, two\n"), "do not fit: OWN_A.txt holds something that is no number"),
    ("tu", tu_folder(graph_indicator="2\n1\n" * 12), "do not fit"),
    ("tu", tu_folder(graph_indicator="1\n" * 23 + "1000000000000\n"), "do not fit"),
    ("a.pt", {"a.pt": "just text"}, "was not written by torch.save"),
    ("a.pt", {"a.pt": lambda path: path.write_bytes(pickle.dumps(Rogue()))}, "not executed"),
    ("a.pt", {"a.pt": save(Rogue())}, "not executed"),
    ("a.pt", {"a.pt": save({"a": 1})}, "holds a dict"),
    ("a.pt", {"a.pt": save([])}, "holds a list of nothing"),
    ("a.pt", {"a.pt": save([1, 2])}, "holds a list of int"),
    ("a.pt", {"a.pt": save(without_targets())}, "graph 0 has no target y"),
    ("a.pt", {"a.pt": save(graphs(3))}, "there are 3 graphs"),
    (
        "a.pt",
        {"a.pt": save(graph_with(x=torch.full((3, 2), float("nan"))))},
        r"graph 5 has features that are no finite numbers \(node 0\)",
    ),
    ("a.pt", {"a.pt": save(graph_with(x=torch.ones(3, 9)))}, "graph 5 has 9 features"),
    ("a.pt", {"a.pt": save(graph_with(x=[["a"]]))}, r"graph 5 has x=\[\['a'\]\]: give a tensor"),
    ("a.pt", {"a.pt": save(graph_with(y="word"))}, "graph 5 has y='word': give a tensor"),
    ("a.pt", {"a.pt": save(graph_with(y=torch.tensor(1j)))}, "graph 5 has complex numbers as y"),
    ("a.pt", {"a.pt": save(graph_with(num_nodes=float("inf")))}, "graph 5 has num_nodes=inf"),
    (
        "a.pt",
        {"a.pt": save(with_weights(torch.tensor(1.0)))},
        "graph 0 has no finite edge_weight for each of its edges",
    ),
    (
        "a.pt",
        {"a.pt": save(with_weights(torch.full((4,), -1.0)))},
        "graph 0 has a negative edge_weight",
    ),
    ("a.pt", {"a.pt": save(graph_with(edge_index=EDGES + 7))}, "graph 5 has an edge to a node"),
    (
        "a.pt",
        {"a.pt": save(Data(edge_index=torch.tensor([[0], [10**12]])))},
        "at most 10000000 nodes are accepted",
    ),
    ("a.graphml", {"a.graphml": "<graphml>"}, "line 1: not well-formed XML"),
    ("a.gml", {"a.gml": "graph [ node ["}, "is no GML"),
    ("a.doc", {"a.doc": "1 2"}, "of no kind that can be read"),
    ("missing.csv", {}, "there is no dataset, file or folder"),
]


@contextmanager
def at_most_more(size: int) -> Iterator[None]:
    """No more than so many bytes of address space beyond today's, where the system counts them."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        yield
        return
    used = int(statm.read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system counts no pages")
def test_the_limit_on_memory_holds() -> None:
    with at_most_more(300 * 2**20), pytest.raises(RuntimeError, match="memory"):
        torch.empty(400 * 2**20, dtype=torch.uint8)


@pytest.mark.parametrize(
    ("source", "files", "message"), MALFORMED, ids=[f"{i}" for i in range(len(MALFORMED))]
)
def test_malformed_inputs_get_one_sentence(
    source: str, files: Files, message: str, tmp_path: Path
) -> None:
    """With 300 MB of address space beyond what the process has already, which is what a limit of
    the system counts: whoever asks for more gets a MemoryError."""
    write(tmp_path, files)
    with at_most_more(300 * 2**20), pytest.raises(InputError, match=message) as caught:
        print(resolve(f"{tmp_path}/{source}").summary)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_an_unknown_name() -> None:
    with pytest.raises(InputError, match="unknown dataset 'mutagg'"):
        resolve("mutagg")
    with pytest.raises(InputError, match="it must be a Data, a list of them"):
        resolve(3)


def test_arguments_of_a_registered_source_are_checked() -> None:
    with resolver.SOURCES.replaced({"mine": graphs}):
        assert resolve("mine?task=classification")._own.summary
        with pytest.raises(InputError, match="unknown argument 'colour' of mine: choose one of"):
            resolve("mine?colour=red")


def test_four_sources_are_kept_and_read_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def note(name: str, root: object, mirror: object) -> str:
        read.append(Path(name).name)
        return name

    monkeypatch.setattr(resolver, "_resolved", {})
    monkeypatch.setattr(resolver, "resolve", note)
    files = [tmp_path / f"{number}.csv" for number in range(5)]
    for file in files:
        file.touch()
    for number in (0, 1, 2, 3, 0, 3, 4, 1, 0):
        assert str(resolver.resolve_once(str(files[number]))) == str(files[number])
    assert read == ["0.csv", "1.csv", "2.csv", "3.csv", "4.csv", "0.csv"]
    os.utime(files[4], ns=(1, 1))
    resolver.resolve_once(str(files[4]))
    assert read[-1] == "4.csv"


def edit(path: Path, before: str, after: str) -> None:
    """Change a file, but not its size, a millisecond after it was made."""
    changed = path.stat().st_mtime_ns + 10**6
    path.write_text(path.read_text().replace(before, after, 1))
    os.utime(path, ns=(changed, changed))


@pytest.mark.parametrize(
    ("name", "file", "before", "after"),
    [
        ("ring.csv", "ring.csv", "2,3", "2,7"),
        ("ring.csv", "ring.nodes.csv", "3,1.5,1", "3,1.5,0"),
        ("g", "g/labels.csv", "9,triangle", "9,pathpath"),
        ("g", "g/5.csv", "b,c", "c,b"),
        ("tu", "tu/OWN_graph_labels.txt", "0\n1", "1\n1"),
    ],
)
def test_an_edit_of_any_file_of_a_dataset_is_seen(
    tmp_path: Path, name: str, file: str, before: str, after: str
) -> None:
    write(tmp_path, {**csv_folder(), **node_table(), **tu_folder()})
    place = str(tmp_path / name)
    read = resolver.resolve_once(place)
    assert resolver.resolve_once(place) is read
    edit(tmp_path / file, before, after)
    assert resolver.resolve_once(place) is not read


def test_a_table_of_nodes_that_comes_later_is_seen(tmp_path: Path) -> None:
    write(tmp_path, {"ring.csv": node_table()["ring.csv"]})
    with pytest.raises(InputError, match="has no target y"):
        load(str(tmp_path / "ring.csv"))
    write(tmp_path, node_table())
    before = DATASETS[str(tmp_path / "ring.csv")].fingerprint
    assert load(str(tmp_path / "ring.csv"))[0].y.tolist() == [0, 1] * 6
    edit(tmp_path / "ring.nodes.csv", "3,1.5,1", "3,1.5,0")
    assert load(str(tmp_path / "ring.csv"))[0].y.tolist() == [0, 1, 0, 0] + [0, 1] * 4
    assert DATASETS[str(tmp_path / "ring.csv")].fingerprint != before


def test_labels_have_the_words_of_their_column(tmp_path: Path) -> None:
    lines = [f"{i},y{i % 3},{'triangle' if i % 2 else 'path'}" for i in range(12)]
    table = "\n".join(["graph,year,label", *lines]) + "\n"
    write(tmp_path, {**csv_folder(), "g/labels.csv": table})
    assert read_csv_folder(tmp_path / "g")[0].label_names == ["path", "triangle"]


def test_without_a_column_of_labels_all_others_are_targets(tmp_path: Path) -> None:
    lines = [f"{i},{i % 2},{i / 3}" for i in range(12)]
    table = "\n".join(["graph,mass,charge", *lines]) + "\n"
    write(tmp_path, {**csv_folder(), "g/labels.csv": table})
    graphs = read_csv_folder(tmp_path / "g")
    assert "label_names" not in graphs[0]
    assert graphs[3].y.tolist() == [pytest.approx([1.0, 1.0])]


def test_graphs_have_the_names_of_their_files(tmp_path: Path) -> None:
    write(tmp_path, {**csv_folder(), **node_table(), "a\x1bb.csv": "0,1\n"})
    torch.save(graphs(), tmp_path / "list.pt")
    torch.save(graphs(1), tmp_path / "one.pt")
    assert resolve(tmp_path / "g").graph_names == [f"{i}.csv" for i in range(12)]
    assert resolve(tmp_path / "ring.csv").graph_names == ["ring.csv"]
    assert resolve(tmp_path / "one.pt").graph_names == ["one.pt"]
    assert resolve(tmp_path / "a\x1bb.csv").graph_names == ["a\ufffdb.csv"]
    assert resolve(tmp_path / "list.pt").graph_names is None
    assert resolve(graphs()).graph_names is None


def test_nodes_have_the_names_of_their_table_or_library(tmp_path: Path) -> None:
    write(tmp_path, {"a.csv": "289,7\n", "a.nodes.csv": "id,size\n289,1\n7,2\n30,3\n"})
    assert resolve(tmp_path / "a.csv").node_names == ["289", "7", "30"]
    graph = nx.path_graph(["x", 2, (3, 4)])
    assert resolve(graph).node_names == ["x", "2", "(3, 4)"]
    nx.write_gml(nx.path_graph(["ann", "bob"]), tmp_path / "a.gml")
    assert resolve(tmp_path / "a.gml").node_names == ["ann", "bob"]
    assert resolve(igraph.Graph.Ring(3)).node_names == ["0", "1", "2"]
    named = igraph.Graph.Ring(3)
    named.vs["name"] = ["ann", "bob", "cy"]
    assert resolve(named).node_names == ["ann", "bob", "cy"]
    assert resolve([graph, graph]).node_names is None
    assert resolve(graphs(1)).node_names is None


def test_a_folder_without_labels_is_read_where_none_are_needed(tmp_path: Path) -> None:
    files = {name: text for name, text in csv_folder().items() if name != "g/labels.csv"}
    write(tmp_path, {**files, "g/3.nodes.csv": "id,size\n" + "a,1\nb,2\nc,3\n"})
    for i in (0, 1, 2, *range(4, 12)):
        (tmp_path / f"g/{i}.csv").unlink()
    write(tmp_path, {"g/10.csv": "y,z\n", "g/10_nodes.tsv": "id\tsize\ny\t1\nz\t2\n"})
    found = resolve(tmp_path / "g", labelled=False)
    assert found.graph_names == ["10.csv", "3.csv"]
    assert [data.x.view(-1).tolist() for data in found.graphs] == [[1, 2], [1, 2, 3]]
    with pytest.raises(InputError, match=r"neither NAME_A.txt, .* nor labels.csv beside"):
        resolve(tmp_path / "g")
    write(tmp_path, {"g/nodes.csv": "id,size\na,1\n"})
    with pytest.raises(InputError, match=r"nodes.csv' is a table of nodes of no edge list"):
        resolve(tmp_path / "g", labelled=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no edge list: give one for each graph"):
        resolve(tmp_path / "empty", labelled=False)


def test_the_entry_says_where_the_features_come_from(tmp_path: Path) -> None:
    write(tmp_path, csv_folder())
    bare, own = resolve(tmp_path / "g"), resolve(graphs())
    assert (bare.is_bare, bare.entry.features) == (True, "constant")
    assert (own.is_bare, own.entry.features) == (False, "x")
    assert resolve(tmp_path / "g", features="degree").entry.features == "degree"
    graph = nx.path_graph(12)
    nx.set_node_attributes(graph, {node: node % 2 for node in graph}, "y")
    nx.write_graphml(graph, tmp_path / "a.graphml")
    for source in (graph, tmp_path / "a.graphml"):
        assert resolve(source).entry.features == "constant"
    assert resolve(graphs(), features="constant").entry.features == "constant"


def test_a_built_in_set_without_features_is_bare(mirror: Path, shared_root: Path) -> None:
    assert resolve("imdb-binary", root=shared_root, mirror=mirror).is_bare
    folds = resolve("imdb-binary", split="cv10", root=shared_root, mirror=mirror)
    assert folds.entry.features == "constant"
    assert "the number 1 is used" in folds.summary
