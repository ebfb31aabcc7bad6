r"""g: what a low node takes of the wider state of a high neighbour.

For an edge from a high node :math:`u` to a low node :math:`v` the paper scores every dimension of
:math:`\mathbf{h}_u` and gathers the ``width`` best,

.. math::
    g(\mathbf{h}_v, \mathbf{h}_u) = \mathrm{gather}\big(\mathbf{h}_u,
    \mathrm{topk}(\mathbf{s}, p)\big), \quad
    \mathbf{s} = \mathrm{softmax}\big(\sigma(\eta(\mathbf{h}_u \oplus \mathbf{h}_v))\big).

Softmax and sigmoid keep the order of the logits, so the logits are ranked (equal ones by index) and
:math:`\mathbf{s}` is computed only where its values matter, in :class:`Gated`. Under :class:`TopK`
and :class:`Sorted` no gradient can reach :math:`\eta`: its parameters do not require one.

Every selector maps ``(x_low, x_high, crossing)``, with the positions of source and target of each
edge in ``crossing``, to the messages ``[num_edges, width]``.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn.inits import glorot, zeros

from panda_gnn.errors import InputError, choose
from panda_gnn.nn import kernels
from panda_gnn.nn.kernels.gathering import gather
from panda_gnn.nn.kernels.ranking import GREATEST_WIDTH, rank


class Eta(nn.Module):
    r"""The scores :math:`\eta(\mathbf{h}_u \oplus \mathbf{h}_v)` of the dimensions of a source.

    The first linear map is applied to sources and targets apart and added edge by edge.

    Args:
        width: Width of low nodes.
        high_width: Width of high nodes, and number of scores.
        hidden: Hidden size of a two-layer perceptron, or ``None`` for one linear map.
    """

    def __init__(self, width: int, high_width: int, hidden: int | None = None) -> None:
        super().__init__()
        self.high_width = high_width
        first = high_width if hidden is None else hidden
        self.first = nn.Linear(high_width + width, first)
        self.second = None if hidden is None else nn.Linear(hidden, high_width)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        for linear in (self.first, self.second):
            if linear is not None:
                glorot(linear.weight)
                zeros(linear.bias)

    def parts(self, x_low: Tensor, x_high: Tensor) -> tuple[Tensor, Tensor]:
        """What sources and targets contribute to the first linear map."""
        of_high = F.linear(x_high, self.first.weight[:, : self.high_width])
        of_low = F.linear(x_low, self.first.weight[:, self.high_width :], self.first.bias)
        return of_high, of_low

    def forward(self, x_low: Tensor, x_high: Tensor, crossing: Tensor) -> Tensor:
        """The logits, shape ``[num_edges, high_width]``."""
        if kernels.untouched(self.first, nn.Linear):
            of_high, of_low = self.parts(x_low, x_high)
            logits = of_high[crossing[0]] + of_low[crossing[1]]
        else:
            logits = self.first(torch.cat([x_high[crossing[0]], x_low[crossing[1]]], dim=1))
        return logits if self.second is None else self.second(logits.relu())


class TopK(nn.Module):
    """The paper's selector: the ``width`` best dimensions in descending order of their scores.

    Args:
        width: Width of low nodes.
        high_width: Width of high nodes.
        hidden: Hidden size of eta, or ``None`` for one linear map.
        score: ``"sigmoid"`` as in the paper, or ``"relu"`` as in the authors' released code, where
            all negative logits are tied.
    """

    learns = False
    ascending = False

    def __init__(
        self, width: int, high_width: int, *, hidden: int | None = None, score: str = "sigmoid"
    ) -> None:
        super().__init__()
        if high_width < width:
            raise InputError(f"high_width is {high_width}, it must be at least width ({width})")
        self.width = width
        self.high_width = high_width
        self.score = choose("score", score, ("sigmoid", "relu"))
        self.eta = Eta(width, high_width, hidden).requires_grad_(self.learns)

    def reset_parameters(self) -> None:
        """Reset the parameters of eta."""
        self.eta.reset_parameters()

    @property
    def ties(self) -> bool:
        """Whether all negative logits are tied."""
        return self.score == "relu"

    @property
    def ranks_parts(self) -> bool:
        """Whether a kernel may rank the sums of what eta makes of sources and targets."""
        return (
            kernels.untouched(self.eta, Eta)
            and kernels.untouched(self.eta.first, nn.Linear)
            and self.eta.second is None
            and self.high_width <= GREATEST_WIDTH
        )

    def select(self, logits: Tensor) -> Tensor:
        """The dimensions each edge takes, shape ``[num_edges, width]``."""
        if kernels.apply_to(logits) and self.high_width <= GREATEST_WIDTH:
            edge = torch.arange(logits.size(0))
            nothing = logits.new_zeros(1, self.high_width)
            ends = torch.stack([edge, torch.zeros_like(edge)])
            return rank(logits, nothing, ends, self.width, self.ties, self.ascending).long()
        key = logits.relu() if self.ties else logits
        index = torch.sort(key, dim=1, descending=True, stable=True).indices[:, : self.width]
        return index.sort(dim=1).values if self.ascending else index

    def forward(self, x_low: Tensor, x_high: Tensor, crossing: Tensor) -> Tensor:
        """The messages, shape ``[num_edges, width]``."""
        compiled = self.high_width <= GREATEST_WIDTH and kernels.apply_to(x_low, x_high, crossing)
        with torch.no_grad():
            if compiled and self.ranks_parts:
                parts = self.eta.parts(x_low, x_high)
                index = rank(*parts, crossing, self.width, self.ties, self.ascending)
            else:
                index = self.select(self.eta(x_low, x_high, crossing))
        if compiled:
            return gather(x_high, crossing[0], index)
        return x_high[crossing[0]].gather(1, index)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.high_width} -> {self.width})"


class Sorted(TopK):
    """The dimensions :class:`TopK` takes, in their own order: nothing is permuted."""

    ascending = True


class Gated(TopK):
    r"""What :class:`TopK` takes, scaled by the scores, so that :math:`\eta` learns.

    The gate of a dimension is its score :math:`s_i` over the mean score of the dimensions taken
    (which is ``width`` times the softmax over these alone), so the gates of every message average
    to one: in expectation the message is that of :class:`TopK`. Since the scores are a softmax of
    values in (0, 1), no gate is more than e times another.
    """

    learns = True

    def forward(self, x_low: Tensor, x_high: Tensor, crossing: Tensor) -> Tensor:
        """The messages, shape ``[num_edges, width]``."""
        logits: Tensor = self.eta(x_low, x_high, crossing)
        index = self.select(logits.detach())
        activated = logits.relu() if self.ties else logits.sigmoid()
        gate = activated.gather(1, index).softmax(dim=1) * self.width
        return x_high[crossing[0]].gather(1, index) * gate


class FixedGates(Gated):
    """The control of :class:`Gated`: the same gates, but eta keeps its random start."""

    learns = False


class Projection(nn.Module):
    """The control: one learned linear map ``high_width -> width``, the same for every edge.

    Args:
        width: Width of low nodes.
        high_width: Width of high nodes.
    """

    def __init__(self, width: int, high_width: int) -> None:
        super().__init__()
        self.width = width
        self.high_width = high_width
        self.linear = nn.Linear(high_width, width, bias=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        glorot(self.linear.weight)

    def forward(self, x_low: Tensor, x_high: Tensor, crossing: Tensor) -> Tensor:
        """The messages, shape ``[num_edges, width]``."""
        projected: Tensor = self.linear(x_high)
        return projected[crossing[0]]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.high_width} -> {self.width})"


SELECTORS = {
    "topk": TopK,
    "sorted": Sorted,
    "gated": Gated,
    "gated-fixed": FixedGates,
    "linear": Projection,
}


def selector(kind: str, width: int, high_width: int, **options: Any) -> TopK | Projection:
    """The selector of the given kind, ``topk``, ``sorted``, ``gated``, ``gated-fixed`` or
    ``linear``; all but the last with ``options`` of :class:`TopK`."""
    make: Any = SELECTORS[choose("selector", kind, SELECTORS)]
    made: TopK | Projection = make(width, high_width, **({} if kind == "linear" else options))
    return made
