"""What each control changes, and what it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.centrality import centrality
from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.measurements.signal import SIGNAL
from panda_gnn.evaluation.measurements.untrained import (
    in_double,
    measured_data,
    one_graph,
    untrained,
)
from panda_gnn.evaluation.methods import METHODS, complete, graphs_and_model
from panda_gnn.evaluation.tasks import TaskData, load_data
from panda_gnn.nn import PandaGNN
from panda_gnn.nn.models import BACKBONES


def test_panda_without_residual_is_the_backbone_but_for_high_nodes(shared_root: Path) -> None:
    """With no high node the control gives what GCN gives, weights being the same."""
    none: dict[str, Setting] = {"k": 0, "high_width": 128, "centrality": "degree"}
    configs = [
        complete(Config("mutag", method=method, settings=settings, num_layers=2), SIGNAL)
        for method, settings in (("panda-plain", none), ("none", {}))
    ]
    (model, table), (plain, _) = (
        in_double(*untrained(config, 0, measured_data(config, str(shared_root), None)))
        for config in configs
    )
    low = {
        key.replace(".low.", ".conv."): value
        for key, value in model.state_dict().items()
        if ".low." in key
    }
    plain.load_state_dict(low)
    data = one_graph(table, 2)
    expected = plain(data.x, data.edge_index)
    torch.testing.assert_close(model(data.x, data.edge_index, data.high), expected)


@pytest.fixture
def mutag(shared_root: Path) -> TaskData:
    return load_data("mutag", str(shared_root))


def graphs(data: TaskData, method: str, seed: int = 0, **settings: Setting) -> GraphTable:
    config = complete(Config("mutag", method=method, settings=settings))
    return METHODS[method].graphs(data, config.settings, seed)


def high_of(data: TaskData, method: str, seed: int = 0) -> Tensor:
    high = graphs(data, method, seed).high
    assert high is not None
    return high


NEW_COLUMNS: Mapping[str, int] = {
    "flag": 1,
    "size": 1,
    "degree": 2,
    "centralities": 10,
    "k-fraction": 1,
    "flag-permuted": 1,
    "readout-sum": 0,
    "readout-mean-size": 1,
    "readout-per-role": 1,
    "panda-size": 1,
    "panda-centralities": 10,
    "panda-fraction": 0,
    "panda-permuted": 0,
}


@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize("method", NEW_COLUMNS)
def test_every_mark_and_feature_reaches_the_output(
    method: str, backbone: str, mutag: TaskData
) -> None:
    """The output has a gradient in every column that a method adds, on every backbone."""
    table, model = graphs_and_model(mutag, complete(Config("mutag", backbone, method)), 0)
    added = NEW_COLUMNS[method]
    assert table.x.size(1) == 7 + added
    assert isinstance(model, PandaGNN) == method.startswith("panda")
    batch = table.take(torch.arange(16))
    x = batch.x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(batch.with_nodes(x=x).scores(model.eval())[:, 0].sum(), x)
    if method != "readout-per-role":
        assert (gradient[:, 7:].abs().sum(dim=0) > 0).all()
    else:
        swapped = batch.x.clone()
        swapped[:, -1] = 1 - swapped[:, -1]
        assert not torch.equal(batch.with_nodes(x=swapped).scores(model), batch.scores(model))


def test_a_share_of_the_nodes_is_the_same_in_every_graph(mutag: TaskData) -> None:
    """By default k over the average size; k of MUTAG is 10, its graphs have 17.93 nodes."""
    config = complete(Config("mutag", method="k-fraction"))
    assert dict(config.settings) == {"ratio": 0.558, "centrality": "betweenness"}
    sizes = mutag.graphs.node_ptr.diff()
    expected = torch.ceil(0.558 * sizes.double()).long()
    high = high_of(mutag, "panda-fraction")
    counts = torch.bincount(mutag.graphs.graph_of_node[high], minlength=188)
    assert torch.equal(counts, expected)
    assert torch.equal(graphs(mutag, "k-fraction").x[:, -1].bool(), high)
    given = complete(Config("cora", "gin", "flag", {"k": 3, "centrality": "degree"}))
    assert given.settings["k"] == 3
    for ratio in (-0.1, 1.5):
        with pytest.raises(InputError, match=f"ratio must be between 0 and 1, not {ratio}"):
            complete(Config("mutag", method="k-fraction", settings={"ratio": ratio}))
    with pytest.raises(InputError, match="no settings for sage on mutag: give ratio, a share"):
        complete(Config("mutag", "sage", "k-fraction", {"centrality": "degree"}))


def test_permuted_centralities_mark_as_many_nodes_and_others(mutag: TaskData) -> None:
    permuted, right = high_of(mutag, "panda-permuted"), high_of(mutag, "panda")
    place = mutag.graphs.graph_of_node
    counts = [torch.bincount(place[high]) for high in (permuted, right)]
    assert torch.equal(*counts)
    assert not torch.equal(permuted, right)
    assert torch.equal(permuted, high_of(mutag, "panda-permuted"))
    assert torch.equal(graphs(mutag, "flag-permuted").x[:, -1].bool(), permuted)
    assert not torch.equal(permuted, high_of(mutag, "panda-permuted", seed=1))
    # Nothing of the centrality is left: over seeds, central nodes are not marked more often.
    scores = centrality("betweenness", mutag.dataset)
    marks = torch.stack(
        [graphs(mutag, "flag-permuted", seed, k=5).x[:, -1] for seed in range(60)]
    ).mean(dim=0)
    big = mutag.graphs.node_ptr.diff()[place] == 23
    correlation = torch.corrcoef(torch.stack([scores[big], marks[big].double()]))[0, 1]
    assert abs(float(correlation)) < 0.15


NODE_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "flag": {"k": 5, "centrality": "degree"},
    "equal-width": {"k": 5, "centrality": "degree"},
    "degree": {},
    "centralities": {},
}


@pytest.mark.parametrize("method", NODE_SETTINGS)
def test_controls_of_a_node_set_need_only_their_own_settings(method: str) -> None:
    """The paper has no settings for GIN here."""
    config = complete(Config("texas", "gin", method, NODE_SETTINGS[method]))
    assert set(NODE_SETTINGS[method]) <= set(config.settings)


ABOUT_WHOLE_GRAPHS = [
    "k-fraction",
    "ltp",
    "panda-fraction",
    "panda-size",
    "probe",
    "readout-mean-size",
    "readout-per-role",
    "readout-sum",
    "size",
    "wl-svm",
]


def test_what_is_about_whole_graphs_is_known() -> None:
    assert sorted(name for name in METHODS if METHODS[name].whole_graphs) == ABOUT_WHOLE_GRAPHS


@pytest.mark.parametrize("method", ABOUT_WHOLE_GRAPHS)
def test_what_is_about_whole_graphs_is_refused_on_a_node_set(method: str) -> None:
    says = f"method {method} is for datasets with a class for every graph, texas is none"
    with pytest.raises(InputError, match=says):
        complete(Config("texas", "gcn", method))


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InputError, match="no settings for gin on texas: give k, centrality"):
        complete(Config("texas", "gin", "flag"))


@pytest.mark.parametrize("backbone", BACKBONES)
def test_a_control_that_is_its_reference_says_so(backbone: str, mutag: TaskData) -> None:
    """The residual twin has the weights and the scores of the plain backbone, except with GCN."""
    models = [
        graphs_and_model(mutag, complete(Config("mutag", backbone, method)), 0)[1]
        for method in ("residual-twin", "none")
    ]
    batch = mutag.graphs.take(torch.arange(8))
    same = torch.equal(*(batch.scores(model.eval()) for model in models))
    assert METHODS["residual-twin"].same_as(backbone) == ("none" if same else None)
    assert same == (backbone != "gcn")
