"""Choosing settings of a method by their validation score, and by nothing else.

A search tries combinations of settings, each on the same few seeds, and ranks them by the mean of
their validation scores. The grid tries all; Optuna (the extra ``search``) tries the more promising
ones. Trials go through a store like those of a study: a search that is run again continues, and
what a study has already run is not run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from panda_gnn.errors import InputError, choose, require
from panda_gnn.evaluation.config import TRAINING, Config, Setting
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.statistics import Summary, summarise
from panda_gnn.evaluation.store import Finished, validation_score
from panda_gnn.evaluation.study import Cell, Line, Study, grid, merit
from panda_gnn.paper import search_space

#: How combinations are chosen.
SEARCH_SAMPLERS = {
    "grid": "all of them",
    "tpe": "those that look promising to Optuna's Parzen estimators",
    "random": "drawn at random by Optuna",
}

#: What is searched of a setting unless the user says otherwise, besides the paper's search space.
ITERATIONS = (5, 10, 20, 40)

Space = Mapping[str, Sequence[Setting]]

#: Runs every config of a study on its seeds and returns all rows there are of it.
Run = Callable[[Study], Finished]


@dataclass(frozen=True)
class Tried:
    """A combination of settings and what its trials scored on validation.

    Attributes:
        config: The combination.
        validation: The validation scores.
        merit: What it is ranked by: their mean, with the sign turned where less is better.
    """

    config: Config
    validation: Summary
    merit: float


def default_space(config: Config) -> dict[str, Sequence[Setting]]:
    """The values that are searched for the settings of the config's method."""
    known: dict[str, Sequence[Setting]] = {**asdict(search_space()), "iterations": ITERATIONS}
    space = {name: known[name] for name in complete(config).settings if name in known}
    if not space:
        raise InputError(
            f"the method '{config.method}' has no setting with a known search space: "
            "give one with --space NAME=VALUE,VALUE"
        )
    return space


def search(
    config: Config,
    space: Space,
    run: Run,
    *,
    trials: int,
    sampler: str = "grid",
    samples: int = 40,
    seed: int = 0,
) -> list[Tried]:
    """Try combinations of settings and return them, the best validation score first.

    Args:
        config: The config whose settings are searched.
        space: The values of each setting, and of ``width``, ``dropout`` and so on.
        run: Runs a study and returns its rows.
        trials: Seeds of each combination.
        sampler: ``grid`` for all combinations, ``tpe`` or ``random`` for some, through Optuna.
        samples: How many combinations Optuna tries; one that it asks for twice runs once.
        seed: Decides what Optuna asks for, so that the same search continues.
    """
    choose("sampler", sampler, SEARCH_SAMPLERS)
    if sampler == "grid":
        combinations = grid({name: list(values) for name, values in space.items()})
        candidates = [with_values(config, values) for values in combinations]
        rows = run(_study(config, candidates, trials))
        tried = [_tried(candidate, rows, trials) for candidate in candidates]
    else:
        tried = list(_sampled(config, space, run, trials, sampler, samples, seed))
    found = {one.config.key: one for one in tried if one is not None}
    return sorted(found.values(), key=lambda one: one.merit, reverse=True)


def _sampled(
    config: Config,
    space: Space,
    run: Run,
    trials: int,
    sampler: str,
    samples: int,
    seed: int,
) -> Iterator[Tried | None]:
    optuna = require("optuna", "search")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    kinds = {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}
    asked = optuna.create_study(direction="maximize", sampler=kinds[sampler](seed=seed))
    values = {
        name: optuna.distributions.CategoricalDistribution(list(choices))
        for name, choices in space.items()
    }
    for _ in range(samples):
        suggestion = asked.ask(values)
        candidate = with_values(config, suggestion.params)
        tried = _tried(candidate, run(_study(config, [candidate], trials)), trials)
        if tried is None:
            asked.tell(suggestion, state=optuna.trial.TrialState.FAIL)
        else:
            asked.tell(suggestion, tried.merit)
        yield tried


def with_values(config: Config, values: Mapping[str, Any]) -> Config:
    """The config with other settings of its method, or with another width, dropout and so on."""
    training = {name: value for name, value in values.items() if name in TRAINING}
    settings = {name: value for name, value in values.items() if name not in TRAINING}
    return complete(replace(config, settings={**config.settings, **settings}, **training))


def _study(config: Config, candidates: Sequence[Config], trials: int) -> Study:
    cell = Cell(config.dataset, Line(config.backbone, config.method), tuple(candidates))
    return Study(search_name(config), "Search", (cell,), trials=trials, choose_on=trials)


def search_name(config: Config) -> str:
    """The name of a search's store."""
    return f"search-{config.dataset}-{config.backbone}-{config.method}"


def _tried(config: Config, rows: Finished, trials: int) -> Tried | None:
    by_seed = rows.get(config.key, {})
    found = [by_seed[seed] for seed in range(trials) if seed in by_seed]
    if not found:
        return None
    validation = summarise([validation_score(row) for row in found])
    return Tried(config, validation, summarise([merit(row) for row in found]).mean)
