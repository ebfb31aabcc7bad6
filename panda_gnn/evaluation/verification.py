"""Rerunning stored rows: a sample is run again and compared, bit for bit where bits can agree.

Scores depend in their last bits on the vector instructions of the processor and on the versions of
what computes. So a row of the same processor and versions must come out the same to the last bit,
and a row of another one is compared by its score.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import WorkerExecutor
from panda_gnn.evaluation.run import describe
from panda_gnn.evaluation.schedule import Trial
from panda_gnn.evaluation.statistics import summarise
from panda_gnn.evaluation.store import Finished, Row, lasting
from panda_gnn.progress import progress_bar

#: What decides bits, of what a row names as its versions.
DECISIVE = ("torch", "torch_geometric", "numpy", "numba")


@dataclass
class Verification:
    """What came out of rerunning rows.

    Attributes:
        same: Rows that came out the same bit for bit.
        different: Rows, stored and rerun, that should have and did not.
        elsewhere: Rows, stored and rerun, of another processor or other versions.
        failed: Rows that could not be run again, with the reason.
    """

    same: list[Row] = field(default_factory=list)
    different: list[tuple[Row, Row]] = field(default_factory=list)
    elsewhere: list[tuple[Row, Row]] = field(default_factory=list)
    failed: list[tuple[Row, str]] = field(default_factory=list)


def sample_rows(finished: Finished, count: int, seed: int) -> list[Row]:
    """Some of the rows, each as likely as any other; all where there are no more than ``count``."""
    rows = [by_seed[place] for _, by_seed in sorted(finished.items()) for place in sorted(by_seed)]
    if not rows:
        raise InputError("there is no row to verify: panda study run makes them")
    return rows if count >= len(rows) else random.Random(seed).sample(rows, count)


def verify(
    rows: Sequence[Row],
    executor: WorkerExecutor,
    run: Callable[[Config, int], Row],
    log: Callable[[Row], None] = lambda row: None,
) -> Verification:
    """Run the rows again and compare them with what is stored; nothing is written.

    Args:
        rows: Stored rows.
        executor: Where they run.
        run: Makes a row from a config and a seed.
        log: Is told of every row that came out.
    """
    verification = Verification()
    waiting = list(reversed(rows))
    under_way: dict[Future[Row], Row] = {}
    with progress_bar() as bar:
        task = bar.add_task("verifying", total=len(rows))
        while waiting or under_way:
            while waiting and len(under_way) < executor.workers:
                row = waiting.pop()
                config = Config.from_dict(row["config"])
                under_way[executor.submit(run, config, row["seed"])] = row
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                _sort_in(verification, under_way.pop(future), future)
                bar.advance(task)
                if future.exception() is None:
                    log(future.result())
    return verification


def sentences(verification: Verification) -> list[str]:
    """What came out, in words; differences of scores are in the unit of the score."""
    text = [
        f"{len(verification.same)} rows came out the same bit for bit",
        *(
            f"DIFFERENT: {_name(row)}: {_change(row, again)}"
            for row, again in verification.different
        ),
        *(f"FAILED: {_name(row)}: {reason}" for row, reason in verification.failed),
    ]
    if verification.elsewhere:
        text.append(
            f"{len(verification.elsewhere)} rows of another processor or other versions came out "
            "with other bits"
        )
        changes = [
            _test(again) - _test(row) for row, again in verification.elsewhere if "scores" in row
        ]
        if changes:
            # Rows that came out the same are differences of zero.
            summary = summarise([*changes, *(0.0 for row in verification.same)])
            interval = "" if summary.interval is None else f" ± {summary.interval:.4f}"
            text.append(
                f"the test score (best-val) changes by {summary.mean:+.4f}{interval} in the mean "
                f"over {summary.n} rows, by at most {max(map(abs, changes)):.4f}"
            )
    return text


def _name(row: Row) -> str:
    return describe(Trial(Config.from_dict(row["config"]), row["seed"]))


def _test(row: Row) -> float:
    return float(row["scores"]["best-val"]["test"])


def _change(row: Row, again: Row) -> str:
    names = [name for name, value in lasting(row).items() if again.get(name) != value]
    return ", ".join(f"{name} {row[name]} is now {again.get(name)}" for name in names)


def _sort_in(verification: Verification, row: Row, future: Future[Row]) -> None:
    try:
        again = future.result()
    except Exception as error:
        verification.failed.append((row, f"{type(error).__name__}: {error}"))
        return
    if lasting(row) == lasting(again):
        verification.same.append(row)
    elif _decisive(row) == _decisive(again):
        verification.different.append((row, again))
    else:
        verification.elsewhere.append((row, again))


def _decisive(row: Row) -> list[str | None]:
    """What the bits of a row depend on beside its identity."""
    return [row["processor"], *(row["versions"].get(name) for name in DECISIVE)]
