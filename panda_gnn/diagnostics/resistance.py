"""Effective resistance: how hard it is for a current, or a message, to get from node to node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.laplacian_solver import LaplacianSolver
from panda_gnn.errors import InputError
from panda_gnn.graph.components import components
from panda_gnn.graph.limits import DENSE_RESISTANCE_NODES, refuse_above
from panda_gnn.graph.rows import undirected_edges

_PROBES_AT_ONCE = 16


def laplacian_pseudoinverse(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    r"""The Moore-Penrose inverse :math:`\mathbf{L}^+` of the graph Laplacian, in double precision.

    Every edge is a resistor of one ohm; weights, duplicates and self-loops play no part. The
    Laplacian is block diagonal over the connected components, and so is its pseudo-inverse: the
    block of a component with :math:`n_c` nodes is
    :math:`(\mathbf{L}_c + \mathbf{J}/n_c)^{-1} - \mathbf{J}/n_c`, with :math:`\mathbf{J}` all ones.
    The rows of isolated nodes are zero. Graphs of more than ``max_nodes`` nodes are rejected.
    """
    edges, _ = undirected_edges(data, "laplacian_pseudoinverse")
    return _pseudoinverse(edges, int(data.num_nodes or 0), max_nodes)


def effective_resistance(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    r"""The resistance :math:`R_{uv} = \mathbf{L}^+_{uu} + \mathbf{L}^+_{vv} - 2 \mathbf{L}^+_{uv}`.

    Returns a symmetric matrix ``[num_nodes, num_nodes]`` in double precision: zero on the diagonal,
    infinite between nodes of different components. Graphs of more than ``max_nodes`` nodes are
    rejected.
    """
    edges, _ = undirected_edges(data, "effective_resistance")
    num_nodes = int(data.num_nodes or 0)
    inverse = _pseudoinverse(edges, num_nodes, max_nodes)
    diagonal = inverse.diagonal()
    resistance = (diagonal[:, None] + diagonal[None, :] - 2 * inverse).clamp(min=0)
    component = components(edges, num_nodes)
    resistance[component[:, None] != component[None, :]] = torch.inf
    return resistance.fill_diagonal_(0)


def edge_resistance(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    """The effective resistance of every column of ``edge_index``, zero for a self-loop.

    By Foster's theorem the sum over the undirected edges is the number of nodes minus the number
    of components; an edge has resistance one if and only if it is a bridge. Components of more than
    ``max_nodes`` nodes are rejected.
    """
    edges, _ = undirected_edges(data, "edge_resistance")
    source, target = data.edge_index
    resistance = torch.zeros(source.numel(), dtype=torch.float64, device=source.device)
    component = components(edges, int(data.num_nodes or 0))
    columns_of = _grouped(component[source], _count(component))
    for nodes, inverse in _component_pseudoinverses(edges, component, max_nodes):
        here = columns_of[int(component[nodes[0]])]
        u, v = torch.searchsorted(nodes, source[here]), torch.searchsorted(nodes, target[here])
        resistance[here] = inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]
    return resistance.clamp(min=0)


def total_resistance(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> float:
    r"""The sum of the effective resistance over all unordered pairs of nodes of one component.

    For a connected graph this is :math:`R_{tot} = n \, \mathrm{Tr}(\mathbf{L}^+) = n \sum_i
    1/\lambda_i` over the non-zero eigenvalues of the Laplacian. For a disconnected graph the
    components' values are added up: the infinite resistance between components is left out, so that
    the value is finite for every graph (zero without edges). Compare graphs before and after a
    rewiring only where the components stay the same. Components of more than ``max_nodes`` nodes
    are rejected.
    """
    edges, _ = undirected_edges(data, "total_resistance")
    component = components(edges, int(data.num_nodes or 0))
    blocks = _component_pseudoinverses(edges, component, max_nodes)
    return sum((nodes.numel() * float(inverse.trace()) for nodes, inverse in blocks), 0.0)


class ResistanceSketch(NamedTuple):
    """What :func:`resistance_sketch` estimates, each with its standard error."""

    #: The effective resistance of every pair of nodes that was asked for.
    resistance: Tensor
    #: The standard error of each of them, from the spread over the probes.
    standard_error: Tensor
    #: The total resistance of the graph, as :func:`total_resistance` defines it.
    total: float
    #: The standard error of the total.
    total_error: float


def resistance_sketch(
    data: Data, pairs: Tensor | None = None, *, probes: int = 200, seed: int = 0
) -> ResistanceSketch:
    r"""Estimate resistances in a graph with 10^5 nodes or more, where no dense matrix fits.

    With the incidence matrix :math:`\mathbf{B}` (one row per edge, :math:`\mathbf{L} =
    \mathbf{B}^\top \mathbf{B}`) and a vector :math:`\mathbf{q}` of random signs, one per edge,
    :math:`\mathbf{z} = \mathbf{L}^+ \mathbf{B}^\top \mathbf{q}` has
    :math:`\mathbb{E}(z_u - z_v)^2 = R_{uv}` (Spielman and Srivastava, "Graph Sparsification by
    Effective Resistances", STOC 2008) and, with mean zero over each component,
    :math:`\mathbb{E} \lVert \mathbf{z} \rVert^2 = \mathrm{Tr}(\mathbf{L}^+)`. Both means are taken
    over ``probes`` such vectors, one sparse linear system each. The relative standard error of a
    resistance is at most :math:`\sqrt{2 / \mathrm{probes}}`; a bridge comes out exactly.

    Args:
        data: An undirected graph.
        pairs: The pairs of nodes ``[2, p]`` to estimate; every column of ``edge_index`` if omitted.
        probes: How many random vectors to average over, at least two.
        seed: Seeds the probes.
    """
    if probes < 2:
        raise InputError(f"probes must be at least 2 to estimate an error, not {probes}")
    edges, _ = undirected_edges(data, "resistance_sketch")
    num_nodes = int(data.num_nodes or 0)
    source, target = (data.edge_index if pairs is None else pairs).cpu().numpy()
    tail, head = edges.cpu().numpy()
    component = components(edges, num_nodes).cpu().numpy()
    size = np.bincount(component)
    solver = LaplacianSolver(edges, num_nodes, seed)
    incidence = csr_array(
        (np.repeat([1.0, -1.0], tail.size), (np.r_[tail, head], np.tile(np.arange(tail.size), 2))),
        shape=(num_nodes, tail.size),
    )
    membership = csr_array(
        (np.ones(num_nodes), (component, np.arange(num_nodes))), shape=(size.size, num_nodes)
    )
    random = np.random.default_rng(seed)
    mean, spread = np.zeros(source.size), np.zeros(source.size)
    totals: list[float] = []
    for start in range(0, probes, _PROBES_AT_ONCE):
        count = min(_PROBES_AT_ONCE, probes - start)
        signs = random.choice([-1.0, 1.0], size=(tail.size, count))
        z = solver.solve(incidence @ signs)
        for squares in np.square(z[source] - z[target]).T:
            mean += squares / probes
            spread += squares**2 / probes
        z -= ((membership @ z) / size[:, None])[component]
        totals.extend(size[component] @ z**2)
    error = np.sqrt(np.maximum(spread - mean**2, 0) / (probes - 1))
    apart = component[source] != component[target]
    mean[apart], error[apart] = np.inf, 0
    device = data.edge_index.device
    return ResistanceSketch(
        torch.from_numpy(mean).to(device),
        torch.from_numpy(error).to(device),
        float(np.mean(totals)),
        float(np.std(totals, ddof=1) / np.sqrt(probes)),
    )


def _pseudoinverse(edges: Tensor, num_nodes: int, max_nodes: int) -> Tensor:
    """:func:`laplacian_pseudoinverse` of the undirected edges ``u < v``, each given once."""
    _refuse_large(num_nodes, max_nodes)
    result = torch.zeros(num_nodes, num_nodes, dtype=torch.float64, device=edges.device)
    component = components(edges, num_nodes)
    for nodes, inverse in _component_pseudoinverses(edges, component, max_nodes):
        result[nodes[:, None], nodes[None, :]] = inverse
    return result


def _count(component: Tensor) -> int:
    """How many components there are."""
    return int(component.max()) + 1 if component.numel() else 0


def _grouped(label: Tensor, count: int) -> tuple[Tensor, ...]:
    """For each of the labels ``0..count - 1``, the positions that carry it, ascending."""
    return torch.split(label.argsort(stable=True), label.bincount(minlength=count).tolist())


def _component_pseudoinverses(
    edges: Tensor, component: Tensor, max_nodes: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """The nodes (ascending) and the pseudo-inverse of every component with at least one edge."""
    count = _count(component)
    nodes_of, edges_of = _grouped(component, count), _grouped(component[edges[0]], count)
    for nodes, own in zip(nodes_of, edges_of, strict=True):
        count = nodes.numel()
        if count == 1:
            continue
        _refuse_large(count, max_nodes)
        u, v = torch.searchsorted(nodes, edges[:, own].contiguous())
        matrix = torch.full((count, count), 1 / count, dtype=torch.float64, device=edges.device)
        matrix[u, v] -= 1
        matrix[v, u] -= 1
        matrix.diagonal().add_(torch.cat([u, v]).bincount(minlength=count))
        yield nodes, torch.cholesky_inverse(torch.linalg.cholesky(matrix)) - 1 / count


def _refuse_large(num_nodes: int, max_nodes: int) -> None:
    refuse_above(max_nodes, num_nodes, "an exact resistance", "resistance_sketch")
