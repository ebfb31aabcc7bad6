"""Running a study: trials go to an executor, rows come back into the store, one by one."""

from __future__ import annotations

import hashlib
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType

from panda_gnn.errors import InputError
from panda_gnn.evaluation.checkpoint import remove_checkpoint
from panda_gnn.evaluation.claims import Claims, name_of
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import ExecutorLost, WorkerDied, WorkerExecutor, WorkersLost
from panda_gnn.evaluation.failures import Failures, limited
from panda_gnn.evaluation.origin import Origin
from panda_gnn.evaluation.row_check import fault_of_values
from panda_gnn.evaluation.schedule import Schedule, Trial
from panda_gnn.evaluation.store import Identity, Row, Store, by_config_and_seed, identity
from panda_gnn.evaluation.study import Study
from panda_gnn.interrupts import on_request_to_end
from panda_gnn.progress import progress_bar

#: After so many workers died with it, a trial is given up.
MAX_DEATHS = 3

#: After all workers were lost so many times without a finished trial, a cluster is given up.
MAX_LOSSES = 10

#: Seconds between two looks at whether Ctrl-C was pressed.
LOOK_UP = 0.2

#: Seconds between two looks at what became of the trials that other drivers claimed.
LOOK_AT_OTHERS = 1.0


@dataclass
class Outcome:
    """What became of a run.

    Attributes:
        ran: Trials that were run and kept.
        adopted: Trials that another study in the same folder had already run.
        left: Trials that the study still needs.
        failures: One sentence for each trial that could not be finished.
        failed_before: Trials that failed in an earlier run and were not tried again.
        interrupted: Whether it was ended with Ctrl-C or another signal.
    """

    ran: int = 0
    adopted: int = 0
    left: int = 0
    failures: list[str] = field(default_factory=list)
    failed_before: int = 0
    interrupted: bool = False


def run_study(
    study: Study,
    store: Store,
    executor: WorkerExecutor,
    run: Callable[[Config, int], Row],
    *,
    origins: Mapping[str, Origin],
    trials: int,
    first_seed: int = 0,
    budget: float | None = None,
    track: Callable[[Row], None] | None = None,
    trial_seconds: float | None = None,
    retry_failed: bool = False,
    resumes: bool = False,
) -> Outcome:
    """Run what the store does not have yet, and return when that is done or the budget is spent.

    Every row is on disk before the next trial starts in its place: whatever is killed, only trials
    under way are lost. A trial whose worker dies runs again, :data:`MAX_DEATHS` times in all; one
    that is lost with a whole cluster runs again as often as it takes. A trial that fails (it raises
    an error, gives scores that are no numbers, takes too long) is written down with its reason, and
    the others go on. A store that cannot be written any more, or a cluster that does not come back,
    ends the run with an :class:`~panda_gnn.errors.InputError`.

    Other drivers may run the same study into the same store at the same time: a trial is claimed
    before it starts, see :class:`~panda_gnn.evaluation.claims.Claims`, and what others finish
    counts here too.

    Args:
        study: The cells.
        store: Where finished trials are and will be.
        executor: Where trials run.
        run: The trial: a picklable function of a config and a seed.
        origins: The code and the data of every config, by its key; rows of others do not count.
        trials: Seeds of every cell.
        first_seed: The first of them; 0 where a cell has several candidates.
        budget: Seconds after which no trial starts, nor one that is expected to end later.
        track: Is told of every finished trial, until it fails.
        trial_seconds: How long a trial may take.
        retry_failed: Whether trials that failed in an earlier run run again.
        resumes: Whether ``run`` also takes the path of a ``checkpoint``, which is in a folder
            beside the store until the row is.
    """
    finished = by_config_and_seed(store.read().rows, origins)
    seeds = range(first_seed, first_seed + trials)
    outcome = Outcome(adopted=adopt(store, finished, origins=origins, seeds=seeds))
    schedule = Schedule(study, finished, seeds=seeds, most_telling_first=budget is not None)
    failures = Failures(store, origins)
    configs = study.configs
    for failure in [] if retry_failed else failures.unfinished(finished):
        schedule.give_up(Trial(configs[failure["key"]], failure["seed"]))
        outcome.failed_before += failure["seed"] in seeds
    checkpoints = store.path.resolve().with_name(store.path.name + ".checkpoints")
    started: dict[Trial, float] = {}
    deadline = None if budget is None else time.monotonic() + budget
    deaths = Counter[Trial]()
    losses = 0
    under_way: dict[Future[Row], Trial] = {}
    claims = Claims(store.path)
    elsewhere: set[Trial] = set()
    place = 0

    def identity_of(trial: Trial) -> Identity:
        return trial.config.key, origins[trial.config.key], trial.seed

    def checkpoint_of(trial: Trial) -> Path:
        return (
            checkpoints / f"{hashlib.sha256(name_of(identity_of(trial)).encode()).hexdigest()}.pt"
        )

    def submit(trial: Trial) -> Future[Row]:
        call: Callable[..., Row] = run
        if resumes:
            call = partial(call, checkpoint=str(checkpoint_of(trial)))
        if trial_seconds is not None:
            call = partial(limited, call, trial_seconds)
        return executor.submit_named(name_of(identity_of(trial)), call, *trial)

    def catch_up() -> None:
        """Count what other drivers have finished meanwhile."""
        nonlocal place
        rows, place = store.read_from(place)
        for key, by_seed in by_config_and_seed(rows, origins).items():
            for seed, row in by_seed.items():
                if seed not in finished[key]:
                    schedule.finish(Trial(configs[key], seed), row)
        for failure in failures.catch_up():
            schedule.give_up(Trial(configs[failure["key"]], failure["seed"]))

    def start_next() -> Trial | None:
        while True:
            trial = schedule.start_next(lambda config: _fits(config, finished, deadline))
            if trial is None:
                return None
            if not claims.take(identity_of(trial)):
                elsewhere.add(trial)
                continue
            catch_up()
            if not schedule.is_settled(trial):
                return trial
            claims.release(identity_of(trial))

    def fail(trial: Trial, reason: str) -> None:
        schedule.give_up(trial)
        outcome.failures.append(f"{describe(trial)}: {reason}")
        failures.add(*trial, reason)

    def tell(row: Row) -> None:
        nonlocal track
        try:
            if track is not None:
                track(row)
        except Exception as error:
            track = None
            warnings.warn(f"the tracker failed and is told no more: {error}", stacklevel=1)

    def without_workers(why: str) -> InputError:
        return InputError(
            f"{why}: {outcome.ran} trials were run, {schedule.left} are left, "
            "and the same command continues"
        )

    def settle(trial: Trial, future: Future[Row]) -> None:
        nonlocal losses
        try:
            row = future.result()
        except WorkersLost as error:
            schedule.release(trial)
            losses += 1
            if losses == MAX_LOSSES * executor.workers:
                why = f"all workers were lost {MAX_LOSSES} times in a row ({error})"
                raise without_workers(why) from error
        except ExecutorLost as error:
            schedule.release(trial)
            raise without_workers(str(error)) from error
        except WorkerDied as error:
            if trial_seconds is not None and time.monotonic() - started[trial] >= trial_seconds:
                fail(trial, f"it took longer than {trial_seconds:g} s")
                return
            deaths[trial] += 1
            if deaths[trial] < MAX_DEATHS:
                schedule.release(trial)
                return
            fail(trial, f"given up after {MAX_DEATHS} workers died with it ({error})")
        except InputError as error:
            fail(trial, str(error))
        except Exception as error:
            fail(trial, f"{type(error).__name__}: {error}")
        else:
            losses = 0
            problem = fault_of_values(row)
            if identity(row) != identity_of(trial):
                problem = "the worker has another version of panda-gnn or other data"
            if problem is not None:
                fail(trial, problem)
                return
            store.append(row)
            schedule.finish(trial, row)
            if resumes:
                remove_checkpoint(checkpoint_of(trial))
            outcome.ran += 1
            tell(row)

    with (
        closing(claims),
        _ended_early(executor, outcome) as interrupted,
        progress_bar() as bar,
    ):
        task = bar.add_task(study.name, total=schedule.left)
        look_at_others = time.monotonic()
        while not interrupted.is_set():
            if elsewhere and time.monotonic() > look_at_others:
                catch_up()
                while elsewhere:
                    schedule.release(elsewhere.pop())
            while len(under_way) < executor.workers:
                trial = start_next()
                if trial is None:
                    break
                started[trial] = time.monotonic()
                under_way[submit(trial)] = trial
            if not under_way and not elsewhere:
                break
            if time.monotonic() > look_at_others:
                look_at_others = time.monotonic() + LOOK_AT_OTHERS
            if not under_way:
                interrupted.wait(LOOK_UP)
            for future in wait(under_way, LOOK_UP, return_when=FIRST_COMPLETED).done:
                ended = under_way.pop(future)
                settle(ended, future)
                claims.release(identity_of(ended))
            claims.report()
            bar.update(
                task,
                completed=outcome.ran,
                total=outcome.ran + schedule.left,
                description=_description(study, deadline),
            )
    outcome.left = schedule.left
    return outcome


def adopt(
    store: Store,
    finished: dict[str, dict[int, Row]],
    *,
    origins: Mapping[str, Origin],
    seeds: range,
) -> int:
    """Copy the rows that other studies in the folder of the store have already, and count them."""
    count = 0
    for path in sorted(store.path.parent.glob("*.jsonl")):
        if path == store.path:
            continue
        for key, by_seed in by_config_and_seed(Store(path).read().rows, origins).items():
            for seed, row in by_seed.items():
                if seed in seeds and seed not in finished.get(key, {}):
                    store.append(row)
                    finished.setdefault(key, {})[seed] = row
                    count += 1
    return count


def describe(trial: Trial) -> str:
    """A trial in words."""
    config, seed = trial
    settings = ", ".join(f"{name} {value}" for name, value in config.settings.items())
    method = f"{config.method} ({settings})" if settings else config.method
    return f"{method} on {config.backbone}, {config.dataset}, seed {seed}"


def _fits(config: Config, finished: dict[str, dict[int, Row]], deadline: float | None) -> bool:
    if deadline is None:
        return True
    times = [float(row.get("seconds", 0)) for row in finished.get(config.key, {}).values()]
    expected = sum(times) / len(times) if times else 0.0
    return time.monotonic() + expected < deadline


def _description(study: Study, deadline: float | None) -> str:
    if deadline is None:
        return study.name
    minutes, seconds = divmod(max(0, round(deadline - time.monotonic())), 60)
    return f"{study.name}, budget ends in {minutes}:{seconds:02d}"


@contextmanager
def _ended_early(executor: WorkerExecutor, outcome: Outcome) -> Iterator[threading.Event]:
    """Gives an event that the first signal to end sets, and ends the workers after it.

    An exception may strike while a lock is being handed back, and then nobody ever gets that lock
    again. So the first Ctrl-C raises none; a second one does. The workers end at once with any
    other error, too.
    """
    interrupted = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    whole = False
    try:
        with on_request_to_end(note):
            yield interrupted
        whole = not interrupted.is_set()
    except KeyboardInterrupt:
        interrupted.set()
    finally:
        outcome.interrupted = interrupted.is_set()
        if not whole:
            executor.shutdown(cancel_futures=True)
