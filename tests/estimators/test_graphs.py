"""Classes and numbers of graphs, as scikit-learn asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.model_selection import GridSearchCV, cross_val_score
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.estimators import PandaClassifier, PandaRegressor
from tests.estimators.graphs_of_two_kinds import graphs_and_labels

GRAPHS, LABELS = graphs_and_labels()
QUICK: dict[str, Any] = {
    "max_epochs": 40,
    "k": 1,
    "width": 16,
    "high_width": 24,
    "dropout": 0.0,
    "learning_rate": 0.01,
    "random_state": 1,
}


def test_rings_and_stars_are_told_apart() -> None:
    model = PandaClassifier(**QUICK).fit(GRAPHS[:30], LABELS[:30])
    assert model.classes_.tolist() == ["ring", "star"]
    assert model.score(GRAPHS[30:], LABELS[30:]) == 1.0
    probabilities = model.predict_proba(GRAPHS[30:])
    assert probabilities.shape == (10, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(GRAPHS[30:])).all()


def test_cross_validation_and_grid_search() -> None:
    quick = {**QUICK, "max_epochs": 15}
    scores = cross_val_score(PandaClassifier(**quick), GRAPHS, LABELS, cv=2)
    assert scores.shape == (2,)
    assert (scores > 0.6).all()
    search = GridSearchCV(PandaClassifier(**{**quick, "max_epochs": 1}), {"k": [1, 2]}, cv=2)
    assert search.fit(GRAPHS, LABELS).best_params_["k"] in (1, 2)


def test_cross_validation_with_defaults() -> None:
    """Nothing but the number of epochs is given."""
    scores = cross_val_score(PandaClassifier(max_epochs=1), GRAPHS, np.array(LABELS))
    assert scores.shape == (5,)


def test_labels_are_those_of_the_graphs_unless_given() -> None:
    graphs = [data.clone() for data in GRAPHS]
    for data, label in zip(graphs, LABELS, strict=True):
        data.y = torch.tensor([3 if label == "ring" else 8])
    model = PandaClassifier(**{**QUICK, "max_epochs": 1}).fit(graphs)
    assert model.classes_.tolist() == [3, 8]
    assert 0 <= model.score(graphs) <= 1
    with pytest.raises(InputError, match="graph 0 has no y"):
        PandaClassifier(**QUICK).fit(GRAPHS)


def test_numbers_are_in_their_own_unit() -> None:
    sizes = np.array([1000.0 + 50 * int(data.num_nodes or 0) for data in GRAPHS])
    graphs = [data.clone() for data in GRAPHS]
    for data in graphs:
        size = int(data.num_nodes or 0)
        data.x = torch.tensor([[1.0, size / 7 - 1]]).repeat(size, 1)
    options = {**QUICK, "max_epochs": 150, "batch_size": 8}
    model = PandaRegressor(**options).fit(graphs, sizes)
    predicted = model.predict(graphs)
    assert predicted.shape == sizes.shape
    assert model.score(graphs, sizes) > 0.9
    both = PandaRegressor(**{**QUICK, "max_epochs": 2}).fit(graphs, np.stack([sizes, -sizes], 1))
    assert both.predict(graphs).shape == (40, 2)


def test_a_regressor_stops_when_the_error_falls_no_more() -> None:
    """The validation error goes down at first, which must count as progress."""
    noise = np.random.default_rng(0).normal(size=40)
    options = {**QUICK, "patience": 5, "max_epochs": 300}
    model = PandaRegressor(**options).fit(GRAPHS, noise)
    best = int(np.argmin(model.validation_scores_))
    assert model.n_iter_ < 300
    assert model.n_iter_ == best + 1 + options["patience"] + 1


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["ring"] * 40, "one class"),
        (["ring", "star"], "y has the shape"),
        ([0.0, np.nan] * 20, "no finite numbers"),
        ([None] * 40, "labels of type object"),
    ],
)
def test_labels_that_cannot_be_learned(labels: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PandaClassifier(**QUICK).fit(GRAPHS, labels)


def test_unknown_classes_and_words_for_numbers() -> None:
    model = PandaClassifier(**{**QUICK, "max_epochs": 1}).fit(GRAPHS, LABELS)
    with pytest.raises(InputError, match="'wheel', which the model was not fitted with"):
        model.score(GRAPHS[:2], ["ring", "wheel"])
    with pytest.raises(InputError, match="y must be numbers"):
        PandaRegressor(**QUICK).fit(GRAPHS, LABELS)
    with pytest.raises(InputError, match="not finite"):
        PandaRegressor(**QUICK).fit(GRAPHS, [np.inf] * 40)


def test_features_are_chosen_in_fit_and_read_again_in_predict() -> None:
    bare = [Data(edge_index=data.edge_index, num_nodes=data.num_nodes) for data in GRAPHS]
    by_degree = PandaClassifier(**QUICK, features="degree").fit(bare, LABELS)
    assert by_degree.features_ == "degree"
    assert np.array_equal(by_degree.predict_proba(GRAPHS), by_degree.predict_proba(bare))
    without = PandaClassifier(**QUICK).fit(bare, LABELS)
    assert without.features_ == "constant"
    with pytest.raises(InputError, match="nodes are x, but the model was fitted with constant"):
        without.predict(GRAPHS)
    with pytest.raises(InputError, match="nodes are constant, but the model was fitted with x"):
        PandaClassifier(**QUICK).fit(GRAPHS, LABELS).predict(bare)
    with pytest.raises(InputError, match="graph 0 has no x: give all graphs features, or train"):
        PandaClassifier(**QUICK, features="x").fit(bare, LABELS)
    with pytest.raises(InputError, match="unknown features 'degrees'"):
        PandaClassifier(**QUICK, features="degrees").fit(bare, LABELS)
