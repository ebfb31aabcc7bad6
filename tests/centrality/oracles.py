"""Slow and obvious centralities: networkx where it has them, dense linear algebra where not."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx, to_networkx

Float64 = npt.NDArray[np.float64]


def as_networkx(data: Data) -> nx.Graph:
    return to_networkx(data, to_undirected=True)


def as_data(graph: nx.Graph) -> Data:
    """The graph as PyG keeps it, a self-loop once."""
    plain = nx.Graph()
    plain.add_nodes_from(range(len(graph)))
    plain.add_edges_from(nx.convert_node_labels_to_integers(graph).edges)
    return from_networkx(plain)


def eigenvector(graph: nx.Graph) -> Float64:
    """The projection of equal entries on the eigenspace of the largest eigenvalue."""
    values, vectors = np.linalg.eigh(nx.to_numpy_array(graph))
    top = vectors[:, values > values[-1] - 1e-9]
    projected = top @ top.sum(axis=0)
    return np.asarray(projected / np.linalg.norm(projected))


def katz(graph: nx.Graph) -> Float64:
    adjacency = nx.to_numpy_array(graph)
    largest = np.linalg.eigvalsh(adjacency)[-1]
    damping = 0.9 / largest if largest > 1e-9 else 0.0
    solved = np.linalg.solve(np.eye(len(graph)) - damping * adjacency, np.ones(len(graph)))
    return np.asarray(solved / np.linalg.norm(solved))


def resistance(graph: nx.Graph) -> Float64:
    """Sums of effective resistances inside components, by the pseudo-inverse of the Laplacian."""
    inverse = np.linalg.pinv(nx.laplacian_matrix(graph).toarray().astype(float))
    diagonal = np.diag(inverse)
    pairwise = diagonal[:, None] + diagonal[None, :] - 2 * inverse
    together = np.zeros_like(pairwise)
    for component in nx.connected_components(graph):
        together[np.ix_(list(component), list(component))] = 1
    return np.asarray((pairwise * together).sum(axis=1))


def current_flow(graph: nx.Graph) -> Float64:
    """networkx's information centrality of each component, scaled by its share of the nodes."""
    scores = np.zeros(len(graph))
    for component in nx.connected_components(graph):
        if len(component) > 1:
            found = nx.information_centrality(graph.subgraph(component))
            share = (len(component) - 1) / (len(graph) - 1)
            for node, score in found.items():
                scores[node] = score * share**2
    return scores


def _in_order(
    function: Callable[..., dict[int, float]], **options: float
) -> Callable[..., Float64]:
    def scores(graph: nx.Graph) -> Float64:
        found = function(graph, **options)
        return np.array([found[node] for node in range(len(graph))], dtype=float)

    return scores


ORACLES: dict[str, Callable[[nx.Graph], Float64]] = {
    "degree": _in_order(nx.degree_centrality),
    "betweenness": _in_order(nx.betweenness_centrality),
    "closeness": _in_order(nx.closeness_centrality),
    "pagerank": _in_order(nx.pagerank, tol=1e-14, max_iter=10_000),
    "load": _in_order(nx.load_centrality),
    "harmonic": _in_order(nx.harmonic_centrality),
    "eigenvector": eigenvector,
    "katz": katz,
    "current-flow": current_flow,
    "resistance": resistance,
}


def _blow_up(graph: nx.Graph, copies: list[int], adjacent: list[bool]) -> nx.Graph:
    """Every node replaced by twins: true ones where adjacent, else false ones."""
    groups, result = {}, nx.Graph()
    for node, count, joined in zip(graph, copies, adjacent, strict=True):
        groups[node] = [(node, copy) for copy in range(count)]
        result.add_nodes_from(groups[node])
        if joined:
            result.add_edges_from((a, b) for a in groups[node] for b in groups[node] if a < b)
    for u, v in graph.edges:
        result.add_edges_from((a, b) for a in groups[u] for b in groups[v])
    return result


@st.composite
def connected_parts(draw: st.DrawFn) -> nx.Graph:
    """A tree, a clique, a star, a cycle, a random graph, or one of those with twins."""
    size = draw(st.integers(1, 12))
    seed = draw(st.integers(0, 2**16))
    kind = draw(st.sampled_from(["tree", "clique", "star", "cycle", "random", "twins"]))
    if kind == "tree":
        return nx.random_labeled_tree(size, seed=seed)
    if kind == "clique":
        return nx.complete_graph(size)
    if kind == "star":
        return nx.star_graph(size)
    if kind == "cycle":
        return nx.cycle_graph(max(size, 3))
    graph = nx.gnp_random_graph(size, draw(st.sampled_from([0.2, 0.5])), seed=seed)
    if kind == "random":
        return graph
    few = graph.subgraph(list(graph)[:6])
    copies = [draw(st.integers(1, 4)) for _ in few]
    return _blow_up(few, copies, [draw(st.booleans()) for _ in few])


@st.composite
def graphs(draw: st.DrawFn) -> Data:
    """Up to four such parts, joined by a few edges or not, with hanging trees and self-loops."""
    parts = draw(st.lists(connected_parts(), min_size=1, max_size=4))
    graph = nx.disjoint_union_all(parts)
    graph = graph.subgraph(list(graph)[:48]).copy()
    graph = nx.convert_node_labels_to_integers(graph)
    node = st.integers(0, len(graph) - 1)
    graph.add_edges_from(draw(st.lists(st.tuples(node, node), max_size=5)))
    for _ in range(draw(st.integers(0, 12))):
        graph.add_edge(len(graph), draw(st.integers(0, len(graph) - 1)))
    order = np.random.default_rng(draw(st.integers(0, 2**16))).permutation(len(graph))
    return as_data(nx.relabel_nodes(graph, dict(enumerate(order.tolist()))))
