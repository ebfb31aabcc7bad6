"""JDR: what it leaves alone, what it aligns, and a literal twin."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from panda_gnn.errors import InputError
from panda_gnn.graph import limits
from panda_gnn.rewiring import JDR
from tests.rewiring.rewired import assert_same, assert_simple, random_graph


def dense(data: Data) -> torch.Tensor:
    matrix = torch.zeros(int(data.num_nodes or 0), int(data.num_nodes or 0), dtype=torch.float64)
    weight = data.get("edge_weight")
    matrix[tuple(data.edge_index)] = 1.0 if weight is None else weight.double()
    return matrix


def alignment(adjacency: torch.Tensor, features: torch.Tensor, count: int) -> float:
    """How much the leading eigenvectors and singular vectors agree, from 0 to 1: the spectral norm
    of the inner products of the first ``count`` of both."""
    left = torch.linalg.svd(features.double(), full_matrices=False)[0]
    vectors = torch.linalg.eigh(adjacency.double())[1].flip(1)
    return float(torch.linalg.matrix_norm(vectors[:, :count].t() @ left[:, :count], ord=2))


def test_aligned_graphs_stay_as_they_are() -> None:
    """Where the features' singular vectors are eigenvectors there is nothing to align."""
    data = random_graph(12, 0.4, 3)
    vectors = torch.linalg.eigh(dense(data))[1]
    data.x = vectors.flip(1)[:, :4] * torch.tensor([4.0, 3.0, 2.0, 1.0], dtype=torch.float64)
    assert alignment(dense(data), data.x, 4) == pytest.approx(1.0)
    after = JDR(rounds=3, graph_vectors=4, feature_vectors=4, blend=1.0)(data)
    assert torch.equal(after.edge_index, data.edge_index)
    torch.testing.assert_close(after.edge_weight.double(), torch.ones(data.num_edges).double())
    torch.testing.assert_close(after.x, data.x, rtol=0, atol=1e-12)


@pytest.mark.parametrize("by_magnitude", [False, True])
def test_a_literal_twin(by_magnitude: bool) -> None:
    data = random_graph(14, 0.3, 5)
    data.x = torch.randn(14, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    a, x = dense(data).numpy(), data.x.numpy()
    for _ in range(2):
        u, s, w = np.linalg.svd(x, full_matrices=False)
        lam, v = np.linalg.eigh(a)
        order = np.argsort(-np.abs(lam) if by_magnitude else -lam, kind="stable")
        lam, v = lam[order], v[:, order]
        new_u, new_v = u.copy(), v.copy()
        for i in range(3):
            overlap = [u[:, i] @ v[:, j] for j in range(3)]
            j = int(np.argmax(np.abs(overlap)))
            new_u[:, i] = 0.7 * u[:, i] + 0.3 * np.sign(overlap[j]) * v[:, j]
        for i in range(4):
            overlap = [v[:, i] @ u[:, j] for j in range(4)]
            j = int(np.argmax(np.abs(overlap)))
            new_v[:, i] = 0.8 * v[:, i] + 0.2 * np.sign(overlap[j]) * u[:, j]
        x = new_u @ np.diag(s) @ w
        a = new_v @ np.diag(lam) @ new_v.T
    expected = {}
    for column in range(14):
        largest = sorted(
            (row for row in range(14) if row != column and a[row, column] > 1e-9),
            key=lambda row: -a[row, column],
        )
        for row in largest[:3]:
            expected[row, column] = expected[column, row] = a[row, column]
    transform = JDR(2, 4, 3, 0.2, 0.3, 0.25, neighbours=3, by_magnitude=by_magnitude)
    after = transform(data)
    assert_simple(after)
    found = zip(after.edge_index.t().tolist(), after.edge_weight.tolist(), strict=True)
    assert {(u, v): w for (u, v), w in found} == pytest.approx(expected, rel=1e-5)
    blended = 0.75 * data.x.numpy() + 0.25 * x
    np.testing.assert_allclose(after.x.numpy(), blended, rtol=0, atol=1e-10)


def test_alignment_grows() -> None:
    data = random_graph(30, 0.2, 1)
    data.x = torch.randn(30, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    transform = JDR(10, 4, 4, 0.1, 0.1, blend=1.0, neighbours=30)
    a, x = dense(data), data.x
    for _ in range(10):
        a, x = transform.aligned(a, x)
    assert alignment(a, x, 4) > alignment(dense(data), data.x, 4) + 0.05


def test_types_batches_and_graphs_without_edges() -> None:
    graphs = [random_graph(n, 0.4, n) for n in (5, 9)] + [
        Data(
            x=torch.ones(3, 3, dtype=torch.float64),
            edge_index=torch.empty(2, 0, dtype=torch.long),
            num_nodes=3,
        )
    ]
    transform = JDR(2)
    together = transform(Batch.from_data_list(graphs)).to_data_list()
    for found, data in zip(together, graphs, strict=True):
        alone = transform(data)
        assert_simple(alone)
        assert_same(found, alone)
        old = set(map(tuple, data.edge_index.t().tolist()))
        kinds = [edge not in old for edge in map(tuple, alone.edge_index.t().tolist())]
        assert alone.edge_type.bool().tolist() == kinds
    assert torch.equal(together[2].x, graphs[2].x)


def test_what_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_graph(5, 0.5, 0)
    with pytest.raises(InputError, match=r"JDR reads features .* \[5, columns\], .*, not NoneType"):
        JDR()(Data(edge_index=data.edge_index, num_nodes=5))
    for x in (torch.zeros(5, 1, dtype=torch.long), data.x * torch.nan):
        with pytest.raises(InputError, match="JDR reads features of nodes: give x finite numbers"):
            JDR()(Data(x=x, edge_index=data.edge_index))
    with pytest.raises(InputError, match="blend"):
        JDR(blend=2.0)
    monkeypatch.setattr(limits, "DENSE_PROXY_NODES", 4)
    with pytest.raises(InputError, match="JDR needs a dense matrix over 5 nodes"):
        JDR()(data)
