"""JDR: edges and features are denoised together, by what they agree on."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph import limits
from panda_gnn.options import flag, real_number, whole_number
from panda_gnn.rewiring.base import Rewiring, both_directions, features_of

#: Entries of a product that are smaller than this share of the largest are none.
ROUNDING = 1e-9


@functional_transform("jdr")
class JDR(Rewiring):
    r"""Joint denoising and rewiring, of `"Joint Graph Rewiring and Feature Denoising via Spectral
    Resonance" <https://arxiv.org/abs/2408.07191>`_, for graphs whose nodes have features.

    With :math:`\mathbf{X} = \mathbf{U} \mathbf{S} \mathbf{W}^\top` and :math:`\mathbf{A} =
    \mathbf{V} \boldsymbol{\Lambda} \mathbf{V}^\top`, each of the first ``feature_vectors`` columns
    of :math:`\mathbf{U}` is moved towards the leading eigenvector that it is most like,

    .. math::
        \mathbf{u}_i \leftarrow (1 - \eta_X) \mathbf{u}_i + \eta_X \, \mathrm{sign}(\langle
        \mathbf{u}_i, \mathbf{v}_j \rangle) \, \mathbf{v}_j, \qquad
        j = \mathrm{argmax}_{j \leq L_X} |\langle \mathbf{u}_i, \mathbf{v}_j \rangle|,

    and each of the first ``graph_vectors`` eigenvectors likewise towards a column of
    :math:`\mathbf{U}`; both matrices are then multiplied back. After ``rounds`` rounds, what is
    positive of the new adjacency matrix, at most ``neighbours`` entries of a column (an entry stays
    if either of its columns keeps it) and none of the diagonal, are the edges, with
    ``edge_weight``; ``x`` becomes :math:`(1 - b) \mathbf{x} + b \mathbf{x}'`.

    Eigenvectors of a multiple eigenvalue are whatever the solver gives, so the result means little
    where the leading ones are multiple. A graph without edges stays as it is. Matrices are dense:
    graphs of more than :data:`~panda_gnn.graph.limits.DENSE_PROXY_NODES` nodes are rejected.

    Args:
        rounds: How often both are decomposed.
        graph_vectors: How many eigenvectors of the adjacency matrix are moved.
        feature_vectors: How many singular vectors of the features are moved.
        graph_ratio: How far an eigenvector is moved in a round, in [0, 1].
        feature_ratio: How far a singular vector is moved in a round, in [0, 1].
        blend: How much of the denoised features ``x`` gets, in [0, 1].
        neighbours: How many edges of a node are kept for certain.
        by_magnitude: Whether eigenvectors are ordered by the magnitude of their eigenvalue, for
            heterophilic graphs, instead of by the eigenvalue.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import JDR
        >>> (tree,) = transfer("tree", 3, num_graphs=1)
        >>> JDR(rounds=1, neighbours=2)(tree).edge_weight.min() > 0
        tensor(True)
    """

    features = "changed"
    writes = ("edge_weight",)

    def __init__(
        self,
        rounds: int = 10,
        graph_vectors: int = 64,
        feature_vectors: int = 64,
        graph_ratio: float = 0.1,
        feature_ratio: float = 0.1,
        blend: float = 0.1,
        neighbours: int = 64,
        by_magnitude: bool = False,
    ) -> None:
        super().__init__()
        share = "a number from 0 to 1"
        self.rounds = whole_number("rounds", rounds)
        self.graph_vectors = whole_number("graph_vectors", graph_vectors, 1)
        self.feature_vectors = whole_number("feature_vectors", feature_vectors, 1)
        self.graph_ratio = real_number("graph_ratio", graph_ratio, share, least=0, most=1)
        self.feature_ratio = real_number("feature_ratio", feature_ratio, share, least=0, most=1)
        self.blend = real_number("blend", blend, share, least=0, most=1)
        self.neighbours = whole_number("neighbours", neighbours, 1)
        self.by_magnitude = flag("by_magnitude", by_magnitude)

    def rewired(self, edges: Tensor, data: Data) -> tuple[Tensor, dict[str, Tensor]]:
        """The denoised ``edge_index``, with ``edge_weight`` and other ``x``."""
        num_nodes = int(data.num_nodes or 0)
        x = features_of(data, type(self).__name__)
        limits.refuse_above(limits.DENSE_PROXY_NODES, num_nodes, "JDR", "FoSR")
        adjacency = torch.zeros(num_nodes, num_nodes, dtype=torch.float64, device=edges.device)
        adjacency[tuple(both_directions(edges, num_nodes))] = 1.0
        features = x.double()
        if edges.numel():
            for _ in range(self.rounds):
                adjacency, features = self.aligned(adjacency, features)
        after = self.strongest(adjacency).nonzero().t()
        weight = adjacency[after[0], after[1]].to(torch.get_default_dtype())
        mixed = ((1 - self.blend) * x + self.blend * features).to(x.dtype)
        return after, {"edge_weight": weight, "x": mixed}

    def aligned(self, adjacency: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
        """One round: both matrices with their leading vectors moved towards each other's."""
        left, singular, right = torch.linalg.svd(features, full_matrices=False)
        values, vectors = torch.linalg.eigh(adjacency)
        size = values.abs() if self.by_magnitude else values
        order = size.argsort(descending=True, stable=True)
        values, vectors = values[order], vectors[:, order]
        moved = moved_towards(left, vectors, self.feature_vectors, self.feature_ratio)
        turned = moved_towards(vectors, left, self.graph_vectors, self.graph_ratio)
        product = turned * values @ turned.t()
        return (product + product.t()) / 2, moved * singular @ right

    def strongest(self, adjacency: Tensor) -> Tensor:
        """Which entries stay: a symmetric mask."""
        if adjacency.numel() == 0:
            return adjacency > 0
        least = ROUNDING * adjacency.abs().max()
        others = adjacency.clone().fill_diagonal_(-torch.inf)
        rank = others.argsort(dim=0, descending=True, stable=True).argsort(dim=0)
        mask = (rank < self.neighbours) & (others > least)
        return mask | mask.t()


def moved_towards(vectors: Tensor, others: Tensor, count: int, ratio: float) -> Tensor:
    """``vectors`` with each of the first ``count`` columns moved by ``ratio`` towards the most
    alike of the first ``count`` of ``others``, or its opposite."""
    overlap = vectors[:, :count].t() @ others[:, :count]
    if overlap.numel() == 0:
        return vectors
    best = overlap.abs().argmax(dim=1)
    sign = overlap.gather(1, best[:, None]).sign().view(-1)
    moved = vectors.clone()
    moved[:, :count] = (1 - ratio) * vectors[:, :count] + ratio * sign * others[:, best]
    return moved
