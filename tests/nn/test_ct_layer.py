from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv

from panda_gnn.diagnostics import node_states
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, Edges
from panda_gnn.nn.ct_layer import CommuteTimeGNN, CTLayer, of_mean_one
from panda_gnn.testing import assert_batch_invariant, assert_reduces_to
from tests.nn.graphs import GRAPHS as MASKED_GRAPHS
from tests.nn.graphs import MIXED
from tests.odd_graphs import ODD_GRAPHS, clique, undirected
from tests.rewiring.rewired import GRAPHS, random_graph

CASES = [pytest.param(data, id=name) for name, data in GRAPHS.items()]


def layer(centers: int = 4, seed: int = 0) -> CTLayer:
    torch.manual_seed(seed)
    return CTLayer(3, centers).double()


def literal(ct: CTLayer, data: Data) -> tuple[Tensor, Tensor]:
    """The equations with dense matrices: the matrix A' and the loss of one graph."""
    n = data.num_nodes
    adjacency = torch.zeros(n, n, dtype=torch.float64)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    degree = adjacency.sum(1).diag()
    s = torch.tanh(data.x @ ct.position.weight.t() + ct.position.bias)
    volume = degree.trace()
    weights = torch.cdist(s, s, compute_mode="donot_use_mm_for_euclid_dist") * adjacency / volume
    identity = torch.eye(s.size(1), dtype=torch.float64)
    gram = s.t() @ s
    loss = (gram / gram.norm() - identity).norm()
    if volume > 0:
        loss = loss + (s.t() @ (degree - adjacency) @ s).trace() / (s.t() @ degree @ s).trace()
    return weights, loss


@pytest.mark.parametrize("data", CASES)
def test_equals_the_dense_equations(data: Data) -> None:
    ct = layer()
    weight, loss = ct(data.x, data.edge_index)
    expected, expected_loss = literal(ct, data)
    source, target = data.edge_index
    assert torch.allclose(weight, expected[source, target], rtol=0, atol=1e-12)
    assert torch.allclose(loss, expected_loss, rtol=0, atol=1e-12)


def test_a_batch_is_its_graphs_side_by_side() -> None:
    ct = layer()
    graphs = list(GRAPHS.values())
    batch = Batch.from_data_list(graphs)
    weight, loss = ct(batch.x, batch.edge_index, batch.batch)
    alone = [ct(data.x, data.edge_index) for data in graphs]
    assert torch.allclose(weight, torch.cat([w for w, _ in alone]), rtol=0, atol=1e-12)
    assert torch.allclose(loss, torch.stack([one for _, one in alone]).mean(), rtol=0, atol=1e-12)
    known = ct(batch.x, batch.edge_index, batch.batch, len(graphs))
    assert torch.equal(known[1], loss)


def test_the_order_of_the_nodes_does_not_matter() -> None:
    ct, data = layer(), random_graph(9, 0.4, 0)
    order = torch.randperm(9, generator=torch.Generator().manual_seed(0))
    place = order.argsort()
    weight, loss = ct(data.x, data.edge_index)
    moved, moved_loss = ct(data.x[order], place[data.edge_index])
    assert torch.allclose(moved, weight, rtol=0, atol=1e-12)
    assert torch.allclose(moved_loss, loss, rtol=0, atol=1e-12)


def test_gradients() -> None:
    ct, data = layer(), random_graph(7, 0.4, 2)
    x = data.x.clone().requires_grad_()
    batch = torch.tensor([0, 0, 0, 0, 1, 1, 1])
    inside = batch[data.edge_index[0]] == batch[data.edge_index[1]]
    edge_index = data.edge_index[:, inside]
    parameters = tuple(ct.parameters())

    def forward(features: Tensor, *_: Tensor) -> tuple[Tensor, Tensor]:
        weight, loss = ct(features, edge_index, batch)
        return weight, loss

    assert torch.autograd.gradcheck(forward, (x, *parameters))


@pytest.mark.parametrize("data", CASES)
def test_gradients_stay_finite_where_all_features_are_equal(data: Data) -> None:
    for fill in (0.0, 1.0):
        ct = layer()
        if fill == 0:
            torch.nn.init.zeros_(ct.position.bias)
        weight, loss = ct(torch.full_like(data.x, fill), data.edge_index)
        assert not weight.any()
        (weight.sum() + loss).backward()
        assert all(p.grad is not None and p.grad.isfinite().all() for p in ct.parameters())


def test_defined_values_without_edges_and_nodes() -> None:
    ct = layer(centers=1)
    weight, loss = ct(undirected(1).x, undirected(1).edge_index)
    assert weight.shape == (0,)
    assert loss == 0  # one centre: S^T S is a number, and its quotient one
    empty = torch.zeros(0, 3, dtype=torch.float64)
    none = torch.zeros(0, dtype=torch.long)
    assert ct(empty, torch.zeros(2, 0, dtype=torch.long), none)[1] == 0


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_learns_end_to_end_in_front_of_a_network(backbone: str) -> None:
    torch.manual_seed(0)
    batch = Batch.from_data_list([random_graph(8, 0.4, i) for i in range(16)])
    y = torch.arange(16) % 2
    x = torch.randn(128, 3) + y[batch.batch, None]
    ct = CTLayer(3, 4)
    model = GNN(3, 2, backbone=backbone, width=16, num_layers=2, dropout=0.0)
    optimizer = torch.optim.Adam([*ct.parameters(), *model.parameters()], lr=0.02)
    start = ct.position.weight.detach().clone()
    losses = []
    for _ in range(60):
        weight, loss = ct(x, batch.edge_index, batch.batch, 16)
        out = model(x, batch.edge_index, batch=batch.batch, num_graphs=16, edge_weight=weight)
        task = F.cross_entropy(out, y)
        optimizer.zero_grad()
        (task + loss).backward()
        optimizer.step()
        losses.append((float(task.detach()), float(loss.detach())))
    assert losses[-1][0] < 0.5 * losses[0][0]
    assert losses[-1][1] < losses[0][1]
    assert not torch.allclose(ct.position.weight, start)


def test_the_task_alone_reaches_the_layer_through_the_weights_of_gcn() -> None:
    data = ODD_GRAPHS["barbell"]
    ct, conv = layer(), GCNConv(3, 2).double()
    weight, _ = ct(data.x, data.edge_index)
    conv(data.x, data.edge_index, weight).square().sum().backward()
    assert ct.position.weight.grad is not None
    assert ct.position.weight.grad.abs().sum() > 0


def test_four_hundred_centres_and_thousands_of_edges() -> None:
    torch.manual_seed(0)
    data = clique(60)
    ct = CTLayer(3, 420)
    weight, loss = ct(data.x.float(), data.edge_index)
    assert weight.shape == (3540,)
    assert loss.isfinite()


def test_repr_reset_and_bad_arguments() -> None:
    ct = CTLayer(3, 16)
    assert repr(ct) == "CTLayer(3, centers=16)"
    before = ct.position.weight.detach().clone()
    ct.reset_parameters()
    assert not torch.equal(ct.position.weight, before)
    with pytest.raises(InputError, match="centers 0, both must be at least 1"):
        CTLayer(3, 0)


def network_of(backbone: str) -> CommuteTimeGNN:
    torch.manual_seed(0)
    return CommuteTimeGNN(3, 2, centers=4, backbone=backbone, width=5).double().eval()


def run(network: CommuteTimeGNN, data: Data) -> Tensor:
    batch = data.batch if isinstance(data, Batch) else None
    out: Tensor = network(data.x, data.edge_index, batch=batch)
    return out


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_is_the_plain_model_on_the_learned_weights(backbone: str) -> None:
    network = network_of(backbone)
    plain = GNN(3, 2, backbone=backbone, width=5).double().eval()
    plain.load_state_dict(
        {k: v for k, v in network.state_dict().items() if not k.startswith("commute_time")}
    )

    def expected(data: Data) -> Tensor:
        weight, _ = network.commute_time(data.x, data.edge_index)
        weight = weight / weight.mean() if weight.any() else weight
        out: Tensor = plain(data.x, data.edge_index, edge_weight=weight)
        return out

    assert_reduces_to(lambda data: run(network, data), expected, MASKED_GRAPHS[::3])
    assert_batch_invariant(lambda data: run(network, data), MASKED_GRAPHS[::3])


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_edges_of_equal_weight_are_those_of_the_plain_model(backbone: str) -> None:
    network = network_of(backbone)
    plain = GNN(3, 2, backbone=backbone, width=5).double().eval()
    plain.load_state_dict(
        {k: v for k, v in network.state_dict().items() if not k.startswith("commute_time")}
    )
    data = undirected(6, *((v, (v + 1) % 6) for v in range(6)))
    x = torch.tensor([[0.5, 1.0, -1.0], [2.0, 0.0, 1.0]], dtype=torch.float64).repeat(3, 1)
    assert torch.allclose(network(x, data.edge_index), plain(x, data.edge_index), atol=1e-12)


def test_weights_have_mean_one_in_every_graph_and_are_the_layers_up_to_it() -> None:
    network = network_of("gcn")
    graphs = [data for data in GRAPHS.values() if data.num_edges]
    batch = Batch.from_data_list(graphs)
    weight, loss = network.edge_weights(batch.x, batch.edge_index, batch.batch)
    bare, bare_loss = network.commute_time(batch.x, batch.edge_index, batch.batch)
    assert torch.equal(loss, bare_loss)
    graph = batch.batch[batch.edge_index[0]]
    for number in range(len(graphs)):
        one, other = weight[graph == number], bare[graph == number]
        assert float(one.detach().mean()) == pytest.approx(1, abs=1e-12)
        assert torch.allclose(one * other.mean(), other, rtol=0, atol=1e-12)
        matrix, _ = literal(network.commute_time, graphs[number])
        source, target = graphs[number].edge_index
        dense = matrix[source, target] / matrix.sum() * graphs[number].num_edges
        assert torch.allclose(one, dense, rtol=0, atol=1e-12)


def test_rounding_makes_no_weights_where_all_features_are_equal() -> None:
    edge_index = GRAPHS["cycle"].edge_index
    rounded = torch.full((edge_index.size(1),), 1e-9)
    assert not of_mean_one(rounded, torch.zeros_like(edge_index[0]), 1).any()
    network = network_of("gcn").float()
    weight, _ = network.edge_weights(torch.ones(GRAPHS["cycle"].num_nodes, 3), edge_index)
    assert not weight.any()


def test_a_gcn_sees_the_edges() -> None:
    network = network_of("gcn")
    data = random_graph(20, 0.15, 0)
    shares = []
    for weight in (
        torch.ones(data.num_edges, dtype=torch.float64),
        network.edge_weights(data.x, data.edge_index)[0],
        network.commute_time(data.x, data.edge_index)[0],
    ):
        degree = 1 + torch.zeros(20, dtype=torch.float64).index_add(0, data.edge_index[1], weight)
        shares.append(float((1 / degree).detach().mean()))
    plain, ours, bare = shares
    assert bare > 0.9
    assert ours == pytest.approx(plain, abs=0.1)


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_learns_end_to_end(backbone: str) -> None:
    network = network_of(backbone).train()
    run(network, MIXED).sum().backward()
    gradient = network.commute_time.position.weight.grad
    assert gradient is not None
    assert gradient.abs().sum() > 0
    network.zero_grad()
    run(network, MIXED)
    assert isinstance(network.auxiliary_loss, Tensor)
    network.auxiliary_loss.backward()
    assert network.commute_time.position.weight.grad is not None


def test_prepared_edges_are_those_of_the_batch() -> None:
    torch.manual_seed(0)
    model = CommuteTimeGNN(3, 2, centers=3, width=8).eval()
    batch = Batch.from_data_list(list(GRAPHS.values())[:3])
    x = batch.x.float()
    edges = Edges.of_graph(batch.edge_index, batch.num_nodes, batch=batch.batch)
    torch.testing.assert_close(model(x, edges), model(x, batch.edge_index, batch=batch.batch))
    weighted = Edges.of_graph(
        batch.edge_index, batch.num_nodes, edge_weight=torch.ones(batch.num_edges)
    )
    with pytest.raises(InputError, match="CommuteTimeGNN learns it"):
        model(x, weighted)


def test_its_states_are_those_it_computes() -> None:
    torch.manual_seed(0)
    model = CommuteTimeGNN(3, 2, centers=3, width=8, readout=None).eval()
    data = next(iter(GRAPHS.values())).clone()
    data.x = data.x.float()
    assert torch.equal(node_states(model, data)[-1].values, model(data.x, data.edge_index))


def test_one_direction_is_refused() -> None:
    one_way = torch.tensor([[0, 1], [1, 2]])
    with pytest.raises(InputError, match="CTLayer needs an undirected graph"):
        layer()(torch.rand(3, 3).double(), one_way)
    with pytest.raises(InputError, match=r"has the edge \(0, 7\)"):
        layer()(torch.rand(3, 3).double(), torch.tensor([[0, 7], [7, 0]]))


def test_weights_in_half_precision() -> None:
    weight = torch.tensor([0.1, 0.1, 0.3, 0.3])
    graph = torch.zeros(4, dtype=torch.long)
    half = of_mean_one(weight.bfloat16(), graph, 1)
    assert half.dtype == torch.bfloat16
    torch.testing.assert_close(half.float(), of_mean_one(weight, graph, 1), rtol=0.02, atol=0)


def test_a_backbone_that_reads_no_weights_is_refused() -> None:
    with pytest.raises(InputError, match="which backbone sage does not read: use gcn"):
        CommuteTimeGNN(3, 2, centers=2, backbone="sage")
