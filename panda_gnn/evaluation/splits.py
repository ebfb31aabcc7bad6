"""Which graphs or nodes are for training, for validation and for test."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Split:
    """The rows (graphs, or nodes of one graph) for training, validation and test."""

    train: Tensor
    validation: Tensor
    test: Tensor

    @property
    def hash(self) -> str:
        """A short hash of which row is where."""
        digest = hashlib.sha256()
        for part in (self.train, self.validation, self.test):
            digest.update(part.sort().values.numpy().tobytes() + b"|")
        return digest.hexdigest()[:16]


def random_split(count: int, seed: int, *, train: float = 0.8, validation: float = 0.1) -> Split:
    """A share of the rows for training, one for validation and the rest for test, by the seed."""
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    sizes = int(train * count), int(validation * count)
    return Split(*order.split([*sizes, count - sum(sizes)]))
