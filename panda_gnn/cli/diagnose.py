"""``panda diagnose``: where a graph squashes, in the terminal and as an HTML page."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import add_choice, add_whole, flag_of
from panda_gnn.errors import InputError
from panda_gnn.reports.diagnose.model_choice import ModelChoice

if TYPE_CHECKING:  # options are read, and explained, without torch
    from torch_geometric.data import Data

MODEL_OPTIONS = ("centrality", "k", "width", "high_width", "num_layers", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    defaults = ModelChoice()
    parser.add_argument(
        "source",
        metavar="GRAPH",
        help="a dataset, or your own graphs: a file, a folder, pyg:CLASS/NAME or module:object",
    )
    add_whole(parser, "--graph", "which graph of the dataset (0)", least=0)
    parser.add_argument(
        "--summary", action="store_true", help="sum up all graphs of the dataset instead of one"
    )
    add_whole(parser, "--graphs", "with --summary: how many graphs to measure (100)")
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
        flag, default = flag_of(option.removeprefix("num_")), getattr(defaults, option)
        add_whole(parser, flag, help, default, least=least, dest=option)
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="where to write the page (diagnose-GRAPH.html)"
    )
    parser.add_argument("--no-html", action="store_true", help="print only")


def run(options: argparse.Namespace) -> None:
    """Print the report and write the page."""
    from rich.console import Console

    from panda_gnn.reports.diagnose.numbers import diagnose
    from panda_gnn.reports.diagnose.page import diagnosis_page
    from panda_gnn.reports.diagnose.terminal import print_diagnosis
    from panda_gnn.reports.pages import write_page

    model = chosen_model(options)
    if options.summary:
        sum_up(options)
        return
    if options.graphs is not None:
        raise InputError("--graphs goes with --summary: --graph chooses one graph")
    data, title, stem = chosen_graph(options)
    found = diagnose(data, model, title=title, names=data.get("node_names"))
    print_diagnosis(found, Console())
    if options.no_html:
        return
    path = options.html or Path(f"diagnose-{stem}.html")
    write_page(path, diagnosis_page(found, command(options)))
    print(path)


def sum_up(options: argparse.Namespace) -> None:
    """Print what the graphs of the dataset look like, and write the page."""
    from rich.console import Console

    from panda_gnn.datasets import resolve
    from panda_gnn.diagnostics import summarise_dataset
    from panda_gnn.progress import progress_bar
    from panda_gnn.reports.diagnose.dataset import print_summary, summary_page
    from panda_gnn.reports.pages import write_page

    if options.graph is not None:
        raise InputError("--graph chooses one graph: leave it out with --summary")
    found = resolve(options.source)
    depth, most = options.num_layers + 1, options.graphs or 100
    with progress_bar() as bar:
        task = bar.add_task("graphs", total=min(most, len(found.graphs)))
        summary = summarise_dataset(
            found.graphs, depth, most=most, on_graph=lambda done: bar.update(task, completed=done)
        )
    print_summary(summary, found.printed, Console())
    if not options.no_html:
        path = options.html or Path(f"diagnose-{Path(found.name).stem}.html")
        words = ["panda", "diagnose", options.source, "--summary"]
        for flag, given in (("--graphs", options.graphs), ("--layers", options.num_layers)):
            if given is not None and (flag, given) != ("--layers", ModelChoice().num_layers):
                words += [flag, str(given)]
        write_page(path, summary_page(summary, found.printed, shlex.join(words)))
        print(path)


def chosen_model(options: argparse.Namespace) -> ModelChoice:
    """The model that the options describe."""
    if options.high_width < options.width:
        raise InputError(
            f"--high-width is {options.high_width}, it must be at least --width ({options.width})"
        )
    values = {name: getattr(options, name) for name in MODEL_OPTIONS}
    return ModelChoice(options.model, **values)


def chosen_graph(options: argparse.Namespace) -> tuple[Data, str, str]:
    """The graph, its title, and a name for files about it."""
    from panda_gnn.datasets import DATASETS, load, resolve
    from panda_gnn.datasets.files import READERS, read_graph
    from panda_gnn.datasets.resolver import is_own

    if options.source in DATASETS:
        dataset = load(options.source)
        index = 0 if options.graph is None else options.graph
        if index >= len(dataset):
            raise InputError(
                f"--graph is {index}, but {options.source} has the graphs 0 to {len(dataset) - 1}"
            )
        title = f"{DATASETS[options.source].printed}, graph {index}"
        return dataset[index], title, f"{options.source}-{index}"
    path = Path(options.source)
    suffix = path.suffix.lower()
    if suffix in READERS and (suffix != ".pt" or not path.is_file() or _is_one(path)):
        if options.graph is not None:
            raise InputError("--graph chooses a graph of a dataset: leave it out for a file")
        return read_graph(path), path.name, path.stem
    if not is_own(options.source):
        raise InputError(
            f"'{options.source}' is neither a dataset ({', '.join(DATASETS)}) nor a file"
        )
    found = resolve(options.source)
    index = 0 if options.graph is None else options.graph
    if index >= len(found.graphs):
        raise InputError(
            f"--graph is {index}, but {options.source} has the graphs 0 to {len(found.graphs) - 1}"
        )
    if found.remark:
        print(f"{options.source}: {found.remark}", file=sys.stderr)
    data = found.graphs[index]
    if "edge_weight" in data:  # the diagnostics count hops
        del data.edge_weight
    return data, f"{options.source}, graph {index}", f"{path.stem or 'graph'}-{index}"


def _is_one(path: Path) -> bool:
    """Whether a file of torch.save holds one graph, or nothing that could be several."""
    from panda_gnn.datasets.saved_graphs import read_saved_graphs

    try:
        return len(read_saved_graphs(path)) == 1
    except InputError:
        return True


def command(options: argparse.Namespace) -> str:
    """The command line that makes the same report again."""
    defaults = ModelChoice()
    words = ["panda", "diagnose", options.source]
    if options.graph is not None:
        words += ["--graph", str(options.graph)]
    words += ["--model", options.model]
    for name in MODEL_OPTIONS:
        if getattr(options, name) != getattr(defaults, name):
            words += [flag_of(name.removeprefix("num_")), str(getattr(options, name))]
    return shlex.join(words)
