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
from panda_gnn.diagnostics.dataset_summary import DatasetSummary, summarise_dataset
from panda_gnn.diagnostics.model_range import (
    ModelRange,
    graph_range,
    node_range,
    range_of_influence,
    walk_range,
)
from panda_gnn.diagnostics.resistance import (
    ResistanceSketch,
    edge_resistance,
    effective_resistance,
    laplacian_pseudoinverse,
    resistance_sketch,
    total_resistance,
)
from panda_gnn.diagnostics.resistance_curvature import (
    resistance_curvature,
    resistance_node_curvature,
)
from panda_gnn.diagnostics.sensitivity import Sensitivity, sensitivity
from panda_gnn.diagnostics.sensitivity_bound import ModelConstants, sensitivity_bound
from panda_gnn.diagnostics.sensitivity_decay import SensitivityDecay, sensitivity_decay
from panda_gnn.diagnostics.signal import SignalPropagation, hop_distances, signal_propagation
from panda_gnn.diagnostics.smoothing import dirichlet_energy
from panda_gnn.diagnostics.spectrum import spectral_gap
from panda_gnn.diagnostics.states import NodeStates, node_states

__all__ = [
    "DatasetSummary",
    "GraphSummary",
    "ModelConstants",
    "ModelRange",
    "NodeStates",
    "Ranking",
    "ResistanceSketch",
    "Sensitivity",
    "SensitivityDecay",
    "SignalPropagation",
    "augmented_forman_curvature",
    "balanced_forman_curvature",
    "bottleneck_edges",
    "bottleneck_nodes",
    "dirichlet_energy",
    "edge_resistance",
    "effective_resistance",
    "graph_range",
    "hop_distances",
    "jost_liu_curvature",
    "laplacian_pseudoinverse",
    "node_range",
    "node_states",
    "ollivier_ricci_curvature",
    "range_of_influence",
    "resistance_curvature",
    "resistance_node_curvature",
    "resistance_sketch",
    "sensitivity",
    "sensitivity_bound",
    "sensitivity_decay",
    "signal_propagation",
    "spectral_gap",
    "summarise",
    "summarise_dataset",
    "total_resistance",
    "walk_range",
]
