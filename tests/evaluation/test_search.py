from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.search import SEARCH_SAMPLERS, default_space, search, with_values
from panda_gnn.evaluation.store import Finished
from panda_gnn.evaluation.study import Study
from tests.evaluation.pretend import Row, pretend_trial

PANDA = Config("mutag", method="panda")
SPACE = {"k": [1, 3, 5], "high_width": [80, 128]}


class Laboratory:
    """Runs studies in this process; validation is best near k = 3 and high_width = 128."""

    def __init__(self, *, with_test: bool = True) -> None:
        self.with_test = with_test
        self.runs = Counter[str]()
        self.rows: dict[str, dict[int, Row]] = {}

    def __call__(self, study: Study) -> Finished:
        for config in study.cells[0].candidates:
            for seed in range(study.trials):
                if seed not in self.rows.setdefault(config.key, {}):
                    self.runs[config.key] += 1
                    self.rows[config.key][seed] = self.row(config, seed)
        return self.rows

    def row(self, config: Config, seed: int) -> Row:
        row = pretend_trial(config, seed)
        settings: Any = config.settings
        validation = 0.8 - abs(settings["k"] - 3) / 10 + settings["high_width"] / 1000
        for scores in row["scores"].values():
            scores["validation"] = validation
            if not self.with_test:
                del scores["test"]
        return row


def test_the_grid_tries_everything_and_ranks_by_validation() -> None:
    laboratory = Laboratory()
    found = search(PANDA, SPACE, laboratory, trials=2)
    assert len(found) == 6
    assert found[0].config.settings["k"] == 3
    assert found[0].config.settings["high_width"] == 128
    means = [one.validation.mean for one in found]
    assert means == sorted(means, reverse=True)
    assert all(one.validation.n == 2 for one in found)
    assert set(laboratory.runs.values()) == {2}


@pytest.mark.parametrize("sampler", SEARCH_SAMPLERS)
def test_an_error_is_searched_for_its_minimum(sampler: str) -> None:
    class Errors(Laboratory):
        def row(self, config: Config, seed: int) -> Row:
            return {**super().row(config, seed), "metric": "mean absolute error"}

    found = search(PANDA, SPACE, Errors(), trials=1, sampler=sampler, samples=20)
    assert found[0].config.settings["k"] != 3
    assert found[0].config.settings["high_width"] == 80


@pytest.mark.parametrize("sampler", SEARCH_SAMPLERS)
def test_a_search_works_where_there_is_no_test_score(sampler: str) -> None:
    found = search(PANDA, SPACE, Laboratory(with_test=False), trials=2, sampler=sampler, samples=12)
    assert found[0].config.settings["k"] == 3


def test_optuna_asks_the_same_again_so_that_a_search_continues() -> None:
    laboratory = Laboratory()
    first = search(PANDA, SPACE, laboratory, trials=2, sampler="tpe", samples=8)
    runs = Counter(laboratory.runs)
    assert max(runs.values()) == 2
    again = search(PANDA, SPACE, laboratory, trials=2, sampler="tpe", samples=8)
    assert again == first
    assert laboratory.runs == runs


def test_a_combination_that_cannot_run_is_left_out() -> None:
    class Broken(Laboratory):
        def __call__(self, study: Study) -> Finished:
            rows = super().__call__(study)
            return {
                config.key: rows[config.key]
                for config in study.cells[0].candidates
                if config.settings["k"] != 3
            }

    for sampler in SEARCH_SAMPLERS:
        found = search(PANDA, SPACE, Broken(), trials=1, sampler=sampler, samples=12)
        assert found[0].config.settings["k"] != 3


def test_the_default_space_is_the_papers() -> None:
    space = default_space(PANDA)
    assert space["k"] == (1, 3, 5, 7, 10, 15, 20)
    assert space["high_width"] == (80, 96, 112, 128)
    assert len(space["centrality"]) == 5
    assert default_space(Config("mutag", method="fosr")) == {"iterations": (5, 10, 20, 40)}
    with pytest.raises(InputError, match="no setting with a known search space"):
        default_space(Config("mutag", method="none"))


def test_a_wrong_value_is_one_sentence() -> None:
    with pytest.raises(InputError, match="unknown centrality 'fame'"):
        search(PANDA, {"centrality": ["fame"]}, Laboratory(), trials=1)
    with pytest.raises(InputError, match="unknown sampler 'luck': choose one of grid, tpe, random"):
        search(PANDA, SPACE, Laboratory(), trials=1, sampler="luck")


def test_combinations_are_ranked_on_the_same_seeds() -> None:
    laboratory = Laboratory()
    search(PANDA, {"k": [1], "high_width": [80]}, laboratory, trials=8)
    found = search(PANDA, SPACE, laboratory, trials=2)
    assert {one.validation.n for one in found} == {2}


def test_a_width_is_searched_like_a_setting() -> None:
    plain = Config("mutag", method="none")
    configs = [with_values(plain, {"width": width, "dropout": 0.1}) for width in (64, 112)]
    assert [config.width for config in configs] == [64, 112]
    assert {config.dropout for config in configs} == {0.1}
    with pytest.raises(InputError, match="width"):
        with_values(plain, {"width": "wide"})
