"""Which measures there are, which of them are computed together, and by what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panda_gnn.centrality.degree import degree
from panda_gnn.centrality.harmonic import harmonic
from panda_gnn.centrality.pagerank import pagerank
from panda_gnn.centrality.random import random
from panda_gnn.centrality.resistance import resistance
from panda_gnn.centrality.shortest_paths import shortest_paths
from panda_gnn.centrality.spectral import spectral
from panda_gnn.csr import BlockCSR

Scores = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Family:
    """Measures that one computation gives together.

    Attributes:
        compute: takes the graphs, a number of threads and a seed.
        version: raised whenever a score of some graph changes, so that no cache is trusted.
        kernels: the compiled modules it needs.
        stored: whether the scores are worth a file.
    """

    compute: Callable[[BlockCSR, int, int], Scores]
    version: int = 1
    kernels: tuple[str, ...] = ()
    stored: bool = True


FAMILIES = {
    "degree": Family(lambda csr, threads, seed: {"degree": degree(csr)}, stored=False),
    "shortest-paths": Family(
        lambda csr, threads, seed: shortest_paths(csr, threads=threads),
        kernels=("components", "peeling", "twins", "brandes", "expansion"),
    ),
    "pagerank": Family(
        lambda csr, threads, seed: {"pagerank": pagerank(csr, threads=threads)},
        kernels=("diffusion",),
    ),
    "harmonic": Family(
        lambda csr, threads, seed: {"harmonic": harmonic(csr, threads=threads)},
        kernels=("components", "twins", "harmonic"),
    ),
    "spectral": Family(
        lambda csr, threads, seed: spectral(csr, threads=threads),
        kernels=("components", "lanczos", "diffusion"),
    ),
    "resistance": Family(
        lambda csr, threads, seed: resistance(csr, threads=threads),
        kernels=("components", "peeling", "resistance", "expansion"),
    ),
    "random": Family(lambda csr, threads, seed: {"random": random(csr, seed)}, stored=False),
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
