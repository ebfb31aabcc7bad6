"""``panda rewire --method all``: one line for each rewiring, and one picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.cli import main
from panda_gnn.cli.rewire_all import compare_all
from panda_gnn.rewiring import (
    JDR,
    REWIRINGS,
    Cayley,
    FoSR,
    FullyAdjacent,
    ProxyDelete,
    Rewiring,
    VirtualNode,
)
from tests.odd_graphs import ODD_GRAPHS


def test_lines_count_and_measure() -> None:
    graphs = [ODD_GRAPHS["cycle"], ODD_GRAPHS["clique"]]
    rewirings: dict[str, Rewiring] = {
        "fa": FullyAdjacent(),
        "virtual-node": VirtualNode(),
        "proxy-delete": ProxyDelete(1),
    }
    (before, *lines), pictures = compare_all(graphs, rewirings, threads=1)
    assert list(pictures) == list(rewirings)
    assert (before["edges"], before["added"], before["seconds"]) == (22, 0, None)
    everything, star, fewer = lines
    assert (everything["added"], everything["removed"]) == (21 - 7, 0)
    assert everything["spectral gap"] == pytest.approx((7 / 6 + 6 / 5) / 2)
    assert everything["total resistance"] == pytest.approx((6 + 5) / 2)
    assert (star["added"], star["new nodes"]) == (13, 2)
    assert (fewer["added"], fewer["removed"]) == (0, 2)
    assert "homophily" not in before


def test_labels_of_nodes_are_compared() -> None:
    data = ODD_GRAPHS["path"].clone()
    data.y = torch.tensor([0, 0, 1, 1, 1, 0])
    rewirings: dict[str, Rewiring] = {"fosr": FoSR(1), "cayley": Cayley(interleaved=False)}
    lines, _ = compare_all([data], rewirings, threads=1)
    assert lines[0]["homophily"] == pytest.approx(3 / 5)
    assert all(0 < float(line["homophily"] or 0) < 1 for line in lines)


def test_a_rewiring_that_refuses_is_named() -> None:
    data = ODD_GRAPHS["path"]
    bare = Data(edge_index=data.edge_index, num_nodes=6)
    (_, refused), pictures = compare_all([bare], {"jdr": JDR()}, quick=True)
    assert "JDR reads features of nodes" in str(refused["refused"])
    assert not pictures


def test_the_command_draws_and_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    edges = tmp_path / "own.csv"
    data = ODD_GRAPHS["barbell"]
    lines = (f"{u},{v}" for u, v in data.edge_index.t().tolist() if u < v)
    edges.write_text("\n".join(["source,target", *lines]))
    words = ["rewire", str(edges), "--method", "all", "--iterations", "2", "--threads", "1"]
    picture = tmp_path / "all.png"
    assert main([*words, "--plot", str(picture), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [line["method"] for line in printed] == ["before", *REWIRINGS]
    added = {line["method"]: line.get("added") for line in printed}
    assert added["fosr"] == added["gtr"] == 2
    assert picture.stat().st_size > 10_000
    assert main([*words, "--quick"]) == 0
    quick = capsys.readouterr().out
    assert "all rewirings" in quick
    assert "means over graphs" not in quick
    assert main(words) == 0
    whole = capsys.readouterr().out
    assert "…" not in whole  # nothing is cut where a terminal has 80 columns
    for line in printed:
        assert f"{line['total resistance']:.4f}" in whole
