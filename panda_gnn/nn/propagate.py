"""The one place where messages are summed."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from panda_gnn.backend import current_backend
from panda_gnn.nn import kernels
from panda_gnn.nn.kernels.multiply import multiply
from panda_gnn.nn.kernels.rows import weight_of
from panda_gnn.nn.kernels.select import GREATEST_WIDTH
from panda_gnn.nn.kernels.width_aware import weight_from_low, width_aware_sums
from panda_gnn.nn.partition import Edges, WidthPartition
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
    given = [values for values in (weight, loop) if values is not None]
    if kernels.apply_to(x, edges.edge_index, *given):
        return multiply(x, edges, weight_of(edges, weight, x.dtype), loop)
    source, target = edges.edge_index
    messages = x[source]
    if weight is not None:
        messages = messages * weight.view(-1, 1)
    out = x.new_zeros(edges.num_targets, x.size(1)).index_add(0, target, messages)
    return out if loop is None else out + loop.view(-1, 1) * x[: edges.num_targets]


def fuses(x: tuple[Tensor, Tensor], partition: WidthPartition, selector: nn.Module | None) -> bool:
    """Whether :func:`fused_sums` can do the work.

    It can for the selectors ``topk`` and ``sorted`` with one linear map, and where f and g are
    skipped; not for edge weights that learn.
    """
    low, high = x
    edge_weight = partition.whole.edge_weight
    if selector is not None and not (
        type(selector) in (TopK, Sorted)
        and isinstance(selector, TopK)
        and selector.eta.second is None
        and selector.high_width <= GREATEST_WIDTH
    ):
        return False
    given = [low, high, partition.high, partition.whole.edge_index]
    if edge_weight is not None:
        if edge_weight.requires_grad:
            return False
        given.append(edge_weight)
    return low.dtype == high.dtype and kernels.apply_to(*given)


def fused_sums(
    x: tuple[Tensor, Tensor],
    partition: WidthPartition,
    weight: Tensor,
    loop: Tensor | None,
    expand: nn.Linear | None,
    selector: nn.Module | None,
) -> tuple[Tensor, Tensor]:
    r"""The sums of the messages that f and g adapt, for low and for high nodes.

    These are :math:`l_v \mathbf{x}_v + \sum_{u \to v} w_{uv}\, \mathbf{m}_{uv}` with
    :math:`\mathbf{m}_{uv} = \mathbf{x}_u` between nodes of one width, :math:`f(\mathbf{x}_u)` into
    high and :math:`g(\mathbf{x}_v, \mathbf{x}_u)` into low nodes.

    Args:
        x: States of low and of high nodes.
        partition: The nodes and edges.
        weight: The weight of each edge, in the order of the partition's rows.
        loop: The weight of each node's own state, low nodes first.
        expand: f, or ``None`` where both states have one width and messages stay as they are.
        selector: g.
    """
    if expand is None or selector is None:
        return width_aware_sums(*x, partition, weight, loop)
    assert isinstance(selector, TopK)
    low, high = width_aware_sums(
        *x,
        partition,
        weight,
        loop,
        expand.weight,
        selector.eta.first.weight,
        selector.eta.first.bias,
        relu=selector.ties,
        ascending=selector.ascending,
    )
    if expand.bias is not None:
        high = high + torch.outer(weight_from_low(partition, weight), expand.bias)
    return low, high


def with_backend(text: str) -> str:
    """The repr of a layer with the backend as its last argument."""
    return f"{text[:-1]}, backend={current_backend()})"
