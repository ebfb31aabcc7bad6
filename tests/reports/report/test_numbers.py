"""What the report says is what the tables say."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.report.numbers import (
    _curves,
    named_studies,
    studies_in,
    study_of_rows,
    study_report,
)
from panda_gnn.reports.table_formats import mean_and_interval
from panda_gnn.reports.tables import build_table
from tests.reports.figures.pretend import store_trials


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    store_trials(
        load_study("main").select(["mutag"], ["gcn"], ["none", "panda"]), folder, ("mutag",), 3
    )
    (folder / "compare-mutag-gcn.jsonl").write_bytes((folder / "main.jsonl").read_bytes())
    (folder / "signal.jsonl").write_text("")
    (folder / "empty.jsonl").write_text("")
    return folder


def test_lines_are_those_of_the_tables(results: Path) -> None:
    study = load_study("main").select(["mutag"], ["gcn"], ["none", "panda"])
    report = study_report(study, results)
    contents = Store(results / "main.jsonl").read()
    assert list(report.tables) == list(SELECTIONS)
    for rule in SELECTIONS:
        block = build_table(study, contents, rule).blocks[0]
        for line, entry in zip(report.lines, block.entries, strict=True):
            assert entry.ours is not None
            assert line["rules"][rule]["ours"] == mean_and_interval(entry.ours, block.unit)
    panda = report.lines[1]
    plot = panda["rules"]["best-val"]["plot"]
    assert [seed for seed, _ in plot["pairs"]] == ["0", "1", "2"]
    mean = sum(value for _, value in plot["pairs"]) / 3
    assert plot["mean"] == pytest.approx(mean)
    assert panda["published"] == "85.750 ± 1.396"
    assert panda["command"] == (
        "panda study run main --datasets mutag --backbones gcn --methods panda --trials 3 "
        f"--results {results}"
    )


def test_a_page_has_the_curves_of_the_first_ten_trials_of_a_line() -> None:
    rows = [{"seed": seed, "curves": {"loss": [0.5]} if seed != 3 else None} for seed in range(12)]
    kept = _curves(2, reversed(rows))
    assert [row["seed"] for row in kept] == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10]
    assert kept[0] == {"line": 2, "seed": 0, "loss": [0.5]}


def test_a_store_of_ones_own(results: Path) -> None:
    found, left_out = studies_in(results)
    assert [study.name for study in found] == ["compare-mutag-gcn", "main"]
    assert "panda figure draws them" in left_out["signal.jsonl"]
    assert "no rows of trials" in left_out["empty.jsonl"]
    report = study_report(study_of_rows(results / "compare-mutag-gcn.jsonl"), results)
    assert [line["line"] for line in report.lines] == ["none", "panda"]
    command = report.lines[1]["command"]
    assert command.startswith("panda train --dataset mutag --backbone gcn --method panda")
    assert "--set k=10" in command


def test_studies_by_name(results: Path) -> None:
    names = [study.name for study in named_studies(["main", "compare-mutag-gcn"], results)]
    assert names == ["main", "compare-mutag-gcn"]
    with pytest.raises(InputError, match="unknown study 'nothing'"):
        named_studies(["nothing"], results)
