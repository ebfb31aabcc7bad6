"""Graph by graph on several threads, with the same result on any number of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import torch
from rich.progress import TaskID

from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.components import connected_components
from panda_gnn.graph.rows import GraphRows
from panda_gnn.options import whole_number
from panda_gnn.progress import progress_bar

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Work is cut into at most so many pieces; the cut does not depend on the number of threads.
PIECES = 64
#: Seconds after which a progress bar appears.
PATIENCE = 2.0


def num_threads(threads: int | None) -> int:
    """``threads``, or as many as torch uses; fewer than one are refused."""
    if threads is None:
        return torch.get_num_threads()
    return whole_number("threads", threads, 1)


def in_parallel(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    cost: Sequence[float],
    description: str,
    threads: int | None = None,
) -> list[Result]:
    """``[function(item) for item in items]``, the most costly first and several at a time.

    ``function`` should release the interpreter's lock. An error in one item ends the work.
    """
    pool = ThreadPoolExecutor(num_threads(threads))
    with bar_after_a_while(description, len(items)) as report:
        try:
            futures = {
                index: pool.submit(function, items[index])
                for index in sorted(range(len(items)), key=lambda index: -cost[index])
            }
            waiting = set(futures.values())
            while waiting:
                done, waiting = wait(waiting, timeout=PATIENCE, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                report(len(items) - len(waiting))
            return [futures[index].result() for index in range(len(items))]
        finally:
            pool.shutdown(cancel_futures=True)


def over_graphs(
    compute: Callable[[GraphRows], Float64],
    graphs: GraphRows,
    cost: Float64,
    description: str,
    threads: int,
) -> Float64:
    """Apply ``compute`` to runs of graphs and join what it returns along the last axis.

    ``compute`` must treat every graph by itself. Runs share ``cost``, a value per graph, about
    equally; who computes what does not change a bit.
    """
    pieces = list(graphs.pieces(cost, PIECES))
    if len(pieces) < 2:
        return compute(graphs)
    work = [float(cost[first:last].sum()) for first, last in pieces]
    results = in_parallel(
        lambda piece: compute(graphs.part(*piece)), pieces, work, description, threads
    )
    return np.concatenate(results, axis=-1)


def over_components(
    compute: Callable[[GraphRows], Float64],
    graphs: GraphRows,
    cost: Callable[[GraphRows], Float64],
    description: str,
    threads: int,
) -> tuple[Float64, Int64]:
    """Apply ``compute`` to the connected components, and put what it returns in order of nodes.

    Returns the values of all nodes along the last axis, and the component of each node.
    """
    connected, order = connected_components(graphs)
    values = over_graphs(compute, connected, cost(connected), description, threads)
    in_order, component = np.empty_like(values), np.empty_like(order)
    in_order[..., order] = values
    component[order] = connected.graph_of_node
    return in_order, component


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
