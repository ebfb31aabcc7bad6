"""Numbers for people, and colours for numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

UNKNOWN = "#D9D9D9"

#: From light to dark, told apart in every kind of colour vision and in grey.
SEQUENTIAL = ("#FFF7CF", "#FBD97B", "#F3AE45", "#DE7A2B", "#B64A2C", "#7E2A33", "#431836")


@dataclass(frozen=True)
class ColourScale:
    """Colours for the values between two ends."""

    low: float
    high: float
    colours: Sequence[str] = SEQUENTIAL
    logarithmic: bool = False

    @classmethod
    def of(cls, values: Tensor) -> ColourScale:
        """From the smallest to the largest value; logarithmic where they are far apart."""
        known = values[values.isfinite()]
        if known.numel() == 0:
            return cls(0.0, 0.0)
        low, high = float(known.min()), float(known.max())
        return cls(low, high, logarithmic=low > 0 and high > 100 * low)

    def __call__(self, value: float) -> str:
        """The colour of a value."""
        if not math.isfinite(value):
            return UNKNOWN
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = (math.log(max(end, self.low)) for end in (value, low, high))
        share = (value - low) / (high - low) if high > low else 0.5
        place = min(max(share, 0.0), 1.0) * (len(self.colours) - 1)
        left = min(int(place), len(self.colours) - 2)
        return _mixed(self.colours[left], self.colours[left + 1], place - left)


def number(value: float | None) -> str:
    """A number for people: three digits that count."""
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or abs(value) < 1e-12:
        return "0"
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value)}"
    if 1e-3 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.1e}"


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def _mixed(first: str, second: str, share: float) -> str:
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02X}" for a, b in pairs)
