from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.schedule import FIRST_SEEDS, Schedule, Trial
from panda_gnn.evaluation.store import Row
from panda_gnn.evaluation.study import Study
from tests.evaluation.pretend import pretend_trial, small_study


def run_all(schedule: Schedule) -> list[Trial]:
    """Run one trial after the other until there is none, and return their order."""
    order = []
    while (trial := schedule.start_next()) is not None:
        order.append(trial)
        schedule.finish(trial, pretend_trial(*trial))
    return order


def names(trials: list[Trial]) -> list[tuple[str, str, int]]:
    return [(trial.config.dataset, trial.config.method, trial.seed) for trial in trials]


def test_without_a_budget_methods_of_a_dataset_go_seed_by_seed() -> None:
    schedule = Schedule(small_study(datasets=["mutag", "enzymes"]), {}, seeds=range(2))
    assert schedule.left == 8
    order = names(run_all(schedule))
    assert order[:4] == [
        ("mutag", "none", 0),
        ("mutag", "digl", 0),
        ("mutag", "none", 1),
        ("mutag", "digl", 1),
    ]
    assert [name for name, _, _ in order[4:]] == ["enzymes"] * 4
    assert schedule.left == 0


def test_what_is_finished_is_not_started_and_more_trials_extend() -> None:
    study = small_study()
    finished: dict[str, dict[int, Row]] = {}
    first = run_all(Schedule(study, finished, seeds=range(2)))
    more = run_all(Schedule(study, finished, seeds=range(4)))
    assert len(first) == 4
    assert sorted(trial.seed for trial in more) == [2, 2, 3, 3]
    assert run_all(Schedule(study, finished, seeds=range(3))) == []


def test_a_trial_under_way_is_not_started_twice_and_can_be_released() -> None:
    schedule = Schedule(small_study(methods=["none"]), {}, seeds=range(1))
    trial = schedule.start_next()
    assert trial is not None
    assert schedule.start_next() is None
    assert schedule.left == 1
    schedule.release(trial)
    assert schedule.start_next() == trial
    schedule.give_up(trial)
    assert schedule.start_next() is None
    assert schedule.left == 0


def test_a_config_that_is_given_up_takes_all_of_its_trials_along() -> None:
    schedule = Schedule(small_study(), {}, seeds=range(3))
    first = schedule.start_next()
    second = schedule.start_next()
    assert first is not None
    assert second is not None
    schedule.give_up_config(second)
    schedule.finish(first, pretend_trial(*first))
    assert {trial.config.method for trial in run_all(schedule)} == {"none"}


def candidates(choose_on: int) -> Study:
    return small_study(methods=["digl"], settings={"digl": {"a": [1, 2, 3]}}, choose_on=choose_on)


def test_only_the_winner_on_validation_runs_the_later_seeds() -> None:
    schedule = Schedule(candidates(choose_on=2), {}, seeds=range(5))
    assert schedule.left == 3 * 2 + 3
    order = run_all(schedule)
    counts = Counter(trial.config for trial in order)
    assert sorted(counts.values()) == [2, 2, 5]

    def mean_validation(config: Config) -> float:
        rows = [pretend_trial(config, seed) for seed in range(2)]
        return float(sum(row["scores"]["best-val"]["validation"] for row in rows))

    assert max(counts, key=lambda config: counts[config]) == max(counts, key=mean_validation)
    assert [trial.seed for trial in order[6:]] == [2, 3, 4]


def test_later_seeds_wait_until_the_choice_is_made() -> None:
    schedule = Schedule(candidates(choose_on=1), {}, seeds=range(2))
    under_way = [schedule.start_next() for _ in range(4)]
    assert [trial and trial.seed for trial in under_way] == [0, 0, 0, None]
    for trial in under_way[:3]:
        assert trial is not None
        schedule.finish(trial, pretend_trial(*trial))
    later = schedule.start_next()
    assert later is not None
    assert later.seed == 1


def test_a_candidate_that_cannot_run_does_not_block_the_choice() -> None:
    schedule = Schedule(candidates(choose_on=1), {}, seeds=range(3))
    broken = schedule.start_next()
    assert broken is not None
    schedule.give_up_config(broken)
    order = run_all(schedule)
    assert len(order) == 2 + 2
    assert broken.config not in {trial.config for trial in order}
    assert schedule.left == 0


def noisy(trial: Trial) -> Row:
    """Of digl the validation scores spread ten times as much as of none, the test scores less."""
    row = pretend_trial(*trial)
    scale = 0.5 if trial.config.method == "digl" else 0.05
    for scores in row["scores"].values():
        scores["validation"] = scale * (trial.seed % 2)
        scores["test"] = (0.55 - scale) * (trial.seed % 2)
    return row


def start_and_finish(schedule: Schedule, count: int, row: Callable[[Trial], Row]) -> list[Trial]:
    started = []
    for _ in range(count):
        trial = schedule.start_next()
        assert trial is not None
        started.append(trial)
        schedule.finish(trial, row(trial))
    return started


def test_with_a_budget_trials_go_where_validation_scores_spread_most() -> None:
    schedule = Schedule(small_study(), {}, seeds=range(40), most_telling_first=True)
    started = start_and_finish(schedule, 9, noisy)
    seeds = {
        method: [trial.seed for trial in started if trial.config.method == method]
        for method in ("none", "digl")
    }
    assert seeds["none"] == list(range(FIRST_SEEDS))
    assert seeds["digl"] == list(range(9 - FIRST_SEEDS))


def test_with_a_budget_a_trial_that_takes_less_time_goes_first() -> None:
    """Both spread the same; digl takes twice as long."""

    def slow_digl(trial: Trial) -> Row:
        row = pretend_trial(*trial)
        row["scores"]["best-val"]["validation"] = trial.seed % 2
        return {**row, "seconds": 2.0 if trial.config.method == "digl" else 1.0}

    schedule = Schedule(small_study(), {}, seeds=range(9), most_telling_first=True)
    started = start_and_finish(schedule, 2 * FIRST_SEEDS + 1, slow_digl)
    assert started[-1].config.method == "none"


def test_with_a_budget_cells_with_a_published_number_go_first() -> None:
    study = small_study(methods=["flag", "digl"], published={"table": "main"})
    schedule = Schedule(study, {}, seeds=range(3), most_telling_first=True)
    started = start_and_finish(schedule, 6, lambda trial: pretend_trial(*trial))
    assert [trial.config.method for trial in started] == ["digl", "flag"] * 3


def test_trials_under_way_count_as_finished() -> None:
    schedule = Schedule(small_study(), {}, seeds=range(40), most_telling_first=True)

    def spread(trial: Trial) -> Row:
        row = pretend_trial(*trial)
        factor = 1.0 if trial.config.method == "digl" else 0.8
        row["scores"]["best-val"]["validation"] = trial.seed * factor
        return row

    start_and_finish(schedule, 2 * FIRST_SEEDS, spread)
    started = [schedule.start_next() for _ in range(4)]
    assert {trial and trial.config.method for trial in started} == {"none", "digl"}


def test_a_trial_that_does_not_fit_is_passed_over() -> None:
    schedule = Schedule(small_study(), {}, seeds=range(3), most_telling_first=True)
    trial = schedule.start_next(lambda config: config.method == "digl")
    assert trial is not None
    assert trial.config.method == "digl"
    assert schedule.start_next(lambda config: False) is None


def test_with_a_budget_every_cell_gets_three_seeds_first() -> None:
    """Then only the cell whose scores differ at all."""
    schedule = Schedule(small_study(), {}, seeds=range(10), most_telling_first=True)
    order = []
    for _ in range(9):
        trial = schedule.start_next()
        assert trial is not None
        row = pretend_trial(*trial)
        row["scores"]["best-val"]["validation"] = (
            0.5 if trial.config.method == "none" else trial.seed % 2
        )
        schedule.finish(trial, row)
        order.append((trial.config.method, trial.seed))
    assert order[:6] == [(method, seed) for seed in (0, 1, 2) for method in ("none", "digl")]
    assert order[6:] == [("digl", 3), ("digl", 4), ("digl", 5)]
