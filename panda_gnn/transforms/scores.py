"""The scores of nodes that transforms go by: a measure by name, a function, or an attribute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.centrality import CENTRALITIES, centrality
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.batches import graphs_of_batch, is_batch
from panda_gnn.graph.rows import Graphs
from panda_gnn.graph.ties import SCORE_DIGITS, steps
from panda_gnn.options import whole_number

ScoreFunction = Callable[[Data], Any]


def check_centrality(centrality: str | ScoreFunction, samples: int | None) -> str | ScoreFunction:
    """A name or a function; only measures by name can be sampled."""
    if not isinstance(centrality, str) and not callable(centrality):
        raise InputError(
            f"centrality is {centrality!r}: give a name, a function of a graph, or the name of "
            "an attribute of the graphs"
        )
    if samples is not None:
        whole_number("samples", samples, 2)
        if centrality not in CENTRALITIES:
            raise InputError(f"samples={samples} is for centralities by name, not {centrality!r}")
    return centrality


def name_of_scores(scores: str | ScoreFunction) -> str:
    """The name of a measure, an attribute or a function."""
    return scores if isinstance(scores, str) else getattr(scores, "__name__", repr(scores))


def node_scores(
    scores: str | ScoreFunction,
    graphs: Graphs,
    *,
    samples: int | None = None,
    seed: int = 0,
    who: str = "ExpandWidth",
) -> Tensor:
    """The score of every node of some graphs: of a measure by name, else as :func:`own_scores`.

    Args:
        scores: A measure of :func:`panda_gnn.centrality.centrality`, a function, or the name of an
            attribute.
        graphs: A ``Data``, a ``Batch``, a dataset or a list of ``Data``.
        samples: Estimate a shortest-path measure from this many pivots.
        seed: Seed of the measure ``random`` and of sampled measures.
        who: In whose name a batch is rejected whose graphs cannot be told apart.
    """
    if isinstance(scores, str) and scores in CENTRALITIES:
        return centrality(scores, graphs, samples=samples, seed=seed)
    return own_scores(scores, graphs, who)


def rounded_scores(scores: Tensor, batch: Tensor, num_graphs: int) -> Tensor:
    """The scores as whole multiples of the twelfth digit of their graph's largest, so that
    rounding errors break no ties (:mod:`panda_gnn.graph.ties`)."""
    largest = torch.zeros(num_graphs, dtype=torch.float64, device=scores.device)
    largest = largest.scatter_reduce(0, batch, scores.double().abs(), "amax")
    scale = torch.where(largest > 0, largest, torch.ones_like(largest))[batch]
    return steps(scores.double(), scale, SCORE_DIGITS)


def own_scores(function: str | ScoreFunction, graphs: Graphs, who: str = "ExpandWidth") -> Tensor:
    """The scores that a function gives, or that an attribute holds, one for each node.

    Args:
        function: A function ``(data) -> scores``, or the name of an attribute.
        graphs: A ``Data``, a ``Batch``, a dataset or a list of ``Data``.
        who: In whose name a batch is rejected whose graphs cannot be told apart.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.transforms import own_scores
        >>> (ring,) = transfer("ring", 2, num_graphs=1)
        >>> own_scores(lambda data: range(data.num_nodes), ring).tolist()
        [0.0, 1.0, 2.0, 3.0]
    """
    if isinstance(graphs, Data):
        items = graphs_of_batch(graphs, who) if is_batch(graphs) else [graphs]
    else:
        items = [graphs[index] for index in range(len(graphs))]
    scores = []
    for number, data in enumerate(items):
        if isinstance(function, str):
            if data.get(function) is None:
                choose("centrality", function, CENTRALITIES, "(and no attribute of the graphs)")
            values, name = data[function], f"the attribute {function}"
        else:
            values, name = function(data), getattr(function, "__name__", repr(function))
        try:
            values = torch.as_tensor(values).detach().double().squeeze()
        except (TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"{name} gives no numbers for graph {number}") from error
        values = values.reshape(-1)
        if values.numel() != data.num_nodes or not bool(values.isfinite().all()):
            raise InputError(
                f"{name} gives {values.numel()} scores for graph {number}, but it must give a "
                f"finite one for each of {data.num_nodes} nodes"
            )
        scores.append(values)
    return torch.cat(scores) if scores else torch.empty(0, dtype=torch.float64)
