"""Models whose nodes have roles."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data

import panda_gnn
from panda_gnn.diagnostics import graph_range, node_states
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, Edges, PandaGNN, RoleGNN
from panda_gnn.testing import assert_batch_invariant, assert_permutation_equivariant
from panda_gnn.transforms import AssignRoles, ExpandWidth
from tests.nn.graphs import MIXED
from tests.nn.role_graphs import GRAPHS, ROLES, TOLD_APART
from tests.nn.test_role_widths import as_panda

RUNGS: dict[str, dict[str, Any]] = {
    "gain": {},
    "low-rank": {"rank": 2},
    "pairs": {},
    "widths": {"widths": (4, 6, 8)},
}


def model_of(rung: str, **options: Any) -> RoleGNN:
    torch.manual_seed(0)
    options = {"num_roles": ROLES, "num_layers": 2, "width": 4, **RUNGS[rung], **options}
    model = RoleGNN(4, 2, rung=rung, **options).double().eval()
    for parameter in model.parameters():  # so that roles differ
        parameter.data += 0.1 * torch.randn_like(parameter)
    return model


def call(model: RoleGNN, data: Data) -> torch.Tensor:
    out: torch.Tensor = model(data.x, data.edge_index, data.role, batch=data.batch)
    return out


@pytest.mark.parametrize("readout", ["mean", "role"])
@pytest.mark.parametrize("rung", RUNGS)
def test_order_and_batches_change_nothing(rung: str, readout: str) -> None:
    model = model_of(rung, readout=readout)
    graphs = [data for data in GRAPHS.values() if data.num_nodes]
    assert_batch_invariant(lambda data: call(model, data), graphs)
    assert_permutation_equivariant(lambda data: call(model, data), GRAPHS["random"], level="graph")


@pytest.mark.parametrize("rung", ["gain", "low-rank", "pairs"])
def test_a_model_starts_as_the_plain_one(rung: str) -> None:
    torch.manual_seed(0)
    model: Any = RoleGNN(4, 2, num_roles=ROLES, rung=rung, width=4).double().eval()
    plain: Any = GNN(4, 2, width=4).double().eval()
    for own, layer in zip(plain.layers, model.layers, strict=True):
        linear = own.conv.linear
        if rung == "pairs":
            linear.weight.data, linear.bias.data = layer.conv.weight[0, :, 0].t(), layer.conv.bias
        else:
            linear.weight.data = layer.conv.conv.linear.weight
    data = GRAPHS["random"]
    expected = plain(data.x, data.edge_index)
    torch.testing.assert_close(call(model, data), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("backend", ["compiled", "torch"])
@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_panda_is_the_case_of_two_roles_by_top_k(backbone: str, backend: str) -> None:
    gcn: dict[str, Any] = {"residual": True, "self_loops": False, "bias": False}
    options: dict[str, Any] = {"backbone": backbone, "num_layers": 3, "dropout": 0.0}
    torch.manual_seed(0)
    panda = PandaGNN(4, 2, width=5, high_width=8, **options).double()
    model = RoleGNN(
        4,
        2,
        num_roles=2,
        rung="widths",
        widths=(5, 8),
        **options,
        **(gcn if backbone == "gcn" else {}),
    ).double()
    for layer, own in zip(model.layers, panda.layers, strict=True):
        as_panda(layer, own)
    batch = Batch.from_data_list([data for data in GRAPHS.values() if data.num_nodes])
    batch = AssignRoles("betweenness", k=2)(ExpandWidth("betweenness", 2)(batch))
    with panda_gnn.backend(backend):
        expected = panda(batch.x, batch.edge_index, batch.high, batch=batch.batch)
        found = call(model, batch)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    assert model.num_parameters == panda.num_parameters


def test_a_read_out_for_each_role_is_a_sum_of_means() -> None:
    data = GRAPHS["random"]
    model = model_of("gain", readout="role")
    nodes = model.states(data.x, panda_gnn.nn.Edges.of_graph(data.edge_index, 12, role=data.role))
    scores = nodes[-1].view(12, ROLES, 2)
    expected = sum(scores[data.role == q, q].mean(dim=0) for q in range(ROLES))
    torch.testing.assert_close(call(model, data).view(-1), expected)


def test_states_of_narrow_roles_end_in_zeros() -> None:
    data = GRAPHS["random"]
    edges = panda_gnn.nn.Edges.of_graph(data.edge_index, 12, role=data.role)
    states = model_of("widths").states(data.x, edges)
    assert [state.size(1) for state in states] == [8, 8, 2]
    assert not states[0][data.role == 0, 4:].any()
    assert states[0][data.role == 2, 6:].any()


def test_panda_and_roles_tell_graphs_apart_that_gcn_cannot() -> None:
    """Every node sends the same to all its neighbours in GCN, and to high and low ones something
    else in PANDA: colour refinement stops at the former."""
    torch.manual_seed(0)
    options: dict[str, Any] = {"width": 8, "num_layers": 4, "dropout": 0.0}
    expand, assign = ExpandWidth("betweenness", 2), AssignRoles("betweenness", 3)
    first, second = (assign(expand(data)) for data in TOLD_APART)
    one = torch.ones(7, 4, dtype=torch.float64)

    def difference(model: torch.nn.Module, *names: str) -> float:
        outputs = [
            model(one, data.edge_index, *(data[name] for name in names)) for data in (first, second)
        ]
        return float((outputs[0] - outputs[1]).detach().abs().max())

    for backbone in ("gcn", "gin"):
        plain = GNN(4, 2, backbone=backbone, **options).double().eval()
        assert difference(plain) < 1e-12
        panda = PandaGNN(4, 2, backbone=backbone, high_width=12, **options).double().eval()
        assert difference(panda, "high") > 1e-4
    model = RoleGNN(4, 2, num_roles=3, rung="widths", widths=(8, 10, 12), num_layers=4).double()
    assert difference(model.eval(), "role") > 1e-4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rung": "gains"}, "unknown rung 'gains'"),
        ({"rung": "pairs", "backbone": "gin"}, "unknown backbone 'gin' of the rung 'pairs'"),
        ({"rung": "widths"}, "needs the width of each role"),
        ({"widths": (4, 4, 4)}, "needs the width of each role"),
        ({"rung": "widths", "widths": (4, 8)}, "they must be 3"),
        ({"rung": "widths", "widths": (4, 8, 8), "batch_norm": True}, "without batch_norm"),
        ({"readout": "role", "head_layers": 1}, "without head_layers"),
        ({"readout": "sum"}, "unknown readout 'sum'"),
        ({"last_layer_fa": True}, "last_layer_fa"),
        ({"width": 4, "ranks": 3}, "unknown option 'ranks'"),
        ({"rank": 9}, "rank is for the rung 'low-rank', not for 'gain'"),
        ({"rung": "low-rank", "rank": 1.5}, "rank must be a whole number, 1 or more"),
        ({"rung": "pairs", "selector": "linear"}, "selector is for the rung 'widths', not for"),
        ({"rung": "widths", "widths": (4, 8, 8), "selector": "lin"}, "unknown selector 'lin'"),
        ({"rung": "widths", "widths": (4, 8, 8), "width": 5}, "width is 5 and widths are"),
        *(
            ({"rung": "widths", "widths": w}, "must be 3 whole")
            for w in (8, (4, 8, 1.5), (4, 8, 0))
        ),
        ({"bias": False}, "bias is not for the rung 'gain'"),
        ({"num_roles": 2.5}, "num_roles must be a whole number"),
    ],
)
def test_bad_options_get_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RoleGNN(4, 2, **{"num_roles": 3} | options)


def test_missing_roles_get_a_sentence() -> None:
    data = GRAPHS["random"]
    with pytest.raises(InputError, match="the edges have no roles"):
        model_of("gain")(data.x, data.edge_index)
    with pytest.raises(InputError, match="role is of type list"):
        model_of("gain")(data.x, data.edge_index, data.role.tolist())


@pytest.mark.parametrize("kind", [torch.int32, torch.uint8])
@pytest.mark.parametrize("rung", ["gain", "low-rank", "pairs", "widths"])
def test_roles_may_be_any_whole_numbers(rung: str, kind: torch.dtype) -> None:
    data, model = GRAPHS["random"], model_of(rung)
    found = model(data.x, data.edge_index, data.role.to(kind))
    assert torch.equal(found, model(data.x, data.edge_index, data.role))


def test_roles_of_different_widths_take_no_other_edges() -> None:
    role = torch.arange(12) % 2
    edges = Edges.of_graph(MIXED.edge_index, 12, role=role)
    model = RoleGNN(3, 2, num_roles=2, rung="widths", widths=(4, 6))
    with pytest.raises(InputError, match="go without other edges"):
        model.states(torch.rand(12, 3), edges, edges)


@pytest.mark.parametrize("options", [{}, {"rung": "widths", "widths": (4, 6)}], ids=str)
def test_it_is_diagnosed_with_the_roles_of_the_graph(options: Any) -> None:
    data = Data(x=torch.rand(12, 3), edge_index=MIXED.edge_index, role=torch.arange(12) % 2)
    model = RoleGNN(3, 2, num_roles=2, width=4, num_layers=2, readout=None, **options).eval()
    scores = model(data.x, data.edge_index, data.role)
    torch.testing.assert_close(node_states(model, data)[-1].values, scores)
    whole = RoleGNN(3, 2, num_roles=2, width=4, num_layers=2, activation="gelu")
    assert graph_range(whole, data).mean > 0
