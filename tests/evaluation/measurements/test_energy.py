"""The Dirichlet energy of trained models, as a row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.energy import CODE, ENERGY
from panda_gnn.evaluation.methods import complete, parts
from panda_gnn.evaluation.origin import Origin
from panda_gnn.evaluation.store import INCIDENTAL, identity
from panda_gnn.nn import GNN
from tests.evaluation.literal_loop import Plateau, literal_training
from tests.evaluation.measurements.literal import energy, gcn_states, mutag_graphs
from tests.evaluation.test_train import accuracy, cross_entropy


def test_an_energy_after_every_layer(shared_root: Path) -> None:
    rows = {}
    for method in ("none", "panda"):
        settings = {"graphs": 20}
        config = Config("mutag", method=method, settings=settings, max_epochs=2)
        config = complete(config, ENERGY)
        rows[method] = ENERGY.run(config, 1, root=str(shared_root))
        assert json.loads(json.dumps(rows[method])) == rows[method]
        origin = Origin(CODE, tuple(sorted(parts(config).items())), DATASETS["mutag"].fingerprint)
        assert identity(rows[method]) == (config.key, origin, 1)
        assert [len(values) for values in rows[method]["values"].values()] == [6, 6]
        assert all(0 <= value <= 2 for value in rows[method]["values"]["relative_energy"])
    features = {row["values"]["energy"][0] for row in rows.values()}
    assert len(features) == 1
    again = ENERGY.run(config, 1, root=str(shared_root))
    assert all(again[name] == rows["panda"][name] for name in set(again) - set(INCIDENTAL))


def test_training_needs_graphs_to_test_on() -> None:
    with pytest.raises(InputError, match="at least 10"):
        complete(Config("mutag", settings={"graphs": 3}), ENERGY)


def test_two_graphs_by_hand(shared_root: Path) -> None:
    """Of twenty graphs the two for testing, after a training that is written out."""
    seed = 2
    config = Config(
        "mutag", width=5, num_layers=2, settings={"graphs": 20}, max_epochs=6, learning_rate=0.02
    )
    row = ENERGY.run(complete(config, ENERGY), seed, root=str(shared_root))
    data = mutag_graphs(str(shared_root), *(place * 188 // 20 for place in range(20)))
    order = torch.randperm(20, generator=torch.Generator().manual_seed(seed)).tolist()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GNN(7, 2, width=5, num_layers=2)
        torch.manual_seed(seed)
        literal_training(
            model,
            data,
            (order[:16], order[16:18], order[18:]),
            seed,
            loss=cross_entropy,
            score=accuracy,
            epochs=6,
            rates=Plateau(0.02, "training", 1.0, 1),
            batch_size=64,
        )
    model.eval()
    for name, relative in (("energy", False), ("relative_energy", True)):
        expected = torch.zeros(4)
        for number in order[18:]:
            graph = data[number]
            with torch.no_grad():
                states = [graph.x, *gcn_states(model, graph.x, graph.edge_index)]
            for layer, values in enumerate(states):
                expected[layer] += energy(values, graph.edge_index, relative=relative) / 2
        assert row["values"][name] == pytest.approx(expected.tolist(), rel=1e-4)
