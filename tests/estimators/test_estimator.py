"""What all estimators share: parameters, training, validation, refusals."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch_geometric.data import Data

from panda_gnn.datasets.checked import checked_graphs
from panda_gnn.errors import InputError
from panda_gnn.estimators import PandaClassifier, PandaNodeClassifier, estimator
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete, graphs_and_model
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import train
from panda_gnn.evaluation.trial import one_thread
from tests.estimators.graphs_of_two_kinds import graphs_and_labels

GRAPHS, LABELS = graphs_and_labels()
QUICK: dict[str, Any] = {"max_epochs": 3, "k": 2, "width": 8, "high_width": 12, "random_state": 1}


def test_clone_and_parameters() -> None:
    model = PandaClassifier(**QUICK, settings={"variant": "paper"})
    other = clone(model)
    assert other.get_params() == model.get_params()
    assert other.set_params(k=7).k == 7
    with pytest.raises(NotFittedError):
        other.predict(GRAPHS)


def test_what_is_not_given_is_what_a_trial_has() -> None:
    given, trial = PandaClassifier().get_params(), Config("mutag")
    names = [field.name for field in fields(Config) if field.name in given]
    assert set(names) - {"method", "num_layers", "settings"} == {
        *("backbone", "width", "dropout", "learning_rate", "batch_size", "max_epochs", "patience")
    }
    for name in ("backbone", "width", "dropout", "learning_rate", "batch_size"):
        assert given[name] == getattr(trial, name)
    assert [given[name] for name in ("method", "k", "max_epochs")] == ["panda", 10, 300]


def test_some_targets_must_be_left_beside_those_for_validation() -> None:
    graphs, labels = GRAPHS[:2], [0, 1]
    with pytest.raises(InputError, match="2 targets to fit, too few to keep one for validation"):
        PandaClassifier(**QUICK, validation_fraction=0.9).fit(graphs, labels)


def test_threads_share_the_graphs_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    make = graphs_and_model

    def watched(*arguments: Any) -> Any:
        seen.append(torch.get_num_threads())
        return make(*arguments)

    monkeypatch.setattr(estimator, "graphs_and_model", watched)
    one = PandaClassifier(**QUICK).fit(GRAPHS, LABELS)
    two = PandaClassifier(**QUICK, n_jobs=2).fit(GRAPHS, LABELS)
    assert seen == [1, 2]
    assert torch.get_num_threads() == 1
    assert (one.predict_proba(GRAPHS) == two.predict_proba(GRAPHS)).all()
    bad: list[Any] = [0, "many", 1.5]
    for jobs in bad:
        with pytest.raises(InputError, match="n_jobs"):
            PandaClassifier(**QUICK, n_jobs=jobs).fit(GRAPHS, LABELS)


def test_training_is_the_loop_of_trials() -> None:
    """The same weights as a call of the one loop by hand, and those of the best epoch."""
    model = PandaClassifier(**{**QUICK, "max_epochs": 6}).fit(GRAPHS, LABELS)
    checked = checked_graphs(GRAPHS)
    for data, label in zip(checked, LABELS, strict=True):
        data.y = torch.tensor([int(label == "star")])
    task = model.task
    data = model._task_data(checked)
    settings = {"k": 2, "high_width": 12, "centrality": "betweenness", "selector": "topk"}
    config = complete(
        Config("own", method="panda", settings=settings, width=8, max_epochs=6), task=task
    )
    order = torch.randperm(40, generator=torch.Generator().manual_seed(1))
    weights: list[dict[str, torch.Tensor]] = []
    scores: list[float] = []
    with one_thread(), torch.random.fork_rng(devices=[]):
        table, literal = graphs_and_model(data, config, 1)

        def keep(epoch: int, validation: float) -> None:
            weights.append({name: value.clone() for name, value in literal.state_dict().items()})
            scores.append(validation)

        split = Split(order[4:], order[:4], order[:0])
        train(literal, table, split, task.recipe(config), 1, keep)
    assert model.validation_scores_ == scores
    best = weights[int(np.argmax(scores))]
    for name, value in model.model_.state_dict().items():
        assert torch.equal(value, best[name]), name


def test_the_same_seed_gives_the_same_bits_and_leaves_random_numbers_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    first = PandaClassifier(**QUICK).fit(GRAPHS, LABELS).predict_proba(GRAPHS)
    assert torch.equal(torch.rand(1), expected)
    second = PandaClassifier(**QUICK).fit(GRAPHS, LABELS).predict_proba(GRAPHS)
    assert np.array_equal(first, second)
    other = PandaClassifier(**{**QUICK, "random_state": 2}).fit(GRAPHS, LABELS)
    assert not np.array_equal(first, other.predict_proba(GRAPHS))
    drawn = PandaClassifier(**{**QUICK, "random_state": np.random.RandomState(0)})
    assert drawn.fit(GRAPHS, LABELS).seed_ >= 0


def test_it_stops_early_and_without_validation_it_does_not() -> None:
    constant = [Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))] * 20
    labels = [0, 1] * 10
    options: dict[str, Any] = {**QUICK, "max_epochs": 30, "patience": 2, "method": "none"}
    assert PandaClassifier(**options).fit(constant, labels).n_iter_ < 30
    whole = PandaClassifier(**options, validation_fraction=0).fit(constant, labels)
    assert whole.n_iter_ == 30
    assert np.isnan(whole.validation_scores_).all()


@pytest.mark.parametrize("method", ["none", "fosr", "digl", "last-fa"])
@pytest.mark.parametrize("backbone", ["gin", "rgcn"])
def test_other_methods_and_backbones(method: str, backbone: str) -> None:
    model = PandaClassifier(**{**QUICK, "max_epochs": 1}, method=method, backbone=backbone)
    assert model.fit(GRAPHS, LABELS).predict(GRAPHS[:3]).shape == (3,)


def test_high_nodes_are_twice_as_wide_and_128_at_least() -> None:
    assert PandaClassifier(width=16).config().settings["high_width"] == 128
    assert PandaClassifier(width=100).config().settings["high_width"] == 200
    assert PandaClassifier(width=100, high_width=110).config().settings["high_width"] == 110
    assert PandaClassifier().config().num_layers == 4
    assert PandaClassifier(num_layers=2).config().num_layers == 2


def test_settings_of_a_method() -> None:
    model = PandaClassifier(method="fosr", settings={"iterations": 2})
    assert model.config().settings == {"iterations": 2}
    with pytest.raises(InputError, match="unknown setting"):
        PandaClassifier(method="fosr", settings={"iteration": 2}).config()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "wl-svm"}, "unknown method 'wl-svm' of an estimator"),
        ({"backbone": "gcnn"}, "unknown backbone 'gcnn'"),
        ({"centrality": "page-rank"}, "unknown centrality 'page-rank'"),
        ({"k": -1}, "k must be a whole number"),
        ({"width": 0}, "width must be"),
        ({"high_width": 4}, "high_width is 4"),
        ({"max_epochs": 0}, "max_epochs must be"),
        ({"patience": 0}, "patience must be"),
        ({"batch_size": 2.5}, "batch_size must be"),
        ({"dropout": 1.0}, "dropout must be"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"validation_fraction": 1.5}, "validation_fraction must be"),
        ({"settings": [1]}, "settings must be a dictionary"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_parameters_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PandaClassifier(**{**QUICK, **options}).fit(GRAPHS, LABELS)


def test_graphs_that_do_not_fit_the_model_are_refused() -> None:
    model = PandaClassifier(**QUICK).fit(GRAPHS, LABELS)
    wide = [Data(x=torch.ones(3, 5), edge_index=GRAPHS[0].edge_index[:, :0])]
    with pytest.raises(InputError, match="5 features per node, but the model was fitted with 2"):
        model.predict(wide)
    weighted = GRAPHS[1].clone()
    weighted.edge_weight = torch.ones(weighted.num_edges)
    with pytest.raises(InputError, match="the edges have edge_weight, but the model was fitted"):
        model.predict([weighted])


def test_loss_that_is_no_number_is_no_model() -> None:
    with pytest.raises(InputError, match="learning_rate"):
        PandaClassifier(**{**QUICK, "learning_rate": 1e30, "max_epochs": 20}).fit(GRAPHS, LABELS)


def test_a_bar_appears_after_two_seconds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[float] = []

    class Bar:
        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *error: object) -> None:
            shown.append(-1)

        def add_task(self, name: str, total: int) -> int:
            return 0

        def update(self, task: int, completed: int) -> None:
            shown.append(completed)

    monkeypatch.setattr(estimator, "progress_bar", Bar)
    PandaClassifier(**QUICK).fit(GRAPHS, LABELS)
    assert shown == []
    clock = iter(range(0, 100, 3))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    PandaClassifier(**QUICK).fit(GRAPHS, LABELS)
    assert shown == [1, 2, 3, -1]


def test_nodes_have_three_layers() -> None:
    assert PandaNodeClassifier().config().num_layers == 3
    assert PandaClassifier().config().num_layers == 4
