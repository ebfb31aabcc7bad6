from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.io import read_tu_data

from panda_gnn.datasets import tu_files
from panda_gnn.datasets.tu_files import _without_loops, read_numbers, read_tu
from tests.marks import thorough


@pytest.fixture(params=["small", "large"])
def _size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read as small ones are, and by the kernel for large ones (which compiles)."""
    monkeypatch.setattr(tu_files, "LARGE", 0 if request.param == "large" else 2**40)


@pytest.mark.usefixtures("_size")
@pytest.mark.parametrize("name", ["MUTAG", "ENZYMES", *thorough("IMDB-BINARY")])
def test_the_result_is_the_one_of_pyg_to_the_last_bit(
    name: str, mirror: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(mirror / "tudataset" / f"{name}.zip") as archive:
        archive.extractall(tmp_path)
    ours, slices, sizes = read_tu(tmp_path / name, name)
    theirs, their_slices, their_sizes = read_tu_data(str(tmp_path / name), name)
    assert sizes == their_sizes
    assert slices.keys() == their_slices.keys()
    assert all(torch.equal(slices[key], their_slices[key]) for key in slices)
    content = ours.to_dict()
    assert list(content) == list(theirs.to_dict())
    for key, value in theirs.to_dict().items():
        if isinstance(value, torch.Tensor):
            assert content[key].dtype == value.dtype
            assert torch.equal(content[key], value)
        else:
            assert content[key] == value


@pytest.mark.usefixtures("_size")
@pytest.mark.parametrize("text", ["1, 2\n3, 4\n", "-1,2\r\n3\t -44\r\n", "123456789012345678 0\n"])
def test_numbers_are_those_of_numpy(text: str, tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_bytes(text.encode())
    expected = np.loadtxt(text.replace(",", " ").splitlines(), np.int64, ndmin=2)
    assert np.array_equal(read_numbers(path, np.int64), expected)


@pytest.mark.usefixtures("_size")
@pytest.mark.parametrize(
    "edges", ["1, 2\n2, 2\n2, 1\n3, 3\n", "2, 1\n2, 2\n1, 2\n1, 2\n", "1, 1\n"]
)
def test_edges_without_attributes_are_put_right(edges: str, tmp_path: Path) -> None:
    """In order, with self-loops alone; out of order; nothing but a self-loop."""
    for part, text in {
        "A": edges,
        "graph_indicator": "1\n1\n2\n",
        "graph_labels": "0\n1\n",
    }.items():
        (tmp_path / f"SET_{part}.txt").write_text(text)
    found = read_tu(tmp_path, "SET")[0].edge_index
    assert found.tolist() == ([[], []] if edges == "1, 1\n" else [[0, 1], [1, 0]])
    assert found.is_contiguous()


@pytest.mark.usefixtures("_size")
def test_edges_in_any_order_and_twice_are_put_right(tmp_path: Path) -> None:
    parts = {
        "A": "3, 2\n1, 2\n2, 1\n2, 3\n1, 2\n2, 2\n",
        "graph_indicator": "1\n1\n1\n2\n",
        "graph_labels": "7\n-1\n",
        "edge_attributes": "1\n2\n3\n4\n5\n6\n",
        "node_labels": "4, 0\n5, 1\n4, 2\n4, 0\n",
    }
    for part, text in parts.items():
        (tmp_path / f"SET_{part}.txt").write_text(text)
    ours, _, _ = read_tu(tmp_path, "SET")
    theirs, _, _ = read_tu_data(str(tmp_path), "SET")
    assert ours.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    for key in ("x", "edge_index", "edge_attr", "y"):
        assert torch.equal(ours[key], theirs[key])


@pytest.mark.usefixtures("_size")
def test_neighbours_of_a_node_are_put_in_order(tmp_path: Path) -> None:
    parts = {
        "A": "1, 3\n1, 2\n2, 1\n3, 1\n",
        "graph_indicator": "1\n1\n1\n",
        "graph_labels": "0\n",
    }
    for part, text in parts.items():
        (tmp_path / f"SET_{part}.txt").write_text(text)
    assert read_tu(tmp_path, "SET")[0].edge_index.tolist() == [[0, 0, 1, 2], [1, 2, 0, 0]]


@pytest.mark.usefixtures("_size")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1, 2\n3\n", "different lengths"),
        ("1, 2, 3\n4\n", "different lengths"),
        ("1\n\n2\n", "different lengths"),
        ("1\n-\n", "no number"),
        ("1\n1-2\n", "no number"),
        ("1\n--2\n", "no number"),
        ("1\n1.5\n", "no number"),
        ("\n", "different lengths, or none"),
        ("1, 2", "does not end with a whole line"),
        ("1, x\n", "no number"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "table.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"table.txt .*{problem}"):
        read_numbers(path, np.int64)


@pytest.mark.parametrize(
    ("part", "text", "problem"),
    [
        ("A", "0, 1\n", "an edge names a node outside 1..4"),
        ("A", "1, 5\n", "an edge names a node outside 1..4"),
        ("graph_indicator", "0\n1\n1\n2\n", "must name graphs from 1 on, in order"),
        ("graph_indicator", "1\n2\n1\n2\n", "must name graphs from 1 on, in order"),
        ("graph_indicator", "1\n1\n1\n5\n", "must name graphs from 1 on, in order"),
        ("graph_labels", "7\n", "SET_graph_labels.txt has not 2 lines"),
        ("node_attributes", "1\n2\n3\n", "SET_node_attributes.txt has not 4 lines"),
        ("node_labels", "1\n2\n3\n", "SET_node_labels.txt has not 4 lines"),
        ("edge_attributes", "1\n", "SET_edge_attributes.txt has not 2 lines"),
        ("edge_labels", "1\n", "SET_edge_labels.txt has not 2 lines"),
    ],
)
def test_files_that_do_not_fit_each_other(
    part: str, text: str, problem: str, tmp_path: Path
) -> None:
    parts = {
        "A": "1, 2\n2, 1\n",
        "graph_indicator": "1\n1\n1\n2\n",
        "graph_labels": "7\n-1\n",
        part: text,
    }
    for name, content in parts.items():
        (tmp_path / f"SET_{name}.txt").write_text(content)
    with pytest.raises(ValueError, match=problem):
        read_tu(tmp_path, "SET")


@pytest.mark.parametrize(
    ("pairs", "in_order"),
    [
        ([(0, 1), (0, 3), (0, 2)], False),
        ([(0, 1), (1, 1), (1, 0), (2, 2), (2, 0)], True),
        ([(0, 1), (2, 0), (1, 0)], False),
        ([(0, 1), (0, 1)], False),
        ([(1, 1)], True),
        ([(3, 0)], True),
    ],
)
def test_self_loops_go_and_the_order_of_the_rest_is_known(
    pairs: list[tuple[int, int]], in_order: bool
) -> None:
    edges = np.array(pairs).T.copy()
    rest = [pair for pair in pairs if pair[0] != pair[1]]
    assert _without_loops(edges) == (len(rest), in_order)
    assert [tuple(pair) for pair in edges.T[: len(rest)].tolist()] == rest
