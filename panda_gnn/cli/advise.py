"""``panda advise``: what the labels of a dataset follow from, and what is worth trying on it."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from panda_gnn.cli.diagnose import summarise_with_bar
from panda_gnn.cli.execution import Execution, add_execution_arguments, report
from panda_gnn.cli.options import add_json_argument, add_whole, command_line, real
from panda_gnn.cli.own import add_own_arguments
from panda_gnn.errors import choose

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.evaluation.advice.plan import Budget
    from panda_gnn.evaluation.tasks import TaskData

MINUTES, QUICK_MINUTES = 3.0, 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "dataset",
        metavar="DATASET",
        help="a name (panda datasets), pyg:CLASS/NAME, module:object, a folder or a file",
    )
    parser.add_argument(
        "--backbone", default="gcn", metavar="NAME", help="one of panda backbones (gcn)"
    )
    add_whole(parser, "--layers", "hidden layers (the task's: 4, for nodes 3)")
    parser.add_argument(
        "--minutes",
        type=real("a number above 0", above=0),
        metavar="M",
        help=f"time for training, on all workers ({MINUTES:g})",
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"the same as --minutes {QUICK_MINUTES:g}"
    )
    add_whole(parser, "--trials", "splits of each network (what fits into the time)", least=2)
    add_whole(parser, "--epochs", "epochs of each training (what fits into the time)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write a page as well")
    add_own_arguments(parser)
    add_json_argument(parser)
    add_execution_arguments(parser, results=None)


def run(options: argparse.Namespace) -> int:
    """Measure, train, and print the advice."""
    from rich.console import Console

    from panda_gnn.evaluation.advice.advice import draw_conclusions, network_scores
    from panda_gnn.evaluation.advice.plan import PLAIN, QUICK_SPLITS, advice_study, network_config
    from panda_gnn.evaluation.advice.quick import EXPLANATIONS, quick_scores
    from panda_gnn.evaluation.advice.rules import FEW_ROWS
    from panda_gnn.evaluation.run import Outcome
    from panda_gnn.evaluation.store import by_config_and_seed
    from panda_gnn.evaluation.tasks import load_data
    from panda_gnn.nn.models import backbone_names
    from panda_gnn.progress import progress_bar
    from panda_gnn.reports.advise.page import advice_page
    from panda_gnn.reports.advise.terminal import print_advice
    from panda_gnn.reports.advise.text import as_plain
    from panda_gnn.reports.pages.frame import write_page

    choose("backbone", options.backbone, backbone_names())
    data = load_data(options.dataset, options.root, options.mirror)
    plain = network_config(data, PLAIN, options.backbone, options.layers, 1)
    summary = summarise_with_bar(data.dataset, plain.num_layers + 1)
    scores: dict[str, dict[int, float]] = {}
    outcome, budget = Outcome(), None
    if data.graphs.y.size(0) >= FEW_ROWS:
        budget = _budget(data, options)
        of_graphs = data.graphs.target_nodes is None
        seeds = range(max(budget.trials, QUICK_SPLITS if of_graphs else 0))
        with progress_bar() as bar:
            task = bar.add_task("without a network", total=len(seeds) * (1 + len(EXPLANATIONS)))
            scores |= quick_scores(data, plain.settings, seeds, lambda: bar.advance(task))
        study = advice_study(data, options.backbone, options.layers, budget)
        with Execution(options, study.name, log=False) as execution:  # test scores stay unseen
            outcome = execution.run(study, trials=budget.trials)
            rows = by_config_and_seed(execution.store.read().rows, execution.origins(study))
        scores |= network_scores(study, rows)
        if outcome.interrupted:
            return report("advise", outcome, None)
    advice = draw_conclusions(data, summary, scores, plain, budget)
    if options.output is not None:
        write_page(options.output, advice_page(advice, command(options, budget)))
    if options.json:
        print(json.dumps(as_plain(advice), indent=1))
    else:
        print_advice(advice, Console())
        if options.output is not None:
            print(options.output)
    return report("advise", outcome, None)


def command(options: argparse.Namespace, budget: Budget | None) -> str:
    """The command line that gives the same advice again, whatever time it takes."""
    words = command_line("advise", options, options.dataset, backbone="gcn", layers=None)
    if budget is not None:
        words += ["--trials", str(budget.trials), "--epochs", str(budget.epochs)]
    return shlex.join(words)


def _budget(data: TaskData, options: argparse.Namespace) -> Budget:
    """What each network gets: what the options say, else what fits into the time."""
    from panda_gnn.evaluation.advice.plan import Budget, fit_budget

    if options.trials is not None and options.epochs is not None:
        return Budget(options.trials, options.epochs)
    minutes = options.minutes or (QUICK_MINUTES if options.quick else MINUTES)
    workers = options.workers or os.cpu_count() or 1
    fitting = fit_budget(data, options.backbone, options.layers, 60 * minutes, workers)
    return Budget(options.trials or fitting.trials, options.epochs or fitting.epochs)
