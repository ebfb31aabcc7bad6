"""What the graphs of a dataset look like: sizes, bottlenecks, and how far messages have to go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.bottlenecks import summarise
from panda_gnn.diagnostics.model_range import range_of_influence, walk_range
from panda_gnn.diagnostics.resistance_curvature import resistance_curvature
from panda_gnn.diagnostics.sensitivity_decay import SensitivityDecay, sensitivity_decay
from panda_gnn.diagnostics.signal import hop_distances
from panda_gnn.errors import InputError
from panda_gnn.graph.limits import EXACT_SUMMARY_NODES
from panda_gnn.graph.ties import MEASURE_DIGITS, steps
from panda_gnn.options import whole_number

QUANTITIES = {
    "nodes": "number of nodes",
    "edges": "number of edges",
    "degree": "mean degree",
    "components": "number of components",
    "diameter": "greatest distance of a connected pair, in hops",
    "bridges": "share of edges that are bridges",
    "spectral gap": "second eigenvalue of the normalised Laplacian",
    "mean resistance": "mean effective resistance of connected pairs, in ohm",
    "mean curvature": "mean balanced Forman curvature",
    "lowest curvature": "lowest balanced Forman curvature",
    "lowest resistance curvature": "lowest curvature from effective resistance",
    "mean distance": "mean hops between connected pairs, a node and itself included: the range "
    "of a task that needs all nodes alike",
    "range": "range of untrained averaging at the depth of the model, in hops",
    "out of reach": "share of connected pairs further apart than the model is deep",
    "prevalence": "share of pairs whose share in each other rises with depth",
    "intensity": "mean slope of these",
    "variability": "standard deviation of these slopes",
    "extremity": "largest of these slopes",
}
"""What is measured of every graph, and what it means."""


class DatasetSummary(NamedTuple):
    """Every quantity of some graphs of a dataset.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import summarise_dataset
        >>> graphs = [transfer("ring", distance, num_graphs=1)[0] for distance in (2, 4)]
        >>> summarise_dataset(graphs, depth=3).spread("nodes")  # mean, least, median, greatest
        (6.0, 4.0, 4.0, 8.0)
    """

    #: How many graphs the dataset has.
    num_graphs: int
    #: The numbers of those that were measured.
    measured: list[int]
    #: Layers of the model in question.
    depth: int
    #: By name of the quantity, one value for each graph measured; ``nan`` where a graph has none.
    values: dict[str, Tensor]

    def spread(self, name: str) -> tuple[float, float, float, float]:
        """Mean, least, median and greatest over the graphs that have the quantity, else ``nan``."""
        values = self.values[name]
        values = values[values.isfinite()]
        if not values.numel():
            return (torch.nan,) * 4
        ends = (float(values.min()), float(values.median()), float(values.max()))
        return float(values.mean()), *ends

    def ends(self) -> dict[str, tuple[int, int]]:
        """Where in :attr:`measured` the least and the greatest value of every quantity is that
        varies; of those that agree to nine digits the first."""
        places = {}
        for name, values in self.values.items():
            known = values.isfinite()
            scale = float(values[known].abs().max()) if known.any() else 0.0
            rounded = steps(values, scale or 1.0, MEASURE_DIGITS)
            least = int(rounded.where(known, torch.inf).argmin())
            greatest = int(rounded.where(known, -torch.inf).argmax())
            if rounded[least] < rounded[greatest]:
                places[name] = (least, greatest)
        return places


def summarise_dataset(
    graphs: Sequence[Data],
    depth: int,
    *,
    most: int = 100,
    on_graph: Callable[[int], None] | None = None,
) -> DatasetSummary:
    """Measure the graphs of a dataset, at most ``most`` of them, spread evenly over its order.

    Distances, and what follows from them, are left out of graphs of more than 3000 nodes
    (:data:`~panda_gnn.graph.limits.EXACT_SUMMARY_NODES`), the decay of sensitivity also of those of
    a diameter below two.

    Args:
        graphs: The graphs, undirected.
        depth: Message-passing layers of the model in question.
        most: How many graphs are measured.
        on_graph: Called with the number of graphs measured after each of them.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import summarise_dataset
        >>> graphs = [transfer("ring", distance, num_graphs=1)[0] for distance in (2, 4)]
        >>> summarise_dataset(graphs, depth=3).values["diameter"].tolist()
        [2.0, 4.0]
    """
    count, most = len(graphs), whole_number("most", most, 1)
    if count == 0:
        raise InputError("there are no graphs to sum up")
    measured = sorted(
        {round(place) for place in torch.linspace(0, count - 1, min(most, count)).tolist()}
    )
    rows = []
    for number in measured:
        if not graphs[number].num_nodes:
            raise InputError(f"graph {number} has no nodes")
        rows.append(_quantities(graphs[number], whole_number("depth", depth, 1)))
        if on_graph is not None:
            on_graph(len(rows))
    values = {
        name: torch.tensor([row[name] for row in rows], dtype=torch.float64) for name in QUANTITIES
    }
    return DatasetSummary(count, measured, depth, values)


def _quantities(data: Data, depth: int) -> dict[str, float]:
    summary = summarise(data)
    num_nodes, num_edges = summary.num_nodes, summary.num_edges
    row: dict[str, float] = dict.fromkeys(QUANTITIES, torch.nan)
    row |= {
        "nodes": num_nodes,
        "edges": num_edges,
        "degree": 2 * num_edges / num_nodes,
        "components": summary.num_components,
        "diameter": torch.nan if summary.diameter is None else summary.diameter,
        "bridges": summary.bridges / num_edges if num_edges else torch.nan,
        "spectral gap": summary.spectral_gap,
        "mean curvature": summary.mean_curvature,
        "lowest curvature": summary.lowest_curvature,
    }
    if num_nodes > EXACT_SUMMARY_NODES:
        return row
    hops = hop_distances(data, torch.arange(num_nodes)).cpu()
    connected = int(hops.isfinite().sum()) - num_nodes
    row["mean distance"] = range_of_influence(hops.isfinite(), hops).mean
    row["range"] = walk_range(data, depth).mean
    if connected:
        row["mean resistance"] = 2 * summary.total_resistance / connected
        row["out of reach"] = float((hops[hops.isfinite()] > depth).sum()) / connected
    if num_edges:
        curvature = resistance_curvature(data)
        row["lowest resistance curvature"] = float(curvature[~curvature.isnan()].min())
    decay = decay_where_defined(data)
    if decay is not None:
        row |= {name: getattr(decay, name) for name in decay._fields[:4]}
    return row


def decay_where_defined(data: Data) -> SensitivityDecay | None:
    """The decay of sensitivity, or ``None`` where the graph is too large or too small for it."""
    try:
        return sensitivity_decay(data)
    except InputError:
        return None
