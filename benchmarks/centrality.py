"""Centralities against igraph and networkx, on one thread, in one run.

    python benchmarks/centrality.py            REDDIT-BINARY and COLLAB, about five minutes
    python benchmarks/centrality.py --large    one graph of 10^6 nodes and 5 * 10^6 edges, sampled
    python benchmarks/centrality.py --coverage  how often intervals have the exact score
    python benchmarks/centrality.py --networkit  one large graph, beside NetworKit, 1 and 2 threads

Ours is betweenness, load and closeness together, from the dataset as PyG keeps it to the scores.
The others get graphs of their own kind, built beforehand: igraph computes betweenness alone, on
all graphs; networkx all three, on graphs drawn by cost, each standing for its share of all. Times
are of the processor, which other programs on the machine disturb little.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch_geometric.data import Data

from panda_gnn.centrality import centrality, compile_kernels, sampled_centrality
from panda_gnn.centrality.references import reference, sample_by_cost
from panda_gnn.centrality.shortest_paths import quadratic_cost, shortest_paths
from panda_gnn.datasets import load
from panda_gnn.graph.arrays import Int64
from panda_gnn.graph.rows import read_graphs, rows_of_edges

MEASURES = ("betweenness", "load", "closeness")
#: The least ratio to igraph's betweenness and to networkx's three.
GOALS = {"reddit-binary": (10, 1000), "collab": (4, 200)}


def mirror() -> Path | None:
    """The folder with the archives of the datasets, if there is one."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("PANDA_DATA_MIRROR", beside))
    return folder if folder.is_dir() else None


def compare(name: str, folder: Path, sample: int, table: Table) -> bool:
    """Time one dataset, add its lines to the table, and say whether it reached its goals."""
    dataset = load(name, mirror=folder)
    times = []
    for _ in range(3):
        begin = time.process_time()
        csr = read_graphs(dataset)
        ours = shortest_paths(csr, threads=1)
        times.append(time.process_time() - begin)
    mine = statistics.median(times)
    table.add_row(dataset.name, "panda-gnn, all three, median of 3 runs", f"{mine:.2f}")
    igraph, networkx = reference("igraph"), reference("networkx")
    everything = np.arange(csr.num_graphs), np.ones(csr.num_graphs)
    drawn = sample_by_cost(quadratic_cost(csr), sample)
    reached = True
    for library, measures, (numbers, weights), what, goal in (
        (igraph, MEASURES[:1], everything, "igraph, betweenness alone", GOALS[name][0]),
        (networkx, MEASURES, drawn, f"networkx, extrapolated from {sample} graphs", GOALS[name][1]),
    ):
        seconds, difference = 0.0, 0.0
        for number, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
            graph = library.graph(csr, number)
            nodes = slice(csr.node_ptr[number], csr.node_ptr[number + 1])
            for measure in measures:
                begin = time.process_time()
                theirs = library.measures[measure](graph)
                seconds += weight * (time.process_time() - begin)
                gap = np.abs(np.asarray(theirs) - ours[measure][nodes]).max()
                difference = max(difference, float(gap))
        ratio = seconds / mine
        reached = reached and ratio >= goal and difference <= 1e-9
        table.add_row("", what, f"{seconds:.1f}", f"{ratio:.0f}x", f"{goal}x", f"{difference:.0e}")
    return reached


def large(num_nodes: int, num_edges: int, samples: int) -> None:
    """Time sampled betweenness, closeness and load of one random graph."""
    generator = torch.Generator().manual_seed(0)
    u, v = torch.randint(num_nodes, (2, num_edges), generator=generator)
    rank = torch.unique(torch.cat([u * num_nodes + v, v * num_nodes + u]))
    data = Data(edge_index=torch.stack([rank // num_nodes, rank % num_nodes]), num_nodes=num_nodes)
    del u, v, rank
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin, work = time.perf_counter(), time.process_time()
    found = sampled_centrality("betweenness", data, samples=samples, threads=1)
    seconds, work = time.perf_counter() - begin, time.process_time() - work
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    typical = (found.standard_error / found.scores.clamp(min=1e-300)).median()
    print(
        f"{num_nodes} nodes, {num_edges} edges, {samples} pivots on one thread: {seconds:.0f} s, "
        f"{work:.0f} s of processor time; "
        f"peak memory {after / 2**20:.2f} GB ({before / 2**20:.2f} GB with the graph alone); "
        f"median standard error {typical:.0%} of the betweenness"
    )


def road_network(num_nodes: int, seed: int = 0) -> Int64:
    """Edges of a planar graph like a road network: a Delaunay triangulation of random places, of
    which those edges stay that no third place is near (the Gabriel graph)."""
    from scipy.spatial import Delaunay, cKDTree

    places = np.random.default_rng(seed).random((num_nodes, 2))
    triangles = Delaunay(places).simplices
    edges = np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [0, 2])])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    middle = places[edges].mean(axis=1)
    radius = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1) / 2
    nearest, _ = cKDTree(places).query(middle)
    kept: Int64 = edges[nearest >= radius * (1 - 1e-9)].T
    return kept


def beside_networkit(scale: int) -> None:
    """Exact betweenness of one graph of each kind, beside NetworKit's, on one and two threads."""
    import networkit as nk
    import networkx as nx

    side = round(scale**0.5)
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))
    graphs = {
        f"Barabasi-Albert, {scale} nodes": np.array(nx.barabasi_albert_graph(scale, 3, 0).edges).T,
        f"grid, {side} x {side}": np.array(grid.edges).T,
        f"road network, {scale} nodes": road_network(scale),
    }
    table = Table(title="exact betweenness, seconds of the clock")
    for column in ("graph", "threads", "NetworKit", "panda-gnn, all three", "ratio", "difference"):
        table.add_column(column, justify="left" if column == "graph" else "right")
    for name, edges in graphs.items():
        num_nodes = int(edges.max()) + 1
        rows = rows_of_edges(edges, num_nodes)
        graph = nk.graph.Graph(num_nodes)
        for u, v in rows.edges.T.tolist():
            graph.addEdge(u, v)
        for threads in (1, 2):
            nk.setNumberOfThreads(threads)
            begin = time.perf_counter()
            theirs = np.array(nk.centrality.Betweenness(graph).run().scores())
            between = time.perf_counter()
            ours = shortest_paths(rows, threads=threads)["betweenness"]
            end = time.perf_counter()
            gap = np.abs(ours / ours.max() - theirs / theirs.max()).max()
            table.add_row(
                name if threads == 1 else "",
                str(threads),
                f"{between - begin:.2f}",
                f"{end - between:.2f}",
                f"{(between - begin) / (end - between):.1f}x",
                f"{gap:.0e}",
            )
    Console(width=110).print(table)


def coverage(seeds: int) -> None:
    """How often sampled betweenness is within 1.96 standard errors, and within its interval."""
    import networkx as nx

    graphs = {
        "BA(400, 3)": nx.barabasi_albert_graph(400, 3, seed=0),
        "WS(400, 4, 0.1)": nx.connected_watts_strogatz_graph(400, 4, 0.1, seed=0),
        "20 x 20 grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(20, 20)),
    }
    print("| graph | pivots | 1.96 standard errors | interval | median width |")
    print("|---|---|---|---|---|")
    for name, graph in graphs.items():
        edges = torch.tensor(list(graph.edges)).t()
        data = Data(edge_index=torch.cat([edges, edges.flip(0)], dim=1), num_nodes=len(graph))
        exact = centrality("betweenness", data)
        for samples in (10, 60, 200):
            near, inside, width = [], [], []
            for seed in range(seeds):
                found = sampled_centrality("betweenness", data, samples=samples, seed=seed)
                near.append((found.scores - exact).abs() <= 1.96 * found.standard_error + 1e-12)
                inside.append((found.lower <= exact + 1e-12) & (exact <= found.upper + 1e-12))
                width.append(found.upper - found.lower)
            shares = [float(torch.stack(kind).double().mean()) for kind in (near, inside)]
            print(
                f"| {name} | {samples} | {shares[0]:.1%} | {shares[1]:.1%} "
                f"| {float(torch.stack(width).median()):.3f} |"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--large", action="store_true", help="one large graph instead")
    parser.add_argument("--coverage", action="store_true", help="intervals of sampled scores")
    parser.add_argument("--networkit", type=int, nargs="?", const=20_000, metavar="NODES")
    parser.add_argument("--nodes", type=int, default=1_000_000, help="of the large graph")
    parser.add_argument("--edges", type=int, default=5_000_000, help="of the large graph")
    parser.add_argument("--samples", type=int, default=100, help="pivots in the large graph")
    parser.add_argument("--reference-graphs", type=int, default=30, help="for networkx (30)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"compiled kernels in {compile_kernels('betweenness'):.1f} s (0: they were there)")
    if options.coverage:
        coverage(seeds=50)
        return 0
    if options.networkit:
        beside_networkit(options.networkit)
        return 0
    if options.large:
        large(options.nodes, options.edges, options.samples)
        return 0
    folder = mirror()
    if folder is None:
        print("no datasets to measure on: set PANDA_DATA_MIRROR to the folder of their archives")
        return 0
    table = Table(title="betweenness, load and closeness on one thread, processor time")
    for column in ("dataset", "who", "seconds", "ratio", "goal", "largest difference"):
        table.add_column(column, justify="left" if column in ("dataset", "who") else "right")
    reached = [compare(name, folder, options.reference_graphs, table) for name in GOALS]
    Console(width=110).print(table)
    return 0 if all(reached) else 1


if __name__ == "__main__":
    raise SystemExit(main())
