"""``panda diagnose``: where graphs squash, in the terminal and as an HTML page."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import add_choice, add_whole, command_line, flag_of
from panda_gnn.cli.rewire import rewiring_to_see
from panda_gnn.errors import InputError
from panda_gnn.reports.diagnose.model_choice import ModelChoice

if TYPE_CHECKING:  # options are read, and explained, without torch
    from torch_geometric.data import Data

    from panda_gnn.diagnostics import DatasetSummary

MODEL_OPTIONS = ("centrality", "k", "width", "high_width", "num_layers", "seed")
#: Of a dataset, so many graphs are measured.
MOST_GRAPHS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    defaults = ModelChoice()
    parser.add_argument(
        "source",
        metavar="GRAPH",
        help="a dataset, or your own graphs: a file, a folder, pyg:CLASS/NAME or module:object",
    )
    add_whole(parser, "--graph", "one graph of the dataset (the whole dataset)", least=0)
    add_whole(
        parser,
        "--graphs",
        f"of a whole dataset: how many graphs to measure, spread over it ({MOST_GRAPHS})",
    )
    add_choice(parser, "--model", names_of("models"), defaults.name)
    centralities = names_of("centralities")
    add_choice(parser, "--centrality", centralities, defaults.centrality, "which nodes are high")
    for option, least, help in (
        ("k", 0, "how many nodes are high"),
        ("width", 1, "hidden width"),
        ("high_width", 1, "hidden width of high nodes"),
        ("num_layers", 1, "hidden layers"),
        ("seed", 0, "seed of the untrained weights"),
    ):
        default = getattr(defaults, option)
        add_whole(parser, flag_of(option), help, default, least=least, dest=option)
    rewirings = names_of("rewirings")
    add_choice(parser, "--rewiring", rewirings, "fosr", "what the page compares the graph with")
    parser.add_argument(
        "--output",
        "--html",
        type=Path,
        metavar="FILE",
        help="where to write the page (diagnose-GRAPH.html)",
    )
    parser.add_argument("--no-html", action="store_true", help="print only")


def run(options: argparse.Namespace) -> None:
    """Print the report and write the page."""
    from panda_gnn.reports.pages.frame import write_page

    model = chosen_model(options)
    graphs, title, stem = chosen_graphs(options)
    if len(graphs) > 1 and options.graph is None:
        page = sum_up(graphs, title, options)
    else:
        if options.graphs is not None:
            raise InputError("--graphs is for a whole dataset of several graphs: leave it out")
        if options.graph is not None:
            title, stem = f"{title}, graph {options.graph}", f"{stem}-{options.graph}"
        page = diagnose_one(graphs, model, title, options)
    if not options.no_html:
        path = options.output or Path(f"diagnose-{stem}.html")
        write_page(path, page)
        print(path)


def sum_up(graphs: Sequence[Data], title: str, options: argparse.Namespace) -> str:
    """Print what the graphs of a dataset look like; returns the page, if there is to be one."""
    from rich.console import Console

    from panda_gnn.reports.diagnose.dataset import dataset_page, print_summary

    summary = summarise_with_bar(graphs, options.num_layers + 1, options.graphs or MOST_GRAPHS)
    print_summary(summary, title, Console())
    if options.no_html:
        return ""
    return dataset_page(summary, graphs, title, options.source, command(options))


def summarise_with_bar(
    graphs: Sequence[Data], depth: int, most: int = MOST_GRAPHS
) -> DatasetSummary:
    """What the graphs of a dataset look like, measured under a progress bar."""
    from panda_gnn.diagnostics import summarise_dataset
    from panda_gnn.progress import progress_bar

    with progress_bar() as bar:
        task = bar.add_task("graphs", total=min(most, len(graphs)))
        return summarise_dataset(
            graphs, depth, most=most, on_graph=lambda done: bar.update(task, completed=done)
        )


def diagnose_one(
    graphs: Sequence[Data], model: ModelChoice, title: str, options: argparse.Namespace
) -> str:
    """Print the report on one graph; returns the page, if there is to be one."""
    from rich.console import Console

    from panda_gnn.reports.diagnose.numbers import diagnose
    from panda_gnn.reports.diagnose.page import diagnosis_page
    from panda_gnn.reports.diagnose.terminal import print_diagnosis

    index = options.graph or 0
    if index >= len(graphs):
        raise InputError(
            f"--graph is {index}, but {options.source} has the graphs 0 to {len(graphs) - 1}"
        )
    data = graphs[index]
    if "edge_weight" in data:  # the diagnostics count hops
        data = data.clone()
        del data.edge_weight
    rewiring = None if options.rewiring == "fosr" else rewiring_to_see(options.rewiring)
    found = diagnose(data, model, title=title, names=data.get("node_names"), rewiring=rewiring)
    print_diagnosis(found, Console())
    return "" if options.no_html else diagnosis_page(found, command(options))


def chosen_model(options: argparse.Namespace) -> ModelChoice:
    """The model that the options describe."""
    if options.high_width < options.width:
        raise InputError(
            f"--high-width is {options.high_width}, it must be at least --width ({options.width})"
        )
    values = {name: getattr(options, name) for name in MODEL_OPTIONS}
    return ModelChoice(options.model, **values)


def chosen_graphs(options: argparse.Namespace) -> tuple[Sequence[Data], str, str]:
    """The graphs, what to call them, and a name for files about them."""
    from panda_gnn.datasets import DATASETS, load, resolve
    from panda_gnn.datasets.files import READERS, read_graph
    from panda_gnn.datasets.resolver import is_own

    if options.source in DATASETS:
        return load(options.source), DATASETS[options.source].printed, options.source
    path = Path(options.source)
    suffix = path.suffix.lower()
    if suffix in READERS and (suffix != ".pt" or not path.is_file() or _is_one(path)):
        if options.graph is not None:
            raise InputError("--graph chooses a graph of a dataset: leave it out for a file")
        return [read_graph(path)], path.name, path.stem
    if not is_own(options.source):
        raise InputError(
            f"'{options.source}' is neither a dataset ({', '.join(DATASETS)}) nor a file"
        )
    found = resolve(options.source)
    if found.remark:
        print(f"{options.source}: {found.remark}", file=sys.stderr)
    return found.graphs, options.source, path.stem or "graph"


def _is_one(path: Path) -> bool:
    """Whether a file of torch.save holds one graph, or nothing that could be several."""
    from panda_gnn.datasets.saved_graphs import read_saved_graphs

    try:
        return len(read_saved_graphs(path)) == 1
    except InputError:
        return True


def command(options: argparse.Namespace) -> str:
    """The command line that makes the same report again."""
    usual = {"graph": None, "graphs": None, "model": None, "rewiring": "fosr"}
    usual |= {name: getattr(ModelChoice(), name) for name in MODEL_OPTIONS}
    return shlex.join(command_line("diagnose", options, options.source, **usual))
