"""How long centralities take on a dataset, and how they compare with igraph and networkx."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panda_gnn.centrality.families import CENTRALITIES, FAMILIES
from panda_gnn.centrality.references import reference, sample_by_cost
from panda_gnn.centrality.sampling import sampled_paths
from panda_gnn.centrality.shortest_paths import quadratic_cost
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.rows import GraphRows
from panda_gnn.progress import track


@dataclass(frozen=True)
class TimedScores:
    """The scores of a centrality and the seconds they took.

    Attributes:
        scores: One score per node of all graphs.
        seconds: The time, together with all centralities that are computed with it.
        computed_with: The centrality whose time includes this one's, if there is one.
        error: The largest standard error, where the scores are sampled.
    """

    scores: Float64
    seconds: float
    computed_with: str | None = None
    error: float | None = None


@dataclass(frozen=True)
class LibraryTimes:
    """A library's times, extrapolated to all graphs, and its largest differences to our scores."""

    seconds: Mapping[str, float]
    difference: Mapping[str, float]
    num_graphs: int


def timed(function: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, float]:
    """What a function returns, and the seconds it took."""
    begin = time.perf_counter()
    return function(*arguments, **options), time.perf_counter() - begin


def timed_scores(
    csr: GraphRows, names: Sequence[str], *, threads: int, seed: int, samples: int | None = None
) -> dict[str, TimedScores]:
    """Every centrality's scores; those that come together are timed together.

    Args:
        csr: The graphs.
        names: The centralities.
        threads: How many threads compute them.
        seed: Of all that is drawn.
        samples: Estimate the scores from so many nodes of each component; ``None`` is exact.
    """
    results: dict[str, TimedScores] = {}
    if samples is not None:
        options = {"samples": samples, "seed": seed, "threads": threads}
        estimates, seconds = timed(sampled_paths, csr, **options)
        for name in names:
            first = None if name == names[0] else names[0]
            results[name] = TimedScores(
                estimates.scores[name], seconds, first, float(estimates.errors[name].max())
            )
        return results
    families: dict[str, tuple[str, dict[str, Float64], float]] = {}
    for name in names:
        family = CENTRALITIES[name]
        if family not in families:
            families[family] = name, *timed(FAMILIES[family].compute, csr, threads, seed)
        first, scores, seconds = families[family]
        results[name] = TimedScores(scores[name], seconds, None if name == first else first)
    return results


def library_times(
    csr: GraphRows, results: Mapping[str, TimedScores], library: str, *, graphs: int, seed: int
) -> LibraryTimes:
    """Time a library on ``graphs`` graphs, drawn by cost, and compare its scores with ours.

    Centralities that the library does not have are left out.
    """
    other = reference(library)
    names = [name for name in results if name in other.measures]
    numbers, stands_for = sample_by_cost(quadratic_cost(csr), graphs, seed)
    seconds = dict.fromkeys(names, 0.0)
    difference = dict.fromkeys(names, 0.0)
    pairs = list(zip(numbers.tolist(), stands_for.tolist(), strict=True))
    for number, weight in track(pairs, library):
        graph = other.graph(csr, number)
        nodes = slice(csr.node_ptr[number], csr.node_ptr[number + 1])
        for name in names:
            scores, spent = timed(other.measures[name], graph)
            seconds[name] += weight * spent
            gap = np.abs(np.asarray(scores) - results[name].scores[nodes]).max(initial=0.0)
            difference[name] = max(difference[name], float(gap))
    return LibraryTimes(seconds, difference, len(numbers))
