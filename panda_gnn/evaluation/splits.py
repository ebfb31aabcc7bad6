"""Which graphs or nodes are for training, for validation and for test."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import torch
from torch import Tensor

FOLDS = 10


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
    return Split(*order.split(split_sizes(count, train=train, validation=validation)))


def split_sizes(count: int, *, train: float = 0.8, validation: float = 0.1) -> list[int]:
    """How many rows a random split has for training, validation and test."""
    sizes = int(train * count), int(validation * count)
    return [*sizes, count - sum(sizes)]


def seen_on_validation(count: int, choosing: int, seeds: int) -> tuple[float, float]:
    """The least and the greatest share of a seed's test rows that are validation rows of another
    seed on which settings are chosen.

    Args:
        count: How many rows are split at random.
        choosing: Settings are chosen on the seeds 0 to ``choosing - 1``.
        seeds: Shares are taken over the test rows of the seeds 0 to ``seeds - 1``.
    """
    validation = [random_split(count, seed).validation for seed in range(choosing)]
    shares = []
    for seed in range(seeds):
        test = random_split(count, seed).test
        others = validation[:seed] + validation[seed + 1 :]
        seen = torch.isin(test, torch.cat([*others, test[:0]]))
        shares.append(float(seen.double().mean()))
    return min(shares), max(shares)


def fold_split(y: Tensor, seed: int) -> Split:
    """One of ten stratified folds for test, a tenth of the others for validation.

    This is the split of `"A Fair Comparison of Graph Neural Networks for Graph Classification"
    <https://arxiv.org/abs/1912.09893>`_ (Errica et al.): ten folds for assessment, in each of them
    one hold-out for choices. The folds are the same for all seeds, and of seed s fold s modulo 10
    is for test: seeds 10 to 19 train once more on the splits of 0 to 9.

    Args:
        y: The class of each row.
        seed: The seed.
    """
    chance = torch.rand(y.numel(), generator=torch.Generator().manual_seed(0))
    order = chance.argsort()
    order = order[y[order].argsort(stable=True)]  # class by class, dealt out to the folds in turn
    fold = seed % FOLDS
    in_fold = torch.arange(y.numel()) % FOLDS == fold
    others = order[~in_fold]
    held_out = torch.arange(others.numel()) % FOLDS == fold
    return Split(others[~held_out], others[held_out], order[in_fold])


def named_split(kind: str, count: int, seed: int) -> Split:
    """The split of own data: shares such as ``80/10/10``, folds such as ``cv10``, or the rows in
    their order, as in ``rows 1000/100/100``.

    Of N folds of one order of the rows, seed s takes fold s modulo N for test and the next one for
    validation; every N seeds there is another order.
    """
    if kind.startswith("rows "):
        return Split(*torch.arange(count).split([int(size) for size in kind[5:].split("/")]))
    if not kind.startswith("cv"):
        return random_split(count, seed, **_shares(kind))
    folds = int(kind[2:])
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed // folds))
    parts = list(order.tensor_split(folds))
    test = parts[seed % folds]
    validation = parts[(seed + 1) % folds]
    rest = [part for i, part in enumerate(parts) if i not in (seed % folds, (seed + 1) % folds)]
    return Split(torch.cat(rest), validation, test)


def _shares(kind: str) -> dict[str, float]:
    train, validation, _ = (int(share) / 100 for share in kind.split("/"))
    return {"train": train, "validation": validation}


def named_ratio(kind: str, count: int) -> float:
    """Test rows over training rows of a split of ``count`` rows of own data; 0 where all seeds have
    the same split."""
    if kind.startswith("cv"):
        return 1 / (int(kind[2:]) - 2)
    if kind.startswith("rows ") or kind == "masks":
        return 0.0
    train, _, test = split_sizes(count, **_shares(kind))
    return test / train
