"""Training on transfer tasks, as a row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from panda_gnn.datasets import transfer
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.transfer import (
    TRANSFER,
    TRANSFER_METHODS,
    transfer_model,
)
from panda_gnn.evaluation.methods import complete
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.transforms import ExpandWidth
from tests.evaluation.literal_loop import Adam
from tests.evaluation.test_train import cross_entropy


@pytest.mark.parametrize("method", TRANSFER_METHODS)
def test_short_transfers_are_learned(method: str) -> None:
    config = Config(
        "ring",
        "gcn",
        method,
        {"distance": 3, "high_width": 32},
        width=16,
        dropout=0.0,
        learning_rate=1e-2,
        max_epochs=1000,
    )
    config = complete(config, TRANSFER)
    assert TRANSFER.run(config, 0)["values"] == {"accuracy": 1}
    short = replace(config, max_epochs=3)
    assert TRANSFER.run(short, 1)["values"] == TRANSFER.run(short, 1)["values"]


def test_transfer_models_are_as_deep_as_the_distance() -> None:
    for distance in (2, 5):
        config = complete(Config("tree", "gin", "panda", {"distance": distance}), TRANSFER)
        assert len(transfer_model(config).layers) == distance


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Config("mutag"), "unknown topology 'mutag': choose one of ring"),
        (Config("ring", "gatt"), "unknown backbone 'gatt'"),
        (Config("ring", method="gtr"), "unknown method 'gtr' of a transfer task: choose one of"),
        (
            Config("ring", settings={"k": 3}),
            "unknown setting 'k' of measure transfer: choose one of dis",
        ),
        (
            Config("ring", settings={"distance": 1}),
            "distance must be a whole number, 2 or more, not 1",
        ),
        (Config("ring", settings={"distance": 2.5}), "distance must be a whole number"),
        (Config("ring", settings={"distance": True}), "distance must be a whole number"),
    ],
)
def test_mistakes_get_one_sentence(config: Config, message: str) -> None:
    with pytest.raises(InputError, match=message):
        complete(config, TRANSFER)


@pytest.mark.parametrize("method", ["none", "panda"])
def test_the_best_accuracy_by_hand(method: str) -> None:
    """The largest share of right answers before any of so many steps of Adam."""
    found, expected = [], []
    settings = {"distance": 3, "high_width": 8, "num_classes": 4, "share": 0.3}
    for seed in range(6):
        config = Config("ring", "gcn", method, settings, width=5, max_epochs=6, dropout=0.0)
        config = complete(replace(config, learning_rate=0.05), TRANSFER)
        found.append(TRANSFER.run(config, seed)["values"]["accuracy"])
        graphs = transfer("ring", 3, num_graphs=4, num_classes=4)
        options: dict[str, Any] = {"width": 5, "num_layers": 2, "dropout": 0.0, "readout": None}
        torch.manual_seed(seed)
        model: GNN = GNN(4, 4, **options)
        if method == "panda":
            torch.manual_seed(seed)
            model = PandaGNN(4, 4, high_width=8, **options)
            graphs = [ExpandWidth("betweenness", ratio=0.3)(graph) for graph in graphs]
        trained = [p for p in model.parameters() if p.requires_grad]
        adam = Adam(trained, 0.05)
        shares = []
        for _ in range(6):
            marks = [(graph.high,) if method == "panda" else () for graph in graphs]
            answers = torch.cat(
                [
                    model(graph.x, graph.edge_index, *mark)[graph.target_mask]
                    for graph, mark in zip(graphs, marks, strict=True)
                ]
            )
            wanted = torch.tensor([int(graph.y) for graph in graphs])
            shares.append(float((answers.argmax(1) == wanted).sum()) / 4)
            for p in trained:
                p.grad = None
            cross_entropy(answers, wanted).backward()
            adam.step()
        expected.append(max(shares))
    assert found == expected
    assert len(set(expected)) > 1
