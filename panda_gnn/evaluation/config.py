"""What a trial is asked to do: everything that decides its result, except the seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, get_type_hints

from pydantic import BeforeValidator, TypeAdapter, create_model
from pydantic_core import PydanticCustomError

from panda_gnn.options import LARGEST, Count, Fraction, Natural, Positive, Table, validate


def _plain(value: Any) -> Any:
    number = isinstance(value, (int, float)) and -LARGEST <= value <= LARGEST
    if not (number or value is None or isinstance(value, str)):
        raise PydanticCustomError("setting", "a text, a finite number, true or false")
    return value


#: The value of a setting.
Setting = Annotated[str | int | float | bool | None, BeforeValidator(_plain)]


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
    width: Count = 64
    num_layers: Count = 4
    dropout: Fraction = 0.5
    learning_rate: Positive = 1e-3
    batch_size: Count = 64
    max_epochs: Count = 300
    patience: Natural = 100
    threshold: Positive = 1.01

    def __post_init__(self) -> None:
        validate("", vars(self), _CONFIG)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON, the settings in alphabetical order."""
        return {**vars(self), "settings": dict(sorted(self.settings.items()))}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Config:
        """The config of which :meth:`to_dict` gave ``values``."""
        validate("", values, _CONFIG)
        return cls(**values)

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """A short hash of all values: equal for equal configs, on every machine."""
        return key_of(self.to_dict())


_FIELDS: dict[str, Any] = {
    **get_type_hints(Config, include_extras=True),
    "settings": Mapping[str, Setting],
}

#: The fields of a config that say how a model is trained, and their types.
TRAINING = dict(list(_FIELDS.items())[4:])


def _table(fields: Mapping[str, Any], *needed: str) -> Any:
    """The type of a table with these fields, of which only some must be there."""
    kinds: Any = {name: (kind, ... if name in needed else None) for name, kind in fields.items()}
    return create_model("Fields", __base__=Table, **kinds)


_CONFIG = TypeAdapter(_table(_FIELDS, "dataset"))

#: A table of fields of training, with any or none of them.
Training = _table(TRAINING)


def key_of(config: Mapping[str, Any]) -> str:
    """The key of a config that is given by its plain values."""
    text = json.dumps(config, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
