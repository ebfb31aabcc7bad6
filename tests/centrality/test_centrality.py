"""The one function: the same scores however graphs arrive, and sentences for bad requests."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Batch, Data

from panda_gnn.centrality import CENTRALITIES, centrality, sampled_centrality
from panda_gnn.errors import InputError

from ..odd_graphs import ODD_GRAPHS, undirected

GRAPHS = list(ODD_GRAPHS.values())


@pytest.mark.parametrize("name", CENTRALITIES)
def test_a_graph_has_the_same_bits_alone_and_in_company(name: str) -> None:
    alone = torch.cat([centrality(name, data) for data in GRAPHS])
    assert alone.dtype == torch.float64
    assert torch.equal(centrality(name, GRAPHS), alone)
    assert torch.equal(centrality(name, Batch.from_data_list(GRAPHS)), alone)


@pytest.mark.parametrize("name", CENTRALITIES)
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    many = [data for data in GRAPHS for _ in range(20)]
    assert torch.equal(centrality(name, many, threads=1), centrality(name, many, threads=3))


@pytest.mark.parametrize("name", sorted(set(CENTRALITIES) - {"random"}))
def test_scores_move_with_the_nodes(name: str) -> None:
    data = ODD_GRAPHS["grid"]
    order = torch.randperm(data.num_nodes, generator=torch.Generator().manual_seed(1))
    moved = Data(edge_index=order[data.edge_index], num_nodes=data.num_nodes)
    torch.testing.assert_close(centrality(name, moved)[order], centrality(name, data))


@pytest.mark.parametrize("name", CENTRALITIES)
def test_nothing_has_no_scores(name: str) -> None:
    assert centrality(name, []).shape == (0,)
    assert centrality(name, undirected(0)).shape == (0,)


def test_closed_forms() -> None:
    star, cycle, path = ODD_GRAPHS["star"], ODD_GRAPHS["cycle"], ODD_GRAPHS["path"]
    assert centrality("betweenness", star).tolist() == [1.0] + [0.0] * 7
    assert centrality("degree", star)[0] == 1.0
    torch.testing.assert_close(
        centrality("pagerank", cycle), torch.full((7,), 1 / 7, dtype=torch.float64)
    )
    between = torch.tensor([0.0, 8, 12, 12, 8, 0], dtype=torch.float64) / 20
    torch.testing.assert_close(centrality("load", path), between)
    distances = torch.tensor([15.0, 11, 9, 9, 11, 15], dtype=torch.float64)
    torch.testing.assert_close(centrality("resistance", path), distances)
    torch.testing.assert_close(centrality("current-flow", path), 1 / distances)


def test_load_is_not_betweenness() -> None:
    uneven = undirected(7, (0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (3, 6), (4, 6), (5, 6))
    difference = centrality("load", uneven) - centrality("betweenness", uneven)
    assert difference.abs().max() > 0.01


def test_too_many_paths_to_count_are_not_miscounted() -> None:
    layers = [range(3 * number, 3 * number + 3) for number in range(660)]
    steps = itertools.pairwise(layers)
    data = undirected(1980, *((u, v) for here, there in steps for u in here for v in there))
    with pytest.raises(InputError, match="betweenness cannot count more than 1e308 shortest"):
        centrality("betweenness", data)
    assert centrality("load", data).isfinite().all()


def test_bad_requests_get_a_sentence() -> None:
    data = ODD_GRAPHS["path"]
    with pytest.raises(InputError, match="unknown centrality 'fame': choose one of degree, betw"):
        centrality("fame", data)
    one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    with pytest.raises(InputError, match=r"centrality 'load' needs an undirected .*ToUndirected"):
        centrality("load", one_way)
    with pytest.raises(InputError, match="threads must be at least 1, not 0"):
        centrality("load", data, threads=0)
    with pytest.raises(InputError, match=r"unknown centrality that can be sampled 'pagerank'"):
        centrality("pagerank", data, samples=5)
    with pytest.raises(InputError, match="samples must be at least 2"):
        sampled_centrality("load", data, samples=1)


def test_importing_compiles_nothing_and_the_first_call_says_what_it_compiled(
    tmp_path: Path,
) -> None:
    code = """
import sys, torch, panda_gnn.transforms
from torch_geometric.data import Data
from panda_gnn.centrality import centrality
print([name for name in sys.modules if "centrality.kernels" in name])
data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
print(centrality("pagerank", data).tolist())
"""
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        )
        assert done.stdout.splitlines() == ["[]", "[0.5, 0.5]"]
        said.append([line for line in done.stderr.splitlines() if "compiled" in line])
    assert len(said[0]) == 1
    assert "s (once; kept for later runs)" in said[0][0]
    assert said[1] == []
