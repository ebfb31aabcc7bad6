"""What remedies cost in training: an epoch with each beside one of the plain GCN.

For each dataset one table, from one run on one thread in which all methods take turns: the
laboratory's epochs, with the scores of validation and test graphs, on the graphs that the method
made, with its model. Making the graphs is not counted (``benchmarks/rewiring.py`` does), but for
SJLR, which makes new edges for every mini-batch. Times are medians of CPU time, and the ratios to
the plain GCN are medians over the rounds. The last line is a backbone, A-DGN.

    python benchmarks/remedies.py [--datasets mutag,enzymes] [--rounds 15] [--page FILE]
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete, graphs_and_model
from panda_gnn.evaluation.study import load_study
from panda_gnn.evaluation.tasks import TaskData, load_data
from panda_gnn.evaluation.train import train
from panda_gnn.evaluation.trial import one_thread

#: Epochs of a turn; the first is not counted.
TURN = 3
TABLE = re.compile(r"(<!-- times: training -->\n).*?(\n<!-- end of times: training -->)", re.DOTALL)


def turn_of(data: TaskData, config: Config) -> Callable[[], list[float]]:
    """A function that trains for a few epochs and returns the seconds of all but the first."""
    config = complete(config)
    graphs, model = graphs_and_model(data, config, 0)
    split = data.task.split(data, config.settings, 0)
    recipe = data.task.recipe(config)

    def turn() -> list[float]:
        ends: list[float] = []
        train(model, graphs, split, recipe, 0, lambda *_: ends.append(time.process_time()))
        return [after - before for before, after in pairwise(ends)]

    return turn


def measured(dataset: str, rounds: int) -> dict[str, tuple[float, float]]:
    """For every method the milliseconds of an epoch, and their ratio to the plain GCN's."""
    data = load_data(dataset)
    methods = [("gcn", method) for method in load_study("rewirings").methods]
    turns = {
        method if backbone == "gcn" else f"{backbone}, {method}": turn_of(
            data, Config(dataset, backbone=backbone, method=method, max_epochs=TURN)
        )
        for backbone, method in [*methods, ("adgn", "none")]
    }
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    for number in range(rounds + 1):
        for name, turn in turns.items():
            spent = turn()
            if number:  # the first round warms up
                seconds[name] += spent
    return {
        name: (
            1000 * statistics.median(spent),
            statistics.median(a / b for a, b in zip(spent, seconds["none"], strict=True)),
        )
        for name, spent in seconds.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", default="mutag,enzymes")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--page", type=Path, help="write the table into this page, too")
    arguments = parser.parse_args()
    names = arguments.datasets.split(",")
    with one_thread():
        columns = [measured(name, arguments.rounds) for name in names]
    heads = [f"{name}, {unit}" for name in names for unit in ("ms", "/ GCN")]
    lines = ["| method | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    for method in columns[0]:
        cells = [f"{ms:.1f} | {ratio:.2f}" for ms, ratio in (column[method] for column in columns)]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    printed = "\n".join(lines)
    print(printed)
    if arguments.page is not None:
        page = arguments.page.read_text("utf-8")
        arguments.page.write_text(TABLE.sub(rf"\g<1>\n{printed}\n\g<2>", page), "utf-8")


if __name__ == "__main__":
    main()
