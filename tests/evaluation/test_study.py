from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.bundled import study_names
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.origin import origin_of
from panda_gnn.evaluation.store import by_config_and_seed, code_to_show
from panda_gnn.evaluation.study import (
    Cell,
    Choice,
    Comparison,
    Line,
    Study,
    best_candidate,
    load_study,
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
        (
            {"datasets": ["mutagg"]},
            "unknown dataset 'mutagg' of the study 'small': choose .*did you mean mutag",
        ),
        (
            {"backbones": ["gatt"]},
            "unknown backbone 'gatt' of the study 'small': choose one of gcn",
        ),
        (
            {"methods": ["panda", "none"]},
            "unknown method 'panda' of the study 'small': choose one of none, digl",
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
        ({"trials": 0}, "the study 'small': trials must be 1 or more, not 0"),
        ({"choose_on": 0}, "choose_on must be 1 or more, not 0"),
        ({"trails": 3}, "unknown entry 'trails': choose one of title, .*did you mean trials"),
        ({"methods": []}, "is empty"),
        (
            {"difference": "panda"},
            "difference must be like 'line - none' or 'panda - line', not 'panda'",
        ),
        (
            {"settings": {"fosr": {}}},
            "unknown method 'fosr' under .settings.: choose one of digl, none",
        ),
    ],
)
def test_a_wrong_study_is_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small_study(**changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = 'x'\ntrials = 1", "the study 'own': datasets is missing"),
        ("title = ", "not valid TOML"),
        (
            "title = 'x'\ntrials = 1\ndatasets = ['mutag']\nbackbones = ['gcn']\n"
            "methods = ['panda']\n[settings.panda]\ncentrality = 'fame'",
            "unknown centrality 'fame': choose one of",
        ),
        (
            "title = 'x'\ntrials = 1\ndatasets = ['mutag']\nbackbones = ['gatt']\n"
            "methods = ['none']",
            "unknown backbone 'gatt': choose one of",
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


def test_a_cell_with_one_candidate_has_chosen_before_any_trial() -> None:
    cell = small_study().cells[0]
    assert best_candidate(cell, {}, choose_on=2) == Choice(cell.candidates[0], 0, True)


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


def test_one_is_enough() -> None:
    study = small_study(trials=1, choose_on=1)
    assert (study.trials, study.choose_on) == (1, 1)
    assert small_study().choose_on == 10


@pytest.mark.parametrize("option", ["trials", "choose_on"])
@pytest.mark.parametrize("value", [True, False, 2.0, "3", None])
def test_only_whole_numbers_are_counts(option: str, value: object) -> None:
    with pytest.raises(InputError, match=f"{option} must be a whole number, not {value!r}"):
        small_study(**{option: value})


CELL = "datasets = ['mutag']\nbackbones = ['gcn']\nmethods = ['panda']\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("datasets = ['mutag']\npairs = [['gcn']]", "pairs[0][1] is missing in ['gcn']"),
        ("datasets = 3\nbackbones = ['gcn']\nmethods = ['none']", "datasets must be a list, not 3"),
        (CELL + "settings = 3", "settings must be a table, not 3"),
        (CELL + "settings = { panda = 3 }", "settings.panda must be a table, not 3"),
        (CELL + "questions = [{}]", "questions[0].ask is missing in {}"),
        (
            CELL + 'questions = [{ask = "?", difference = "panda"}]',
            "questions[0].difference must be two lines, like 'panda - size', not 'panda'",
        ),
        (
            CELL + 'questions = [{ask = "?", difference = "panda - sise"}]',
            "unknown line 'sise' in a question",
        ),
        (
            CELL + 'rows = "k"\nquestions = [{ask = "?", difference = "panda - panda, k 5"}]\n'
            "settings = { panda = { k = [5, 10] } }",
            "unknown line 'panda' in a question",
        ),
        (CELL + "rows = [1]", "rows must be a text, not [1]"),
        (CELL + "rows = 'kk'", "rows is 'kk', but no method has a list of it"),
        (CELL + "measure = ['score']", "measure must be a text, not ['score']"),
        (
            CELL + "published = { table = 'mian' }",
            "published.table: unknown published table 'mian'",
        ),
        (
            CELL + "published = { tabel = 'main' }",
            "published: unknown entry 'tabel': choose one of",
        ),
        (CELL + "training = { foo = 1 }", "training: unknown entry 'foo': choose one of width"),
        (CELL + "training = { width = '64' }", "training.width must be a whole number, not '64'"),
        (CELL + "training = { width = true }", "training.width must be a whole number, not True"),
        (CELL + "training = { max_epochs = -1 }", "training.max_epochs must be 1 or more, not -1"),
        (CELL + "training = { dropout = 1.5 }", "training.dropout must be 1.0 or less, not 1.5"),
        (
            CELL + "training = { learning_rate = nan }",
            "training.learning_rate must be a finite number, not nan",
        ),
        (CELL + f"training = {{ width = {'9' * 4000} }}", "training.width must be 922"),
        (CELL + f"training = {{ width = {'9' * 5000} }}", "not valid TOML"),
        (CELL + "x = " + "[" * 5000, "not valid TOML"),
        (CELL + "[settings.panda]\nk = 'x'", "settings.panda.k must be a whole number, not 'x'"),
        (CELL + "[settings.panda]\nk = []", "settings.panda.k must be a list of 1 or more"),
        (CELL + "[settings.panda]\nk = [[1]]", "settings.panda.k[0] must be a text, a finite"),
        (CELL + "[settings.panda]\nwidth = '64'", "settings.panda.width must be a whole number"),
        (CELL + "[settings.panda]\ngcn = 3", "settings.panda.gcn must be a table, not 3"),
        (CELL + "[settings.panda.gcm]\nk = 3", "'gcm' under [settings.panda]: choose one of mutag"),
        (CELL + "[settings.panda]\nhigh_widht = 80", "(did you mean high_width?)"),
        (
            CELL.replace("panda", "digl") + "[settings.digl]\nalpha = 7",
            "settings.digl: alpha must be above 0 and at most 1, not 7",
        ),
        (
            CELL.replace("panda", "none") + "measure = 'energy'\n[settings.none]\ngraphs = 'x'",
            "settings.none.graphs must be a whole number, not 'x'",
        ),
    ],
)
def test_what_is_wrong_in_a_file_has_its_path_and_its_value(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f"title = 'x'\ntrials = 1\n{text}")
    with pytest.raises(InputError) as error:
        load_study(str(path))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_utf_8_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(InputError, match="is not UTF-8"):
        load_study(str(path))


def test_no_key_of_a_stored_row_changes() -> None:
    config = Config("mutag", settings={"k": 1}, dropout=0, threshold=1)
    assert config.to_dict()["dropout"] is config.dropout
    assert config.key == "10ccce35cf78e966"


@pytest.mark.parametrize("name", ["rewirings", "rewirings-node"])
def test_all_remedies_have_the_same_number_of_candidates(name: str) -> None:
    study = load_study(name)
    assert {len(cell.candidates) for cell in study.cells} == {3}
    assert (study.choose_on, study.trials) == (3, 10)
