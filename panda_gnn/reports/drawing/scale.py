"""Numbers for people."""

from __future__ import annotations

import math


def number(value: float | None) -> str:
    """A number for people: three digits that count."""
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or abs(value) < 1e-12:
        return "0"
    value = float(f"{value:.12g}")  # the last bits, which a processor decides, round no half
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value)}"
    if 1e-3 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.1e}"
