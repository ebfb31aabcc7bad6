"""Figures: what is measured, what is drawn, and that the same request gives the same files."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import Study, load_study
from panda_gnn.evaluation.trial import CODE
from panda_gnn.nn import GNN
from panda_gnn.reports.figures import (
    FIGURES,
    Request,
    energy,
    figure_name,
    make_figure,
    resistance,
    sensitivity,
    signal,
    transfer,
)
from panda_gnn.reports.figures.contestants import Contestant, contestants
from panda_gnn.reports.figures.request import graph
from panda_gnn.reports.figures.style import COLUMN_WIDTH, LINES, Row
from panda_gnn.reports.figures.transfer_task import TransferTask, transfer_accuracy


@pytest.fixture
def request_for_mutag(shared_root: Path, tmp_path: Path) -> Request:
    return Request(
        ("mutag",), 2, 3, tmp_path / "results", "panda figure NAME", root=str(shared_root)
    )


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer layers and methods, for time."""
    monkeypatch.setattr(sensitivity, "LAYERS", 2)
    monkeypatch.setattr(signal, "LAYERS", 2)
    monkeypatch.setattr("panda_gnn.reports.figures.contestants.REWIRINGS", ("fosr",))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ["sensitivity-width", "sensitivity-method", "signal"])
def test_untrained_figures(name: str, request_for_mutag: Request, tmp_path: Path) -> None:
    paths = make_figure(name, request_for_mutag, tmp_path)
    assert [path.name for path in paths] == [f"{name}-mutag.{end}" for end in ("png", "svg", "csv")]
    with Image.open(paths[0]) as image:
        assert image.width == round(COLUMN_WIDTH * 300)
        caption = str(image.info["Description"])
    assert "3 of 188 graphs of MUTAG" in caption
    assert "2 random initialisations" in caption
    assert caption.endswith("$ panda figure NAME")
    rows = rows_of(paths[2])
    assert {row["series"] for row in rows} <= set(LINES)
    again = make_figure(name, request_for_mutag, tmp_path / "again")
    assert again[2].read_bytes() == paths[2].read_bytes()


@pytest.mark.usefixtures("few")
def test_wider_is_more_sensitive(request_for_mutag: Request) -> None:
    rows = sensitivity.measure_widths(replace(request_for_mutag, graphs=8))
    first = {str(row["series"]): float(row["sensitivity"]) for row in rows if row["layer"] == 1}
    widths = [first[f"p={width}"] for width in (16, 32, 64, 128)]
    assert widths == sorted(widths)


@pytest.mark.usefixtures("few")
def test_signal_falls_with_resistance(request_for_mutag: Request) -> None:
    rows = signal.measure(replace(request_for_mutag, graphs=30, trials=1))
    plain = signal.select(rows, backbone="gcn", series="none")
    assert len(plain) == 30
    assert max(float(row["normalised_resistance"]) for row in plain) == 1
    assert signal.correlation(plain) < -0.5
    assert signal.correlation([{**row, "heard": 1.0} for row in plain]) == 0


def test_panda_without_residual_is_the_backbone_but_for_high_nodes(
    request_for_mutag: Request,
) -> None:
    """With no high node the control gives what GCN gives, weights being the same."""
    control = contestants(0, 128, "degree", rewirings=False)["panda-plain"]
    model, table = control.model(request_for_mutag, "mutag", "gcn", 2, seed=0)
    plain, _ = Contestant("none", {}).model(request_for_mutag, "mutag", "gcn", 2, seed=0)
    low = {
        key.replace(".low.", ".conv."): value
        for key, value in model.state_dict().items()
        if ".low." in key
    }
    plain.load_state_dict(low)
    data = graph(table, 2)
    expected = plain(data.x, data.edge_index)
    torch.testing.assert_close(model(data.x, data.edge_index, data.high), expected)


def test_the_graphs_of_a_figure_are_spread_over_the_dataset(request_for_mutag: Request) -> None:
    some = request_for_mutag.source("mutag").graphs
    whole = replace(request_for_mutag, graphs=None).source("mutag").graphs
    assert (some.num_graphs, whole.num_graphs) == (3, 188)
    for place, index in enumerate(request_for_mutag.chosen("mutag")):
        assert torch.equal(graph(some, place).x, graph(whole, index).x)
        assert torch.equal(graph(some, place).edge_index, graph(whole, index).edge_index)


def test_energy(
    request_for_mutag: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(energy, "SERIES", {"none": "none", "panda": "panda"})
    monkeypatch.setattr(energy, "train", lambda *arguments: None)
    paths = make_figure("energy", replace(request_for_mutag, graphs=20), tmp_path)
    rows = rows_of(paths[2])
    assert {row["layer"] for row in rows} == {"0", "1", "2", "3", "4", "5"}
    features = {row["energy"] for row in rows if row["layer"] == "0"}
    assert len(features) == 1
    assert all(0 <= float(row["relative_energy"]) <= 2 for row in rows)
    with pytest.raises(InputError, match="at least 10"):
        make_figure("energy", request_for_mutag, tmp_path)


def stored(study: Study, folder: Path, datasets: tuple[str, ...], seeds: int) -> None:
    """Pretend that a study has been run: more of the setting is better, and GIN better than GCN."""
    store = Store(folder / f"{study.name}.jsonl")
    store.prepare()
    for cell in study.cells:
        if cell.dataset in datasets:
            for config in cell.candidates:
                for seed in range(seeds):
                    store.append(row_of(config, seed, cell.line.variant))


def row_of(config: Config, seed: int, variant: object) -> dict[str, object]:
    level = 0.5 + 0.1 * (config.backbone == "gin") + 0.001 * float(str(variant or 0))
    epoch = {"epoch": 1, "validation": level, "test": level + 0.01 * seed}
    scores = dict.fromkeys(("best-val", "last", "best-val-test-ties"), epoch)
    return {
        "key": config.key,
        "seed": seed,
        "code": CODE,
        "config": config.to_dict(),
        "metric": "accuracy",
        "scores": scores,
    }


@pytest.mark.parametrize(
    ("name", "study"), [("topk", "sweep-k"), ("high-width", "sweep-high-width")]
)
def test_sweeps_read_the_store(
    name: str, study: str, request_for_mutag: Request, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=f"panda study run {study} --datasets mutag"):
        make_figure(name, request_for_mutag, tmp_path)
    stored(load_study(study), request_for_mutag.results, ("mutag",), 3)
    paths = make_figure(name, request_for_mutag, tmp_path)
    rows = rows_of(paths[2])
    assert {row["trials"] for row in rows} == {"3"}
    gcn = [row for row in rows if row["backbone"] == "gcn" and row["value"]]
    means = [float(row["accuracy"]) for row in sorted(gcn, key=lambda row: float(row["value"]))]
    assert means == sorted(means)
    with Image.open(paths[0]) as image:
        assert "MUTAG, 3 trials" in str(image.info["Description"])


@pytest.mark.usefixtures("few")
def test_resistance_reads_the_store(
    request_for_mutag: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resistance, "SERIES", ("none", "fosr", "panda"))
    with pytest.raises(InputError, match="panda study run main --datasets mutag"):
        make_figure("resistance", request_for_mutag, tmp_path)
    stored(load_study("main"), request_for_mutag.results, ("mutag",), 2)
    rows = rows_of(make_figure("resistance", request_for_mutag, tmp_path)[2])
    assert [row["series"] for row in rows] == ["none", "fosr", "panda"]
    assert all(-1 <= float(row["correlation"]) <= 1 for row in rows)
    of_the_study = {"fosr": Contestant("fosr", {"iterations": 10})}
    signals = signal.measure_backbone(request_for_mutag, "mutag", "gcn", of_the_study)
    assert float(rows[1]["correlation"]) == pytest.approx(signal.correlation(signals), abs=1e-5)


def test_one_trial_has_no_interval(request_for_mutag: Request, tmp_path: Path) -> None:
    stored(load_study("sweep-k"), request_for_mutag.results, ("mutag",), 1)
    paths = make_figure("topk", request_for_mutag, tmp_path)
    assert {row["interval"] for row in rows_of(paths[2])} == {""}
    with Image.open(paths[0]) as image:
        assert "on MUTAG, 1 trial; dotted" in str(image.info["Description"])


def test_transfer_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "DISTANCES", (2,))
    monkeypatch.setattr(transfer, "TREE_DISTANCES", (2,))
    monkeypatch.setattr(transfer, "transfer_accuracy", lambda task, seed: seed / 2)
    paths = make_figure("transfer", Request((), 3, command="panda figure transfer"), tmp_path)
    rows = rows_of(paths[2])
    assert paths[0].name == "transfer.png"
    assert len(rows) == 4 * 2 * 4
    assert {row["series"] for row in rows} <= set(LINES)
    assert {row["accuracy"] for row in rows} == {"0.5"}
    with pytest.raises(InputError, match="has its own data"):
        make_figure("transfer", Request(("mutag",), 1), tmp_path)


@pytest.mark.parametrize("method", ["none", "all-wide", "fosr", "panda"])
def test_short_transfers_are_learned(method: str) -> None:
    task = TransferTask("ring", 3, "gcn", method, width=16, high_width=32, learning_rate=1e-2)
    assert transfer_accuracy(task, 0) == 1
    assert transfer_accuracy(replace(task, steps=3), 1) == transfer_accuracy(
        replace(task, steps=3), 1
    )


def test_transfer_models_are_as_deep_as_the_distance() -> None:
    for distance in (2, 5):
        model: GNN = TransferTask("tree", distance, "gin", "panda").model()
        assert len(model.layers) == distance


def test_names_and_errors(request_for_mutag: Request, tmp_path: Path) -> None:
    assert figure_name("signal-all", FIGURES["signal-all"].datasets) == "signal-all"
    assert figure_name("signal-all", ("mutag",)) == "signal-all-mutag"
    assert figure_name("energy", ("mutag", "enzymes")) == "energy-mutag-enzymes"
    with pytest.raises(InputError, match="unknown figure 'nonsense': choose one of resistance"):
        make_figure("nonsense", request_for_mutag, tmp_path)
    with pytest.raises(InputError, match="unknown dataset 'nonsense'"):
        make_figure("signal", replace(request_for_mutag, datasets=("nonsense",)), tmp_path)


def test_every_figure_has_a_line_for_every_series() -> None:
    """No series is drawn twice the same: colour, marker and dashes together tell them apart."""
    looks = {(line.colour, line.marker, line.dashes) for line in LINES.values()}
    compared: list[Row] = [{"series": name} for name in contestants(1, 64, "degree")]
    assert {str(row["series"]) for row in compared} <= set(LINES)
    methods = [LINES[str(row["series"])] for row in compared]
    assert len({(line.colour, line.marker, line.dashes) for line in methods}) == len(methods)
    assert len(looks) >= 18
