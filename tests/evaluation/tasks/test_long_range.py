"""The long-range benchmark on a handful of molecules, trial and all."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from torch.nn import functional as F
from torch.optim.lr_scheduler import ReduceLROnPlateau

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete, configure
from panda_gnn.evaluation.tasks import collated, load_data, task_of
from panda_gnn.evaluation.tasks.long_range import LONG_RANGE_METHODS, PRESETS, Preset
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.nn import GNN
from tests.datasets.test_peptides import SIZES, make_mirror

SMALL: dict[str, Any] = {"width": 12, "num_layers": 2, "max_epochs": 2, "batch_size": 2}


@pytest.fixture
def _molecules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Peptides-struct with seven molecules, for everything that looks at the table of datasets."""
    small = dataclasses.replace(
        DATASETS["peptides-struct"],
        num_graphs=7,
        split_sizes=SIZES,
        average_nodes=5.0,
        average_edges=8.0,
    )
    monkeypatch.setenv("PANDA_DATA_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("PANDA_DATA_MIRROR", str(make_mirror(tmp_path / "mirror")))
    collated.cache_clear()
    with DATASETS.replaced({"peptides-struct": small}):
        yield


@pytest.mark.usefixtures("_molecules")
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("backbone", ["gcn", "gin"])
@pytest.mark.parametrize("method", LONG_RANGE_METHODS)
def test_every_method_runs(method: str, backbone: str, preset: str) -> None:
    settings: dict[str, str | int] = {"preset": preset}
    if method == "panda":
        settings["k"] = 2
    config = Config("peptides-struct", backbone, method, settings, **SMALL)
    row = run_trial(config, 0)
    assert json.loads(json.dumps(row)) == row
    assert (row["epochs"], row["metric"]) == (2, "mean absolute error")
    assert math.isfinite(row["scores"]["last"]["test"])


@pytest.mark.usefixtures("_molecules")
def test_the_least_error_on_validation_counts_and_the_split_is_fixed() -> None:
    config = Config("peptides-struct", **{**SMALL, "max_epochs": 6, "learning_rate": 0.05})
    seen: list[float] = []
    row = run_trial(config, 0, on_epoch=lambda epoch, validation: seen.append(validation))
    best = row["scores"]["best-val"]
    assert best["validation"] == min(seen)
    assert best["epoch"] == seen.index(min(seen))
    assert run_trial(config, 0)["scores"] == row["scores"]
    other = run_trial(config, 1)
    assert other["scores"] != row["scores"]
    assert other["split"] == row["split"]
    data = load_data("peptides-struct")
    assert [part.tolist() for part in vars(data.task.split(data, {}, 0)).values()] == [
        [0, 1, 2],
        [3, 4],
        [5, 6],
    ]


def test_the_presets_are_complete_configs() -> None:
    for name, preset in PRESETS.items():
        assert task_of("peptides-func").training({"preset": name}, "gcn") == preset.training
        config = configure("peptides-func", settings={"preset": name})
        assert config.settings["preset"] == name
        assert preset.training.items() <= config.to_dict().items()
    assert task_of("peptides-func").training({}, "gcn") == PRESETS["dwivedi"].training
    assert task_of("texas").training({}, "gcn") == {"num_layers": 3}
    assert task_of("mutag").training({}, "gcn") == {}
    assert configure("peptides-func", width=64, max_epochs=3).width == 64
    panda = complete(Config("peptides-func", "gcn", "panda", width=300))
    assert dict(panda.settings) == {
        "k": 10,
        "high_width": 450,
        "centrality": "betweenness",
        "selector": "topk",
        "panda_layers": "last",
        "preset": "dwivedi",
    }


def test_what_cannot_be_is_refused() -> None:
    for config, says in (
        (Config("peptides-func", "rgcn"), "unknown backbone 'rgcn' on peptides-func"),
        (Config("peptides-func", "gcn", "last-fa"), "unknown method 'last-fa' on peptides-func"),
        (Config("peptides-func", settings={"preset": "nguyen"}), "unknown preset 'nguyen'"),
        (Config("peptides-func", "gcn", "wl-svm"), "is for datasets with a class for every graph"),
        (
            Config("peptides-func", "gcn", "panda", {"panda_layers": "first"}),
            "unknown panda_layers 'first'",
        ),
    ):
        with pytest.raises(InputError, match=says):
            complete(config)


def rates(preset: Preset, losses: list[float]) -> list[float]:
    """The learning rate of every epoch."""
    optimizer = torch.optim.AdamW([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler: Any = preset.scheduler(optimizer, len(losses))
    found = []
    for loss in losses:
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step(*([loss] if isinstance(scheduler, ReduceLROnPlateau) else []))
    return found


def test_the_learning_rate_follows_the_recipe() -> None:
    falling = [1.0 / (epoch + 1) for epoch in range(5)]
    plateau = rates(PRESETS["dwivedi"], falling + [1.0] * 25)
    assert plateau[:26] == [1.0] * 26
    assert plateau[26:] == [0.5] * 4
    cosine = rates(PRESETS["toenshoff"], [1.0] * 25)
    assert cosine[:6] == pytest.approx([1e-6, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert cosine[15] == pytest.approx(0.5)
    assert all(a > b for a, b in itertools.pairwise(cosine[5:]))


def test_the_presets_are_the_published_recipes() -> None:
    """Numbers of the two papers, not those of the package."""
    dwivedi = configure("peptides-func", settings={"preset": "dwivedi"})
    toenshoff = configure("peptides-func", settings={"preset": "toenshoff"})
    names = ("width", "num_layers", "dropout", "learning_rate", "batch_size", "max_epochs")
    assert [getattr(dwivedi, name) for name in names] == [300, 5, 0.0, 1e-3, 128, 500]
    assert [getattr(toenshoff, name) for name in names] == [235, 6, 0.1, 1e-3, 200, 250]
    assert PRESETS["dwivedi"].model == {"batch_norm": True, "unit_norm": True, "head_layers": 1}
    assert PRESETS["toenshoff"].model == {
        "activation": "gelu",
        "batch_norm": False,
        "residual": True,
        "head_layers": 3,
    }
    gines = [
        configure(f"peptides-{which}", "gin", settings={"preset": preset})
        for preset in PRESETS
        for which in ("func", "struct")
    ]
    sizes = [(config.num_layers, config.width) for config in gines]
    assert sizes == [(5, 208), (5, 208), (8, 160), (10, 145)]
    clips = [task_of("peptides-func").recipe(config).clip for config in (dwivedi, toenshoff)]
    assert clips == [None, 1.0]


class Outputs:
    """So many targets for every molecule, and nothing else that graphs have."""

    def __init__(self, num_outputs: int) -> None:
        self.num_outputs, self.target_nodes = num_outputs, None


def test_the_benchmarks_models_have_the_published_numbers_of_parameters() -> None:
    for dataset, backbone, targets, thousands in (
        ("peptides-func", "gcn", 10, 508),
        ("peptides-func", "gin", 10, 476),
        ("peptides-struct", "gin", 11, 476),
    ):
        config = configure(dataset, backbone)
        model = task_of(dataset).model(GNN, cast(Any, Outputs(targets)), config)
        assert round(model.num_parameters.trained / 1000) == thousands


def test_the_retuned_gine_is_its_published_layer() -> None:
    """Linear, GELU, dropout, linear, dropout, residual connection, written out."""
    config = configure("peptides-func", "gin", settings={"preset": "toenshoff"}, dropout=0.3)
    task, outputs = task_of("peptides-func"), cast(Any, Outputs(10))
    small = dataclasses.replace(config, width=6, num_layers=2)
    model: Any = task.model(GNN, outputs, small).double()
    kinds = [type(module).__name__ for module in model.layers[0].conv.mlp]
    assert kinds == ["Linear", "GELU", "Dropout", "Linear"]
    assert (model.layers[0].conv.mlp[2].p, model.dropout) == (0.3, 0.3)
    model.eval()
    atoms = torch.zeros(3, 9, dtype=torch.long)
    atoms[1, 0] = 5
    edge_index, bonds = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.zeros(4, 3).long()
    x = model.encoder(atoms)
    for layer in model.layers:
        bond = model.layers[0].conv.edge_encoder(bonds)
        messages = F.relu(x[edge_index[0]] + bond)
        sums = x.index_add(0, edge_index[1], messages)
        first, last = layer.conv.mlp[0], layer.conv.mlp[3]
        x = x + last(F.gelu(first(sums)))
    x = x.mean(0, keepdim=True)
    for i, linear in enumerate(model.head):
        x = linear(F.gelu(x) if i else x)
    torch.testing.assert_close(model(atoms, edge_index, edge_attr=bonds), x)
