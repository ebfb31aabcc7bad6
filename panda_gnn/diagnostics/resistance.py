"""Effective resistance: how hard it is for a current, or a message, to get from node to node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.graph.components import component_labels, connected_components
from panda_gnn.graph.laplacian_solver import LaplacianSolver
from panda_gnn.graph.limits import DENSE_RESISTANCE_NODES, refuse_above
from panda_gnn.graph.rows import GraphRows, checked_nodes, per_column, read_graph
from panda_gnn.options import whole_number

_PROBES_AT_ONCE = 16


def laplacian_pseudoinverse(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    r"""The Moore-Penrose inverse :math:`\mathbf{L}^+` of the graph Laplacian, in double precision.

    Every edge is a resistor of one ohm; weights, duplicates and self-loops play no part. The
    Laplacian is block diagonal over the connected components, and so is its pseudo-inverse: the
    block of a component with :math:`n_c` nodes is
    :math:`(\mathbf{L}_c + \mathbf{J}/n_c)^{-1} - \mathbf{J}/n_c`, with :math:`\mathbf{J}` all ones.
    The rows of isolated nodes are zero. Graphs of more than ``max_nodes`` nodes are rejected.

    Args:
        data: An undirected graph.
        max_nodes: The largest graph that is accepted.

    Returns:
        A symmetric matrix ``[num_nodes, num_nodes]`` in double precision.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import laplacian_pseudoinverse, total_resistance
        >>> (ring,) = transfer("ring", 3, num_graphs=1)
        >>> round(6 * float(laplacian_pseudoinverse(ring).trace()), 9)
        17.5
        >>> round(total_resistance(ring), 9)
        17.5
    """
    return _over_pairs(data, "laplacian_pseudoinverse", max_nodes, 0.0, lambda inverse: inverse)


def effective_resistance(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    r"""The resistance :math:`R_{uv} = \mathbf{L}^+_{uu} + \mathbf{L}^+_{vv} - 2 \mathbf{L}^+_{uv}`.

    Returns a symmetric matrix ``[num_nodes, num_nodes]`` in double precision: zero on the diagonal,
    infinite between nodes of different components. Graphs of more than ``max_nodes`` nodes are
    rejected.

    Args:
        data: An undirected graph.
        max_nodes: The largest graph that is accepted.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import effective_resistance
        >>> (ring,) = transfer("ring", 2, num_graphs=1)
        >>> [round(value, 6) for value in effective_resistance(ring)[0].tolist()]
        [0.0, 0.75, 1.0, 0.75]
    """

    def between(inverse: Tensor) -> Tensor:
        own = inverse.diagonal()
        return (own[:, None] + own[None, :] - 2 * inverse).clamp(min=0)

    return _over_pairs(data, "effective_resistance", max_nodes, torch.inf, between).fill_diagonal_(
        0
    )


def edge_resistance(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> Tensor:
    """The effective resistance of every column of ``edge_index``, zero for a self-loop.

    By Foster's theorem the sum over the undirected edges is the number of nodes minus the number
    of components; an edge has resistance one if and only if it is a bridge. Components of more than
    ``max_nodes`` nodes are rejected.

    Args:
        data: An undirected graph.
        max_nodes: The largest component that is accepted.

    Returns:
        A double for each column of ``edge_index``.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import edge_resistance
        >>> (ring,) = transfer("ring", 2, num_graphs=1)
        >>> edge_resistance(ring)[0].item()  # one ohm beside three
        0.7499999999999998
    """
    graph = read_graph(data, "edge_resistance")
    device = data.edge_index.device
    values = torch.zeros(graph.edges.shape[1], dtype=torch.float64)
    by_component = np.argsort(component_labels(graph)[graph.edges[0]], kind="stable")
    done = 0
    for _, (u, v), inverse in _component_pseudoinverses(graph, device, max_nodes):
        here = by_component[done : done + u.numel()]
        values[here] = (inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]).cpu()
        done += u.numel()
    return per_column(data, graph, values.clamp(min=0).numpy(), of_loops=0.0)


def total_resistance(data: Data, *, max_nodes: int = DENSE_RESISTANCE_NODES) -> float:
    r"""The sum of the effective resistance over all unordered pairs of nodes of one component.

    For a connected graph this is :math:`R_{tot} = n \, \mathrm{Tr}(\mathbf{L}^+) = n \sum_i
    1/\lambda_i` over the non-zero eigenvalues of the Laplacian. For a disconnected graph the
    components' values are added up: the infinite resistance between components is left out, so that
    the value is finite for every graph (zero without edges). Compare graphs before and after a
    rewiring only where the components stay the same. Components of more than ``max_nodes`` nodes
    are rejected.

    Args:
        data: An undirected graph.
        max_nodes: The largest component that is accepted.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import total_resistance
        >>> round(total_resistance(transfer("lollipop", 4, num_graphs=1)[0]), 6)
        42.8
    """
    graph = read_graph(data, "total_resistance")
    blocks = _component_pseudoinverses(graph, data.edge_index.device, max_nodes)
    return sum((nodes.numel() * float(inverse.trace()) for nodes, _, inverse in blocks), 0.0)


class ResistanceSketch(NamedTuple):
    """What :func:`resistance_sketch` estimates, each with its standard error.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import resistance_sketch
        >>> (tree,) = transfer("tree", 3, num_graphs=1)
        >>> resistance = resistance_sketch(tree, probes=10).resistance
        >>> bool(resistance.allclose(resistance.new_ones(28)))  # every edge is a bridge
        True
    """

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

    Shapes:
        - **input:** ``pairs`` ``[2, p]``
        - **output:** ``resistance`` and ``standard_error`` ``[p]``, ``total`` and ``total_error``
          numbers

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import effective_resistance, resistance_sketch
        >>> (ring,) = transfer("ring", 8, num_graphs=1)
        >>> sketch = resistance_sketch(ring, torch.tensor([[0], [8]]), probes=2000)
        >>> off = float(sketch.resistance[0] - effective_resistance(ring)[0, 8])
        >>> abs(off) < 4 * float(sketch.standard_error[0])
        True
    """
    whole_number("probes", probes, 2)
    graph = read_graph(data, "resistance_sketch")
    pairs = data.edge_index if pairs is None else checked_nodes(pairs, graph.num_nodes, "pairs")
    source, target = pairs.cpu().numpy()
    solver = LaplacianSolver(graph, seed)
    component = solver.component
    random = np.random.default_rng(seed)
    mean, spread = np.zeros(source.size), np.zeros(source.size)
    totals: list[float] = []
    for start in range(0, probes, _PROBES_AT_ONCE):
        count = min(_PROBES_AT_ONCE, probes - start)
        signs = random.choice([-1.0, 1.0], size=(graph.edges.shape[1], count))
        z = solver.solve(solver.incidence @ signs)
        for squares in np.square(z[source] - z[target]).T:
            mean += squares / probes
            spread += squares**2 / probes
        totals.extend(solver.component_size[component] @ solver.centred(z) ** 2)
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


def _over_pairs(
    data: Data, who: str, max_nodes: int, apart: float, function: Callable[[Tensor], Tensor]
) -> Tensor:
    """What ``function`` makes of each component's pseudo-inverse, and ``apart`` between them."""
    graph = read_graph(data, who)
    _refuse_large(graph.num_nodes, max_nodes)
    device, size = data.edge_index.device, (graph.num_nodes, graph.num_nodes)
    result = torch.full(size, apart, dtype=torch.float64, device=device)
    for nodes, _, inverse in _component_pseudoinverses(graph, device, max_nodes):
        result[nodes[:, None], nodes[None, :]] = function(inverse)
    return result


def _component_pseudoinverses(
    graph: GraphRows, device: torch.device, max_nodes: int
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """The nodes (ascending), edges and pseudo-inverse of every component with at least one edge.

    The edges are numbered inside the component.
    """
    connected, order = connected_components(graph)
    for number, size in enumerate(connected.sizes.tolist()):
        if size == 1:
            continue
        _refuse_large(size, max_nodes)
        part = connected.part(number, number + 1)
        nodes = order[connected.node_ptr[number] : connected.node_ptr[number + 1]]
        matrix = torch.full((size, size), 1 / size, dtype=torch.float64, device=device)
        matrix[part.sources, part.columns] -= 1
        matrix.diagonal().add_(torch.from_numpy(part.degrees).to(device))
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(matrix)) - 1 / size
        edges = torch.from_numpy(part.edges).to(device)
        yield torch.from_numpy(nodes).to(device), edges, inverse


def _refuse_large(num_nodes: int, max_nodes: int) -> None:
    refuse_above(max_nodes, num_nodes, "an exact resistance", "resistance_sketch")
