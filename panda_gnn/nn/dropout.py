"""Dropout that does not dominate training."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from panda_gnn.nn import kernels
from panda_gnn.nn.kernels.drop import drop

LEVELS = 1 << 16


def dropout(x: Tensor, p: float, training: bool = True) -> Tensor:
    """``torch.nn.functional.dropout`` with 16 random bits for each number on a CPU.

    Torch draws a Bernoulli variable for each number, which on a CPU costs more than a layer of a
    small network. Here one random integer of 64 bits decides about four numbers, so the probability
    is ``p`` rounded to a multiple of 1/65536; what is kept is scaled to match. The random numbers
    are those of torch's generator, the same for both backends.

    Args:
        x: Any tensor.
        p: The probability of zero.
        training: Whether to do anything.
    """
    if not (training and 0 < p < 1 and kernels.ordinary(x)):
        return F.dropout(x, p, training)
    threshold = round(p * LEVELS)
    if threshold == LEVELS:
        return x * 0
    scale = LEVELS / (LEVELS - threshold)
    words = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    noise = words.view(torch.int16)[: x.numel()].view(x.shape)
    if kernels.apply_to(x):
        return drop(x, noise, threshold - LEVELS // 2, scale)
    return x * ((noise >= threshold - LEVELS // 2).to(x.dtype) * scale)
