"""Centralities of whole datasets: one function, exact scores, compiled kernels behind it.

>>> from panda_gnn.centrality import centrality
>>> scores = centrality("betweenness", dataset)  # a float64 score for every node, graph by graph

============== ====================================================================================
degree         share of the other nodes that are neighbours
betweenness    share of the shortest paths between others that run through a node
closeness      inverse of the mean distance, scaled for components (Wasserman and Faust)
pagerank       where a surfer is who starts anew with probability 0.15
load           packets that pass, each divided equally at every node on its way
random         nothing but the seed and the graph
harmonic       sum of the inverse distances
eigenvector    the eigenvector of the largest eigenvalue
katz           walks of all lengths, each step damped by 0.9 over the largest eigenvalue
current-flow   inverse of the sum of effective resistances (information centrality)
resistance     sum of effective resistances: high for badly wired nodes
============== ====================================================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.cache import cached, content_key, folder_for
from panda_gnn.centrality.compiled import load_kernels
from panda_gnn.centrality.families import CENTRALITIES, FAMILIES, SAMPLED
from panda_gnn.csr import BlockCSR, Graphs, block_csr
from panda_gnn.errors import InputError, choose

__all__ = ["CENTRALITIES", "SampledScores", "centrality", "compile_kernels", "sampled_centrality"]

Cache: TypeAlias = "str | Path | Literal[False] | None"


class SampledScores(NamedTuple):
    """Estimated scores and, node by node, the standard error of each estimate."""

    scores: Tensor
    standard_error: Tensor


def centrality(
    name: str,
    graphs: Graphs,
    *,
    samples: int | None = None,
    seed: int = 0,
    cache: Cache = None,
    threads: int | None = None,
) -> Tensor:
    """Score every node of some undirected graphs.

    The values are networkx's on the same simple graph: repeated edges count once, self-loops and
    several components are ordinary. A graph has the same scores, bit for bit, alone, in a batch
    and in a dataset, on any number of threads.

    Args:
        name: one of :data:`CENTRALITIES`.
        graphs: a ``Data``, a ``Batch``, a dataset or a list of ``Data``.
        samples: estimate betweenness, closeness or load of components with more than this many
            nodes from so many of them; see :func:`sampled_centrality` for the error of that.
        seed: for the measure ``random`` and for sampling.
        cache: a folder to keep the scores in. By default those of a dataset are kept beside it, in
            ``centrality`` next to ``processed``, and others nowhere; ``False`` keeps nothing.
        threads: how many to use; by default as many as torch does.

    Returns:
        A float64 tensor with a score per node, graph after graph, on the device of the graphs.
    """
    if samples is not None:
        return sampled_centrality(
            name, graphs, samples=samples, seed=seed, cache=cache, threads=threads
        ).scores
    choose("centrality", name, CENTRALITIES)
    family = FAMILIES[CENTRALITIES[name]]
    compile_kernels(name)
    csr = block_csr(graphs, f"centrality '{name}'")

    def compute() -> dict[str, Tensor]:
        scores = family.compute(csr, _threads(threads), seed)
        return {measure: torch.from_numpy(values) for measure, values in scores.items()}

    folder = folder_for(graphs, "centrality", cache) if family.stored else None
    key = _key(CENTRALITIES[name], csr, family.version) if folder else ""
    return _countable(name, cached(folder, key, compute)[name]).to(_device(graphs))


def sampled_centrality(
    name: str,
    graphs: Graphs,
    *,
    samples: int,
    seed: int = 0,
    cache: Cache = None,
    threads: int | None = None,
) -> SampledScores:
    """Estimate betweenness, closeness or load from ``samples`` pivots per connected component.

    Made for graphs with millions of edges, where one search per node is too much. Components with
    at most ``samples`` nodes are exact, and so is what trees and twins contribute elsewhere.
    Arguments are those of :func:`centrality`.
    """
    choose("centrality that can be sampled", name, SAMPLED)
    if samples < 2:
        raise InputError(f"samples must be at least 2 to know the error, not {samples}")
    compile_kernels(name)
    csr = block_csr(graphs, f"centrality '{name}'")

    def compute() -> dict[str, Tensor]:
        from panda_gnn.centrality.sampling import sampled_paths

        scores, errors = sampled_paths(csr, samples=samples, seed=seed, threads=_threads(threads))
        named = {f"{measure} error": values for measure, values in errors.items()}
        return {key: torch.from_numpy(values) for key, values in (scores | named).items()}

    folder = folder_for(graphs, "centrality", cache)
    version = FAMILIES[CENTRALITIES[name]].version
    key = _key("sampled-paths", csr, version, samples, seed) if folder else ""
    found = cached(folder, key, compute)
    device = _device(graphs)
    scores = _countable(name, found[name])
    return SampledScores(scores.to(device), found[f"{name} error"].to(device))


def compile_kernels(*names: str) -> float:
    """Compile or load what the centralities ``names`` need (all by default).

    Nothing is compiled before the first call that needs it, and nothing twice: numba keeps the
    result beside the package, or in its own folder where that cannot be written.

    Returns:
        The seconds spent on compiling, 0 if all was there.
    """
    modules = {"rows": None}
    for name in names or CENTRALITIES:
        modules.update(dict.fromkeys(FAMILIES[CENTRALITIES[name]].kernels))
    return load_kernels(*modules)


def _countable(name: str, scores: Tensor) -> Tensor:
    if scores.isnan().any():
        raise InputError(f"{name} cannot count more than 1e308 shortest paths between two nodes")
    return scores


def _threads(threads: int | None) -> int:
    if threads is None:
        return torch.get_num_threads()
    if threads < 1:
        raise InputError(f"threads must be at least 1, not {threads}")
    return threads


def _key(name: str, csr: BlockCSR, *settings: int) -> str:
    arrays = (csr.node_ptr, csr.row_ptr, csr.neighbours, csr.loops)
    return content_key(name, *settings, *(torch.from_numpy(array) for array in arrays))


def _device(graphs: Graphs) -> torch.device:
    """The device of the first graph."""
    if not isinstance(graphs, Data):
        if len(graphs) == 0:
            return torch.device("cpu")
        graphs = graphs[0]
    edge_index = graphs.edge_index
    return torch.device("cpu") if edge_index is None else edge_index.device
