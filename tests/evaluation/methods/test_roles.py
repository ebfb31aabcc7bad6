"""Roles as methods of the laboratory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.evaluation.methods import complete, configure, graphs_and_model
from panda_gnn.evaluation.methods.features import centrality_features
from panda_gnn.evaluation.methods.roles import ROLE_METHODS
from panda_gnn.evaluation.study import load_study
from panda_gnn.evaluation.tasks import TaskData, load_data
from panda_gnn.evaluation.trial import trial_on
from panda_gnn.nn import RoleGNN
from panda_gnn.transforms import AssignRoles, high_nodes


@pytest.fixture
def mutag(shared_root: Path) -> TaskData:
    return load_data("mutag", str(shared_root))


def made(data: TaskData, method: str, seed: int = 0, **settings: Any) -> tuple[Any, RoleGNN]:
    graphs, model = graphs_and_model(data, configure("mutag", "gcn", method, settings), seed)
    assert isinstance(model, RoleGNN)
    return graphs, model


@pytest.mark.parametrize("method", ROLE_METHODS)
def test_a_method_trains(method: str, mutag: TaskData) -> None:
    config = configure("mutag", "gcn", method, {"encoding": True, "readout_per_role": True})
    config = replace(config, max_epochs=2, width=8)
    row = trial_on(mutag, complete(config), 0)
    assert row["epochs"] == 2
    assert row["parameters"]["trained"] > 0


def test_roles_are_quantiles_bins_of_training_nodes_or_the_nodes_of_panda(
    mutag: TaskData,
) -> None:
    graphs, _ = made(mutag, "roles-gain")
    quantiles = AssignRoles("betweenness", 3).roles(mutag.dataset)
    assert torch.equal(graphs.role, quantiles)
    graphs, _ = made(mutag, "roles-gain", assign="top-k")
    assert torch.equal(graphs.role, high_nodes(mutag.dataset, "betweenness", 10).long())
    graphs, _ = made(mutag, "roles-gain", seed=3, assign="bins")
    train = mutag.task.split(mutag, {}, 3).train
    fitted = AssignRoles("betweenness", 3, scale="log").fit(mutag.dataset[train])
    assert torch.equal(graphs.role, fitted.roles(mutag.dataset))
    counts = torch.bincount(graphs.role).double() / graphs.role.numel()
    assert bool((counts > 0.25).all())


def test_a_part_of_the_graphs_keeps_its_roles(mutag: TaskData) -> None:
    graphs, model = made(mutag, "roles-pairs")
    model.eval()
    part = graphs.take(torch.tensor([5, 2]))
    assert torch.equal(
        part.role, torch.cat([graphs.role[graphs.graph_of_node == g] for g in (5, 2)])
    )
    torch.testing.assert_close(part.scores(model), graphs.scores(model)[[5, 2]])


def test_the_encoding_is_that_of_centralities(mutag: TaskData) -> None:
    graphs, model = made(mutag, "roles-low-rank", encoding=True)
    expected = centrality_features(mutag, {}, 0).float()
    assert torch.equal(graphs.x[:, 7:], expected)
    assert model.in_channels == 17


def test_widths_go_from_width_to_high_width(mutag: TaskData) -> None:
    assert made(mutag, "roles-width")[1].widths == (64, 88, 112)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"assign": "topk"}, "assign"),
        ({"assign": "top-k", "num_roles": 3}, "top-k makes 2 roles"),
        ({"num_roles": 0}, "num_roles"),
    ],
)
def test_bad_settings_get_a_sentence(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        configure("mutag", "gcn", "roles-gain", settings)


def test_a_backbone_that_a_rung_is_not_for_gets_a_sentence() -> None:
    with pytest.raises(InputError, match="unknown backbone 'gin' of method roles-pairs"):
        configure("mutag", "gin", "roles-pairs")
    assert configure("mutag", "gin", "roles-width").settings["high_width"] == 96


def test_the_study_has_every_rung_with_and_without_the_encoding() -> None:
    study = load_study("roles")
    lines = {(cell.line.method, cell.line.variant) for cell in study.cells}
    assert {(method, flag) for method in ROLE_METHODS for flag in (True, False)} <= lines
    assert {("none", None), ("centralities", None), ("panda", None)} <= lines
    assert all(len(c.candidates) == 2 for c in study.cells if c.line.variant is not None)


def test_the_study_of_the_large_sets_has_lines_of_the_other_with_the_encoding() -> None:
    large, small = load_study("roles-large"), load_study("roles")
    lines = {cell.line.method: cell for cell in large.cells if cell.dataset == "collab"}
    assert set(lines) == {"panda", "none", "centralities", "roles-gain", "roles-low-rank"}
    for name in ("roles-gain", "roles-low-rank"):
        settings = [dict(config.settings) for config in lines[name].candidates]
        assert all(one.pop("encoding") is True for one in settings)
        assert [one.pop("assign") for one in settings] == ["quantiles", "bins"]
        (known,) = (
            cell.candidates[0].settings
            for cell in small.cells
            if (cell.dataset, cell.line.method, cell.line.variant) == ("mutag", name, True)
        )
        assert settings[0].items() - {("centrality", settings[0]["centrality"])} <= known.items()
