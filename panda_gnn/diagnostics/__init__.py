"""Measurements of over-squashing: of a graph, and of a model on a graph."""

from panda_gnn.diagnostics.bottlenecks import (
    GraphSummary,
    Ranking,
    bottleneck_edges,
    bottleneck_nodes,
    summarise,
)
from panda_gnn.diagnostics.curvature import (
    augmented_forman_curvature,
    balanced_forman_curvature,
    jost_liu_curvature,
    ollivier_ricci_curvature,
)
from panda_gnn.diagnostics.resistance import (
    ResistanceSketch,
    edge_resistance,
    effective_resistance,
    laplacian_pseudoinverse,
    resistance_sketch,
    total_resistance,
)
from panda_gnn.diagnostics.sensitivity import Sensitivity, sensitivity
from panda_gnn.diagnostics.sensitivity_bound import ModelConstants, sensitivity_bound
from panda_gnn.diagnostics.signal import SignalPropagation, hop_distances, signal_propagation
from panda_gnn.diagnostics.smoothing import dirichlet_energy
from panda_gnn.diagnostics.spectrum import spectral_gap
from panda_gnn.diagnostics.states import NodeStates, node_states

__all__ = [
    "GraphSummary",
    "ModelConstants",
    "NodeStates",
    "Ranking",
    "ResistanceSketch",
    "Sensitivity",
    "SignalPropagation",
    "augmented_forman_curvature",
    "balanced_forman_curvature",
    "bottleneck_edges",
    "bottleneck_nodes",
    "dirichlet_energy",
    "edge_resistance",
    "effective_resistance",
    "hop_distances",
    "jost_liu_curvature",
    "laplacian_pseudoinverse",
    "node_states",
    "ollivier_ricci_curvature",
    "resistance_sketch",
    "sensitivity",
    "sensitivity_bound",
    "signal_propagation",
    "spectral_gap",
    "summarise",
    "total_resistance",
]
