"""What measurements compute, literally: dense matrices, one graph and one node at a time."""

from __future__ import annotations

import networkx as nx
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_networkx

from panda_gnn.datasets import load
from panda_gnn.nn import GNN


def mutag_graphs(root: str, *numbers: int) -> list[Data]:
    """Some molecules of MUTAG."""
    dataset = load("mutag", root=root)
    return [dataset[number] for number in numbers]


def adjacency(edge_index: Tensor, num_nodes: int) -> Tensor:
    dense = torch.zeros(num_nodes, num_nodes, dtype=torch.float64)
    for u, v in edge_index.t().tolist():
        dense[u, v] = 1.0
    return dense


def gcn_states(model: GNN, x: Tensor, edge_index: Tensor) -> list[Tensor]:
    """The states after every layer of a plain GCN: relu(D^-1/2 (A + I) D^-1/2 X W + b)."""
    loops = adjacency(edge_index, x.size(0)).to(x) + torch.eye(x.size(0)).to(x)
    scale = loops.sum(1).rsqrt()
    shift = scale[:, None] * loops * scale[None, :]
    states = []
    weights = [p for name, p in model.named_parameters() if name.endswith("weight")]
    biases = [p for name, p in model.named_parameters() if name.endswith("bias")]
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        x = shift @ x @ weight.t() + bias
        if layer + 1 < len(weights):
            x = x.clamp(min=0)
        states.append(x)
    return states


def distances(data: Data) -> list[dict[int, int]]:
    """Hops from every node, by networkx."""
    graph = to_networkx(data, to_undirected=True)
    return [nx.single_source_shortest_path_length(graph, v) for v in range(data.num_nodes or 0)]


def total_resistance(data: Data) -> float:
    """The sum over pairs of the effective resistance, by the pseudo-inverse of the Laplacian."""
    num_nodes = int(data.num_nodes or 0)
    dense = adjacency(data.edge_index, num_nodes)
    inverse = torch.linalg.pinv(torch.diag(dense.sum(1)) - dense)
    return float(
        sum(
            inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]
            for v in range(num_nodes)
            for u in range(v)
        )
    )


def energy(states: Tensor, edge_index: Tensor, *, relative: bool) -> float:
    """Tr(H^T (I - D^-1/2 A D^-1/2) H), by the sum over edges."""
    dense = adjacency(edge_index, states.size(0))
    degree = dense.sum(1)
    total = 0.0
    for u, v in edge_index.t().tolist():
        gap = states[u].double() / degree[u].sqrt() - states[v].double() / degree[v].sqrt()
        total += float((gap**2).sum()) / 2
    return total / float((states.double() ** 2).sum()) if relative else total
