r"""How the share that one node has in another changes with depth: four numbers of a graph alone.

After `"Over-Squashing in GNNs and Causal Inference of Rewiring Strategies"
<https://arxiv.org/abs/2508.09265>`_. With :math:`\mathbf{A}` the adjacency matrix with self-loops,

.. math::
    s_k(v, u) = \frac{(\mathbf{A}^k)_{vu}}{\sum_w (\mathbf{A}^k)_{wv}}

is the share of the walks of k steps between v and any node that end in u, and :math:`r_{vu}` the
least-squares slope of :math:`\log s_k(v, u)` over the depths k, by default from the diameter D to
:math:`2 D - 1`. Of the slopes that rise (:math:`r > 10^{-9}`) over all ordered pairs of n nodes,
pairs of a node with itself among them,

* the prevalence is their number over :math:`n^2`,
* the intensity their mean, the variability their sample standard deviation, the extremity the
  largest of them.

**Which sign.** The released code counts slopes that rise, and so does ``direction="rising"``: of
pairs far apart, which more depth brings nearer. ``direction="falling"`` counts those that fall,
with the sign turned: of near pairs, whose share drowns in that of all others.

**Which numbers.** :math:`s_k` does not change when :math:`\mathbf{A}` is divided by a number. Here
it is divided by its spectral radius, in double precision; without that, the powers of Cora leave
single precision, and most pairs drop out of the count.

**Which nodes.** Those of the largest component, the first of several.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import eigsh
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.signal import hop_distances
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.components import connected_components
from panda_gnn.graph.limits import DENSE_DECAY_NODES, DENSE_SPECTRUM_NODES, refuse_above
from panda_gnn.graph.rows import GraphRows, read_graph
from panda_gnn.options import whole_number

DIRECTIONS = {"rising": 1.0, "falling": -1.0}
TOLERANCE = 1e-9
"""Slopes nearer to zero are none: rounding errors have no direction."""


class SensitivityDecay(NamedTuple):
    """The four numbers; all are zero where no pair has a slope in the direction.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import sensitivity_decay
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> sensitivity_decay(ring).depths  # from the diameter on
        (4, 7)
    """

    prevalence: float
    intensity: float
    #: Zero for a single pair.
    variability: float
    extremity: float
    #: The first and the last depth.
    depths: tuple[int, int]
    #: The share of pairs that no walk of the first depth joins; they have no slope.
    unreached: float


def sensitivity_decay(
    data: Data, depths: tuple[int, int] | None = None, *, direction: str = "rising"
) -> SensitivityDecay:
    """Prevalence, intensity, variability and extremity of a graph.

    Args:
        data: An undirected graph.
        depths: The first and the last depth; from the diameter D to 2 D - 1 if omitted, which needs
            a diameter of two or more. A rewiring changes the diameter: give the same depths before
            and after.
        direction: Which slopes are counted, ``"rising"`` or ``"falling"``.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import sensitivity_decay
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> sensitivity_decay(ring).prevalence  # nodes two, three or four hops apart
        0.625
    """
    sign = DIRECTIONS[choose("direction", direction, DIRECTIONS)]
    slopes, depths = decay_slopes(data, depths)
    values = sign * slopes[slopes.isfinite()]
    rising = values[values > TOLERANCE]
    return SensitivityDecay(
        prevalence=rising.numel() / slopes.numel(),
        intensity=float(rising.mean()) if rising.numel() else 0.0,
        variability=float(rising.std()) if rising.numel() > 1 else 0.0,
        extremity=float(rising.max()) if rising.numel() else 0.0,
        depths=depths,
        unreached=1 - values.numel() / slopes.numel(),
    )


def decay_slopes(
    data: Data, depths: tuple[int, int] | None = None
) -> tuple[Tensor, tuple[int, int]]:
    """The slopes ``r[v, u]`` over the nodes of the largest component, and the depths; ``nan`` for a
    pair that no walk of the first depth joins. Arguments are those of :func:`sensitivity_decay`."""
    graph = _largest_component(read_graph(data, "sensitivity_decay"))
    size = graph.num_nodes
    if size == 0:
        raise InputError("the graph has no nodes, so there is nothing to measure")
    refuse_above(DENSE_DECAY_NODES, size, "the decay of sensitivity", "sensitivity")
    edges = torch.from_numpy(np.stack([graph.sources, graph.columns]))
    hops = hop_distances(Data(edge_index=edges, num_nodes=size), torch.arange(size)).numpy()
    first, last = _depths(int(hops.max())) if depths is None else _checked(depths)
    reached = hops <= first
    ones = np.ones(graph.columns.size)
    steps = csr_array((ones, (graph.sources, graph.columns)), shape=(size, size)) + eye_array(size)
    steps = steps.tocsr() / _spectral_radius(steps)
    power, centre = np.eye(size), (first + last) / 2
    slopes = np.zeros((size, size))
    weight = sum((depth - centre) ** 2 for depth in range(first, last + 1))
    for depth in range(1, last + 1):
        power = steps @ power
        if depth < first:
            continue
        if power[reached].min() < np.finfo(np.float64).tiny:
            raise InputError(
                f"the shares of walks of {depth} steps differ by more than double precision holds: "
                "give depths that are smaller"
            )
        share = power / power.sum(axis=1, keepdims=True)
        slopes += (depth - centre) / weight * np.log(np.where(reached, share, 1.0))
    slopes[~reached] = np.nan
    return torch.from_numpy(slopes), (first, last)


def _depths(diameter: int) -> tuple[int, int]:
    if diameter < 2:
        raise InputError(
            f"the graph has diameter {diameter}, so there are no two depths from the diameter D to "
            "2 D - 1, and no slope: give depths, such as (1, 4)"
        )
    return diameter, 2 * diameter - 1


def _checked(depths: tuple[int, int]) -> tuple[int, int]:
    first, last = (whole_number("depths", depth, 1) for depth in depths)
    if last <= first:
        raise InputError(f"depths is {(first, last)}, the last must be greater than the first")
    return first, last


def _largest_component(graph: GraphRows) -> GraphRows:
    if graph.num_nodes == 0:
        return graph
    connected, _ = connected_components(graph)
    largest = int(np.argmax(connected.sizes))
    return connected.part(largest, largest + 1)


def _spectral_radius(matrix: csr_array) -> float:
    size = matrix.shape[0]
    if size <= DENSE_SPECTRUM_NODES:
        return float(np.linalg.eigvalsh(matrix.toarray())[-1])
    return float(eigsh(matrix, k=1, which="LA", v0=np.ones(size), return_eigenvectors=False)[0])
