from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from panda_gnn.errors import InputError
from panda_gnn.evaluation.measure import Unit
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.splits import random_split
from panda_gnn.evaluation.statistics import Difference, Summary, holm
from panda_gnn.evaluation.store import Contents
from panda_gnn.evaluation.study import Line, Study, load_study
from panda_gnn.reports.table_formats import (
    FORMATS,
    headings,
    latex,
    markdown,
    mean_and_interval,
    terminal,
)
from panda_gnn.reports.tables import Entry, Table, build_table
from tests.evaluation.pretend import Row, pretend_trial, small_study

CODE = MEASURES["score"].code

#: Test accuracies in %, by method and seed.
ACCURACY = {
    "none": [70.0, 75.0, 72.0, 71.0],
    "digl": [74.0, 80.0, 75.0, 76.0],
    "fosr": [69.0, 76.0, 70.0, 72.0],
    "gtr": [60.0, 61.0, 62.0],
}


def row(study: Study, method: str, seed: int, test: float, **changes: Any) -> Row:
    config = next(cell for cell in study.cells if cell.line.method == method).candidates[0]
    trial = {**pretend_trial(config, seed), "code": CODE, **changes}
    for selection, scores in trial["scores"].items():
        scores["test"] = test / 100 + (0.01 if selection == "last" else 0)
    return trial


def study_and_rows(**changes: Any) -> tuple[Study, list[Row]]:
    study = small_study(methods=["none", "digl", "fosr", "gtr", "borf"], trials=4, **changes)
    rows = [
        row(study, method, seed, value)
        for method, values in ACCURACY.items()
        for seed, value in enumerate(values)
    ]
    return study, rows


def build(selection: str = "best-val", **changes: Any) -> Table:
    study, rows = study_and_rows(published={"table": "main"}, **changes)
    return build_table(study, Contents(tuple(rows), ()), selection)


def entries(table: Table) -> dict[str, Entry]:
    return {entry.line.method: entry for block in table.blocks for entry in block.entries}


def test_nothing_is_printed_as_minus_zero() -> None:
    unit = Unit("%", 100.0, 2)
    assert mean_and_interval(Difference(10, -1e-15, 2.17, 1.0), unit, "+") == "+0.00 ± 2.17"
    assert mean_and_interval(Difference(10, -0.006, 2.17, 1.0), unit, "+") == "-0.01 ± 2.17"
    seconds = Unit("s", 1.0, None)
    assert mean_and_interval(Summary(5, 0.01234567, 0.001), seconds) == "0.0123 ± 0.0010"
    assert mean_and_interval(Summary(5, 1.0, None), seconds) == "1.00"


def test_means_intervals_and_published_values() -> None:
    found = entries(build())
    ours = found["none"].ours
    assert ours is not None
    assert ours.mean == pytest.approx(72.0)
    assert ours.n == 4
    expected = stats.t.ppf(0.975, 3) * stats.sem(ACCURACY["none"])
    assert ours.interval == pytest.approx(expected)
    published = found["fosr"].published
    assert published is not None
    assert published.printed == "80.000 ± 1.574"


def test_differences_are_paired_and_holm_corrected_over_the_table() -> None:
    table = build()
    found = entries(table)
    p_values = [
        stats.ttest_rel(ACCURACY[name], ACCURACY["none"][: len(ACCURACY[name])]).pvalue
        for name in ("digl", "fosr", "gtr")
    ]
    assert table.comparisons == 3
    assert found["none"].difference is None
    for name, corrected in zip(("digl", "fosr", "gtr"), holm(p_values), strict=True):
        assert found[name].naive_p == pytest.approx(corrected)
    gtr = found["gtr"].difference
    assert gtr is not None
    assert gtr.n == 3
    assert gtr.mean == pytest.approx(61 - 72.3333333)


def test_re_splits_are_no_new_data() -> None:
    """On MUTAG 20 graphs are for test and 150 for training: intervals grow accordingly."""
    table = build()
    difference = entries(table)["digl"].difference
    assert difference is not None
    assert difference.interval is not None
    assert difference.naive_interval is not None
    grows = (1 / 4 + 20 / 150) ** 0.5 / (1 / 4) ** 0.5
    assert difference.interval / difference.naive_interval == pytest.approx(grows)
    for text in (terminal(table), markdown(table)):
        assert "corrected resampled t-test" in " ".join(text.split())
        assert f"± {difference.naive_interval:.2f}, 0.009" in text


def test_seeds_of_one_split_are_averaged_first() -> None:
    """Two trainings on each of two splits are two pairs, not four."""
    study, rows = study_and_rows()
    rows = [{**one, "split": f"fold-{one['seed'] % 2}"} for one in rows]
    difference = entries(build_table(study, Contents(tuple(rows), ())))["digl"].difference
    assert difference is not None
    assert difference.n == 2
    assert difference.mean == pytest.approx(((4 + 3) / 2 + (5 + 5) / 2) / 2)


def test_a_selection_that_is_none_gets_a_sentence() -> None:
    with pytest.raises(InputError, match="unknown selection 'best': choose one of"):
        build("best")


def test_a_line_that_is_another_line_is_no_comparison() -> None:
    study = small_study(methods=["none", "digl", "residual-twin"], backbones=["gcn", "gin"])
    rows = [
        {**pretend_trial(cell.candidates[0], seed), "code": CODE}
        for cell in study.cells
        for seed in range(3)
    ]
    table = build_table(study, Contents(tuple(rows), ()))
    assert table.comparisons == 3
    twin = table.blocks[1].entries[2]
    assert (twin.line.backbone, twin.same_as, twin.p) == ("gin", "none", None)
    assert any("gin: residual-twin is none bit for bit" in remark for remark in table.remarks)
    assert table.blocks[0].entries[2].p is not None


def test_what_choices_saw_is_said() -> None:
    study = replace(load_study("main").select(["mutag"]), choose_on=10)
    table = build_table(study, Contents((), ()))
    says = "mutag: 40 to 75 % of a test set were validation graphs of other seeds when settings"
    assert any(remark.startswith(says) for remark in table.remarks)
    assert any("in 11 of 12 cells" in remark for remark in table.remarks)
    nothing_chosen = build_table(load_study("controls").select(["mutag"]), Contents((), ()))
    assert not any("of a test set" in remark for remark in nothing_chosen.remarks)


def test_choices_saw_test_sets_of_seeds_that_ran_later() -> None:
    study = replace(load_study("main").select(["mutag"], ["gcn"], ["gtr"]), choose_on=1)
    candidates = study.cells[0].candidates
    rows = [pretend_trial(config, 0) for config in candidates]
    best = max(rows, key=lambda row: row["scores"]["best-val"]["validation"])
    chosen = next(config for config in candidates if config.key == best["key"])
    rows += [pretend_trial(chosen, seed) for seed in (1, 2)]
    table = build_table(study, Contents(tuple(rows), ()))
    validation = set(random_split(188, 0).validation.tolist())
    seen = [len(validation.intersection(random_split(188, s).test.tolist())) for s in (1, 2)]
    says = f"mutag: 0 to {100 * max(seen) / 20:.0f} % of a test set were validation graphs of other"
    assert max(seen) > 0
    assert f"{says} seeds when settings were chosen on 1 seed" in table.remarks


def test_the_reference_may_come_first() -> None:
    table = build(difference="digl - line")
    found = entries(table)
    assert found["digl"].difference is None
    assert found["none"].difference is not None
    assert found["none"].difference.mean == pytest.approx(4.25)
    assert table.difference_name == "digl minus this"


def test_the_best_three_are_marked_and_a_missing_cell_is_missing() -> None:
    found = entries(build())
    ranks = {name: entry.rank for name, entry in found.items()}
    assert ranks == {"digl": 1, "none": 2, "fosr": 3, "gtr": None, "borf": None}
    assert found["borf"].ours is None
    for name in ("terminal", "markdown", "latex"):
        assert "missing" in FORMATS[name](build())


@pytest.mark.parametrize("selection", ["best-val", "last", "best-val-test-ties"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_the_selection_rule(name: str, selection: str) -> None:
    assert selection in FORMATS[name](build(selection))


def test_the_selection_rule_decides_the_score() -> None:
    last = entries(build("last"))["none"].ours
    assert last is not None
    assert last.mean == pytest.approx(73.0)


def test_rows_of_another_version_are_left_out_and_reported() -> None:
    study, rows = study_and_rows()
    others = [row(study, "none", seed, 0.0, code="other") for seed in range(50)]
    table = build_table(study, Contents((*rows, *others), ("a damaged line",)))
    ours = entries(table)["none"].ours
    assert ours is not None
    assert ours.n == 4
    assert ours.mean == pytest.approx(72.0)
    assert table.remarks[0] == "a damaged line"
    assert "50 rows of version other" in table.remarks[1]


def test_the_settings_that_won_on_validation_are_shown() -> None:
    study = small_study(
        methods=["none", "digl"], settings={"digl": {"a": [1, 2]}}, choose_on=2, trials=2
    )
    rows = []
    for cell in study.cells:
        for config in cell.candidates:
            for seed in range(2):
                trial = {**pretend_trial(config, seed), "code": CODE}
                wins = config.settings.get("a") == 2
                for scores in trial["scores"].values():
                    scores.update(validation=0.9 if wins else 0.8, test=0.1 if wins else 1.0)
                rows.append(trial)
    table = build_table(study, Contents(tuple(rows), ()))
    digl = entries(table)["digl"]
    assert digl.config is not None
    assert digl.config.settings == {"a": 2}
    assert digl.ours is not None
    assert digl.ours.mean == pytest.approx(10.0)
    assert "digl on gcn, mutag: a 2; the best of 2 candidates on validation (2 seeds)" in (
        table.remarks
    )


def test_a_chosen_option_of_training_is_named_too() -> None:
    study = small_study(
        methods=["none"], settings={"none": {"dropout": [0.5, 0.3]}}, choose_on=1, trials=1
    )
    rows = []
    for config in study.cells[0].candidates:
        trial = {**pretend_trial(config, 0), "code": CODE}
        for scores in trial["scores"].values():
            scores.update(validation=0.9 if config.dropout == 0.3 else 0.8, test=0.5)
        rows.append(trial)
    chosen = "none on gcn, mutag: dropout 0.3; the best of 2 candidates on validation (1 seed)"
    table = build_table(study, Contents(tuple(rows), ()))
    assert chosen in table.remarks
    assert "| dropout 0.3 |" in markdown(table)
    assert ",dropout 0.3," in FORMATS["csv"](table)


def test_blocks_of_datasets_and_backbones() -> None:
    table = build_table(load_study("main"), Contents((), ()))
    assert len(table.blocks) == 12
    assert {len(block.entries) for block in table.blocks} == {10}
    borf = next(entry for entry in table.blocks[0].entries if entry.line.method == "borf")
    assert borf.published is not None
    assert borf.published.timed_out
    across = build_table(load_study("panda-vs-rgcn"), Contents((), ()))
    assert [table.label(line) for line in (Line("gcn", "none"),)] == ["none"]
    assert [across.label(entry.line) for entry in across.blocks[0].entries] == [
        "rgcn none",
        "gcn panda",
    ]


def test_questions_get_a_number_per_block() -> None:
    table = build(
        difference="digl - line",
        questions=[{"ask": "What does it add?", "difference": "digl - none"}],
        datasets=["mutag"],
    )
    for text in (terminal(table), markdown(table)):
        assert "What does it add? (digl minus none)" in text
        assert "mutag, gcn: +4.25 ± " in text


def test_times_have_neither_ranks_nor_differences() -> None:
    study = load_study("runtime-forward").select(["mutag"])
    rows = []
    for cell, value in zip(study.cells, (5.0, 11.0), strict=True):
        for seed in range(2):
            trial = {**pretend_trial(cell.candidates[0], seed), "code": MEASURES["forward"].code}
            rows.append({**trial, "value": value + seed})
    table = build_table(study, Contents(tuple(rows), ()))
    panda = entries(table)["panda"]
    assert panda.ours is not None
    assert panda.ours.mean == pytest.approx(11.5)
    assert panda.rank is None
    assert panda.difference is None
    assert table.selection is None
    text = terminal(table)
    assert "27.3" in text
    assert "milliseconds" in text
    assert "p (Holm)" not in text


def test_an_error_is_best_where_it_is_least_and_keeps_its_digits() -> None:
    study = small_study(datasets=["peptides-struct"], methods=["none", "panda"])
    rows = [
        row(study, method, seed, test)
        for method, test in (("none", 35.0), ("panda", 34.5))
        for seed in range(2)
    ]
    table = build_table(study, Contents(tuple(rows), ()))
    assert {name: entry.rank for name, entry in entries(table).items()} == {"panda": 1, "none": 2}
    assert "0.3450 ± 0.0000" in terminal(table)
    assert "-0.0050 ± 0.0000" in terminal(table)
    assert "mean absolute error" in terminal(table)


def test_csv_has_a_line_per_cell_with_full_precision() -> None:
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"](build()))))
    assert len(lines) == 5
    none = lines[0]
    assert float(none["mean"]) == pytest.approx(72.0)
    assert none["published"] == "72.15"
    assert none["selection"] == "best-val"
    assert lines[4]["mean"] == ""


def test_latex_escapes_and_colours() -> None:
    text = latex(build())
    assert r"\textcolor{red}{76.25 $\pm$" in text
    assert r"accuracy in \%" in text
    assert "±" not in text
    assert text.count(r"\midrule") == 2
    counts = {line.count("&") for line in text.splitlines() if "&" in line}
    assert counts == {len(headings(build())) - 2}  # all but the last
    assert f"{{l{'r' * (len(headings(build())) - 2)}}}" in text


def test_markdown_is_one_table_per_block() -> None:
    lines = markdown(build()).splitlines()
    assert sum(line.startswith("| ---") for line in lines) == 1
    widths = {line.count("|") for line in lines if line.startswith("|")}
    assert len(widths) == 1
    assert any("**76.25 ± " in line for line in lines)


def test_the_terminal_fits_without_breaking_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = terminal(build())
    assert "72.150 ± 2.442" in text
    assert "\x1b[" not in text
    assert "\x1b[31m76.25 ± " in terminal(build(), colour=True)


def test_a_narrow_table_fits_80_columns_and_says_what_few_trials_cannot_show() -> None:
    text = terminal(build(), narrow=True)
    assert max(map(len, text.splitlines())) <= 80
    assert "72.150 ± 2.442" in text
    assert "naive" not in text
    study = small_study(datasets=["mutag"], methods=["none", "panda"])
    for n, expected in (
        (1, "n = 1 shows no difference"),
        (2, "n = 2 shows no difference under 10.1 standard"),
        (4, "n = 4 shows no difference under"),
        (5, None),
    ):
        rows = [row(study, name, seed, 70.0 + seed) for name in study.methods for seed in range(n)]
        words = " ".join(terminal(build_table(study, Contents(tuple(rows), ()))).split())
        assert ("shows no difference" in words) == (expected is not None)
        assert expected is None or expected in words


def test_notes_of_the_paper_are_shown_where_they_concern_the_lines() -> None:
    study = load_study("main")

    def notes(*parts: list[str]) -> str:
        return " ".join(build_table(study.select(*parts), Contents((), ())).remarks)

    assert "borf did not finish" in notes(["collab"], ["gcn"], ["none", "borf"])
    assert "borf did not finish" not in notes(["collab"], ["gcn"], ["none", "panda"])
    assert "borf did not finish" not in notes(["mutag"], ["gcn"], ["none", "borf"])
    assert "GIN, mutag: the cells" not in notes(["mutag"], ["gcn"], ["none", "sdrf"])
    assert "GIN, mutag: the cells" in notes(["mutag"], ["gin"], ["none", "sdrf"])


def test_json_has_the_cells_of_the_comma_separated_form() -> None:
    lines = json.loads(FORMATS["json"](build()))
    expected = list(csv.DictReader(io.StringIO(FORMATS["csv"](build()))))
    texts = [{k: "" if v is None else str(v) for k, v in line.items()} for line in lines]
    assert texts == expected
