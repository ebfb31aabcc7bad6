"""``panda rewire``: rewire a dataset and say what that did to its graphs."""

from __future__ import annotations

import argparse
import inspect
import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import (
    add_dataset_argument,
    add_drawing_arguments,
    add_whole,
    drawn_graphs,
    flag_of,
    one_of,
    real,
    whole,
)
from panda_gnn.errors import InputError

if TYPE_CHECKING:  # options are read, and explained, without torch
    from torch_geometric.data import Data

    from panda_gnn.rewiring import Rewiring

#: The options of the methods: their types, and what they mean.
OPTIONS: dict[str, tuple[type, str]] = {
    "iterations": (int, "fosr, gtr, sdrf, proxy-add, proxy-delete: edges to add or delete"),
    "warmup": (int, "fosr: power steps before the first edge"),
    "tau": (float, "sdrf: inverse temperature of the draws"),
    "removal_bound": (float, "sdrf: remove edges above this curvature"),
    "batches": (int, "borf: how often curvatures are computed"),
    "added": (int, "borf: edges to add in each batch"),
    "removed": (int, "borf: edges to delete in each batch"),
    "variant": (str, "sdrf, borf: paper, or released for the public code's defects"),
    "sketch": (int, "gtr: coordinates of a sketch of resistances"),
    "rounds": (int, "afrc, jdr: how many rounds; virtual-node: rounds that tell roles apart"),
    "cycles": (int, "afrc: 3 or 4, the longest cycles that count"),
    "alpha": (float, "digl: probability to return; half-hop: the source's part of a slow node"),
    "eps": (float, "digl, heat: entries below this are dropped"),
    "t": (float, "heat: how long heat spreads"),
    "p": (float, "half-hop: probability of a node to be slowed down"),
    "criterion": (str, "proxy-add, proxy-delete: max or min of the spectral gap"),
    "graph_vectors": (int, "jdr: how many eigenvectors of the graph are moved"),
    "feature_vectors": (int, "jdr: how many singular vectors of the features are moved"),
    "graph_ratio": (float, "jdr: how far an eigenvector is moved"),
    "feature_ratio": (float, "jdr: how far a singular vector is moved"),
    "blend": (float, "jdr: how much of the denoised features is taken"),
    "least_added": (int, "goku: by how many edges the latent graph exceeds the given one"),
    "beta": (float, "goku: how many edges remain, as a share"),
    "k": (int, "central-edges: how many nodes"),
    "centrality": (str, "central-edges: which nodes are central"),
    "snapshots": (int, "laser: the greatest distance"),
    "rho": (float, "laser: the fraction of the nodes at each distance"),
    "seed": (int, "of what is drawn at random"),
}

#: What a value of a type is called, and what reads it.
READERS: dict[type, tuple[str, Callable[[str], object]]] = {
    int: ("N", whole(0)),
    float: ("X", real("a number", infinite=True)),
    str: ("NAME", str),
}

#: The most edges that making all pairs of nodes adjacent may give; each takes 24 bytes.
MOST_PAIRS = 200_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_dataset_argument(parser)
    rewirings = names_of("rewirings")
    parser.add_argument(
        "--method",
        type=one_of("method", [*rewirings, "all"]),
        required=True,
        metavar="NAME",
        help=f"{', '.join(rewirings)}; or all, side by side",
    )
    methods = parser.add_argument_group("options of the methods (their own defaults)")
    for name, (kind, meaning) in OPTIONS.items():
        metavar, read = READERS[kind]
        methods.add_argument(flag_of(name), type=read, metavar=metavar, help=meaning)
    add_whole(parser, "--threads", "how many (as many as torch uses)")
    parser.add_argument("--quick", action="store_true", help="count edges, measure nothing else")
    add_drawing_arguments(parser, " before and after")


def run(options: argparse.Namespace) -> None:
    """Rewire, measure, print and draw."""
    import torch
    from rich.console import Console
    from torch_geometric.data import Data
    from torch_geometric.utils import to_undirected

    from panda_gnn.cli.rewire_all import compare_all, report_all
    from panda_gnn.diagnostics.quantities import count_edges, graph_quantities
    from panda_gnn.graph.parallel import in_parallel
    from panda_gnn.reports.drawing.graph_pictures import plot_rewiring
    from panda_gnn.reports.table_formats import text_table
    from panda_gnn.rewiring import REWIRINGS, FullyAdjacent, rewire_dataset

    every = options.method == "all"
    names = list(REWIRINGS) if every else [options.method]
    rewirings = {name: make_rewiring(name, options, strict=not every) for name in names}
    dataset, printed = drawn_graphs(options)
    graphs = list(dataset)

    def check(rewiring: Rewiring) -> None:
        if isinstance(rewiring, FullyAdjacent):
            check_pairs(graphs)

    for rewiring in () if every else rewirings.values():
        check(rewiring)
    with Console(stderr=True).status("compiling, once per installation"):
        triangle_with_tail = torch.tensor([[0, 1, 0, 2, 3], [1, 2, 2, 3, 4]])
        edge_index = to_undirected(triangle_with_tail)
        for rewiring in rewirings.values():
            data = Data(x=torch.zeros(5, 1), edge_index=edge_index, num_nodes=5)
            graph_quantities(rewiring(data))
    if every:
        lines, pictures = compare_all(
            graphs,
            rewirings,
            quick=options.quick,
            threads=options.threads,
            check=check,
            drawn=options.graph,
        )
        report_all(lines, pictures, graphs, options, printed)
        return
    begin = time.perf_counter()
    rewired = rewire_dataset(graphs, rewiring, cache=False, threads=options.threads)
    seconds = time.perf_counter() - begin
    if options.plot:
        number = options.graph
        title = f"{printed}, graph {number}: {rewiring}"
        plot_rewiring(graphs[number], rewired[number], options.plot, title)
        print(f"drew graph {number} in {options.plot}")
    measure = count_edges if options.quick else graph_quantities
    cost = [int(data.num_edges) for data in rewired]
    before = in_parallel(measure, graphs, cost, "measuring, before", options.threads)
    after = in_parallel(measure, rewired, cost, "measuring, after", options.threads)
    title = f"{printed}: {rewiring}"
    caption = f"{len(graphs)} graphs in {seconds:.2f} s"
    columns = ("", "before", "after", "change")
    if options.json:
        print(json.dumps([dict(zip(columns, row, strict=True)) for row in _rows(before, after)]))
        return
    Console().print(text_table(columns, _rows(before, after), title=title, caption=caption))


def check_pairs(graphs: Sequence[Data], most: int = MOST_PAIRS) -> None:
    """Reject graphs in which more than ``most`` pairs of nodes would become edges."""
    pairs = sum(int(data.num_nodes or 0) ** 2 for data in graphs)
    if pairs > most:
        raise InputError(
            f"fa makes {pairs / 1e6:.0f} million edges of these graphs, and at most "
            f"{most / 1e6:.0f} million are accepted: choose another method"
        )


def make_rewiring(method: str, options: argparse.Namespace, *, strict: bool = True) -> Rewiring:
    """The rewiring that the options ask for; where it is ``strict``, options that the method does
    not have are refused, else they are for the others."""
    from panda_gnn.rewiring import REWIRINGS

    parameters = inspect.signature(REWIRINGS[method]).parameters
    known = [name for name in OPTIONS if name in parameters]
    asked = {name: value for name in OPTIONS if (value := getattr(options, name)) is not None}
    for name in asked:
        if name not in known and strict:
            others = ", ".join(map(flag_of, known)) or "none"
            raise InputError(f"{method} has no option {flag_of(name)}: it has {others}")
    return rewiring_to_see(method, **{name: asked[name] for name in known if name in asked})


def rewiring_to_see(method: str, **options: Any) -> Rewiring:
    """A rewiring whose new edges are measured and drawn with the graph itself."""
    from panda_gnn.rewiring import REWIRINGS
    from panda_gnn.rewiring.expander import SecondEdgeSet

    kind: Any = REWIRINGS[method]
    if issubclass(kind, SecondEdgeSet):
        options["interleaved"] = False
    rewiring: Rewiring = kind(**options)
    return rewiring


def _rows(
    before: Sequence[dict[str, float]], after: Sequence[dict[str, float]]
) -> list[tuple[str, ...]]:
    """The lines of the table: the number of edges of all graphs, and means over graphs."""
    import numpy as np

    old, new = (sum(graph["edges"] for graph in graphs) for graphs in (before, after))
    rows: list[tuple[str, ...]] = [
        ("edges of all graphs", f"{old:.0f}", f"{new:.0f}", f"{new - old:+.0f}")
    ]
    for name in before[0]:
        old, new = (
            float(np.nanmean([graph[name] for graph in graphs])) for graphs in (before, after)
        )
        rows.append((f"{name}, mean", f"{old:.4f}", f"{new:.4f}", f"{new - old:+.4f}"))
    return rows
