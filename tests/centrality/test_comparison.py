"""Times of centralities beside those of other libraries."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from panda_gnn.centrality import centrality, sampled_centrality
from panda_gnn.centrality import comparison as module
from panda_gnn.centrality.comparison import library_times, timed, timed_scores
from panda_gnn.centrality.references import Reference
from panda_gnn.graph.rows import read_graphs
from tests.odd_graphs import ODD_GRAPHS

GRAPHS = [ODD_GRAPHS["grid"], ODD_GRAPHS["star"], ODD_GRAPHS["path"]]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes a second."""
    seconds = iter(range(1000))
    clock = SimpleNamespace(perf_counter=lambda: float(next(seconds)))
    monkeypatch.setattr(module, "time", clock)


def test_measures_of_one_family_are_timed_together(clock: None) -> None:
    csr = read_graphs(GRAPHS)
    found = timed_scores(csr, ["degree", "load", "betweenness"], threads=1, seed=0)
    assert {name: (one.seconds, one.computed_with) for name, one in found.items()} == {
        "degree": (1.0, None),
        "load": (1.0, None),
        "betweenness": (1.0, "load"),
    }
    for name, one in found.items():
        expected = np.concatenate([centrality(name, data).numpy() for data in GRAPHS])
        np.testing.assert_array_equal(one.scores, expected)
        assert one.error is None


def test_sampled_measures_have_the_largest_of_their_errors(clock: None) -> None:
    csr = read_graphs(ODD_GRAPHS["grid"])
    found = timed_scores(csr, ["closeness", "load"], threads=1, seed=3, samples=5)
    assert found["closeness"].computed_with is None
    assert found["load"].computed_with == "closeness"
    for name, one in found.items():
        expected = sampled_centrality(name, ODD_GRAPHS["grid"], samples=5, seed=3)
        np.testing.assert_array_equal(one.scores, expected.scores.numpy())
        assert one.error == pytest.approx(float(expected.standard_error.max()), abs=0)
        assert one.seconds == 1.0


def test_a_library_is_timed_and_compared(clock: None, monkeypatch: pytest.MonkeyPatch) -> None:
    csr = read_graphs(GRAPHS)
    ours = timed_scores(csr, ["degree", "load"], threads=1, seed=0)
    degrees = {data.num_nodes: centrality("degree", data).numpy() for data in GRAPHS}
    off = dict(zip(degrees, (0.0, 0.25, 0.125), strict=True))

    def degree(size: int) -> list[float]:
        values = degrees[size].copy()
        values[1] -= off[size]
        return list(values)

    other = Reference(lambda num_nodes, edges: num_nodes, {"degree": degree})
    monkeypatch.setattr(module, "reference", lambda library: other)
    found = library_times(csr, ours, "another", graphs=5, seed=0)
    assert found.num_graphs == 3
    assert found.seconds == {"degree": 3.0}
    assert found.difference == {"degree": 0.25}


def test_times_stand_for_all_graphs(clock: None) -> None:
    csr = read_graphs(GRAPHS * 4)
    ours = timed_scores(csr, ["degree"], threads=1, seed=0)
    found = library_times(csr, ours, "networkx", graphs=5, seed=0)
    assert found.num_graphs <= 5
    assert found.seconds == {"degree": 12.0}
    assert found.difference["degree"] == 0.0


def test_timed_gives_the_result(clock: None) -> None:
    assert timed(divmod, 7, 2) == ((3, 1), 1.0)
