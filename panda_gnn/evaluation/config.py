"""What a trial is asked to do: everything that decides its result, except the seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from panda_gnn.errors import InputError

Setting = str | int | float | bool | None


@dataclass(frozen=True)
class Config:
    """One cell of a table: a method on a backbone on a dataset, and how it is trained.

    Attributes:
        dataset: Name of the dataset, as in :func:`panda_gnn.datasets.load`.
        backbone: Name of the backbone.
        method: What is compared: ``none``, a rewiring, a control, or ``panda``.
        settings: Options of the method, such as ``k`` and ``high_width``; what is not given has
            the method's default.
        width: Hidden width.
        num_layers: Number of hidden layers.
        dropout: Dropout probability.
        learning_rate: Step size of Adam.
        batch_size: Graphs in a mini-batch.
        max_epochs: Epochs after which training ends in any case.
        patience: Epochs without a new validation goal after which training ends.
        threshold: The next validation goal is this many times the last.
    """

    dataset: str
    backbone: str = "gcn"
    method: str = "none"
    settings: Mapping[str, Any] = field(default_factory=dict)
    width: int = 64
    num_layers: int = 4
    dropout: float = 0.5
    learning_rate: float = 1e-3
    batch_size: int = 64
    max_epochs: int = 300
    patience: int = 100
    threshold: float = 1.01

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON, the settings in alphabetical order."""
        plain = asdict(self)
        plain["settings"] = dict(sorted(self.settings.items()))
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Config:
        """The config of which :meth:`to_dict` gave ``values``."""
        known = {item.name for item in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise InputError(
                f"unknown option '{unknown[0]}': a config has {', '.join(sorted(known))}"
            )
        return cls(**values)

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """A short hash of all values: equal for equal configs, on every machine."""
        return key_of(self.to_dict())


def key_of(config: Mapping[str, Any]) -> str:
    """The key of a config that is given by its plain values."""
    text = json.dumps(config, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
