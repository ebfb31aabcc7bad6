"""The scores of a measure, for any graphs: read, computed or taken from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.cache import Tensors, cached, content_key, folder_for
from panda_gnn.centrality.families import CENTRALITIES, FAMILIES, SAMPLED, Family
from panda_gnn.centrality.sampling import sampled_paths
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.compiled import announced_together
from panda_gnn.graph.parallel import num_threads
from panda_gnn.graph.rows import GraphRows, Graphs, read_graphs
from panda_gnn.options import whole_number

Cache: TypeAlias = "str | Path | Literal[False] | None"


class SampledScores(NamedTuple):
    """Estimated scores, and node by node how sure they are.

    Example:
        >>> from panda_gnn.centrality import centrality, sampled_centrality
        >>> from panda_gnn.datasets import transfer
        >>> (ring,) = transfer("crossed-ring", 20, num_graphs=1)
        >>> sampled = sampled_centrality("closeness", ring, samples=10)
        >>> exact = centrality("closeness", ring)
        >>> bool(((sampled.lower <= exact) & (exact <= sampled.upper)).all())
        True
    """

    scores: Tensor
    #: The spread among the pivots. It is 0 where they all agree, which few pivots often do, so it
    #: says how the estimate would vary and not where the score is: see ``lower`` and ``upper``.
    standard_error: Tensor
    #: The ends of an interval that has the exact score with a probability of 95 % or more.
    lower: Tensor
    upper: Tensor


def centrality(
    name: str,
    graphs: Graphs,
    *,
    samples: int | None = None,
    seed: int = 0,
    cache: Cache = None,
    threads: int | None = None,
    families: Mapping[str, Family] = FAMILIES,
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
        families: what computes the measures.

    Returns:
        A float64 tensor with a score per node, graph after graph, on the device of the graphs.

    Example:
        >>> from panda_gnn.centrality import centrality
        >>> from panda_gnn.datasets import transfer
        >>> (tree,) = transfer("tree", 2, num_graphs=1)
        >>> [round(score, 3) for score in centrality("betweenness", tree).tolist()]
        [0.6, 0.6, 0.6, 0.0, 0.0, 0.0, 0.0]
    """
    if samples is not None:
        return sampled_centrality(
            name, graphs, samples=samples, seed=seed, cache=cache, threads=threads
        ).scores
    choose("centrality", name, CENTRALITIES)
    whole_number("seed", seed)
    family = families[CENTRALITIES[name]]

    def compute(rows: GraphRows) -> dict[str, Float64]:
        return family.compute(rows, num_threads(threads), seed)

    key, folder = (CENTRALITIES[name], [family.version]), cache if family.stored else False
    return _kept(name, graphs, compute, folder, key, [name])[0]


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

    Args:
        name: ``"betweenness"``, ``"closeness"`` or ``"load"``.
        graphs: A ``Data``, a ``Batch``, a dataset or a list of ``Data``.
        samples: How many pivots of each component.
        seed: Seeds their choice.
        cache: As in :func:`centrality`.
        threads: As in :func:`centrality`.

    Example:
        >>> from panda_gnn.centrality import sampled_centrality
        >>> from panda_gnn.datasets import transfer
        >>> (ring,) = transfer("crossed-ring", 20, num_graphs=1)
        >>> sampled_centrality("betweenness", ring, samples=10).scores.shape
        torch.Size([40])
    """
    choose("centrality that can be sampled", name, SAMPLED)
    whole_number("samples", samples, 2)
    whole_number("seed", seed)

    def compute(rows: GraphRows) -> dict[str, Float64]:
        found = sampled_paths(rows, samples=samples, seed=seed, threads=num_threads(threads))
        return {
            f"{measure} {part}": values
            for part, of_measures in found._asdict().items()
            for measure, values in of_measures.items()
        }

    key = "sampled-intervals", [FAMILIES[CENTRALITIES[name]].version, samples, seed]
    parts = [f"{name} {part}" for part in ("scores", "errors", "lower", "upper")]
    return SampledScores(*_kept(name, graphs, compute, cache, key, parts))


def compile_kernels(*names: str) -> float:
    """Compile or load what the centralities ``names`` need (all by default).

    Nothing is compiled before the first call that needs it, and nothing twice: numba keeps the
    result beside the package, or in its own folder where that cannot be written.

    Returns:
        The seconds spent on compiling, 0 if all was there.

    Args:
        *names: Some of :data:`CENTRALITIES`.

    Example:
        >>> from panda_gnn.centrality import compile_kernels
        >>> compile_kernels("degree") >= 0
        True
    """
    families = {CENTRALITIES[name] for name in names or CENTRALITIES} - _compiled
    if not families:
        return 0.0
    with announced_together(f"kernels of {', '.join(sorted(families))}") as seconds:
        tail = torch.tensor([[0, 0, 1, 1, 2, 2, 2, 3], [1, 2, 0, 2, 0, 1, 3, 2]])
        rows = read_graphs(Data(edge_index=tail, num_nodes=4))
        for family in families:
            FAMILIES[family].compute(rows, 1, 0)
    _compiled.update(families)
    return seconds()


#: The families whose kernels this process has compiled or loaded.
_compiled: set[str] = set()


def _kept(
    name: str,
    graphs: Graphs,
    compute: Callable[[GraphRows], dict[str, Float64]],
    cache: Cache,
    key: tuple[str, Sequence[int]],
    parts: Sequence[str],
) -> list[Tensor]:
    """Some ``parts`` of what ``compute`` gives for the graphs, from a file where there is one."""
    compile_kernels(name)
    rows = read_graphs(graphs, f"centrality '{name}'")

    def tensors() -> Tensors:
        return {part: torch.from_numpy(values) for part, values in compute(rows).items()}

    def fits(stored: Tensors) -> bool:
        found = [stored[part] for part in parts if part in stored]
        kinds = {(values.dtype, values.shape) for values in found}
        return len(found) == len(parts) and kinds == {(torch.float64, (rows.num_nodes,))}

    folder = folder_for(graphs, "centrality", cache)
    file = content_key(key[0], *key[1], *map(torch.from_numpy, rows)) if folder else ""
    stored = cached(folder, file, tensors, fits)
    if stored[parts[0]].isnan().any():
        raise InputError(f"{name} cannot count more than 1e308 shortest paths between two nodes")
    return [stored[part].to(_device(graphs)) for part in parts]


def _device(graphs: Graphs) -> torch.device:
    """The device of the first graph."""
    if not isinstance(graphs, Data):
        if len(graphs) == 0:
            return torch.device("cpu")
        graphs = graphs[0]
    edge_index = graphs.edge_index
    return torch.device("cpu") if edge_index is None else edge_index.device
