"""A trial is a pure function of (config, seed)."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.datasets import DATASETS
from panda_gnn.datasets.fingerprint import fingerprint
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.executors import LocalExecutor
from panda_gnn.evaluation.methods import METHODS, complete
from panda_gnn.evaluation.methods.roles import ROLE_METHODS
from panda_gnn.evaluation.row_check import fault_of_values
from panda_gnn.evaluation.splits import random_split
from panda_gnn.evaluation.store import Row, lasting
from panda_gnn.evaluation.tasks import TaskData, load_data, task_of
from panda_gnn.evaluation.train import Curves
from panda_gnn.evaluation.trial import run_trial, trial_on
from panda_gnn.nn import GNN
from tests.evaluation.literal_loop import Plateau, literal_training
from tests.evaluation.test_train import accuracy, cross_entropy, data_of

#: What may differ between two runs of one trial.
CIRCUMSTANCES = ("seconds", "versions", "revision")


@pytest.fixture(autouse=True)
def _root(shared_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)


def facts(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in CIRCUMSTANCES}


@pytest.mark.parametrize(
    ("method", "backbone"),
    [
        pytest.param(name, backbone, marks=pytest.mark.thorough if backbone == "rgin" else ())
        for name, method in METHODS.items()
        for backbone in ("gcn", "rgin")
        if backbone in (method.backbones or [backbone])
    ],
)
def test_every_method_runs(method: str, backbone: str) -> None:
    some = load_data("mutag", graphs=tuple(range(60)))
    row = trial_on(some, complete(Config("mutag", backbone, method, max_epochs=2)), 0)
    assert json.loads(json.dumps(row)) == row
    assert row["epochs"] == (1 if METHODS[method].fit else 2)
    assert set(row["scores"]) == {"best-val", "last", "best-val-test-ties"}
    assert 0 <= row["scores"]["best-val"]["test"] <= 1


@pytest.mark.parametrize("method", METHODS)
def test_every_method_reads_features_of_edges_or_says_that_it_cannot(method: str) -> None:
    """GINE reads the bonds of MUTAG; where a method's edges have none, a sentence says so."""
    wide: dict[str, Setting] = {"k": 5, "ratio": 0.3, "high_width": 16, "centrality": "degree"}
    known = complete(Config("mutag", "gcn", method)).settings
    settings = {name: value for name, value in wide.items() if name in known}
    config = Config("mutag", "gine", method, settings, width=8, max_epochs=1)
    some = load_data("mutag", graphs=tuple(range(60)))
    without = ("cayley", "expander", "half-hop", "ct-layer", "drew", "co-gnn", *ROLE_METHODS)
    weighted = ("digl", "goku", "jdr", "heat")
    if method in (*without, *weighted):
        with pytest.raises(InputError, match=r"edge_attr|backbone"):
            trial_on(some, complete(config), 0)
    else:
        assert 0 <= trial_on(some, complete(config), 0)["scores"]["best-val"]["test"] <= 1


def test_the_same_bits_again_in_another_process_and_after_other_trials() -> None:
    config = Config("mutag", method="panda", max_epochs=3)
    first = facts(run_trial(config, 1))
    torch.rand(7)
    torch.set_num_threads(2)
    run_trial(Config("mutag", "gin", "flag", max_epochs=1), 0)
    assert facts(run_trial(config, 1)) == first
    torch.set_num_threads(1)
    with LocalExecutor(1) as executor:
        assert facts(executor.submit(run_trial, config, 1).result()) == first


def test_a_trial_leaves_the_callers_random_numbers_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    run_trial(Config("mutag", max_epochs=1), 0)
    assert torch.equal(torch.rand(4), expected)


def test_methods_share_the_split_of_a_seed() -> None:
    rows = [run_trial(Config("mutag", method=m, max_epochs=1), 5) for m in ("none", "panda", "mlp")]
    assert len({row["split"] for row in rows}) == 1
    assert run_trial(Config("mutag", max_epochs=1), 6)["split"] != rows[0]["split"]


def test_defaults_are_the_papers_best() -> None:
    config = complete(Config("mutag", method="panda"))
    assert dict(config.settings) == {
        "k": 10,
        "high_width": 112,
        "centrality": "betweenness",
        "selector": "topk",
        "variant": "paper",
    }
    assert complete(config) == config
    assert complete(Config("mutag", method="panda", settings={"k": 3})).key != config.key
    least: dict[str, Setting] = {"k": 0, "high_width": 64}
    assert (
        least.items() <= complete(Config("mutag", method="panda", settings=least)).settings.items()
    )


def test_controls_take_one_thing_away() -> None:
    def parameters(method: str) -> dict[str, int]:
        found: dict[str, int] = run_trial(Config("mutag", method=method, max_epochs=1), 0)[
            "parameters"
        ]
        return found

    panda, matched = parameters("panda"), parameters("parameter-matched")
    assert abs(matched["trained"] - panda["trained"]) < 0.01 * panda["trained"]
    assert parameters("flag")["trained"] == parameters("none")["trained"] + 64
    assert parameters("equal-width")["never_trained"] == 0
    assert parameters("random-k") == panda


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (Config("mutug"), "unknown dataset"),
        (Config("mutag", "gatt"), "unknown backbone"),
        (Config("mutag", method="luck"), "unknown method"),
        (
            Config("mutag", method="none", settings={"k": 1}),
            "unknown setting 'k' of method none: choose one of split",
        ),
        (
            Config("mutag", method="panda", settings={"k": -1}),
            "settings.panda.k must be 0 or more, not -1",
        ),
        (Config("mutag", method="panda", settings={"high_width": 63}), "high_width is 63"),
        (Config("mutag", method="panda", settings={"centrality": "x"}), "unknown centrality"),
        (
            Config("mutag", method="fosr", settings={"iterations": -3}),
            "settings.fosr.iterations must be",
        ),
    ],
)
def test_what_cannot_be_is_refused(config: Config, says: str) -> None:
    with pytest.raises(InputError, match=says):
        run_trial(config, 0)


def made_up(dataset: str) -> tuple[list[Data], TaskData]:
    """Twenty-three graphs that pass for a dataset, alone and as a trial sees them."""
    task = task_of(dataset)
    data = data_of(task.name)
    for graph in data:
        graph.x = graph.x.float()
    stored: Any = data
    return data, TaskData(DATASETS[dataset], task, stored, task.collate(data), fingerprint(data))


def test_kept_curves_change_nothing_else() -> None:
    _, task_data = made_up("mutag")
    config = complete(Config("mutag", width=4, num_layers=1, max_epochs=3))
    row = trial_on(task_data, config, 1)
    with_curves = trial_on(task_data, config, 1, keep_curves=True)
    assert "curves" not in row
    assert lasting(with_curves) == lasting(row)
    curves = with_curves["curves"]
    assert set(curves) == {"loss", "validation", "test"}
    best = with_curves["scores"]["best-val"]
    assert {len(curve) for curve in curves.values()} == {with_curves["epochs"]}
    assert curves["test"][best["epoch"]] == pytest.approx(best["test"], rel=1e-4)
    assert fault_of_values(with_curves) is None
    assert fault_of_values({**row, "curves": {"loss": ["x"]}}) == "its 'loss' is ['x'], no numbers"
    assert fault_of_values({**row, "curves": 3}) == "its curves are 3, no names with numbers"


def test_a_trial_is_the_literal_trial() -> None:
    """Split, weights, dropout, batches and every epoch that counts, all from the seed."""
    data, task_data = made_up("mutag")
    config = Config("mutag", width=6, num_layers=2, batch_size=4, max_epochs=12, learning_rate=0.02)
    row = trial_on(task_data, complete(config), 9)
    order = torch.randperm(23, generator=torch.Generator().manual_seed(9)).tolist()
    parts = order[:18], order[18:20], order[20:]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(9)
        model = GNN(3, 3, width=6, num_layers=2, dropout=0.5)
        record = literal_training(
            model,
            data,
            parts,
            9,
            loss=cross_entropy,
            score=accuracy,
            epochs=12,
            rates=Plateau(0.02, "training", 0.1, 10),
            batch_size=4,
        )
    best = record.validation.index(max(record.validation))
    ties = [e for e in range(12) if record.validation[e] == record.validation[best]]
    lucky = max(ties, key=lambda e: (record.test[e], -e))
    assert row["epochs"] == 12
    for selection, epoch in (("best-val", best), ("last", 11), ("best-val-test-ties", lucky)):
        assert row["scores"][selection] == {
            "epoch": epoch,
            "validation": pytest.approx(record.validation[epoch]),
            "test": pytest.approx(record.test[epoch]),
        }


@pytest.mark.parametrize(
    ("dataset", "epochs"),
    [
        ("mutag", {"best-val": 1, "last": 4, "best-val-test-ties": 3}),
        ("peptides-struct", {"best-val": 0, "last": 4, "best-val-test-ties": 2}),
    ],
)
def test_every_rule_reports_the_scores_of_its_epoch(
    dataset: str, epochs: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accuracy is better where it is greater, an error where it is less; ties by test likewise."""
    validation = (0.5, 0.9, 0.5, 0.9, 0.7)
    test = (0.7, 0.2, 0.1, 0.6, 0.9)
    curves = Curves(validation, test)
    monkeypatch.setattr("panda_gnn.evaluation.trial.train", lambda *arguments, **options: curves)
    monkeypatch.setattr(type(task_of("peptides-struct")), "split", lambda *_: random_split(23, 0))
    _, task_data = made_up("mutag")
    task_data = dataclasses.replace(task_data, task=task_of(dataset))
    monkeypatch.setattr("panda_gnn.evaluation.trial.graphs_and_model", lambda *_: (None, GNN(3, 3)))
    row = trial_on(task_data, complete(Config(dataset)), 0)
    assert row["epochs"] == 5
    assert row["scores"] == {
        rule: {"epoch": epoch, "validation": validation[epoch], "test": test[epoch]}
        for rule, epoch in epochs.items()
    }
