r"""Centralities as numbers that a network can read, on four scales.

With c the score of a node in its graph of n nodes,

==========  ======================================================================================
raw         :math:`c`, as :func:`panda_gnn.centrality.centrality` gives it
log         :math:`\log(1 + m c)`, where m makes a count of c: :math:`m = n - 1` for the degree
            (then neighbours are counted), :math:`(n - 1)(n - 2) / 2` for betweenness and load
            (pairs of other nodes), n for PageRank (1 is average), 1 for all others;
            closeness, between 0 and 1 and no count, is left as it is
relative    c over the largest c of the graph, and 0 where all are 0
rank        the share of the graph's nodes that have a lower score, half of those with an equal one
            (the node itself among them) counted in: between 0 and 1, equal for equal scores
==========  ======================================================================================

A negative score, which a function of one's own may give, has the logarithm of its opposite with a
minus, and is relative to the largest absolute value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from panda_gnn.centrality import CENTRALITIES, centrality
from panda_gnn.centrality.families import SAMPLED
from panda_gnn.centrality.scores import Cache
from panda_gnn.errors import InputError, choose, shown
from panda_gnn.graph.batches import is_batch, keep_in_batch
from panda_gnn.graph.rows import Graphs, edge_index_of, graph_sizes
from panda_gnn.options import whole_number
from panda_gnn.transforms.scores import rounded_scores

SCALES = ("raw", "log", "relative", "rank")
STRUCTURE = ("edge_index", "edge_attr", "edge_weight", "edge_type", "batch", "ptr", "num_nodes")
"""Attributes of graphs that hold something else than numbers of nodes."""
Names = str | Sequence[str]


@functional_transform("centrality_encoding")
class CentralityEncoding(BaseTransform):
    r"""Tells a model where a node stands: appends centralities to ``data.x``
    (functional name: :obj:`centrality_encoding`).

    Works on a graph, on a batch (each of its graphs by itself), as ``transform`` and as
    ``pre_transform``, which computes them once. A graph without ``x`` gets the columns as its
    ``x``. What the scales are is said in :mod:`panda_gnn.transforms.encoding`; encode a graph
    before it is rewired, or two things change at once.

    Args:
        measures: One or several of :data:`panda_gnn.centrality.CENTRALITIES`.
        scale: One or several of ``"raw"``, ``"log"``, ``"relative"`` and ``"rank"``.
        attr_name: Write the columns to this attribute instead, and leave ``x`` alone: for
            :class:`~panda_gnn.nn.BinnedEmbedding`, say.
        samples: Estimate betweenness, closeness and load of components with more than this many
            nodes from so many of them, for large graphs; the other measures stay exact.
        seed: Seed of the measure ``random`` and of sampled measures.
        cache: A folder to keep the scores in; by default those of a dataset are kept beside it.

    Shapes:
        - **columns:** :math:`(|V|, S \cdot M)` for S scales and M measures: all measures on the
          first scale, then all on the second, and so on

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.transforms import CentralityEncoding
        >>> (ring,) = transfer("ring", 2, num_graphs=1)
        >>> CentralityEncoding("degree", ("log", "rank"), attr_name="place")(ring).place.shape
        torch.Size([4, 2])
    """

    def __init__(
        self,
        measures: Names = ("degree", "betweenness", "closeness", "pagerank", "load"),
        scale: Names = "log",
        *,
        attr_name: str | None = None,
        samples: int | None = None,
        seed: int = 0,
        cache: Cache = None,
    ) -> None:
        self.measures = _names("centrality", measures, CENTRALITIES)
        self.scales = _names("scale", scale, SCALES)
        if attr_name is not None and (attr_name in STRUCTURE or not _is_name(attr_name)):
            raise InputError(
                f"attr_name is {attr_name!r}: give the name of an attribute for the columns, none "
                f"of {', '.join(STRUCTURE)}"
            )
        self.attr_name = attr_name
        self.samples = None if samples is None else whole_number("samples", samples, 2)
        self.seed = whole_number("seed", seed)
        self.cache = cache

    def forward(self, data: Any) -> Any:
        edge_index_of(data, type(self).__name__)
        columns = self.columns(data)
        x = None if self.attr_name is not None else data.get("x")
        if x is None:
            name = self.attr_name or "x"
            data[name] = columns.to(torch.get_default_dtype())
            if is_batch(data):
                keep_in_batch(data, name)
            return data
        if not isinstance(x, Tensor) or not x.is_floating_point():
            kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
            raise InputError(
                f"x is {kind}, to which CentralityEncoding appends no numbers: call x.float(), "
                "or give attr_name the name of another attribute"
            )
        x = x.view(-1, 1) if x.dim() == 1 else x
        if x.dim() != 2 or x.size(0) != columns.size(0):
            raise InputError(
                f"x has the shape {list(x.shape)}, but CentralityEncoding appends columns to one "
                f"row for each of {columns.size(0)} nodes"
            )
        data.x = torch.cat([x, columns.to(x.dtype)], dim=1)
        return data

    @property
    def num_columns(self) -> int:
        """How many columns it appends."""
        return len(self.scales) * len(self.measures)

    def columns(self, graphs: Graphs) -> Tensor:
        """The columns of all nodes of some graphs, in double precision."""
        return torch.cat(self.by_scale(graphs), dim=1)

    def by_scale(self, graphs: Graphs) -> list[Tensor]:
        """For each scale the columns of all measures, the scores being computed once."""
        batch, num_graphs = graph_of_node(graphs, type(self).__name__)
        columns: list[list[Tensor]] = [[] for _ in self.scales]
        for name in self.measures:
            samples = self.samples if name in SAMPLED else None
            scores = centrality(name, graphs, samples=samples, seed=self.seed, cache=self.cache)
            for scale, column in zip(self.scales, columns, strict=True):
                column.append(scaled(scores, scale, batch.to(scores.device), num_graphs, name))
        return [torch.stack(column, dim=1) for column in columns]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.measures)}; {', '.join(self.scales)})"


def graph_of_node(graphs: Graphs, who: str) -> tuple[Tensor, int]:
    """The graph of each node of some graphs, and the number of graphs."""
    sizes = torch.from_numpy(graph_sizes(graphs, who))
    return torch.repeat_interleave(torch.arange(len(sizes)), sizes), len(sizes)


def scaled(scores: Tensor, scale: str, batch: Tensor, num_graphs: int, measure: str = "") -> Tensor:
    """Scores of nodes on one of the four scales.

    Args:
        scores: One score for each node, in double precision.
        scale: One of :data:`SCALES`.
        batch: The graph of each node, ascending.
        num_graphs: The number of graphs.
        measure: What the scores are, which decides what the logarithm is taken of.
    """
    if scale == "raw":
        return scores
    if scale == "relative":
        largest = scores.new_zeros(num_graphs).scatter_reduce(0, batch, scores.abs(), "amax")
        return scores / largest.clamp(min=torch.finfo(scores.dtype).tiny)[batch]
    sizes = torch.bincount(batch, minlength=num_graphs)
    if scale == "log":
        return _logarithm(scores, measure, sizes.to(scores.dtype)[batch])
    return _middle_rank(rounded_scores(scores, batch, num_graphs), batch, sizes)


def _logarithm(scores: Tensor, measure: str, sizes: Tensor) -> Tensor:
    if measure == "closeness":
        return scores
    others = (sizes - 1).clamp(min=0)
    counts: Tensor | float = 1.0
    if measure in ("betweenness", "load"):
        counts = others * (sizes - 2).clamp(min=0) / 2
    elif measure in ("degree", "pagerank"):
        counts = others if measure == "degree" else sizes
    return scores.sign() * torch.log1p(scores.abs() * counts)


def _middle_rank(scores: Tensor, batch: Tensor, sizes: Tensor) -> Tensor:
    """The share of nodes of a graph with a lower score, and half of those with an equal one."""
    order = scores.argsort(stable=True)
    order = order[batch[order].argsort(stable=True)]
    value, graph = scores[order], batch[order]
    starts = torch.ones_like(value, dtype=torch.bool)
    starts[1:] = (value[1:] != value[:-1]) | (graph[1:] != graph[:-1])
    group = starts.cumsum(0) - 1
    lower = starts.nonzero().view(-1)[group] - (sizes.cumsum(0) - sizes)[graph]
    equal = torch.bincount(group)[group]
    rank = torch.empty_like(scores)
    rank[order] = (2 * lower + equal).to(scores.dtype) / (2 * sizes[graph]).to(scores.dtype)
    return rank


def quantile_boundaries(values: Tensor, num_bins: int) -> Tensor:
    r"""The ``num_bins - 1`` numbers between bins that hold about as many of the ``values`` each.

    The first bin takes the smallest values until it has one ``num_bins``-th of them, equal values
    together; the other bins share the rest in the same way. So no bin is empty while there are as
    many different values as bins; where there are fewer, the last boundaries are infinite. A
    boundary is the middle between two values, and values that differ by less than :math:`10^{-9}`
    of the largest are equal.

    Args:
        values: Numbers of any shape, such as those of the nodes of training graphs.
        num_bins: The number of bins.
    """
    rest = values.detach().double().flatten().sort().values
    if not bool(rest.isfinite().all()):
        raise InputError("values must be finite to make bins of them, and some are not")
    tie = 1e-9 * float(rest.abs().max()) if rest.numel() else 0.0
    boundaries = rest.new_full((num_bins - 1,), torch.inf)
    for i in range(num_bins - 1):
        if rest.numel() == 0:
            break
        last = rest[-(-rest.numel() // (num_bins - i)) - 1]
        rest = rest[rest > last + tie]
        if rest.numel():
            boundaries[i] = (last + rest[0]) / 2
    return boundaries


def ascending(boundaries: Any, shape: tuple[int, ...], where: str) -> Tensor:
    """The boundaries between bins in double precision, ascending along the last of ``shape``.

    Args:
        boundaries: Numbers, nested as ``shape`` says.
        shape: The shape that they must have.
        where: What each ascending row of them is for.
    """
    try:
        values = torch.as_tensor(boundaries, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        values = torch.full((), torch.nan, dtype=torch.float64)
    fits = values.shape == shape and not bool(values.isnan().any())
    if not fits or bool((values.diff(dim=-1) < 0).any()):
        raise InputError(
            f"boundaries are {shown(boundaries)}, they must be {shape[-1]} ascending numbers "
            f"{where}"
        )
    return values


def _names(what: str, given: Names, choices: Any) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    if not names:
        raise InputError(f"no {what} is given: choose one or several of {', '.join(choices)}")
    for name in names:
        choose(what, name, choices)
        if names.count(name) > 1:
            raise InputError(f"{what} '{name}' is given twice: once is enough")
    return names


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.isidentifier()
