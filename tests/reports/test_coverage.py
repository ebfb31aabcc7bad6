from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import load_study
from panda_gnn.paper import tables
from panda_gnn.reports.coverage import Coverage, coverage
from tests.evaluation.pretend import pretend_trial


def by_table(results: Path) -> dict[str, Coverage]:
    return {table.table: table for table in coverage(results)}


def test_without_rows_nothing_is_covered(tmp_path: Path) -> None:
    covered = by_table(tmp_path)
    assert covered.keys() == tables().keys()
    assert sum(table.published for table in covered.values()) == 395
    assert not any(table.measured or table.complete for table in covered.values())


def test_cells_are_counted_once_and_complete_with_ten_trials(tmp_path: Path) -> None:
    """Two cells of the main table, which the controls also show; one has ten trials in one."""
    for study, trials in (("main", 10), ("controls", 3)):
        store = Store(tmp_path / f"{study}.jsonl")
        for cell in load_study(study).select(["mutag"], ["gcn"], ["none", "panda"]).cells:
            for seed in range(trials if cell.line.method == "none" else 9):
                row = pretend_trial(cell.candidates[0], seed)
                store.append({**row, "code": MEASURES["score"].code})
    covered = by_table(tmp_path)
    assert (covered["main"].published, covered["main"].measured, covered["main"].complete) == (
        116,
        2,
        1,
    )
    assert covered["relational"].measured == 0
    longer = replace(load_study("main"), trials=100)
    assert {table.complete for table in coverage(tmp_path, [longer])} == {0, 1}


def test_a_published_time_out_is_no_number() -> None:
    out = sum(value.timed_out for value in tables()["main"].cells.values())
    assert (len(tables()["main"].cells), out) == (120, 4)
