"""The probe against dense powers of the normalised adjacency, and its fit."""

from __future__ import annotations

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.probe import fit_probe, propagated_means
from panda_gnn.evaluation.splits import random_split


def graph(seed: int, shift: float = 0.0) -> Data:
    generator = torch.Generator().manual_seed(seed)
    size = 4 + seed % 5
    edges = torch.randint(size, (2, 6), generator=generator)
    return Data(
        x=torch.randn(size, 3, generator=generator) + shift,
        edge_index=to_undirected(edges[:, edges[0] != edges[1]], num_nodes=size),
        y=torch.tensor([int(shift > 0)]),
    )


def test_means_are_those_of_dense_powers() -> None:
    graphs = [graph(seed) for seed in range(5)]
    means = propagated_means(GraphTable.collate(graphs), 3)
    for row, data in zip(means, graphs, strict=True):
        adjacency = np.eye(data.num_nodes)
        adjacency[tuple(data.edge_index.numpy())] = 1
        degrees = adjacency.sum(axis=1)
        adjacency /= np.sqrt(np.outer(degrees, degrees))
        x = data.x.double().numpy()
        powers = [np.linalg.matrix_power(adjacency, power) @ x for power in range(4)]
        np.testing.assert_allclose(row, np.concatenate([p.mean(axis=0) for p in powers]))


def test_what_features_say_is_learned_from_training_graphs_alone() -> None:
    graphs = [graph(seed, 3.0 * (seed % 2)) for seed in range(60)]
    split = random_split(60, 0)
    curves = fit_probe(GraphTable.collate(graphs), split, {"rounds": 2})
    assert curves.test == (1.0,)
    # Another test graph changes no validation score: nothing is fitted on it.
    graphs[int(split.test[0])].x += 1e6
    again = fit_probe(GraphTable.collate(graphs), split, {"rounds": 2})
    assert again.validation == curves.validation
