"""Graphs of one's own: what is read, and what a malformed file is told."""

from __future__ import annotations

import pickle
from pathlib import Path

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.datasets.files import read_graph, read_graphml
from panda_gnn.errors import InputError


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def edges_of(data: Data) -> set[tuple[str, str]]:
    """The undirected edges by the names of their ends."""
    names = data.node_names
    return {(names[u], names[v]) for u, v in data.edge_index.t().tolist() if u < v}


def graphml(nodes: str, edges: str = "", keys: str = "") -> str:
    head = '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    return f'{head}{keys}<graph edgedefault="undirected">\n{nodes}{edges}</graph>\n</graphml>\n'


@pytest.mark.parametrize(
    "content",
    [
        "0 1\n1 2\n",
        "# a comment\n\n1\t0\n  2 1 % another\n",
        "0,1\n1, 2\n",
        "0 1 0.5\r\n1 2 3e-2\r\n",
        "0 1\n1 0\n1 1\n2 1\n1 2",
        "\ufeff0 1\n1 2\n",
    ],
)
def test_edge_lists(tmp_path: Path, content: str) -> None:
    data = read_graph(written(tmp_path, "graph.txt", content))
    assert data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert data.node_names == ["0", "1", "2"]
    assert data.x.tolist() == [[1.0]] * 3


def test_names_and_nodes_without_edges(tmp_path: Path) -> None:
    data = read_graph(written(tmp_path, "social.edges", "zoe adam\nbob\nadam carl\n"))
    assert data.node_names == ["zoe", "adam", "bob", "carl"]
    assert edges_of(data) == {("zoe", "adam"), ("adam", "carl")}
    numbers = read_graph(written(tmp_path, "numbers.csv", "10,9\n100,9\n"))
    assert numbers.node_names == ["9", "10", "100"]


def test_graphml_of_networkx(tmp_path: Path) -> None:
    graph = nx.karate_club_graph()
    for node in graph:
        graph.nodes[node]["age"] = node / 2
        graph.nodes[node]["leader"] = node in (0, 33)
    path = tmp_path / "karate.graphml"
    nx.write_graphml(graph, path)
    data = read_graph(path)
    assert data.num_nodes == 34
    assert edges_of(data) == {(str(u), str(v)) for u, v in graph.edges}
    assert data.x.size(1) == 2
    assert sorted(data.x[33].tolist()) == [1.0, 16.5]


def test_graphml_takes_only_what_every_node_has(tmp_path: Path) -> None:
    keys = (
        '<key id="w" for="node" attr.name="w" attr.type="double"/>'
        '<key id="s" for="node" attr.name="s" attr.type="string"/>'
        '<key id="h" for="node" attr.name="h" attr.type="int"/>'
    )
    nodes = (
        '<node id="a"><data key="w">1</data><data key="s">x</data><data key="h">4</data></node>'
        '<node id="b"><data key="h">-1</data></node>'
    )
    text = graphml(nodes, '<edge source="b" target="a"><data key="z">9</data></edge>', keys)
    data = read_graph(written(tmp_path, "g.graphml", text))
    assert data.x.tolist() == [[4.0], [-1.0]]
    assert edges_of(data) == {("a", "b")}


def test_graphml_has_the_weights_of_edges_and_what_is_said_by_default(tmp_path: Path) -> None:
    keys = (
        '<key id="s" for="node" attr.name="size" attr.type="double"><default> 2 </default></key>'
        '<key id="m" for="node" attr.name="size" attr.type="long"/>'
        '<key id="e" for="node" attr.name="empty" attr.type="long"><default/></key>'
        '<key id="y" for="node" attr.name="label"><desc>kind</desc><default>old</default></key>'
        '<key id="w" for="edge" attr.name="weight" attr.type="double"><default>3</default></key>'
        '<key id="n" for="edge" attr.name="noise" attr.type="double"/>'
        '<key id="a" attr.name="shared" attr.type="boolean"><default>true</default></key>'
    )
    nodes = (
        '<node id="0"><data key="m">5</data></node><node id="1"/>'
        '<node id="2"><data key="y">new</data><data key="a">false</data></node>'
    )
    edges = (
        '<edge source="1" target="0"/><edge source="1" target="2">'
        '<data key="w">0.5</data><data key="n">nan</data></edge>'
    )
    data = read_graphml(written(tmp_path, "g.graphml", graphml(nodes, edges, keys)))
    assert data.x.tolist() == [[5, 1], [2, 1], [2, 0]]
    assert data.label_names == ["new", "old"]
    assert data.y.tolist() == [1, 1, 0]
    assert data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert data.edge_weight.tolist() == [3, 3, 0.5, 0.5]


def test_graphml_without_features_has_none(tmp_path: Path) -> None:
    path = written(tmp_path, "g.graphml", graphml('<node id="a"/><node id="b"/>'))
    assert "x" not in read_graphml(path)
    assert read_graph(path).x.tolist() == [[1.0]] * 2


def test_saved_data(tmp_path: Path) -> None:
    data = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]))
    torch.save(data, tmp_path / "mine.pt")
    read = read_graph(tmp_path / "mine.pt")
    assert read.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert torch.equal(read.x, torch.eye(3))
    torch.save(Data(edge_index=data.edge_index, num_nodes=5), tmp_path / "bare.pt")
    assert read_graph(tmp_path / "bare.pt").x.tolist() == [[1.0]] * 5
    torch.save(Data(edge_index=data.edge_index[:, :0], num_nodes=0), tmp_path / "none.pt")
    with pytest.raises(InputError, match="graph 0 has no nodes"):
        read_graph(tmp_path / "none.pt")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.txt", "0 1\n\n1 2 three\n", "line 3: expected 'node node' or 'node node weight'"),
        ("g.txt", "0 1 nan\n", "line 1: expected"),
        ("g.txt", "a b c d\n", "line 1: expected .* got 'a b c d'"),
        ("g.csv", "0,1\n1,\n", "line 2: expected .* got '1,'"),
        ("g.txt", "# nothing\n", "line 1: the file names no node"),
        ("g.txt", "", "line 1: the file names no node"),
        ("g.txt", b"0 1\n1 2\n\xff\xfe\n", "line 3: expected text in UTF-8"),
        ("g.graphml", graphml('<node id="a"/>\n')[:-14], "line 5: not well-formed XML"),
        ("g.graphml", graphml('<node id="a"/>\n<node id="a"/>\n'), "line 5: a node needs an id"),
        ("g.graphml", graphml("<node/>\n"), "line 4: a node needs an id"),
        (
            "g.graphml",
            graphml('<node id="a"/>\n', '<edge source="a" target="b"/>\n'),
            "line 5: the edge ends at 'b'",
        ),
        ("g.graphml", graphml('<node id="a"/>\n', '<edge source="a"/>\n'), "line 5: an edge needs"),
        ("g.graphml", graphml(""), "the file has no node"),
        ("g.graphml", "<html><body/></html>", "line 1: expected GraphML, got <html>"),
        (
            "g.graphml",
            '<!DOCTYPE graphml [<!ENTITY a "b">]>\n<graphml/>',
            "line 1: a document type definition is not accepted",
        ),
        (
            "g.graphml",
            graphml(
                '<node id="a"><data key="k">\nred</data></node>',
                keys='<key id="k" for="node" attr.type="int"/>\n',
            ),
            "line 6: expected a number, got 'red'",
        ),
        (
            "g.graphml",
            graphml(
                '<node id="a"/>\n<edge source="a" target="a"><data key="k">1</data></edge>\n',
                '<edge source="a" target="a"/>\n',
                '<key id="k" for="edge" attr.name="weight" attr.type="int"/>\n',
            ),
            "line 7: the edge has no weight and others have: give all of them one",
        ),
        ("g.pt", b"not a pickle at all", "was not written by torch.save"),
        ("g.doc", "0 1", "unknown kind of graph file '.doc': choose one of .txt"),
    ],
)
def test_malformed_files_get_one_sentence(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_graph(written(tmp_path, name, content))
    assert "\n" not in str(caught.value)


class Rogue:
    """Would run code when unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('the file ran code')",)


def test_saved_files_that_are_not_graphs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_graph(tmp_path / "missing.pt")
    written(tmp_path, "rogue.pt", pickle.dumps(Rogue()))
    torch.save(Data(edge_index=torch.tensor([[0], [1]]), rogue=Rogue()), tmp_path / "hidden.pt")
    for name in ("rogue.pt", "hidden.pt"):
        with pytest.raises(InputError, match="holds more than tensors"):
            read_graph(tmp_path / name)
    cases = [
        (torch.ones(3), "holds a Tensor: it must hold a Data"),
        (Data(x=torch.ones(3, 1)), "must hold a Data with edge_index"),
        (Data(edge_index=torch.tensor([[0], [3]]), num_nodes=2), "outside 0..1"),
        (
            Data(edge_index=torch.zeros(3, 2, dtype=torch.long), num_nodes=2),
            "graph 0: .*edge_index",
        ),
        (Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0), "graph 0 has no nodes"),
    ]
    for value, message in cases:
        torch.save(value, tmp_path / "value.pt")
        with pytest.raises(InputError, match=message):
            read_graph(tmp_path / "value.pt")


def test_a_file_that_claims_more_nodes_than_memory_is_refused(tmp_path: Path) -> None:
    edge_index = torch.tensor([[0, 1], [1, 0]])
    torch.save(Data(edge_index=edge_index, num_nodes=10**11), tmp_path / "many.pt")
    with pytest.raises(InputError, match="100000000000 nodes and no features"):
        read_graph(tmp_path / "many.pt")
    torch.save(Data(edge_index=edge_index * 10**12), tmp_path / "far.pt")
    with pytest.raises(InputError, match="1000000000001 nodes and no features"):
        read_graph(tmp_path / "far.pt")


def test_control_characters_of_names_reach_nobody(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("a\x1b[2J b\u202ec\na\x1b[2J d\n")
    names = read_graph(path).node_names
    assert names == ["a\ufffd[2J", "b\ufffdc", "d"]


@pytest.mark.parametrize(
    "text",
    [
        "source,target\n1,2\n2,3\n",
        "Source;Target;Weight\n1;2;0.5\n2;3;1\n",
        "a\tb\n1\t2\n2\t3\n",
        "\ufefffrom to\r\n1 2\r\n2 3\r\n",
        'id,source,kind,target\n7,"1",x,"2"\n8,2,y,3\n',
        "1 2\n2 3\n",
    ],
)
def test_a_line_with_names_of_columns_is_no_edge(tmp_path: Path, text: str) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(text, encoding="utf-8", newline="")
    graph = read_graph(path)
    assert graph.node_names == ["1", "2", "3"]
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]


def test_words_that_are_nodes_are_no_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("ann,bob\nbob,cy\n")
    assert read_graph(path).node_names == ["ann", "bob", "cy"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("source,target\n", "line 1: the file has a line with names of columns and no edge"),
        ("id,source,target\n1,2,3\n4,5\n", "line 3: expected 3 columns, got 2"),
    ],
)
def test_what_a_header_promises_must_be_there(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_graph(path)
