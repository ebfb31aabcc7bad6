"""The one place where our layers sum messages."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from panda_gnn.nn import kernels
from panda_gnn.nn.edges import Edges, at_least_single
from panda_gnn.nn.kernels.row_sums import row_sums
from panda_gnn.nn.kernels.row_weights import Weights, edge_weights, normalised_weights
from panda_gnn.nn.kernels.width_aware_sums import weight_from_low, width_aware_sums
from panda_gnn.nn.partition import Pair, WidthPartition
from panda_gnn.nn.selectors import Sorted, TopK


def propagate(
    x: Tensor, edges: Edges, weight: Tensor | None = None, loop: Tensor | None = None
) -> Tensor:
    r"""The sums :math:`l_v\,\mathbf{x}_v + \sum_{u \to v} w_{uv}\,\mathbf{x}_u` of every target.

    Args:
        x: States of the sources, shape ``[num_sources, width]``, the first being the targets.
        edges: The edges.
        weight: A weight for each edge, or ``None`` for one.
        loop: A weight for each target's own state, or ``None`` for zero.
    """
    weight = edges.masked(weight)
    weights = [values for values in (weight, loop) if values is not None]
    if kernels.apply_to(x, edges.edge_index, *weights):
        return row_sums(x, edges, edge_weights(edges, weight, x.dtype), loop)
    messages = x[edges.edge_index[0]]
    if weight is not None:
        messages = messages * weight.to(x.dtype).view(-1, 1)
    out = add_messages(x.new_zeros(edges.num_targets, x.size(1)), edges, messages)
    if loop is None:
        return out
    return out + loop.to(x.dtype).view(-1, 1) * x[: edges.num_targets]


def propagate_normalised(x: Tensor, edges: Edges, self_loops: bool) -> Tensor:
    r"""The sums :math:`\sum_u \frac{1}{\sqrt{d_u d_v}} \mathbf{x}_u`, v being its own neighbour too
    where there are ``self_loops``."""
    if edges.mask is None and kernels.apply_to(x, edges.edge_index):
        return row_sums(x, edges, *normalised_weights(edges, self_loops, x.dtype))
    return propagate(x, edges, *edges.norm(self_loops, x.dtype))


def add_messages(out: Tensor, edges: Edges, messages: Tensor) -> Tensor:
    """``out`` with the messages, a row for each edge, added to the rows of their targets."""
    dtype = at_least_single(out.dtype)
    sums = out.to(dtype).index_add(0, edges.edge_index[1], messages.to(dtype))
    return sums.to(out.dtype)


def can_fuse(
    x: Pair, partition: WidthPartition, expand: nn.Module | None, selector: nn.Module | None
) -> bool:
    """Whether :func:`propagate_adapted` can do the work.

    It can for the selectors ``topk`` and ``sorted`` with one linear map, and where f and g are
    skipped; not for edge weights that learn, nor where f or g are hooked or replaced.
    """
    whole = partition.whole
    if whole.mask is not None or (expand is None) != (selector is None):
        return False
    if selector is not None and not (
        kernels.untouched(selector, TopK, Sorted)
        and kernels.untouched(expand, nn.Linear)
        and isinstance(selector, TopK)
        and selector.ranks_parts
    ):
        return False
    weights = [] if whole.edge_weight is None else [whole.edge_weight]
    if any(weight.requires_grad for weight in weights) or x[0].dtype != x[1].dtype:
        return False
    return kernels.apply_to(*x, partition.high, whole.edge_index, *weights)


def propagate_adapted(
    x: Pair,
    partition: WidthPartition,
    weights: Weights,
    expand: nn.Linear | None,
    selector: nn.Module | None,
) -> Pair:
    r"""The sums of the messages that f and g adapt, for low and for high nodes.

    These are :math:`l_v \mathbf{x}_v + \sum_{u \to v} w_{uv}\, \mathbf{m}_{uv}` with
    :math:`\mathbf{m}_{uv} = \mathbf{x}_u` between nodes of one width, :math:`f(\mathbf{x}_u)` into
    high and :math:`g(\mathbf{x}_v, \mathbf{x}_u)` into low nodes.

    Args:
        x: States of low and of high nodes.
        partition: The nodes and edges.
        weights: The weight of each edge, in the order of the partition's rows, and of each node's
            own state, low nodes first.
        expand: f, or ``None`` where both states have one width and messages stay as they are.
        selector: g.
    """
    if expand is None or selector is None:
        return width_aware_sums(*x, partition, *weights)
    assert isinstance(selector, TopK)
    first = selector.eta.first
    low, high = width_aware_sums(
        *x,
        partition,
        *weights,
        expand.weight,
        first.weight,
        first.bias,
        relu=selector.ties,
        ascending=selector.ascending,
    )
    if expand.bias is not None:
        high = high + torch.outer(weight_from_low(partition, weights[0]), expand.bias)
    return low, high
