"""PageRank: where a random surfer is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from panda_gnn.centrality.compiled import compiled
from panda_gnn.centrality.parallel import over_graphs
from panda_gnn.csr import BlockCSR

Float64 = npt.NDArray[np.float64]

DAMPING = 0.85
TOLERANCE = 1e-14
MAX_STEPS = 1000


def pagerank(csr: BlockCSR, *, threads: int) -> Float64:
    r"""The stationary distribution of a walk that starts anew with probability 0.15.

    With :math:`D` the degrees (a self-loop counts once) and nodes without edges starting anew with
    certainty, :math:`x = \alpha A D^{-1} x + \beta \mathbf 1` for the :math:`\beta` that makes
    :math:`x` sum to one. An undirected graph makes this symmetric: :math:`x = D^{1/2} z` with
    :math:`(I - \alpha D^{-1/2} A D^{-1/2}) z = \beta D^{-1/2} \mathbf 1`, a matrix of condition at
    most :math:`(1 + \alpha) / (1 - \alpha)`, which conjugate gradients solve to the last digits in
    a few dozen steps.
    """
    edges = np.diff(csr.row_ptr[csr.node_ptr]).astype(np.float64)
    return over_graphs(csr, csr.sizes + edges, _pagerank, threads=threads, description="pagerank")


def _pagerank(csr: BlockCSR) -> Float64:
    root = np.sqrt(np.maximum(csr.degrees + csr.loops, 1))
    score = np.empty(csr.num_nodes)
    strength = np.full(csr.num_graphs, DAMPING)
    compiled("diffusion").solve(
        csr.node_ptr, csr.row_ptr, csr.neighbours, csr.loops, 1.0 / root, strength,
        TOLERANCE, MAX_STEPS, score,
    )  # fmt: skip
    score *= root
    graph = np.repeat(np.arange(csr.num_graphs), csr.sizes)
    total = np.bincount(graph, weights=score, minlength=csr.num_graphs)
    return score / total[graph]
