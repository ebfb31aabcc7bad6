from __future__ import annotations

from collections import Counter

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
    schedule.give_up(broken)
    order = run_all(schedule)
    assert len(order) == 2 + 2
    assert broken.config not in {trial.config for trial in order}
    assert schedule.left == 0


def noisy(trial: Trial) -> Row:
    """The scores of digl spread ten times as much as those of none."""
    row = pretend_trial(*trial)
    scale = 0.5 if trial.config.method == "digl" else 0.05
    for scores in row["scores"].values():
        scores["test"] *= scale
    return row


def test_with_a_budget_trials_go_where_the_interval_is_widest() -> None:
    schedule = Schedule(small_study(), {}, seeds=range(40), widest_first=True)
    started = []
    for _ in range(30):
        trial = schedule.start_next()
        assert trial is not None
        started.append(trial)
        schedule.finish(trial, noisy(trial))
    seeds = {
        method: [trial.seed for trial in started if trial.config.method == method]
        for method in ("none", "digl")
    }
    assert seeds["none"] == list(range(FIRST_SEEDS))
    assert seeds["digl"] == list(range(30 - FIRST_SEEDS))


def test_trials_under_way_count_as_finished_for_the_width() -> None:
    schedule = Schedule(small_study(), {}, seeds=range(40), widest_first=True)
    for _ in range(2 * FIRST_SEEDS):
        trial = schedule.start_next()
        assert trial is not None
        row = pretend_trial(*trial)
        row["scores"]["best-val"]["test"] = trial.seed * (
            1.0 if trial.config.method == "digl" else 0.8
        )
        schedule.finish(trial, row)
    started = [schedule.start_next() for _ in range(4)]
    assert {trial and trial.config.method for trial in started} == {"none", "digl"}


def test_a_trial_that_does_not_fit_is_passed_over() -> None:
    schedule = Schedule(small_study(), {}, seeds=range(3), widest_first=True)
    trial = schedule.start_next(lambda config: config.method == "digl")
    assert trial is not None
    assert trial.config.method == "digl"
    assert schedule.start_next(lambda config: False) is None


def test_with_a_budget_every_cell_gets_three_seeds_first() -> None:
    """Then only the cell whose scores differ at all."""
    schedule = Schedule(small_study(), {}, seeds=range(10), widest_first=True)
    order = []
    for _ in range(9):
        trial = schedule.start_next()
        assert trial is not None
        row = pretend_trial(*trial)
        row["scores"]["best-val"]["test"] = 0.5 if trial.config.method == "none" else trial.seed % 2
        schedule.finish(trial, row)
        order.append((trial.config.method, trial.seed))
    assert order[:6] == [(method, seed) for seed in (0, 1, 2) for method in ("none", "digl")]
    assert order[6:] == [("digl", 3), ("digl", 4), ("digl", 5)]
