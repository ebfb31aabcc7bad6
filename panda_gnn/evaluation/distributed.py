"""Data-parallel training: several processes, one model, one gradient.

Started by ``torchrun --nproc-per-node 2 train.py``, every process has a copy of the model and a
share of each mini-batch, and after the backward pass all have the gradient of the whole one::

    with team() as workers:
        train(model, graphs, split, recipe, seed, workers=workers)

Without dropout and batch norm that is what one process computes, up to rounding. Dropout is drawn
in every process by itself, so with it the gradients are equal in expectation; a batch norm takes
its means over the share of its process. Without torchrun the same program runs in one process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn


@dataclass(frozen=True)
class Workers:
    """The processes that train together.

    Attributes:
        rank: The number of this one, from 0.
        size: How many there are.
    """

    rank: int = 0
    size: int = 1

    def share(self, rows: Tensor) -> Tensor:
        """The rows of a mini-batch that this process takes: every ``size``-th, from its rank on."""
        return rows[self.rank :: self.size]

    def start_alike(self, model: nn.Module) -> None:
        """Give all processes the weights and buffers of the first."""
        if self.size > 1:
            for tensor in (*model.parameters(), *model.buffers()):
                distributed.broadcast(tensor.detach(), src=0)

    def average_gradients(self, model: nn.Module, count: int) -> None:
        """Replace the gradient of a mean over ``count`` rows by that of the mean over all rows.

        A process without rows takes part with ``count`` 0; a parameter that has a gradient in no
        process has none afterwards.
        """
        if self.size == 1:
            return
        trained = [p for p in model.parameters() if p.requires_grad]
        parts = [
            torch.zeros_like(p) if p.grad is None else count * p.grad.detach() for p in trained
        ]
        seen = parts[0].new_tensor([count, *(p.grad is not None for p in trained)])
        together = torch.cat([seen, *(part.reshape(-1) for part in parts)])
        distributed.all_reduce(together)
        seen, sums = together.split([seen.numel(), together.numel() - seen.numel()])
        means = (sums / seen[0].clamp(min=1)).split([p.numel() for p in trained])
        for parameter, mean, processes in zip(trained, means, seen[1:].tolist(), strict=True):
            parameter.grad = mean.view_as(parameter).clone() if processes else None

    def total(self, value: float) -> float:
        """The sum of what the processes have."""
        if self.size == 1:
            return value
        tensor = torch.tensor(value, dtype=torch.float64)
        distributed.all_reduce(tensor)
        return float(tensor)


@contextmanager
def team(backend: str = "gloo") -> Iterator[Workers]:
    """The processes that torchrun or Ray Train started, or this one alone.

    Ray Train has already made the group of its processes, and ends it itself.
    """
    if distributed.is_available() and distributed.is_initialized():
        yield Workers(distributed.get_rank(), distributed.get_world_size())
        return
    if not distributed.is_torchelastic_launched():
        yield Workers()
        return
    distributed.init_process_group(backend)
    try:
        yield Workers(distributed.get_rank(), distributed.get_world_size())
    finally:
        distributed.destroy_process_group()
