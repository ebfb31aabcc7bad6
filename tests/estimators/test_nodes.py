"""Classes and numbers of the nodes of one graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.errors import InputError
from panda_gnn.estimators import PandaNodeClassifier, PandaNodeRegressor

QUICK: dict[str, Any] = {
    "max_epochs": 60,
    "k": 3,
    "width": 16,
    "high_width": 24,
    "dropout": 0.0,
    "learning_rate": 0.01,
    "random_state": 0,
}


def two_cliques() -> Data:
    """Two cliques of ten nodes and one edge between them; features tell them apart."""
    pairs = [(i, j) for base in (0, 10) for i in range(base, base + 10) for j in range(base, i)]
    edges = to_undirected(torch.tensor([*pairs, (0, 10)]).t())
    y = torch.arange(20) // 10
    x = torch.randn(20, 2, generator=torch.Generator().manual_seed(0)) + 2 * y.view(-1, 1)
    mask = torch.arange(20) % 2 == 0
    return Data(x=x, edge_index=edges, y=y, train_mask=mask, test_mask=~mask)


def test_nodes_outside_the_mask_are_predicted() -> None:
    data = two_cliques()
    model = PandaNodeClassifier(**QUICK).fit(data, mask=data.train_mask)
    assert model.predict(data).shape == (20,)
    assert model.score(data, mask=data.test_mask) > 0.8
    np.testing.assert_allclose(model.predict_proba(data).sum(axis=1), 1)
    assert clone(model).get_params() == model.get_params()


def test_labels_outside_the_mask_do_not_matter() -> None:
    data = two_cliques()
    labels = np.array(["left", "right"])[data.y.numpy()]
    hidden = np.where(data.train_mask.numpy(), labels, "unknown")
    quick = {**QUICK, "max_epochs": 3}
    seen = PandaNodeClassifier(**quick).fit(data, labels, data.train_mask).predict_proba(data)
    blind = PandaNodeClassifier(**quick).fit(data, hidden, data.train_mask)
    assert blind.classes_.tolist() == ["left", "right"]
    assert np.array_equal(blind.predict_proba(data), seen)


def test_numbers_of_nodes() -> None:
    data = two_cliques()
    y = 100.0 + 10 * data.y.numpy()
    unknown = np.where(data.train_mask.numpy(), y, np.nan)
    model = PandaNodeRegressor(**QUICK).fit(data, unknown, data.train_mask)
    assert model.score(data, y, data.test_mask) > 0.5


def test_refusals() -> None:
    data = two_cliques()
    with pytest.raises(InputError, match="there are 2 graphs"):
        PandaNodeClassifier(**QUICK).fit([data, data])
    with pytest.raises(InputError, match="mask must be 20 truth values"):
        PandaNodeClassifier(**QUICK).fit(data, mask=torch.arange(20))
    with pytest.raises(InputError, match="y has 3 entries"):
        PandaNodeRegressor(**QUICK).fit(data, [1.0, 2.0, 3.0])
    del data.y
    with pytest.raises(InputError, match="the graph has no y"):
        PandaNodeClassifier(**QUICK).fit(data)
