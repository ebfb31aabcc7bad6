"""The report on one graph in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from panda_gnn.diagnostics import sensitivity_decay
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import diagnose
from panda_gnn.reports.diagnose.page import diagnosis_page
from panda_gnn.reports.diagnose.text import graph_numbers, grids, sentences
from panda_gnn.reports.drawing.scale import number
from tests.odd_graphs import ODD_GRAPHS

SMALL = ModelChoice(width=4, high_width=6, num_layers=2, k=2)


def test_what_the_barbell_is_told() -> None:
    found = diagnose(ODD_GRAPHS["barbell"], SMALL, title="barbell", names=list("abcdefghi"))
    assert found.num_high == 2
    said = " ".join(sentences(found))
    assert "Bridges: 2 of 14 edges" in said
    assert "d – e (-0.5)" in said
    assert "comes from 0.98 hops away on average (the range of the model)" in said
    assert "From depth 4 to 7, 54% of the pairs gain share" in said
    numbers = dict(graph_numbers(found))
    assert numbers["lowest resistance curvature"] == "-0.5"
    prevalence = sensitivity_decay(found.data).prevalence
    assert float(numbers["prevalence"]) == pytest.approx(prevalence, abs=5e-4)
    nodes, edges, *_ = grids(found)
    assert [row[0] for row in nodes.rows[:3]] == ["e", "d", "f"]
    assert [row[0] for row in edges.rows[:2]] == ["d – e", "e – f"]
    assert [row[-1] for row in nodes.rows[:3]] == ["6", "6", "4"]
    assert (len(nodes.rows), len(edges.rows)) == (5, 5)
    names = [remedy.name for remedy in found.remedies]
    assert names[2] == "PANDA, 2 of the nodes 6 wide"
    assert found.remedies[-1].total_resistance < found.remedies[0].total_resistance


def test_plain_model_has_a_bound_and_no_wide_nodes() -> None:
    choice = ModelChoice("gcn", width=4, high_width=6, num_layers=2, k=2)
    found = diagnose(ODD_GRAPHS["grid"], choice, title="grid")
    assert found.bound is not None
    assert bool((found.measured.mean() <= found.bound[:3]).all())
    nodes, _, layers, *_ = grids(found)
    assert {row[-1] for row in nodes.rows} == {"4"}
    assert layers.columns[-1] == "bound"
    assert "would be wide in this model" in diagnosis_page(found, "")


def test_out_of_reach() -> None:
    """On a path of 6 nodes with 2 + 1 layers, pairs 4 and 5 hops apart never meet."""
    found = diagnose(ODD_GRAPHS["path"], SMALL, title="path")
    assert found.out_of_reach == pytest.approx(3 / 15)
    assert "20% of the connected pairs are more than 3 hops apart" in " ".join(sentences(found))


@pytest.mark.parametrize(("num_layers", "hops"), [(2, 2), (4, 4), (5, 5), (9, 5)])
def test_neighbours_are_compared_with_the_furthest_nodes_in_reach(
    num_layers: int, hops: int
) -> None:
    choice = ModelChoice(width=16, high_width=20, num_layers=num_layers, k=2)
    found = diagnose(ODD_GRAPHS["path"], choice, title="path")
    last = found.by_distance[num_layers - 1]
    times = number(float(last[1] / last[hops]))
    assert float(last[hops]) > 0
    said = " ".join(sentences(found))
    assert f"feels its neighbours {times} times as much as a node {hops} hops away" in said
    dead = replace(found, by_distance=torch.zeros_like(found.by_distance))
    assert "feels its neighbours" not in " ".join(sentences(dead))


def test_many_features_are_sampled() -> None:
    data = ODD_GRAPHS["grid"].clone()
    data.x = torch.rand(12, 40)
    found = diagnose(data, SMALL, title="grid")
    assert found.norm == "entrywise"
    assert not found.measured.exact
    assert "entrywise" in diagnosis_page(found, "")
