"""The graphs that are measured."""

from __future__ import annotations

from pathlib import Path

import torch

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.untrained import (
    measured_data,
    one_graph,
    spread_graphs,
    untrained,
)


def test_the_measured_graphs_are_spread_over_the_dataset(shared_root: Path) -> None:
    some, whole = (
        measured_data(Config("mutag", settings={"graphs": count}), str(shared_root), None).graphs
        for count in (3, None)
    )
    assert (some.num_graphs, whole.num_graphs) == (3, 188)
    for place, index in enumerate(spread_graphs("mutag", 3)):
        assert torch.equal(one_graph(some, place).x, one_graph(whole, index).x)
        assert torch.equal(one_graph(some, place).edge_index, one_graph(whole, index).edge_index)
    assert spread_graphs("mutag", 3) == [0, 62, 125]
    assert spread_graphs("mutag", None) == spread_graphs("mutag", 500) == list(range(188))


def test_the_model_takes_other_input(shared_root: Path) -> None:
    config = Config("mutag", settings={"graphs": 2})
    given = measured_data(config, str(shared_root), None)
    state = torch.random.get_rng_state()
    model, table = untrained(config, 0, given, in_channels=5)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert table.x.shape[1] == 5
    assert not model.training


def test_the_seed_alone_decides_the_weights(shared_root: Path) -> None:
    config = Config("mutag", settings={"graphs": 2})
    data = measured_data(config, str(shared_root), None)
    weights = []
    for before, seed in ((1, 5), (2, 5), (2, 6)):
        torch.manual_seed(before)
        model, _ = untrained(config, seed, data)
        weights.append(torch.cat([p.detach().view(-1) for p in model.parameters()]))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
