"""The page of a study: its questions are a table of what was measured; claims in their order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.report.numbers import study_report
from panda_gnn.reports.report.page import claims_table, study_page
from panda_gnn.reports.verdicts import verdicts
from tests.reports.figures.pretend import store_trials


def test_questions_are_a_table_without_places_that_have_no_trials(tmp_path: Path) -> None:
    study = load_study("controls").select(["mutag"], ["gcn", "gin"], ["none", "flag", "panda"])
    store_trials(study.select(None, ["gcn"]), tmp_path, ("mutag",), 3)
    report = study_report(study, tmp_path)
    page = study_page(report, (), "panda report controls")
    assert '<section id="plot"><h2>Paired differences</h2><p>panda minus this' in page
    _, _, asked = page.partition("<h2>What the study asks</h2>")
    assert "<td>panda minus flag</td>" in asked
    assert '<th scope="col">mutag, gcn</th>' in asked
    assert '<th scope="col">mutag, gin</th>' not in asked
    assert not any("panda minus flag" in remark for remark in report.remarks)


def test_claims_that_are_open_come_last(tmp_path: Path) -> None:
    *most, last = verdicts(tmp_path)
    assert {found.verdict for found in most} == {"open"}
    shown = claims_table([*most, replace(last, verdict="reproduced")])
    assert shown.index(">reproduced<") < shown.index(">open<")
