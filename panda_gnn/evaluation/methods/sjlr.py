r"""SJLR: edges come and go in every mini-batch of training, by curvature and distance.

`"On the Trade-off between Over-smoothing and Over-squashing in Deep Graph Neural Networks"
<https://arxiv.org/abs/2212.02374>`_. Let :math:`\kappa` be the Jost-Liu curvature of an edge and
:math:`\delta` the distance of the features of its nodes, both scaled to [0, 1] in every graph.
Before every training pass the share ``dropped`` of the edges of a graph is taken away and the share
``added`` is added, drawn without replacement by

.. math::
    \mathrm{softmax}(\alpha \kappa + (1 - \alpha) \delta) \qquad\text{and}\qquad
    \mathrm{softmax}(\alpha \gamma - (1 - \alpha) \delta),

where :math:`\gamma` is the mean gain in curvature of the edges with which a new one makes
triangles. Candidates are the pairs that close a triangle over the edges of least curvature: twice
as many as there are edges, if so many there are. Validation and test see the graphs as they are.

The public code draws anew before every layer and takes the distance of that layer's states; here
there is one draw for a pass and the distance is that of the input features, so that all weights are
computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.methods.method import Method
from panda_gnn.evaluation.tasks import TaskData
from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.forman import triangles_on_edges
from panda_gnn.graph.jost_liu import jost_liu, of_degrees
from panda_gnn.graph.rows import GraphRows, read_graphs
from panda_gnn.options import real_number

#: How many candidates there are, as a multiple of the edges.
CANDIDATES = 2


@dataclass(frozen=True, eq=False)
class Redraw:
    """What SJLR does to the graphs of a mini-batch.

    Attributes:
        edges: All graphs with every edge once, and the logit of its removal.
        candidates: All graphs with the pairs that may be added, and their logits.
        dropped: The share of the edges of a graph that is taken away.
        added: The share that is added.
    """

    edges: GraphTable
    candidates: GraphTable
    dropped: float
    added: float

    def __call__(self, rows: Tensor, batch: GraphTable) -> GraphTable:
        """The graphs of the given rows, which are those of ``batch``, with other edges."""
        edges, candidates = self.edges.take(rows), self.candidates.take(rows)
        count = edges.edge_ptr.diff()
        gone = edges.edge_index[:, drawn(edges, (self.dropped * count).round())]
        new = candidates.edge_index[:, drawn(candidates, (self.added * count).round())]
        kept = ~torch.isin(_ranks(batch), _ranks(replace(batch, edge_index=gone)))
        edge_index = torch.cat([batch.edge_index[:, kept], new, new.flip(0)], dim=1)
        graph = batch.graph_of_node[edge_index[0]]
        order = graph.argsort(stable=True)
        options = {
            name: torch.cat(
                [
                    values[kept],
                    values.new_full((2 * new.size(1), *values.shape[1:]), name == "edge_weight"),
                ]
            )[order]
            for name, values in batch.edge_options.items()
        }
        sizes = graph.bincount(minlength=batch.num_graphs)
        edge_ptr = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
        return replace(
            batch, edge_index=edge_index[:, order], edge_ptr=edge_ptr, edge_options=options
        )


def drawn(table: GraphTable, counts: Tensor) -> Tensor:
    """Some edges of every graph, drawn without replacement by the softmax of their logits.

    That is what the greatest logits are, once each has Gumbel noise of its own.
    """
    logit = table.edge_options["logit"]
    noisy = logit - torch.empty_like(logit).exponential_().log()
    graph = torch.repeat_interleave(torch.arange(table.num_graphs), table.edge_ptr.diff())
    order = noisy.argsort(descending=True)
    order = order[graph[order].argsort(stable=True)]
    place = torch.arange(order.numel()) - table.edge_ptr[graph]
    return order[place < counts[graph]]


def _ranks(table: GraphTable) -> Tensor:
    """One number for each edge, the same in both directions."""
    low, high = table.edge_index.sort(dim=0).values
    rank: Tensor = low * table.x.size(0) + high
    return rank


def candidates_of(graph: GraphRows) -> tuple[Int64, Float64]:
    """The pairs ``[2, c]`` of one graph that may be added, and the gain of each."""
    curvature, degree = jost_liu(graph), graph.degrees
    source, target, size = graph.sources, graph.columns, graph.num_nodes
    wedges = _two_steps(graph, source, target)
    pairs = wedges[:, wedges[0] < wedges[2]]
    if pairs.size == 0:
        return pairs[[0, 2]], np.zeros(0)
    adjacent = csr_matrix((np.arange(1, source.size + 1), (source, target)), (size, size))
    pairs = pairs[:, _values(adjacent, pairs[0], pairs[2]) == 0]
    if pairs.size == 0:
        return pairs[[0, 2]], np.zeros(0)
    sides = [_values(adjacent, end, pairs[1]) - 1 for end in (pairs[0], pairs[2])]
    least = np.minimum(*(curvature[side] for side in sides))
    number, place = np.unique(pairs[0] * size + pairs[2], return_inverse=True)
    gain, support = np.zeros(number.size), np.full(number.size, np.inf)
    np.minimum.at(support, place, least)
    triangles = triangles_on_edges(graph.row_ptr, graph.neighbours)
    for end, side in zip((pairs[0], pairs[2]), sides, strict=True):
        after = of_degrees(degree[end] + 1, degree[pairs[1]], triangles[side] + 1)
        np.add.at(gain, place, (after - curvature[side]) / 2)
    gain /= np.bincount(place)
    first = np.argsort(np.round(support, 12), kind="stable")[: CANDIDATES * source.size // 2]
    return np.stack([number[first] // size, number[first] % size]), gain[first]


def _two_steps(graph: GraphRows, source: Int64, target: Int64) -> Int64:
    """All walks ``a - w - b`` as ``[3, t]``."""
    repeats = graph.degrees[target]
    entry = np.repeat(np.arange(source.size), repeats)
    start = np.repeat(graph.row_ptr[target] - np.r_[0, repeats.cumsum()[:-1]], repeats)
    last = target[np.arange(entry.size) + start]
    return np.stack([source[entry], target[entry], last])


def _values(matrix: csr_matrix, row: Int64, column: Int64) -> Int64:
    found: Int64 = np.asarray(matrix[row, column]).ravel()
    return found


def _scaled(values: Tensor) -> Tensor:
    """From 0 to 1; zero where all are equal."""
    if values.numel() == 0:
        return values
    spread = values.max() - values.min()
    return (values - values.min()) / spread if spread > 0 else torch.zeros_like(values)


def _logits(x: Tensor, pairs: Tensor, value: Float64, alpha: float, sign: int) -> Tensor:
    distance = (x[pairs[0]] - x[pairs[1]]).double().norm(dim=1)
    score = _scaled(torch.from_numpy(value))
    return alpha * score + sign * (1 - alpha) * _scaled(distance)


def _table(graphs: GraphTable, pairs: Sequence[Tensor], logits: Sequence[Tensor]) -> GraphTable:
    sizes = torch.tensor([part.size(1) for part in pairs])
    shifted = [part + start for part, start in zip(pairs, graphs.node_ptr, strict=False)]
    return replace(
        graphs,
        x=graphs.x[:, :0],
        edge_index=torch.cat(shifted, dim=1),
        edge_ptr=torch.cat([sizes.new_zeros(1), sizes.cumsum(0)]),
        edge_options={"logit": torch.cat(list(logits))},
        high=None,
        virtual=None,
        other=None,
    )


@lru_cache(maxsize=2)
def _redraw(data: TaskData, alpha: float, dropped: float, added: float) -> Redraw:
    rows, graphs = read_graphs(data.dataset, "sjlr"), data.graphs
    edges, candidates = [], []
    for number in range(rows.num_graphs):
        graph = rows.part(number, number + 1)
        x = graphs.x[graphs.node_ptr[number] : graphs.node_ptr[number + 1]]
        own, value = torch.from_numpy(graph.edges), jost_liu(graph)[graph.sources < graph.columns]
        edges.append((own, _logits(x, own, value, alpha, 1)))
        found, gain = candidates_of(graph)
        pairs = torch.from_numpy(found)
        candidates.append((pairs, _logits(x, pairs, gain, alpha, -1)))
    first, second = (_table(graphs, *zip(*parts, strict=True)) for parts in (edges, candidates))
    return Redraw(first, second, dropped, added)


def _graphs(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    redraw = _redraw(data, settings["alpha"], settings["dropped"], settings["added"])
    return replace(data.graphs, augment=redraw)


def _check(settings: Mapping[str, Any]) -> None:
    for name in ("alpha", "dropped", "added"):
        real_number(name, settings[name], "a number from 0 to 1", least=0, most=1)


SJLR_METHOD = Method(
    "edges added and removed in every mini-batch of training, by Jost-Liu curvature",
    lambda task, config: {"alpha": 0.5, "dropped": 0.1, "added": 0.1},
    _graphs,
    check=_check,
)
