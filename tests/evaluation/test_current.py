"""Rows of other data or other parts never meet those of today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.current import origins, rows_to_show
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.methods import METHODS
from panda_gnn.evaluation.run import adopt
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import load_study
from tests.evaluation.pretend import Row, pretend_trial, small_study

STUDY = small_study()
NONE, DIGL = (cell.candidates[0] for cell in STUDY.cells)
CODE = MEASURES["score"].code


def rows(**changes: object) -> list[Row]:
    return [
        {**pretend_trial(config, seed), "code": CODE, **changes}
        for config in (NONE, DIGL)
        for seed in range(2)
    ]


@pytest.fixture
def corrected_digl() -> Iterator[None]:
    with METHODS.replaced({"digl": replace(METHODS["digl"], version=2)}):
        yield


def test_rows_of_today_are_all_shown() -> None:
    finished, remarks = rows_to_show(STUDY, rows())
    assert {key: set(by_seed) for key, by_seed in finished.items()} == {
        NONE.key: {0, 1},
        DIGL.key: {0, 1},
    }
    assert remarks == []


def test_reversed_labels_are_another_dataset() -> None:
    other = [{**row, "seed": row["seed"] + 5} for row in rows(data="reversed")]
    finished, remarks = rows_to_show(STUDY, [*rows(), *other])
    assert set(finished[NONE.key]) == {0, 1}
    assert remarks == ["4 rows of other data of mutag (fingerprint reversed) are left out"]


def test_where_there_are_only_other_data_a_sentence_says_so() -> None:
    finished, remarks = rows_to_show(STUDY, rows(data="reversed"))
    assert set(finished[NONE.key]) == {0, 1}
    assert remarks == [
        "mutag: all rows shown are of other data (fingerprint reversed) than the known MUTAG "
        f"({DATASETS['mutag'].fingerprint})"
    ]


@pytest.mark.usefixtures("corrected_digl")
def test_a_corrected_method_makes_its_own_rows_old_and_nobody_elses() -> None:
    old = rows(parts={"task": "graph-classification-1", "method": "digl-1"})[2:]
    finished, remarks = rows_to_show(STUDY, [*rows()[:2], *old])
    assert set(finished) == {NONE.key}
    assert remarks == [
        "2 rows of digl-1, graph-classification-1 are left out: "
        "they do not mix with digl-2, graph-classification-1"
    ]


def test_rows_that_do_not_name_their_data_are_left_out() -> None:
    bare = [
        {name: value for name, value in row.items() if name not in ("parts", "data")}
        for row in rows()
    ]
    finished, remarks = rows_to_show(STUDY, bare)
    assert finished == {}
    assert "4 rows do not name their data" in remarks[0]
    assert "panda study migrate" in remarks[0]


def test_figures_never_take_rows_of_an_older_version() -> None:
    old = rows(code="1")
    assert set(rows_to_show(STUDY, old)[0]) == {NONE.key, DIGL.key}
    assert rows_to_show(STUDY, old, installed_only=True)[0] == {}


def test_rows_of_other_data_are_not_taken_over(tmp_path: Path) -> None:
    other = Store(tmp_path / "other.jsonl")
    for row in (*rows(data="reversed"), *rows()[:1]):
        other.append(row)
    store = Store(tmp_path / "small.jsonl")
    store.prepare()
    assert adopt(store, {}, origins=origins(STUDY), seeds=range(3)) == 1
    assert adopt(store, {}, origins=origins(STUDY, {"mutag": "reversed"}), seeds=range(3)) == 4


def test_measurements_that_make_their_graphs_have_no_data() -> None:
    for origin in origins(load_study("transfer")).values():
        assert origin == (MEASURES["transfer"].code, (), None)
    for origin in origins(load_study("energy")).values():
        assert origin.data in {entry.fingerprint for entry in DATASETS.values()}
