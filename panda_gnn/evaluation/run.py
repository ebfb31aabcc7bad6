"""Running a study: trials go to an executor, rows come back into the store, one by one."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import WorkerDied, WorkerExecutor
from panda_gnn.evaluation.schedule import Schedule, Trial
from panda_gnn.evaluation.store import Row, Store, by_config_and_seed, identity
from panda_gnn.evaluation.study import Study
from panda_gnn.evaluation.tracking import Tracker
from panda_gnn.progress import progress_bar

#: After so many workers died with it, a trial is given up.
MAX_DEATHS = 3

#: Seconds between two looks at whether Ctrl-C was pressed.
LOOK_UP = 0.2


@dataclass
class Outcome:
    """What became of a run.

    Attributes:
        ran: Trials that were run and kept.
        adopted: Trials that another study in the same folder had already run.
        left: Trials that the study still needs.
        failures: One sentence for each config or trial that could not be finished.
        interrupted: Whether it was ended with Ctrl-C.
    """

    ran: int = 0
    adopted: int = 0
    left: int = 0
    failures: list[str] = field(default_factory=list)
    interrupted: bool = False


def run_study(
    study: Study,
    store: Store,
    executor: WorkerExecutor,
    run: Callable[[Config, int], Row],
    *,
    code: str,
    trials: int,
    first_seed: int = 0,
    selection: str = "best-val",
    budget: float | None = None,
    tracker: Tracker | None = None,
) -> Outcome:
    """Run what the store does not have yet, and return when that is done or the budget is spent.

    Every row is on disk before the next trial starts in its place: whatever is killed, only trials
    under way are lost. A trial whose worker dies runs again, :data:`MAX_DEATHS` times in all; a
    config whose trial raises an error is left out, and the others go on.

    Args:
        study: The cells.
        store: Where finished trials are and will be.
        executor: Where trials run.
        run: The trial: a picklable function of a config and a seed.
        code: The version of the trial; rows of other versions do not count.
        trials: Seeds of every cell.
        first_seed: The first of them; 0 where a cell has several candidates.
        selection: The rule under which intervals are taken, where a budget looks at them.
        budget: Seconds after which no trial starts, nor one that is expected to end later.
        tracker: Is told of every finished trial.
    """
    finished = by_config_and_seed(store.read().rows, code)
    seeds = range(first_seed, first_seed + trials)
    outcome = Outcome(adopted=adopt(study, store, finished, code=code, seeds=seeds))
    schedule = Schedule(
        study, finished, seeds=seeds, selection=selection, widest_first=budget is not None
    )
    deadline = None if budget is None else time.monotonic() + budget
    deaths = Counter[Trial]()
    under_way: dict[Future[Row], Trial] = {}

    def settle(trial: Trial, future: Future[Row]) -> None:
        try:
            row = future.result()
            if identity(row) != (trial.config.key, code, trial.seed):
                raise RuntimeError("the worker has another version of panda-gnn")
        except WorkerDied as error:
            deaths[trial] += 1
            if deaths[trial] < MAX_DEATHS:
                schedule.release(trial)
                return
            schedule.give_up(trial)
            outcome.failures.append(
                f"{describe(trial)}: given up after {MAX_DEATHS} workers died with it ({error})"
            )
        except Exception as error:
            schedule.give_up_config(trial)
            outcome.failures.append(f"{describe(trial)}: {type(error).__name__}: {error}")
        else:
            _keep(store, row)
            schedule.finish(trial, row)
            outcome.ran += 1
            if tracker is not None:
                tracker.log(row)

    with _ended_by_interrupt(executor, outcome) as interrupted, progress_bar() as bar:
        task = bar.add_task(study.name, total=schedule.left)
        while not interrupted.is_set():
            while len(under_way) < executor.workers:
                trial = schedule.start_next(lambda config: _fits(config, finished, deadline))
                if trial is None:
                    break
                under_way[executor.submit(run, *trial)] = trial
            if not under_way:
                break
            for future in wait(under_way, LOOK_UP, return_when=FIRST_COMPLETED).done:
                settle(under_way.pop(future), future)
            bar.update(
                task,
                completed=outcome.ran,
                total=outcome.ran + schedule.left,
                description=_description(study, deadline),
            )
    outcome.left = schedule.left
    return outcome


def adopt(
    study: Study, store: Store, finished: dict[str, dict[int, Row]], *, code: str, seeds: range
) -> int:
    """Copy the rows that other studies in the folder of the store have already, and count them."""
    wanted = {config.key for cell in study.cells for config in cell.candidates}
    count = 0
    for path in sorted(store.path.parent.glob("*.jsonl")):
        if path == store.path:
            continue
        for row in Store(path).read().rows:
            if (
                row["code"] == code
                and row["key"] in wanted
                and row["seed"] in seeds
                and row["seed"] not in finished.get(row["key"], {})
            ):
                store.append(row)
                finished.setdefault(row["key"], {})[row["seed"]] = row
                count += 1
    return count


def describe(trial: Trial) -> str:
    """A trial in words."""
    config, seed = trial
    settings = ", ".join(f"{name} {value}" for name, value in config.settings.items())
    method = f"{config.method} ({settings})" if settings else config.method
    return f"{method} on {config.backbone}, {config.dataset}, seed {seed}"


def _keep(store: Store, row: Row) -> None:
    try:
        store.append(row)
    except OSError as error:
        raise InputError(
            f"{store.path} cannot be written any more ({error}); all rows before are kept"
        ) from error


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
def _ended_by_interrupt(executor: WorkerExecutor, outcome: Outcome) -> Iterator[threading.Event]:
    """Gives an event that the first Ctrl-C sets, and ends the executor after it.

    An exception may strike while a lock is being handed back, and then nobody ever gets that lock
    again. So the first Ctrl-C raises none; a second one does.
    """
    interrupted = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ours = usual and threading.current_thread() is threading.main_thread()
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    except KeyboardInterrupt:
        interrupted.set()
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if interrupted.is_set():
        outcome.interrupted = True
        executor.shutdown(cancel_futures=True)
