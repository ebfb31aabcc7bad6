"""Every compiled kernel and hand-written numerical routine beside the best library call.

    python benchmarks/kernels.py              all of them, about a minute
    python benchmarks/kernels.py --only twins

A line has the time of the kernel and of the library on a small and on a large input, and the
ratio of the two: how many times faster the kernel is. Times are of the processor, the least of a
few runs; compiling, once per installation, is not counted. Results are not compared here: tests
do that.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import ot
import torch
from rich.console import Console
from rich.table import Table
from scipy.sparse import coo_array, csr_array, diags_array, identity
from scipy.sparse.csgraph import connected_components as scipy_components
from scipy.sparse.linalg import cg, eigsh
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.centrality.diffusion import solve
from panda_gnn.centrality.harmonic import harmonic
from panda_gnn.centrality.pagerank import DAMPING
from panda_gnn.centrality.peeling import peel
from panda_gnn.centrality.references import reference
from panda_gnn.centrality.resistance import resistance
from panda_gnn.centrality.shortest_paths import shortest_paths
from panda_gnn.centrality.spectral import spectral
from panda_gnn.graph.components import component_labels
from panda_gnn.graph.cutting import cut_edges
from panda_gnn.graph.forman import augmented_forman, balanced_forman
from panda_gnn.graph.laplacian_solver import LaplacianSolver
from panda_gnn.graph.ollivier import ollivier_ricci
from panda_gnn.graph.rows import GraphRows, read_graphs, rows_of_edges
from panda_gnn.graph.transport import transport
from panda_gnn.graph.twins import twin_classes
from panda_gnn.rewiring import AFRC, GTR, LASER, SDRF, FoSR

REPEATS = 3


@dataclass(frozen=True)
class Case:
    """A kernel and the library call it replaces, on one input."""

    kernel: str
    library: str
    size: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]


def graph_of(graph: nx.Graph) -> GraphRows:
    """A networkx graph in rows."""
    edges = np.array(sorted(graph.edges), dtype=np.int64).reshape(-1, 2).T
    return rows_of_edges(edges, graph.number_of_nodes())


def adjacency(graph: GraphRows) -> csr_array:
    """One graph, or the union of several, as scipy has it."""
    entries = np.ones(len(graph.neighbours)), graph.columns, graph.row_ptr
    return csr_array(entries, shape=(graph.num_nodes, graph.num_nodes))


def graph_cases() -> Iterator[Case]:
    """The kernels of graph, centrality, rewiring and diagnostics."""
    small = nx.connected_watts_strogatz_graph(30, 4, 0.3, seed=0)
    large = nx.compose(
        nx.barabasi_albert_graph(1500, 3, seed=0), nx.relabel_nodes(nx.star_graph(500), _leaf)
    )
    for size, graph in (("small", small), ("large", large)):
        rows, igraph = graph_of(graph), reference("igraph")
        theirs, matrix = igraph.graph(rows, 0), adjacency(graph_of(graph))
        yield from _graph_cases(size, graph, rows, matrix)
        yield from _centrality_cases(size, rows, matrix, theirs)
        yield from _rewiring_cases(size, graph, rows)


def _leaf(node: int) -> int:
    return node + 1499 if node else 0


def _graph_cases(size: str, graph: nx.Graph, rows: GraphRows, matrix: csr_array) -> Iterator[Case]:
    edge_index = torch.from_numpy(np.stack([rows.sources, rows.columns]))
    data = Data(edge_index=edge_index, num_nodes=rows.num_nodes)
    many = [data] * (200 if size == "large" else 1)

    def by_scipy() -> None:
        for item in many:
            source, target = item.edge_index.numpy()
            ones = np.ones(len(source), np.int8)
            read = coo_array((ones, (source, target)), shape=matrix.shape).tocsr()
            read.sum_duplicates()
            assert (read != read.T.tocsr()).nnz == 0

    yield Case("graph.rows", "scipy coo -> csr, == T", size, lambda: read_graphs(many), by_scipy)

    def by_bytes() -> None:
        dense = matrix.astype(np.bool_).toarray()
        for loops in (False, True):
            np.fill_diagonal(dense, loops)
            np.unique(np.packbits(dense, axis=1), axis=0, return_inverse=True)

    yield Case("graph.twins", "numpy unique rows", size, lambda: twin_classes(rows), by_bytes)
    squares = csr_array(matrix)
    yield Case(
        "graph.forman, AFR-3",
        "scipy A * (A @ A)",
        size,
        lambda: augmented_forman(rows, 3),
        lambda: squares.multiply(squares @ squares),
    )
    yield Case(
        "graph.forman, AFR-4",
        "scipy A * (A @ A @ A)",
        size,
        lambda: augmented_forman(rows, 4),
        lambda: squares.multiply(squares @ squares @ squares),
    )
    yield Case(
        "graph.forman, balanced",
        "scipy A * (A @ A @ A), a part of it",
        size,
        lambda: balanced_forman(rows.row_ptr, rows.neighbours),
        lambda: squares.multiply(squares @ squares @ squares),
    )
    random = np.random.default_rng(0)
    side = 8 if size == "small" else 120
    distance = random.integers(1, 4, size=(side, side))
    ones, cost = np.ones(side, np.int64), distance.astype(np.float64)
    yield Case(
        "graph.transport",
        "POT emd",
        size,
        lambda: transport(ones.copy(), ones.copy(), distance, np.zeros_like(distance)),
        lambda: ot.emd(ones / side, ones / side, cost),
    )
    hops = dict(nx.all_pairs_shortest_path_length(graph, cutoff=3)) if size == "small" else None
    if hops is not None:
        edges = rows.edges

        def by_pot() -> None:
            for u, v in edges.T:
                rows_of, columns_of = list(graph[u]), list(graph[v])
                matrix = np.array([[float(hops[p][q]) for q in columns_of] for p in rows_of])
                ot.emd2(*(np.full(n, 1 / n) for n in matrix.shape), matrix)

        yield Case(
            "graph.ollivier",
            "POT emd2 for each edge",
            size,
            lambda: ollivier_ricci(twin_classes(rows), edges, edges.shape[1], 0),
            by_pot,
        )
    yield Case(
        "graph.components",
        "scipy connected_components",
        size,
        lambda: component_labels(rows),
        lambda: scipy_components(matrix, directed=False),
    )
    # A mini-batch of 64 graphs, each of them this one.
    ptr, shift = torch.tensor([0, edge_index.size(1)]), torch.arange(64) * rows.num_nodes
    batch = torch.zeros(64, dtype=torch.long)
    arrays = [values.numpy() for values in (edge_index, ptr, batch, shift)]

    def by_index() -> Tensor:
        owner = torch.repeat_interleave(torch.arange(64), ptr.diff()[batch])
        first = torch.arange(64) * edge_index.size(1)
        places = torch.arange(owner.numel()) + (ptr[batch] - first)[owner]
        return edge_index[:, places] + shift[owner]

    yield Case("graph.cutting", "torch indexing", size, lambda: cut_edges(*arrays), by_index)
    laplacian = (diags_array(matrix.sum(axis=1)) - matrix).tocsr()
    b = np.random.default_rng(0).standard_normal((rows.num_nodes, 16))
    b -= b.mean(axis=0)

    def by_cg() -> None:
        scale = diags_array(1 / matrix.sum(axis=1))
        for column in b.T:
            cg(laplacian, column, rtol=1e-8, M=scale)

    yield Case(
        "graph.laplacian_solver",
        "scipy cg, Jacobi",
        size,
        lambda: LaplacianSolver(rows).solve(b),
        by_cg,
    )


def _centrality_cases(size: str, rows: GraphRows, matrix: csr_array, igraph: Any) -> Iterator[Case]:
    """A dataset of a hundred small graphs, or one large graph."""
    count = 100 if size == "small" else 1
    edge_index = torch.from_numpy(np.stack([rows.sources, rows.columns]))
    many = read_graphs([Data(edge_index=edge_index, num_nodes=rows.num_nodes)] * count)

    def each(function: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [function() for _ in range(count)]

    root = np.sqrt(np.maximum(rows.degrees, 1))
    scale = diags_array(1 / root)
    system = identity(rows.num_nodes) - DAMPING * (scale @ matrix @ scale)
    dense = (np.diag(rows.degrees) - matrix.toarray())[1:, 1:]
    damping, all_roots = np.full(count, DAMPING), np.tile(1 / root, count)
    for kernel, library, ours, theirs in (
        ("peeling", "igraph coreness", lambda: peel(many), igraph.coreness),
        (
            "brandes, all three measures",
            "igraph betweenness",
            lambda: shortest_paths(many, threads=1),
            lambda: igraph.betweenness(directed=False),
        ),
        (
            "harmonic",
            "igraph harmonic_centrality",
            lambda: harmonic(many, threads=1),
            igraph.harmonic_centrality,
        ),
        (
            "diffusion",
            "scipy cg",
            lambda: solve(many, all_roots, damping, 1e-14, 1000),
            lambda: cg(system, 1 / root, rtol=1e-14, maxiter=1000),
        ),
        (
            "spectral, both measures",
            "scipy eigsh",
            lambda: spectral(many, threads=1),
            lambda: eigsh(matrix, k=1, which="LA", tol=1e-13),
        ),
        (
            "resistance",
            "numpy inv",
            lambda: resistance(many, threads=1),
            lambda: np.linalg.inv(dense),
        ),
    ):
        yield Case(f"centrality.{kernel}", library, size, ours, each(theirs))


def _rewiring_cases(size: str, graph: nx.Graph, rows: GraphRows) -> Iterator[Case]:
    edges, n = torch.from_numpy(rows.edges), rows.num_nodes
    matrix = adjacency(rows)
    laplacian = (diags_array(rows.degrees.astype(float)) - matrix).tocsc()
    yield Case(
        "rewiring.fosr, 10 edges",
        "numpy, 10 dense products",
        size,
        lambda: FoSR(10).additions(edges, n),
        lambda: [np.argmin(np.outer(x, x)) for x in np.random.default_rng(0).normal(size=(10, n))],
    )
    yield Case(
        "rewiring.gtr, 10 edges",
        "numpy, 10 dense updates",
        size,
        lambda: GTR(10).additions(edges, n),
        lambda: _dense_gtr(laplacian.toarray(), 10),
    )
    yield Case(
        "rewiring.laser",
        "scipy (A + I)^8, dense",
        size,
        lambda: LASER().additions(edges, n),
        lambda: np.linalg.matrix_power(matrix.toarray() + np.eye(n), 8),
    )
    if size == "small":
        yield Case(
            "rewiring.sdrf, 10 edges",
            "networkx, literal",
            size,
            lambda: SDRF(10).actions(edges, n),
            lambda: [_literal_curvatures(graph) for _ in range(10)],
        )
    yield Case(
        "rewiring.afrc",
        "networkx common_neighbors",
        size,
        lambda: AFRC(1, lower_bound=0.0, upper_bound=1e9).rewire(edges, n),
        lambda: [set(graph[u]) ^ set(graph[v]) for u, v in graph.edges],
    )


def _dense_gtr(laplacian: Any, count: int) -> None:
    n = len(laplacian)
    inverse = np.linalg.inv(laplacian + 1 / n) - 1 / n
    for _ in range(count):
        square = inverse @ inverse
        resistance = np.add.outer(np.diag(inverse), np.diag(inverse)) - 2 * inverse
        fall = (np.add.outer(np.diag(square), np.diag(square)) - 2 * square) / (1 + resistance)
        s, t = divmod(int(fall.argmax()), n)
        v = inverse[:, s] - inverse[:, t]
        inverse = inverse - np.outer(v, v) / (1 + resistance[s, t])


def _literal_curvatures(graph: nx.Graph) -> list[int]:
    values = []
    for i, j in graph.edges:
        near, far = set(graph[i]) - set(graph[j]) - {j}, set(graph[j]) - set(graph[i]) - {i}
        values.append(sum(graph.has_edge(k, w) for k in near for w in far))
    return values


def layer_cases() -> Iterator[Case]:
    """The kernels of the layers, beside calls of torch."""
    from kernels_nn import nn_cases

    return (Case(**case._asdict()) for case in nn_cases())


#: What gives cases, by the part of the package they are about.
SOURCES: dict[str, Callable[[], Iterator[Case]]] = {"graph": graph_cases, "nn": layer_cases}


def seconds(function: Callable[[], Any]) -> float:
    """The least processor time of a few runs, each of as many calls as make it measurable."""
    function()  # compiles
    begin = time.process_time()
    function()
    once = time.process_time() - begin
    calls = max(1, min(200, int(0.02 / max(once, 1e-5))))
    least = float("inf")
    for _ in range(REPEATS if once < 2 else 1):
        begin = time.process_time()
        for _ in range(calls):
            function()
        least = min(least, (time.process_time() - begin) / calls)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="a part of the name of the kernels")
    options = parser.parse_args()
    torch.set_num_threads(1)
    table = Table(title="processor time in milliseconds, one thread")
    for column in ("kernel", "library call", "input", "kernel", "library", "times faster"):
        table.add_column(column, justify="right" if table.columns[2:] else "left", no_wrap=True)
    for cases in SOURCES.values():
        for case in cases():
            if options.only in case.kernel:
                ours, theirs = seconds(case.ours), seconds(case.theirs)
                table.add_row(
                    case.kernel, case.library, case.size, f"{1e3 * ours:.3f}",
                    f"{1e3 * theirs:.3f}", f"{theirs / ours:.1f}",
                )  # fmt: skip
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
