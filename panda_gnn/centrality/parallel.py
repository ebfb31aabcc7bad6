"""Graph by graph on several threads, with the same result on any number of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from rich.progress import TaskID

from panda_gnn.csr import BlockCSR
from panda_gnn.progress import progress_bar

Float64 = npt.NDArray[np.float64]

#: Work is cut into at most so many pieces; the cut does not depend on the number of threads.
PIECES = 64
#: Seconds after which a progress bar appears.
PATIENCE = 2.0


def over_graphs(
    csr: BlockCSR,
    cost: Float64,
    compute: Callable[[BlockCSR], Float64],
    *,
    threads: int,
    description: str,
) -> Float64:
    """Apply ``compute`` to runs of graphs and join what it returns along the last axis.

    ``compute`` must treat every graph by itself and release the interpreter's lock. Threads take
    the most expensive run left, by ``cost`` per graph; who computes what does not change a bit.
    """
    pieces = list(csr.pieces(cost, PIECES))
    if len(pieces) < 2:
        return compute(csr)
    work = [-float(cost[first:last].sum()) for first, last in pieces]
    with bar_after_a_while(description, len(pieces)) as report:
        pool = ThreadPoolExecutor(threads)
        try:
            futures = {
                number: pool.submit(lambda piece: compute(csr.graphs(*piece)), pieces[number])
                for number in np.argsort(work, kind="stable").tolist()
            }
            waiting = set(futures.values())
            while waiting:
                _, waiting = wait(waiting, timeout=PATIENCE, return_when=FIRST_COMPLETED)
                report(len(pieces) - len(waiting))
            results = [futures[number].result() for number in range(len(pieces))]
            return np.concatenate(results, axis=-1)
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def bar_after_a_while(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function to report how much is done; it shows a bar if the work takes long."""
    begin = time.perf_counter()
    bar = progress_bar()
    task: TaskID | None = None

    def report(completed: int) -> None:
        nonlocal task
        if task is None and time.perf_counter() - begin > PATIENCE:
            bar.start()
            task = bar.add_task(description, total=total)
        if task is not None:
            bar.update(task, completed=completed)

    try:
        yield report
    finally:
        bar.stop()
