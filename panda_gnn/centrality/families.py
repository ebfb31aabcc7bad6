"""Which measures there are, which of them are computed together, and by what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from panda_gnn.centrality.degree import degree
from panda_gnn.centrality.harmonic import harmonic
from panda_gnn.centrality.pagerank import pagerank
from panda_gnn.centrality.random import random
from panda_gnn.centrality.resistance import resistance
from panda_gnn.centrality.shortest_paths import shortest_paths
from panda_gnn.centrality.spectral import spectral
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.rows import GraphRows

Scores = dict[str, Float64]


@dataclass(frozen=True)
class Family:
    """Measures that one computation gives together.

    Attributes:
        compute: takes the graphs, a number of threads and a seed.
        version: raised whenever a score of some graph changes, so that no cache is trusted.
        stored: whether the scores are worth a file.
    """

    compute: Callable[[GraphRows, int, int], Scores]
    version: int = 1
    stored: bool = True


FAMILIES = {
    "degree": Family(lambda graphs, threads, seed: {"degree": degree(graphs)}, stored=False),
    "shortest-paths": Family(lambda graphs, threads, seed: shortest_paths(graphs, threads=threads)),
    "pagerank": Family(
        lambda graphs, threads, seed: {"pagerank": pagerank(graphs, threads=threads)}
    ),
    "harmonic": Family(
        lambda graphs, threads, seed: {"harmonic": harmonic(graphs, threads=threads)}
    ),
    "spectral": Family(lambda graphs, threads, seed: spectral(graphs, threads=threads)),
    "resistance": Family(lambda graphs, threads, seed: resistance(graphs, threads=threads)),
    "random": Family(lambda graphs, threads, seed: {"random": random(graphs, seed)}, stored=False),
}

#: Every measure and the family that computes it: the paper's six, then the others.
CENTRALITIES = {
    "degree": "degree",
    "betweenness": "shortest-paths",
    "closeness": "shortest-paths",
    "pagerank": "pagerank",
    "load": "shortest-paths",
    "random": "random",
    "harmonic": "harmonic",
    "eigenvector": "spectral",
    "katz": "spectral",
    "current-flow": "resistance",
    "resistance": "resistance",
}

#: The measures that can be estimated from some of the nodes.
SAMPLED = ("betweenness", "closeness", "load")
