"""The numbers of the report on one graph."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics import sensitivity, spectral_gap, total_resistance
from panda_gnn.errors import InputError
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import diagnose, edge_measures
from panda_gnn.rewiring.fosr import FoSR
from tests.odd_graphs import ODD_GRAPHS, undirected

SMALL = ModelChoice(width=4, high_width=6, num_layers=2, k=2)


def test_joined_components_have_no_comparable_resistance() -> None:
    found = diagnose(ODD_GRAPHS["two components"], SMALL, title="two")
    *_, rewired = found.remedies
    assert rewired.spectral_gap > 0
    assert rewired.total_resistance != rewired.total_resistance


def test_curvature_from_resistance_is_of_small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = ODD_GRAPHS["grid"]
    both = ["effective resistance", "curvature"]
    for limit, names in ((grid.num_nodes, [*both, "resistance curvature"]), (2, both)):
        monkeypatch.setattr("panda_gnn.reports.diagnose.numbers.EXACT_SUMMARY_NODES", limit)
        assert [measure.name for measure in edge_measures(grid)] == names


def test_a_graph_needs_nodes() -> None:
    empty = Data(x=torch.zeros(0, 1), edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0)
    with pytest.raises(InputError, match="nothing to diagnose"):
        diagnose(empty, SMALL, title="nothing")


def path_of(length: int, features: int = 3) -> Data:
    data = undirected(length, *((node, node + 1) for node in range(length - 1)))
    data.x = torch.rand(length, features, generator=torch.Generator().manual_seed(0))
    return data


def mean_of_pairs(norms: torch.Tensor, least: int) -> float:
    """The mean over the ordered pairs of nodes of a path at least so far apart, pair by pair."""
    nodes = range(norms.size(0))
    far = [float(norms[v, u]) for v in nodes for u in nodes if abs(u - v) >= least]
    return sum(far) / len(far)


@pytest.mark.parametrize(
    ("length", "num_layers", "far_hops"), [(8, 2, 2), (8, 6, 4), (7, 6, 3), (2, 3, 1)]
)
def test_distances_of_a_path_by_hand(length: int, num_layers: int, far_hops: int) -> None:
    model = ModelChoice(width=4, high_width=6, num_layers=num_layers, k=2)
    found = diagnose(path_of(length), model, title="path")
    assert found.pairs == [length, *(2 * (length - hops) for hops in range(1, length))]
    assert found.far_hops == far_hops
    beyond = sum(found.pairs[num_layers + 2 :])  # hidden layers, and the one that gives scores
    assert found.out_of_reach == beyond / (length * (length - 1))
    assert found.names == [str(node) for node in range(length)]
    every = [hops * pairs / length**2 for hops, pairs in enumerate(found.pairs)]
    assert found.range_needed == pytest.approx(sum(every))
    assert found.by_distance.shape == (num_layers, length)


@pytest.mark.parametrize("name", ["gcn", "panda-gcn", "gin"])
def test_remedies_are_the_mean_sensitivity_of_each_change(name: str) -> None:
    model = ModelChoice(name, width=16, high_width=20, num_layers=3, k=2)
    found = diagnose(path_of(9), model, title="path")
    norms = found.measured.norms[2]
    assert found.far_hops == 3
    felt = [float(norms[:, u].sum() - norms[u, u]) / 8 for u in range(9)]
    assert found.felt.tolist() == pytest.approx(felt)
    for hops in range(9):
        pairs = [float(norms[v, u]) for u in range(9) for v in range(9) if abs(u - v) == hops]
        assert float(found.by_distance[2, hops]) == pytest.approx(sum(pairs) / len(pairs))
    backbone = model.backbone
    plain, panda = model.make(backbone, 3), model.make(f"panda-{backbone}", 3)
    wide = model.make(backbone, 3, width=20)
    rewired = FoSR(10)(found.data)
    changes = [(plain, found.data), (wide, found.data), (panda, found.data), (plain, rewired)]
    if backbone == "gcn":
        options = {"residual": True, "self_loops": False, "bias": False}
        changes.insert(3, (model.make("gcn", 3, **options), found.data))
    assert len(found.remedies) == len(changes)
    for remedy, (network, graph) in zip(found.remedies, changes, strict=True):
        changed = Data(x=graph.x, edge_index=graph.edge_index, high=graph.high)
        norms = sensitivity(network, changed).norms[2]
        assert remedy.far > 0
        assert remedy.near == pytest.approx(mean_of_pairs(norms, 1))
        assert remedy.far == pytest.approx(mean_of_pairs(norms, 3))
        assert remedy.num_edges == changed.num_edges // 2
        assert remedy.total_resistance == pytest.approx(total_resistance(changed))
        assert remedy.spectral_gap == pytest.approx(spectral_gap(changed))


def test_of_many_features_a_few_are_varied_at_a_few_nodes() -> None:
    some = diagnose(path_of(20, 32), SMALL, title="32 features")
    assert (some.norm, some.measured.sources.numel()) == ("operator", 20)
    assert some.bound is None  # of PANDA; the paper's bound is of GCN
    many = diagnose(path_of(20, 33), SMALL, title="33 features")
    assert (many.norm, many.measured.sources.numel()) == ("entrywise", 16)
    assert int(many.felt.isnan().sum()) == 4
    plain = ModelChoice("gcn", width=4, num_layers=2, k=2)
    assert diagnose(path_of(20, 32), plain, title="32 features").bound is not None
    assert diagnose(path_of(20, 33), plain, title="33 features").bound is None
