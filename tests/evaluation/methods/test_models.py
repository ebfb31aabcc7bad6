"""DRew and Co-GNN as methods of the laboratory."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.methods import configure, graphs_and_model
from panda_gnn.evaluation.tasks import load_data
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.nn import CoGNN, DRewGNN


def test_drew_sees_every_distance(shared_root: Path) -> None:
    config = configure("mutag", method="drew", num_layers=2, width=8, max_epochs=1)
    assert config.settings["reach"] == 3
    graphs, model = graphs_and_model(load_data("mutag", str(shared_root)), config, 0)
    assert isinstance(model, DRewGNN)
    assert graphs.edge_options["edge_type"].unique().tolist() == [0, 1, 2]
    assert run_trial(config, 0, root=str(shared_root))["epochs"] == 1


def test_co_gnn_has_action_networks(shared_root: Path) -> None:
    settings = {"action_width": 4, "action_layers": 2}
    config = configure("mutag", "gin", "co-gnn", settings, width=8, max_epochs=1)
    _, model = graphs_and_model(load_data("mutag", str(shared_root)), config, 0)
    assert isinstance(model, CoGNN)
    assert (model.listen.width, model.listen.num_layers) == (4, 2)
    assert run_trial(config, 0, root=str(shared_root))["epochs"] == 1


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="unknown backbone 'gin' of method drew"):
        configure("mutag", "gin", "drew")
    with pytest.raises(InputError, match=r"settings.co-gnn.temperature"):
        configure("mutag", "gcn", "co-gnn", {"temperature": -1.0})
