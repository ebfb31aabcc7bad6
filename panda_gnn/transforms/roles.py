"""Which role a node plays in its graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from panda_gnn.errors import InputError, choose
from panda_gnn.graph.batches import is_batch, keep_in_batch
from panda_gnn.graph.rows import Graphs, edge_index_of
from panda_gnn.options import whole_number
from panda_gnn.transforms.encoding import (
    SCALES,
    ascending,
    graph_of_node,
    quantile_boundaries,
    scaled,
)
from panda_gnn.transforms.expand_width import top_nodes
from panda_gnn.transforms.scores import (
    ScoreFunction,
    check_centrality,
    name_of_scores,
    node_scores,
)


@functional_transform("assign_roles")
class AssignRoles(BaseTransform):
    r"""Gives every node one of r roles by its centrality: writes ``data.role``, whole numbers from
    0 (the least central) to :math:`r - 1` (functional name: :obj:`assign_roles`).

    There are three ways to do it:

    * quantiles within each graph, the default: of the nodes of a graph, ordered by their score,
      each role gets an r-th. Nodes with equal scores have one role, whatever their order;
    * bins of the score on another scale, the same for all graphs: ``fit`` on training graphs finds
      boundaries, or ``boundaries`` gives them;
    * ``k``: the k nodes of highest score of each graph have role 1 and all others role 0, ties
      broken by node index. These are the nodes that PANDA widens
      (:class:`~panda_gnn.transforms.ExpandWidth`).

    Works on a graph, on a batch (each of its graphs by itself), as ``transform`` and as
    ``pre_transform``.

    Args:
        centrality: One of the measures of :func:`panda_gnn.centrality.centrality`; a function
            ``(data) -> scores`` that gives every node of a graph a score; or the name of an
            attribute of the graphs that holds them.
        num_roles: The number r of roles; by default 3, or 2 with ``k``.
        scale: ``"rank"`` for quantiles within each graph; ``"raw"``, ``"log"`` or ``"relative"``
            (:mod:`panda_gnn.transforms.encoding`) for bins that all graphs share.
        boundaries: The ``num_roles - 1`` ascending numbers between the bins, a score on a boundary
            being below it.
        k: Instead of all that, how many nodes of each graph have role 1 of two.
        samples: Estimate a shortest-path measure from this many pivots, for large graphs.
        seed: Seed of the measure ``random`` and of sampled measures.

    Shapes:
        - **output:** ``data.role`` :math:`(|V|)`, whole numbers

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.transforms import AssignRoles
        >>> (tree,) = transfer("tree", 2, num_graphs=1)
        >>> AssignRoles("degree", 2)(tree).role.tolist()  # leaves, and what is above them
        [1, 1, 1, 0, 0, 0, 0]
    """

    def __init__(
        self,
        centrality: str | ScoreFunction = "betweenness",
        num_roles: int | None = None,
        *,
        scale: str = "rank",
        boundaries: Sequence[float] | Tensor | None = None,
        k: int | None = None,
        samples: int | None = None,
        seed: int = 0,
    ) -> None:
        self.centrality = check_centrality(centrality, samples)
        if k is not None and num_roles not in (None, 2):
            raise InputError(f"num_roles is {num_roles}, but k={k} makes 2 roles: leave it out")
        default = 3 if k is None else 2
        self.num_roles = whole_number("num_roles", default if num_roles is None else num_roles, 1)
        self.scale = choose("scale", scale, SCALES)
        self.k = None if k is None else whole_number("k", k)
        if k is not None and (scale != "rank" or boundaries is not None):
            raise InputError(
                f"k is {k}, and so are scale or boundaries given: the k nodes of highest score "
                "need neither"
            )
        self.samples = samples
        self.seed = whole_number("seed", seed)
        self.boundaries: Tensor | None = None
        if boundaries is not None:
            where = f"between {self.num_roles} roles"
            self.boundaries = ascending(boundaries, (self.num_roles - 1,), where)
        elif scale == "rank":
            parts = torch.arange(1, self.num_roles, dtype=torch.float64)
            self.boundaries = parts / self.num_roles

    def fit(self, graphs: Graphs) -> AssignRoles:
        """Find boundaries between which there are about as many nodes of these graphs each.

        Args:
            graphs: The training graphs: a ``Data``, a ``Batch``, a dataset or a list of ``Data``.
        """
        if self.k is not None:
            raise InputError(f"k is {self.k}: the k nodes of highest score need no fit")
        return self.fit_values(self.values(graphs))

    def fit_values(self, values: Tensor) -> AssignRoles:
        """:meth:`fit` on what :meth:`values` gives for training nodes."""
        self.boundaries = quantile_boundaries(values, self.num_roles)
        return self

    def forward(self, data: Any) -> Any:
        edge_index_of(data, type(self).__name__)
        data.role = self.roles(data)
        if is_batch(data):
            keep_in_batch(data, "role")
        return data

    def roles(self, graphs: Graphs) -> Tensor:
        """The roles of all nodes of some graphs."""
        if self.k is not None:
            batch, num_graphs, scores = self._scores(graphs)
            return top_nodes(scores, torch.full((num_graphs,), self.k), batch).long()
        if self.boundaries is None:
            raise InputError(
                f"AssignRoles has no boundaries on the scale '{self.scale}' yet: call fit with the "
                "training graphs, or give boundaries"
            )
        values = self.values(graphs)
        return torch.searchsorted(self.boundaries.to(values.device), values.contiguous())

    def values(self, graphs: Graphs) -> Tensor:
        """The scores of all nodes of some graphs on the scale that the bins are of."""
        batch, num_graphs, scores = self._scores(graphs)
        return scaled(scores, self.scale, batch, num_graphs, name_of_scores(self.centrality))

    def _scores(self, graphs: Graphs) -> tuple[Tensor, int, Tensor]:
        """The graph of each node, the number of graphs, and the score of each node."""
        who, samples = type(self).__name__, self.samples
        batch, num_graphs = graph_of_node(graphs, who)
        scores = node_scores(self.centrality, graphs, samples=samples, seed=self.seed, who=who)
        return batch.to(scores.device), num_graphs, scores

    def __repr__(self) -> str:
        how = f"k={self.k}" if self.k is not None else f"{self.num_roles}, scale={self.scale}"
        return f"{type(self).__name__}({name_of_scores(self.centrality)}, {how})"
