"""What the diagnostics take as graphs and models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch_geometric.data import Data, HeteroData

from panda_gnn import diagnostics
from panda_gnn.diagnostics.quantities import graph_quantities
from panda_gnn.diagnostics.signal import hop_distances
from panda_gnn.diagnostics.states import node_states
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN

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
