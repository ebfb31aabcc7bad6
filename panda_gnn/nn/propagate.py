"""The one place where messages are summed."""

from __future__ import annotations

from torch import Tensor

from panda_gnn.nn.partition import Edges


def propagate(x: Tensor, edges: Edges, weight: Tensor | None = None) -> Tensor:
    r"""The sums :math:`\sum_{u \to v} w_{uv}\,\mathbf{x}_u` over the edges into every target.

    Args:
        x: States of the sources, shape ``[num_sources, width]``.
        edges: The edges.
        weight: A weight for each edge, or ``None`` for one.
    """
    source, target = edges.edge_index
    messages = x[source]
    if weight is not None:
        messages = messages * weight.view(-1, 1)
    return x.new_zeros(edges.num_targets, x.size(1)).index_add(0, target, messages)
