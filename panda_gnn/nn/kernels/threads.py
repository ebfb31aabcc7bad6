"""Sharing the rows of a kernel among threads.

Every row is computed by one thread in one order, so the number of threads changes no bit of the
result. There are as many threads as torch uses (``torch.set_num_threads``), none of them numba's,
and small pieces of work stay where they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any

import torch

SMALL = 1 << 22
"""So many multiplications and additions take less than a millisecond."""


def run(kernel: Callable[..., None], arguments: tuple[Any, ...], rows: int, work: int) -> None:
    """Call ``kernel(*arguments, first, last)`` for pieces that make up ``0 .. rows``.

    Args:
        kernel: The kernel, compiled.
        arguments: All its arguments but the last two.
        rows: The number of rows.
        work: The number of multiplications and additions in all rows together.
    """
    threads = torch.get_num_threads() if work > SMALL else 1
    if threads == 1 or rows < 2:
        kernel(*arguments, 0, rows)
        return
    own, *others = pairwise(rows * piece // threads for piece in range(threads + 1))
    pool = _pool(os.getpid(), threads - 1)
    futures = [pool.submit(kernel, *arguments, *piece) for piece in others]
    kernel(*arguments, *own)
    for future in futures:
        future.result()


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="panda-gnn")
