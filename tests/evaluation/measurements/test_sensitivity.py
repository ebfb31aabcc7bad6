"""The sensitivity of untrained models, as a row."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.autograd.functional import jacobian

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.sensitivity import SENSITIVITY
from panda_gnn.evaluation.methods import complete, parts
from panda_gnn.evaluation.origin import Origin
from panda_gnn.evaluation.store import identity
from panda_gnn.nn import GNN
from tests.evaluation.measurements.literal import gcn_states, mutag_graphs


def test_wider_is_more_sensitive(shared_root: Path) -> None:
    first = []
    for width in (16, 32, 64, 128):
        config = Config("mutag", width=width, num_layers=2, settings={"graphs": 8})
        config = complete(config, SENSITIVITY)
        values = [
            SENSITIVITY.run(config, seed, root=str(shared_root))["values"]["sensitivity"]
            for seed in range(2)
        ]
        assert [len(layers) for layers in values] == [2, 2]
        first.append(sum(layers[0] for layers in values))
    assert first == sorted(first)


def test_how_many_graphs_and_sources_is_in_the_key(shared_root: Path) -> None:
    keys = set()
    for settings in ({}, {"graphs": 2}, {"graphs": 2, "sources": 3}):
        config = complete(Config("mutag", num_layers=1, settings=settings), SENSITIVITY)
        assert set(config.settings) == {"graphs", "sources"}
        keys.add(config.key)
    assert len(keys) == 3
    row = SENSITIVITY.run(config, 0, root=str(shared_root))
    origin = Origin(
        SENSITIVITY.code, tuple(sorted(parts(config).items())), DATASETS["mutag"].fingerprint
    )
    assert identity(row) == (config.key, origin, 0)
    assert complete(Config("mutag")).settings == {}


def test_two_graphs_by_hand(shared_root: Path) -> None:
    """The mean over graphs of that over ordered pairs of the greatest absolute column sum."""
    config = Config("mutag", width=5, num_layers=2, settings={"graphs": 2, "sources": 50})
    row = SENSITIVITY.run(complete(config, SENSITIVITY), 4, root=str(shared_root))
    torch.manual_seed(4)
    model = GNN(7, 2, width=5, num_layers=2).double()
    expected = torch.zeros(2, dtype=torch.float64)
    for data in mutag_graphs(str(shared_root), 0, 94):
        x = data.x.double()
        for layer in range(2):
            whole = jacobian(
                lambda x, data=data, layer=layer: gcn_states(model, x, data.edge_index)[layer], x
            )  # [node, channel, node, feature]
            norms = [
                float(whole[v, :, u].abs().sum(0).max())
                for v in range(x.size(0))
                for u in range(x.size(0))
                if u != v
            ]
            expected[layer] += sum(norms) / len(norms) / 2
    assert row["values"]["sensitivity"] == pytest.approx(expected.tolist(), rel=1e-9)
