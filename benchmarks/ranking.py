"""Microseconds per edge for ranking the dimensions of a high node: ours, torch.topk, torch.sort.

All take turns on the same logits on one thread; medians of CPU time. Torch's include the addition
of the logits' two parts, as ours does.

    python benchmarks/ranking.py [--edges 4000] [--rounds 15]
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from panda_gnn.nn.kernels.ranking import rank

WIDTH = 64


def ours(high: Tensor, low: Tensor, crossing: Tensor) -> Tensor:
    return rank(high, low, crossing, WIDTH, relu=False, ascending=False)


def topk(high: Tensor, low: Tensor, crossing: Tensor) -> Tensor:
    return (high[crossing[0]] + low[crossing[1]]).topk(WIDTH).indices


def sort(high: Tensor, low: Tensor, crossing: Tensor) -> Tensor:
    logits = high[crossing[0]] + low[crossing[1]]
    return logits.sort(dim=1, descending=True, stable=True).indices


def main() -> None:
    """Print one line for each width and type."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    crossing = torch.randint(300, (2, options.edges), generator=generator)
    table = Table(title=f"microseconds per edge, the best {WIDTH} dimensions in order, one thread")
    for column in ("type", "dimensions", "ours", "torch.topk", "stable torch.sort"):
        table.add_column(column, justify="right")
    for dtype in (torch.float32, torch.float64):
        for size in (80, 96, 112, 128):
            high, low = torch.randn(2, 300, size, generator=generator, dtype=dtype)
            times: dict[str, list[float]] = {run.__name__: [] for run in (ours, topk, sort)}
            for _ in range(options.rounds + 1):
                for run in (ours, topk, sort):
                    begin = time.process_time()
                    run(high, low, crossing)
                    times[run.__name__].append(time.process_time() - begin)
            scale = 1e6 / options.edges
            cells = [f"{scale * statistics.median(found[1:]):.2f}" for found in times.values()]
            table.add_row(str(dtype).removeprefix("torch."), str(size), *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
