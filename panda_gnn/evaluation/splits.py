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


def named_split(kind: str, count: int, seed: int) -> Split:
    """The split of own data: shares such as ``80/10/10``, folds such as ``cv10``, or the rows in
    their order, as in ``rows 1000/100/100``.

    Of N folds of one order of the rows, seed s takes fold s modulo N for test and the next one for
    validation; every N seeds there is another order.
    """
    if kind.startswith("rows "):
        return Split(*torch.arange(count).split([int(size) for size in kind[5:].split("/")]))
    if not kind.startswith("cv"):
        shares = [int(share) / 100 for share in kind.split("/")]
        return random_split(count, seed, train=shares[0], validation=shares[1])
    folds = int(kind[2:])
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed // folds))
    parts = list(order.tensor_split(folds))
    test = parts[seed % folds]
    validation = parts[(seed + 1) % folds]
    rest = [part for i, part in enumerate(parts) if i not in (seed % folds, (seed + 1) % folds)]
    return Split(torch.cat(rest), validation, test)
