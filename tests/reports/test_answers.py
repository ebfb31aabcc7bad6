from __future__ import annotations

import pytest

from panda_gnn.cli import main
from panda_gnn.evaluation.statistics import holm, paired_difference
from panda_gnn.evaluation.store import Contents
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.table_formats import answers_grid, markdown
from panda_gnn.reports.tables import build_table
from tests.evaluation.pretend import pretend_trial, small_study
from tests.reports.test_tables import ACCURACY, build

QUESTIONS = [
    {"ask": "Does it help?", "difference": "digl - none"},
    {"ask": "Does it add?", "difference": "digl - fosr"},
    {"ask": "Is there anything?", "difference": "borf - none"},
]
RATIO = 1 / 8  # ten test graphs for every eighty that train


def expected(first: str, second: str) -> tuple[float, float, float]:
    scores = [dict(enumerate(ACCURACY[name])) for name in (first, second)]
    difference = paired_difference(scores[0], scores[1], RATIO)
    assert difference is not None
    assert difference.interval is not None
    assert difference.p is not None
    return difference.mean, difference.interval, difference.p


def test_an_answer_is_the_paired_difference_of_its_two_methods() -> None:
    table = build(questions=QUESTIONS, datasets=["mutag"])
    helps, adds, nothing = table.answers
    for answer, pair in ((helps, ("digl", "none")), (adds, ("digl", "fosr"))):
        assert answer.place == "mutag, gcn"
        assert answer.difference is not None
        mean, interval, _ = expected(*pair)
        assert answer.difference.mean == pytest.approx(mean)
        assert answer.difference.interval == pytest.approx(interval, rel=0.02)
        assert answer.difference.n == 4
    assert nothing.difference is None
    assert nothing.p is None


def test_a_question_names_one_of_the_lines_that_a_setting_makes() -> None:
    question = {"ask": "Do more edges help?", "difference": "fosr, iterations 20 - none"}
    study = small_study(
        methods=["none", "fosr"],
        datasets=["mutag"],
        rows="iterations",
        settings={"fosr": {"iterations": [20, 40]}},
        questions=[question],
    )
    rows = [pretend_trial(cell.candidates[0], seed) for cell in study.cells for seed in range(3)]
    twenty, none = (
        next(cell for cell in study.cells if cell.line.name(study.rows) == name)
        for name in ("fosr, iterations 20", "none")
    )
    tests = [
        [row["scores"]["best-val"]["test"] for row in rows if row["key"] == cell.candidates[0].key]
        for cell in (twenty, none)
    ]
    (answer,) = build_table(study, Contents(tuple(rows), ())).answers
    assert answer.difference is not None
    means = [100 * sum(values) / 3 for values in tests]
    assert answer.difference.mean == pytest.approx(means[0] - means[1])


def test_answers_are_corrected_among_themselves() -> None:
    table = build(questions=QUESTIONS, datasets=["mutag"])
    raw = [answer.difference.p for answer in table.answers if answer.difference is not None]
    assert [answer.p for answer in table.answers[:2]] == pytest.approx(holm([p or 0 for p in raw]))
    assert "Holm-corrected over 2 of them" in markdown(table)


def test_a_line_for_every_question_and_a_column_for_every_block() -> None:
    head, helps, _, nothing = answers_grid(build(questions=QUESTIONS, datasets=["mutag"]))
    assert head == ["question", "difference", "mutag, gcn"]
    assert helps[:2] == ["Does it help?", "digl minus none"]
    assert helps[2].startswith("+4.25 ± ")
    assert "(n 4, p " in helps[2]
    assert nothing[2] == "missing"


def test_the_controls_ask_for_size_before_structure_and_for_width_last() -> None:
    asked = [" - ".join(question.difference) for question in load_study("controls").questions]
    assert asked[0] == "panda - none"
    assert asked.index("panda - size") < asked.index("panda - degree")
    assert asked.index("panda - degree") < asked.index("panda - equal-width")
    assert asked[-1] == "panda-centralities - centralities"


def test_a_study_without_questions_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "relational", "--answers"]) == 2
    assert "the study 'relational' asks no question" in capsys.readouterr().err
