"""What PyG's explainers need to find in a layer.

An explainer such as :class:`~torch_geometric.explain.GNNExplainer` puts a mask with one number for
each edge into every ``MessagePassing`` module of a model, which multiplies its messages by it, or
listens to its attention. A layer of ours is no ``MessagePassing`` module, and a PyG convolution in
a :class:`~panda_gnn.nn.PandaConv` sees half of the edges: an :class:`EdgeMask` stands for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

from panda_gnn.errors import InputError
from panda_gnn.nn.edges import Edges


class EdgeMask(MessagePassing):
    """The module of a layer that explainers give their masks and listen to; it has no parameters
    and sends no messages itself."""

    def __init__(self) -> None:
        super().__init__(aggr=None)
        self._parts: list[tuple[Tensor, Tensor]] = []

    def __setattr__(self, name: str, value: Any) -> None:
        """A mask that learns is no parameter of the model: one that once was would make PyG detach
        the next one, and no gradient would reach it."""
        if name == "_edge_mask":
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def of(self, edges: Edges) -> Edges:
        """The edges with the mask, and with the listener to attention, if there are any."""
        if not (self.explain or self._message_forward_hooks):
            return edges
        mask: Tensor | None = self._edge_mask if self.explain else None
        if mask is not None:
            if mask.size(0) != edges.edge_index.size(1):
                raise InputError(
                    f"the mask to explain has {mask.size(0)} entries, but the layer sees "
                    f"{edges.edge_index.size(1)} edges: explain a model on the edges it is given"
                )
            mask = mask.sigmoid() if self._apply_sigmoid else mask
        listener = self.listen if self._message_forward_hooks else None
        return replace(edges, mask=mask, listener=listener)

    def listen(self, edges: Edges, alpha: Tensor) -> None:
        """Take the attention on the edges, of one half of a graph after the other, and hand it on
        when there is one row for each edge of the whole."""
        whole, order = edges.whole, edges.order
        assert whole is not None  # a layer that sees the whole graph is heard by PyG itself
        assert order is not None
        self._parts.append((order.to(alpha.device), alpha))
        if sum(order.numel() for order, _ in self._parts) < whole.edge_index.size(1):
            return
        merged = alpha.new_zeros(whole.edge_index.size(1), *alpha.shape[1:])
        for order, part in self._parts:
            merged[order] = part
        self._parts = []
        for hook in self._message_forward_hooks.values():
            hook(self, ({"alpha": merged},), None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def message_passing(conv: nn.Module) -> list[Any]:
    """The modules in a PyG convolution that send messages."""
    return [module for module in conv.modules() if isinstance(module, MessagePassing)]


def hide(conv: nn.Module) -> None:
    """Keep explainers away from a convolution: a layer applies the masks in its place."""
    for module in message_passing(conv):
        module._explain = False


@contextmanager
def explained(conv: nn.Module, edges: Edges) -> Iterator[None]:
    """Let a hidden PyG convolution apply the mask of ``edges``, and listen to its attention."""
    modules = message_passing(conv)
    handles = []

    def hear(module: Any, arguments: Any, out: Any) -> None:
        alpha = arguments[0].get("alpha")
        alpha = getattr(module, "_alpha", None) if alpha is None else alpha
        if alpha is not None and edges.listener is not None:
            edges.listener(edges, _of_edges(alpha.detach(), edges))

    for module in modules:
        if edges.mask is not None:
            module.explain = True
            module._edge_mask, module._apply_sigmoid = edges.mask, False
            module._loop_mask = edges.edge_index[0] != edges.edge_index[1]
        if edges.listener is not None:
            handles.append(module.register_message_forward_hook(hear))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
        for module in modules:
            if edges.mask is not None:
                module.explain = False
                module._edge_mask = module._loop_mask = None
                vars(module).pop("propagate", None)


def _of_edges(alpha: Tensor, edges: Edges) -> Tensor:
    """The attention on the edges, without that on self-loops which the convolution put in their
    place."""
    source, target = edges.edge_index
    if alpha.size(0) == source.numel():
        return alpha
    out = alpha.new_zeros(source.numel(), *alpha.shape[1:])
    kept = source != target
    out[kept] = alpha[: int(kept.sum())]
    return out
