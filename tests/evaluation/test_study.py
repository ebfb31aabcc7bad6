from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.origin import origin_of
from panda_gnn.evaluation.store import by_config_and_seed, code_to_show
from panda_gnn.evaluation.study import (
    Cell,
    Comparison,
    Line,
    Study,
    best_candidate,
    load_study,
    study_names,
)
from panda_gnn.paper import best_settings, published, tables
from tests.evaluation.pretend import Row, pretend_trial, small_study

STUDIES = [
    "centrality-gcn",
    "centrality-gin",
    "controls",
    "main",
    "panda-vs-rgcn",
    "random",
    "relational",
    "runtime-centrality",
    "runtime-forward",
    "sweep-high-width",
    "sweep-k",
]


def cell_of(study: Study, dataset: str, *line: Any) -> Cell:
    return next(c for c in study.cells if c.dataset == dataset and c.line == Line(*line))


def settings_of(study: Study, dataset: str, *line: Any) -> list[dict[str, Any]]:
    return [dict(config.settings) for config in cell_of(study, dataset, *line).candidates]


def test_there_is_a_study_for_every_table_and_sweep() -> None:
    assert set(STUDIES) <= set(study_names())


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_can_be_run_and_knows_its_published_table(name: str) -> None:
    study = load_study(name)
    assert len(study.datasets) == 6
    assert study.measure in MEASURES
    if study.published is not None:
        assert study.published.table in tables()


@pytest.mark.parametrize(
    "name", [name for name in STUDIES if not name.startswith("sweep") and name != "controls"]
)
def test_every_published_cell_has_a_cell_in_our_study(name: str) -> None:
    study = load_study(name)
    assert study.published is not None
    ours = {
        (
            study.published.backbone or cell.line.backbone,
            (study.published.methods or {}).get(
                str(cell.line.variant or cell.line.method),
                str(cell.line.variant or cell.line.method),
            ),
            cell.dataset,
        )
        for cell in study.cells
    }
    assert set(tables()[study.published.table].cells) <= ours


def test_the_main_study_has_the_published_settings() -> None:
    study = load_study("main")
    assert settings_of(study, "mutag", "gcn", "fosr")[0]["iterations"] == 10
    assert settings_of(study, "proteins", "gin", "fosr")[0]["iterations"] == 10
    assert len(settings_of(study, "collab", "gcn", "fosr")) == 4
    assert settings_of(study, "mutag", "gcn", "sdrf")[0]["removal_bound"] is None
    assert settings_of(study, "mutag", "gin", "sdrf")[0]["removal_bound"] == 0.5
    assert settings_of(study, "enzymes", "gin", "ct-layer")[0]["centers"] == 16
    best = best_settings("gin", "collab")
    assert best is not None
    panda = settings_of(study, "collab", "gin", "panda")
    assert len(panda) == 1
    assert panda[0]["k"] == best.k
    assert panda[0]["centrality"] == best.centrality
    assert study.trials == 100


def test_pairs_and_rows() -> None:
    study = load_study("panda-vs-rgcn")
    assert {cell.line for cell in study.cells} == {Line("rgcn", "none"), Line("gcn", "panda")}
    sweep = load_study("sweep-k")
    ks = [
        cell.candidates[0].settings["k"]
        for cell in sweep.select(["mutag"], ["gcn"], ["panda"]).cells
    ]
    assert ks == [1, 3, 5, 7, 10, 15, 20]
    assert all(len(cell.candidates) == 1 for cell in sweep.cells)


def test_the_more_specific_setting_wins_and_lists_are_candidates() -> None:
    study = small_study(
        datasets=["mutag", "enzymes"],
        backbones=["gcn", "gin"],
        settings={
            "digl": {
                "a": 1,
                "b": [1, 2],
                "mutag": {"a": 2},
                "gin": {"a": 3, "mutag": {"b": [5, 6, 7], "a": 4}},
            }
        },
    )
    assert settings_of(study, "enzymes", "gcn", "digl") == [{"a": 1, "b": 1}, {"a": 1, "b": 2}]
    assert settings_of(study, "mutag", "gcn", "digl") == [{"a": 2, "b": 1}, {"a": 2, "b": 2}]
    assert settings_of(study, "enzymes", "gin", "digl") == [{"a": 3, "b": 1}, {"a": 3, "b": 2}]
    assert [s["b"] for s in settings_of(study, "mutag", "gin", "digl")] == [5, 6, 7]
    assert settings_of(study, "mutag", "gin", "none") == [{}]


def test_training_options_reach_every_config() -> None:
    study = small_study(training={"max_epochs": 7})
    assert {config.max_epochs for cell in study.cells for config in cell.candidates} == {7}


def test_selecting_a_part() -> None:
    study = small_study(datasets=["mutag", "enzymes"], backbones=["gcn", "gin"])
    part = study.select(["enzymes"], None, ["digl"])
    assert part.datasets == ["enzymes"]
    assert part.backbones == ["gcn", "gin"]
    assert part.methods == ["digl"]
    assert part.trials == study.trials


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"datasets": ["mutagg"]}, "the study 'small' has no dataset 'mutagg': choose one of"),
        ({"backbones": ["gat"]}, "the study 'small' has no backbone .*: choose one of gcn"),
        (
            {"methods": ["panda", "none"]},
            "the study 'small' has no method 'panda': choose one of none, digl",
        ),
        ({"datasets": []}, "no dataset is selected: choose one of mutag"),
    ],
)
def test_a_name_that_is_not_there_is_one_sentence(
    selection: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        small_study().select(**selection)


def test_names_that_never_meet_are_one_sentence() -> None:
    with pytest.raises(InputError, match="no cell with all of these names"):
        load_study("panda-vs-rgcn").select(backbones=["gcn"], methods=["none"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trials": 0}, "trials is 0, it must be a whole number, at least 1"),
        ({"choose_on": 0}, "choose_on is 0"),
        ({"trails": 3}, "unknown entry 'trails' of the study 'small': choose one of title"),
        ({"methods": []}, "is empty"),
        ({"difference": "panda"}, "difference is 'panda', it must be like 'line - none'"),
        ({"settings": {"fosr": {}}}, "unknown method 'fosr' under .settings. of the study"),
    ],
)
def test_a_wrong_study_is_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small_study(**changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = 'x'\ntrials = 1", "has no 'datasets'"),
        ("title = ", "not valid TOML"),
        (
            "title = 'x'\ntrials = 1\ndatasets = ['mutag']\nbackbones = ['gcn']\n"
            "methods = ['panda']\n[settings.panda]\ncentrality = 'fame'",
            "unknown centrality 'fame': choose one of",
        ),
        (
            "title = 'x'\ntrials = 1\ndatasets = ['mutag']\nbackbones = ['gat']\n"
            "methods = ['none']",
            "unknown backbone 'gat': choose one of",
        ),
        (
            "title = 'x'\ntrials = 1\ndatasets = ['mutag']\nbackbones = ['gcn']\n"
            "methods = ['none']\nmeasure = 'beauty'",
            "unknown measure 'beauty': choose one of score",
        ),
    ],
)
def test_a_users_own_file_is_checked(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_study(str(path))


def test_a_users_own_file_is_a_study(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        "title = 'x'\ntrials = 4\ndatasets = ['mutag']\nbackbones = ['gcn']\nmethods = ['none']"
    )
    assert load_study(str(path)).name == "own"
    with pytest.raises(InputError, match="cannot be read"):
        load_study(str(tmp_path / "other.toml"))
    with pytest.raises(InputError, match="unknown study 'own': choose one of centrality-gcn"):
        load_study("own")


def test_what_is_subtracted_from_what() -> None:
    assert Comparison.parse("line - none") == Comparison("none")
    assert Comparison.parse("line - rgcn/none") == Comparison("none", "rgcn")
    assert Comparison.parse("panda - line") == Comparison("panda", None, True)


def scored(config: Config, seed: int, validation: float, test: float) -> Row:
    row = pretend_trial(config, seed)
    row["scores"]["best-val"].update(validation=validation, test=test)
    return row


def finished(rows: list[Row]) -> dict[str, dict[int, Any]]:
    return by_config_and_seed(rows, {row["key"]: origin_of(row) for row in rows})


def candidates() -> tuple[Cell, tuple[Config, ...]]:
    study = small_study(methods=["digl"], settings={"digl": {"a": [1, 2, 3]}}, choose_on=2)
    return study.cells[0], study.cells[0].candidates


def test_the_choice_of_settings_is_by_validation_alone() -> None:
    cell, (first, second, third) = candidates()
    rows = [
        *(scored(first, seed, validation=0.5, test=0.99) for seed in range(2)),
        *(scored(second, seed, validation=0.7, test=0.01) for seed in range(2)),
        *(scored(third, seed, validation=0.6, test=0.5) for seed in range(2)),
    ]
    choice = best_candidate(cell, finished(rows), choose_on=2)
    assert choice is not None
    assert (choice.config, choice.seeds, choice.settled) == (second, 2, True)
    for row in rows:
        for scores in row["scores"].values():
            del scores["test"]
    blind = best_candidate(cell, finished(rows), choose_on=2)
    assert blind is not None
    assert blind.config == second


def test_where_less_is_better_the_choice_is_the_smallest_error() -> None:
    cell, (first, second, third) = candidates()
    errors = {first: 0.3, second: 0.2, third: 0.4}
    rows = [
        {**scored(config, seed, validation=error, test=0.0), "metric": "mean absolute error"}
        for config, error in errors.items()
        for seed in range(2)
    ]
    choice = best_candidate(cell, finished(rows), choose_on=2)
    assert choice is not None
    assert choice.config == second


def test_the_choice_looks_only_at_seeds_that_all_candidates_share() -> None:
    cell, (first, second, third) = candidates()
    rows = [
        scored(first, 0, validation=0.9, test=0.0),
        scored(second, 0, validation=0.8, test=0.0),
        scored(second, 1, validation=1.0, test=0.0),
        scored(second, 5, validation=1.0, test=0.0),
    ]
    assert best_candidate(cell, {}, 2) is None
    choice = best_candidate(cell, finished(rows), 2)
    assert choice is not None
    assert (choice.config, choice.seeds, choice.settled) == (first, 1, False)
    rows.append(scored(third, 1, validation=0.1, test=0.0))
    assert best_candidate(cell, finished(rows), 2) is None


def test_the_choice_looks_at_more_seeds_than_it_must_where_all_candidates_have_them() -> None:
    cell, configs = candidates()
    best = {0: 0.9, 1: 0.9, 2: 0.1, 3: 0.1}
    rows = [
        scored(config, seed, validation=best[seed] if place == 0 else 0.6, test=0.0)
        for place, config in enumerate(configs)
        for seed in best
    ]
    first_two = best_candidate(cell, finished([row for row in rows if row["seed"] < 2]), 2)
    assert first_two is not None
    assert first_two.config == configs[0]
    choice = best_candidate(cell, finished(rows), 2)
    assert choice is not None
    assert (choice.config, choice.seeds, choice.settled) == (configs[1], 4, True)


def test_rows_of_another_version_never_mix() -> None:
    config = Config("mutag")
    rows: list[Row] = [
        {**pretend_trial(config, 0), "code": "1"},
        {**pretend_trial(config, 1), "code": "1"},
        {**pretend_trial(config, 0), "code": "2"},
    ]
    code, remarks = code_to_show(rows, installed="1")
    assert code == "1"
    assert len(by_config_and_seed(rows, {config.key: origin_of(rows[0])})[config.key]) == 2
    assert len(remarks) == 1
    assert "1 rows of version 2 of the trial code are left out" in remarks[0]
    code, remarks = code_to_show(rows, installed="3")
    assert code == "2"
    assert "not by the installed version 3" in remarks[0]
    assert "2 rows of version 1" in remarks[1]
    assert code_to_show([], installed="3") == ("3", [])


def test_published_values_are_found_for_every_kind_of_line() -> None:
    assert published("centrality-gcn", "gcn", "degree", "mutag") is not None
    assert published("runtime-centrality", "any", "fosr", "mutag") is not None


@pytest.mark.parametrize("option", ["trials", "choose_on"])
@pytest.mark.parametrize("value", [True, False, 0, 2.0, "3"])
def test_only_whole_numbers_are_counts(option: str, value: object) -> None:
    with pytest.raises(InputError, match=f"{option} is {value}, it must be a whole number"):
        small_study(**{option: value})
