"""What is trained, with which settings and how much."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from panda_gnn.evaluation.advice import plan
from panda_gnn.evaluation.advice.plan import Budget, advice_study, network_config, shared_budget
from panda_gnn.evaluation.methods import METHODS, configure
from panda_gnn.evaluation.tasks import load_data


def test_every_candidate_is_a_method() -> None:
    assert set(plan.CANDIDATES) <= set(METHODS)
    assert set(plan.SHORTER_PATHS) <= set(plan.NETWORKS)


@pytest.mark.parametrize(
    ("epochs", "trials", "of_trial"),
    [(600, 10, 60), (9999, 10, 60), (300, 10, 30), (150, 7, 20), (1, 5, 20)],
)
def test_epochs_are_cut_before_trials(epochs: float, trials: int, of_trial: int) -> None:
    assert shared_budget(epochs) == Budget(trials, of_trial)


def test_all_networks_train_alike_and_with_neutral_settings(shared_root: Path) -> None:
    data = load_data("mutag", str(shared_root))
    study = advice_study(data, "gcn", None, Budget(3, 7))
    assert [cell.line.variant for cell in study.cells] == list(plan.NETWORKS)
    configs = {cell.line.variant: cell.candidates[0] for cell in study.cells}
    for name, config in configs.items():
        assert (config.max_epochs, config.patience, config.learning_rate) == (7, 7, 0.005)
        assert (config.dropout, config.batch_size) == (0.0, 16)
        assert config.num_layers == (8 if name == "deeper" else 4)
    assert configs["panda"].settings["k"] == 10
    assert configs["panda"].settings["high_width"] == 128  # not the paper's 112
    assert network_config(data, "deeper", "gin", 2, 5).num_layers == 4


@pytest.mark.parametrize(
    ("graphs", "batch"), [(1, 16), (400, 16), (425, 17), (600, 24), (1624, 64), (10**6, 64)]
)
def test_an_epoch_has_some_25_mini_batches(graphs: int, batch: int) -> None:
    assert plan.batch_size(graphs) == batch


def test_networks_on_nodes_keep_the_dropout_of_their_task(mirror: Path, shared_root: Path) -> None:
    data = load_data("texas", str(shared_root), str(mirror))
    usual = configure("texas", "gcn", "none")
    quick = network_config(data, "none", "gcn", None, 5)
    assert usual.dropout > 0
    assert (quick.dropout, quick.batch_size) == (usual.dropout, usual.batch_size)


def test_the_time_of_an_epoch_decides_the_budget(
    shared_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3 epochs in 1.5 s; 9 networks of 1.6 plain ones each; 2880 s on 3 workers: 1200 epochs."""
    data = load_data("mutag", str(shared_root))
    clock = SimpleNamespace(perf_counter=iter([100.0, 101.5]).__next__)
    ran: list[tuple[int, int]] = []
    monkeypatch.setattr(plan, "time", clock)
    monkeypatch.setattr(
        plan, "trial_on", lambda data, config, seed: ran.append((config.max_epochs, seed))
    )
    asked: list[float] = []

    def note(epochs: float) -> Budget:
        asked.append(epochs)
        return shared_budget(epochs)

    monkeypatch.setattr(plan, "shared_budget", note)
    assert plan.fit_budget(data, "gcn", None, 2880.0, 3) == Budget(10, 60)
    assert ran == [(3, 0), (3, 0)]  # the first one compiles
    assert asked == pytest.approx([1200.0])


def test_roles_are_tried_with_the_backbones_that_they_are_for(shared_root: Path) -> None:
    data = load_data("mutag", str(shared_root))
    assert "roles-gain" in plan.NETWORKS
    with_gat = advice_study(data, "gat", None, Budget(3, 7))
    tried = [cell.line.variant for cell in with_gat.cells]
    assert tried == [name for name in plan.NETWORKS if name != "roles-gain"]
