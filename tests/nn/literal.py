"""The paper's layers, literally: one node, one neighbour, one equation at a time, in float64."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from panda_gnn.nn import PandaConv
from panda_gnn.nn.selectors import Gated, Projection, Sorted, TopK

States = list[Tensor]
"""One vector for each node; high nodes' are longer."""


def eta(selector: TopK, h_u: Tensor, h_v: Tensor) -> Tensor:
    both = torch.cat([h_u, h_v])
    out = selector.eta.first.weight @ both + selector.eta.first.bias
    if selector.eta.second is not None:
        out = selector.eta.second.weight @ out.clamp(min=0) + selector.eta.second.bias
    return out


def g(selector: nn.Module, h_v: Tensor, h_u: Tensor) -> Tensor:
    """gather(h_u, topk(s, p)), s = softmax(sigmoid(eta(h_u + h_v)))."""
    if isinstance(selector, Projection):
        return selector.linear.weight @ h_u
    assert isinstance(selector, TopK)
    logits = eta(selector, h_u, h_v)
    activated = logits.clamp(min=0) if selector.score == "relu" else 1 / (1 + (-logits).exp())
    s = activated.exp() / activated.exp().sum()
    ranking = sorted(range(len(s)), key=lambda i: (-float(s[i].detach()), i))[: selector.width]
    if isinstance(selector, Sorted):
        ranking = sorted(ranking)
    if isinstance(selector, Gated):
        chosen = s[ranking]
        return h_u[ranking] * chosen / chosen.mean()
    return h_u[ranking]


def f(layer: PandaConv, h_u: Tensor) -> Tensor:
    assert layer.expand is not None
    out = layer.expand.weight @ h_u
    return out if layer.expand.bias is None else out + layer.expand.bias


def message(layer: PandaConv, high: Tensor, h: States, u: int, v: int) -> Tensor:
    """What v hears from u."""
    if high[u] == high[v] or layer.expand is None or layer.selector is None:
        return h[u]
    return f(layer, h[u]) if high[v] else g(layer.selector, h[v], h[u])


def neighbours(edge_index: Tensor, v: int) -> list[int]:
    """The number of each edge into v."""
    return [e for e in range(edge_index.size(1)) if int(edge_index[1, e]) == v]


def degrees(edge_index: Tensor, num_nodes: int, weight: Tensor | None, loops: bool) -> list[float]:
    degree = [0.0] * num_nodes
    has_loop = [False] * num_nodes
    for e in range(edge_index.size(1)):
        u, v = edge_index[:, e].tolist()
        degree[v] += 1.0 if weight is None else float(weight[e])
        has_loop[v] |= u == v
    if loops:
        degree = [d + (0.0 if own else 1.0) for d, own in zip(degree, has_loop, strict=True)]
    return degree


def normalised_sum(
    h: States,
    edge_index: Tensor,
    weight: Tensor | None,
    loops: bool,
    heard: Callable[[int, int], Tensor],
) -> States:
    """sum_u w_uv / sqrt(d_u d_v) heard(u, v), with a self-loop of weight 1 where asked."""
    degree = degrees(edge_index, len(h), weight, loops)
    out = []
    for v in range(len(h)):
        total = torch.zeros_like(h[v])
        sources = []
        for e in neighbours(edge_index, v):
            u = int(edge_index[0, e])
            sources.append(u)
            w = 1.0 if weight is None else float(weight[e])
            if w:
                total = total + w / (degree[u] * degree[v]) ** 0.5 * heard(u, v)
        if loops and v not in sources:
            total = total + h[v] / degree[v]
        out.append(total)
    return out


def sums(h: States, edge_index: Tensor, heard: Callable[[int, int], Tensor]) -> States:
    """sum_u heard(u, v)."""
    out = []
    for v in range(len(h)):
        total = torch.zeros_like(h[v])
        for e in neighbours(edge_index, v):
            total = total + heard(int(edge_index[0, e]), v)
        out.append(total)
    return out
