"""What the diagnostics take as graphs and models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch_geometric.data import Data, HeteroData

from panda_gnn import diagnostics
from panda_gnn.datasets import transfer
from panda_gnn.diagnostics.quantities import graph_quantities
from panda_gnn.diagnostics.signal import hop_distances
from panda_gnn.diagnostics.states import features, node_states
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, CoGNN, CommuteTimeGNN, Edges
from panda_gnn.rewiring import Expander

MODEL = GNN(3, 2, width=4, num_layers=1, readout=None)
MEASURES: dict[str, Callable[[Any], Any]] = {
    "node_states": lambda data: node_states(MODEL, data),
    "sensitivity": lambda data: diagnostics.sensitivity(MODEL, data),
    "sensitivity_bound": lambda data: diagnostics.sensitivity_bound(MODEL, data),
    "signal_propagation": lambda data: diagnostics.signal_propagation(MODEL, data, in_channels=3),
    "hop_distances": lambda data: hop_distances(data, torch.tensor([0])),
    "graph_quantities": graph_quantities,
    **{
        name: getattr(diagnostics, name)
        for name in (
            "balanced_forman_curvature",
            "augmented_forman_curvature",
            "ollivier_ricci_curvature",
            "effective_resistance",
            "edge_resistance",
            "total_resistance",
            "laplacian_pseudoinverse",
            "resistance_sketch",
            "spectral_gap",
            "summarise",
        )
    },
}
EDGES = torch.tensor([[0, 1], [1, 0]])


@pytest.mark.parametrize("name", MEASURES)
def test_other_graphs_get_a_sentence(name: str) -> None:
    measure = MEASURES[name]
    with pytest.raises(InputError, match=f"{name} takes graphs of type Data, not HeteroData"):
        measure(HeteroData())
    with pytest.raises(InputError, match=f"{name} reads edge_index, but this graph has none"):
        measure(Data(x=torch.ones(2, 3)))
    with pytest.raises(InputError, match=f"{name} reads edge_index, but this graph has only adj_t"):
        measure(Data(x=torch.ones(2, 3), adj_t=torch.eye(2)))
    for bad in (EDGES.float(), EDGES.bool()):
        with pytest.raises(InputError, match=f"{name} needs whole numbers in edge_index"):
            measure(Data(x=torch.ones(2, 3), edge_index=bad))


def test_the_energy_needs_whole_numbers() -> None:
    with pytest.raises(InputError, match="dirichlet_energy needs whole numbers in edge_index"):
        diagnostics.dirichlet_energy(torch.ones(2, 3), EDGES.double())


def test_models_of_categories_show_their_states() -> None:
    model = GNN((4, 5), 2, width=6, num_layers=2).eval()
    x = torch.tensor([[0, 4], [3, 1]])
    data = Data(x=x, edge_index=EDGES)
    states = node_states(model, data)
    expected = model.states(x, Edges.of_graph(EDGES, 2))
    assert [values.values.tolist() for values in states] == [one.tolist() for one in expected]
    single, flat = GNN((4,), 2, width=6, num_layers=1).eval(), torch.tensor([3, 1])
    column = node_states(single, Data(x=flat.view(2, 1), edge_index=EDGES))
    for given, of_column in zip(
        node_states(single, Data(x=flat, edge_index=EDGES)), column, strict=True
    ):
        assert torch.equal(given.values, of_column.values)
    deep = features(Data(x=torch.tensor([[[0], [4]], [[3], [1]]])), model)
    assert deep.tolist() == x.tolist()
    numbers = Data(x=torch.tensor([[[0.5], [4.0]], [[3.0], [1.0]]]))
    assert features(numbers, lambda x, data: x).tolist() == [[0.5, 4.0], [3.0, 1.0]]
    with pytest.raises(InputError, match="sensitivity needs a model of numbers"):
        diagnostics.sensitivity(model, data)
    with pytest.raises(InputError, match="signal_propagation needs a model of numbers"):
        diagnostics.signal_propagation(model, data, in_channels=2)
    with pytest.raises(InputError, match="node_states with features of its own needs a model of"):
        node_states(model, data, x.double())
    with pytest.raises(InputError, match=r"embeds categories, but data\.x holds no whole numbers"):
        node_states(model, Data(x=x.double(), edge_index=EDGES))


def test_layers_are_convolutions() -> None:
    data = Data(x=torch.ones(2, 3), edge_index=EDGES)
    for head_layers, count in ((0, 4), (1, 3)):
        model = GNN(3, 2, width=4, num_layers=3, head_layers=head_layers)
        assert len(node_states(model, data)) == count
        assert diagnostics.sensitivity(model, data).norms.size(0) == count
        assert diagnostics.sensitivity_bound(model, data).size(0) == count


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"backbone": "gin"}, "another backbone"),
        ({"residual": True}, "a residual connection"),
        ({"residual": True, "head_layers": 1}, "a residual connection"),
        ({"residual": True, "unit_norm": True}, "a residual connection"),
        ({"batch_norm": True}, "batch norm"),
        ({"unit_norm": True}, "unit norm"),
        ({"activation": "gelu"}, "another activation"),
        ({"last_layer_fa": True}, "another backbone"),
    ],
)
def test_the_bound_refuses_models_it_does_not_hold_for(options: Any, what: str) -> None:
    data = Data(x=torch.ones(2, 3), edge_index=EDGES)
    model = GNN(3, 2, width=4, num_layers=2, **options)
    with pytest.raises(InputError, match=f"the bound holds for a plain GNN .* has {what}: give"):
        diagnostics.sensitivity_bound(model, data)


def test_the_energy_counts_repeated_edges_once() -> None:
    x = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]], dtype=torch.float64)
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    repeated = torch.cat([edges, edges[:, :2], edges[:, :2]], dim=1)
    once = diagnostics.dirichlet_energy(x, edges)
    assert torch.equal(diagnostics.dirichlet_energy(x, repeated), once)
    weighted = diagnostics.dirichlet_energy(x, repeated, edge_weight=torch.ones(8))
    tripled = diagnostics.dirichlet_energy(x, edges, edge_weight=torch.tensor([3, 3, 1, 1]))
    assert float(weighted) == pytest.approx(float(tripled), abs=1e-12)


def test_the_bound_refuses_other_classes_and_a_second_set_of_edges() -> None:
    data = Data(x=torch.ones(2, 3), edge_index=EDGES)
    for model in (CoGNN(3, 2, width=4), CommuteTimeGNN(3, 2, centers=2, width=4)):
        with pytest.raises(InputError, match=f"has the class {type(model).__name__}: give"):
            diagnostics.sensitivity_bound(model, data)
    data.expander_edge_index = EDGES
    with pytest.raises(InputError, match="data has expander_edge_index"):
        diagnostics.sensitivity_bound(GNN(3, 2, width=4), data)


def test_ranges_use_the_edges_and_values_that_the_model_uses() -> None:
    (ring,) = transfer("ring", 6, num_graphs=1)
    torch.manual_seed(0)
    model = GNN(5, 2, width=8, num_layers=2, activation="gelu")
    plain = diagnostics.graph_range(model, ring).mean
    ring.edge_attr = torch.rand(ring.num_edges, 2)
    assert diagnostics.graph_range(model, ring).mean == plain
    assert diagnostics.graph_range(model, Expander()(ring.clone())).mean != plain


def test_nodes_that_a_graph_does_not_have_are_named() -> None:
    (ring,) = transfer("ring", 3, num_graphs=1)
    with pytest.raises(InputError, match=r"sources has node -1, but nodes are 0\.\.5"):
        diagnostics.hop_distances(ring, torch.tensor([0, -1]))
    with pytest.raises(InputError, match=r"pairs has node 6, but nodes are 0\.\.5"):
        diagnostics.resistance_sketch(ring, torch.tensor([[0], [6]]))
