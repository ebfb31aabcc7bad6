"""The Weisfeiler-Lehman kernel written out, and the choice of the machine."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.wl_svm import (
    PENALTIES,
    best_on_validation,
    fit_wl_svm,
    kernel_matrix,
)
from tests.odd_graphs import undirected


def coloured(data: Data, colours: list[int]) -> Data:
    x = torch.nn.functional.one_hot(torch.tensor(colours), 3).float()
    return Data(x=x, edge_index=data.edge_index, num_nodes=len(colours), y=torch.tensor([0]))


PATH = undirected(4, (0, 1), (1, 2), (2, 3))
GRAPHS = [
    coloured(PATH, [0, 1, 0, 2]),
    coloured(undirected(5, (0, 1), (1, 2), (2, 0), (2, 3), (3, 4)), [0, 0, 1, 2, 1]),
    coloured(undirected(4, (0, 1), (0, 2), (0, 3)), [1, 0, 0, 2]),
    coloured(PATH, [2, 0, 1, 0]),
]


def colour_counts(data: Data, rounds: int) -> Counter[Any]:
    """How often the graph has each tree of neighbours, up to so many rounds."""
    colours: list[Any] = data.x.argmax(dim=1).tolist()
    around: list[list[int]] = [[] for _ in colours]
    for u, v in data.edge_index.t().tolist():
        around[v].append(u)
    counts = Counter[Any](colours)
    for _ in range(rounds):
        colours = [
            (own, tuple(sorted((colours[u] for u in around[v]), key=repr)))
            for v, own in enumerate(colours)
        ]
        counts.update(colours)
    return counts


@pytest.mark.parametrize("rounds", [1, 3])
def test_the_kernel_counts_common_neighbourhoods(rounds: int) -> None:
    counts = [colour_counts(data, rounds) for data in GRAPHS]
    products = np.array([[sum(a[c] * b[c] for c in a) for b in counts] for a in counts])
    lengths = np.sqrt(products.diagonal())
    found = kernel_matrix(GraphTable.collate(GRAPHS), rounds)
    np.testing.assert_allclose(found, products / np.outer(lengths, lengths), atol=1e-12)
    assert found[0, 3] == pytest.approx(1)  # the same path with its nodes in another order
    assert found[0, 1] < 0.8


class Constant:
    """Says one class of everything."""

    def __init__(self, answer: int) -> None:
        self.answer = answer

    def predict(self, inputs: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        return np.full(len(inputs), self.answer)


def test_a_graph_without_edges_is_like_no_other_and_warns_of_nothing() -> None:
    lone = coloured(undirected(2), [0, 1])
    matrix = kernel_matrix(GraphTable.collate([lone, *GRAPHS]), 2)
    assert np.isfinite(matrix).all()
    assert (matrix[0] == matrix[:, 0]).all()


def test_validation_alone_chooses_the_machine() -> None:
    y = np.array([0, 0, 1, 1, 1, 0])
    split = Split(torch.tensor([0, 5]), torch.tensor([1, 2, 3]), torch.tensor([4, 0, 5]))
    chosen = best_on_validation(
        [Constant(0), Constant(1)], lambda part: part.astype(np.float64), y, split
    )
    assert list(chosen.validation) == pytest.approx([2 / 3])
    assert list(chosen.test) == pytest.approx([1 / 3])


def test_the_machine_learns_from_training_graphs() -> None:
    """Paths and stars are told apart; with reversed labels of training graphs alone, never."""
    assert PENALTIES == (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
    graphs = [GRAPHS[0].clone() if i % 2 else GRAPHS[2].clone() for i in range(12)]
    for i, data in enumerate(graphs):
        data.y = torch.tensor([i % 2])
    split = Split(torch.arange(6), torch.arange(6, 9), torch.arange(9, 12))
    curves = fit_wl_svm(GraphTable.collate(graphs), split, {"rounds": 2})
    assert (curves.validation, curves.test) == ((1.0,), (1.0,))
    for data in graphs[:6]:
        data.y = 1 - data.y
    curves = fit_wl_svm(GraphTable.collate(graphs), split, {"rounds": 2})
    assert curves.test == (0.0,)
