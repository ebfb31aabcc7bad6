"""Convolutions of PyG that are backbones by name.

Each is PyG's class with its own defaults, called with input and output width: GraphSAGE (mean), GAT
and GATv2 (one head, self-loops), PNA (mean, least, greatest and deviation, each scaled by degree in
three ways; ``deg`` is the histogram of degrees, as in PyG) and the transformer convolution (one
head).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from torch import Tensor, nn
from torch_geometric.nn import GATConv, GATv2Conv, PNAConv, SAGEConv, TransformerConv


def pna(in_channels: int, out_channels: int, *, deg: Tensor) -> nn.Module:
    """PNA with the aggregations and scalers of its paper.

    Args:
        in_channels: Input width.
        out_channels: Output width.
        deg: How many nodes have degree 0, 1, 2 and so on.
    """
    conv: nn.Module = PNAConv(
        in_channels,
        out_channels,
        aggregators=["mean", "min", "max", "std"],
        scalers=["identity", "amplification", "attenuation"],
        deg=deg,
    )
    return conv


PYG_BACKBONES: Mapping[str, Callable[..., nn.Module]] = MappingProxyType(
    {
        "sage": SAGEConv,
        "gat": GATConv,
        "gatv2": GATv2Conv,
        "pna": pna,
        "transformer": TransformerConv,
    }
)
