"""Graphs as SVG, to be put into a page: no library, no script, no network."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

SCALE = 44.0
"""Pixels of an edge."""
SMALLEST = 240.0
"""Pixels of the narrowest drawing."""
UNKNOWN = "#D9D9D9"

#: From light to dark, told apart in every kind of colour vision and in grey.
SEQUENTIAL = ("#FFF7CF", "#FBD97B", "#F3AE45", "#DE7A2B", "#B64A2C", "#7E2A33", "#431836")
#: From vermilion over a light grey to blue: negative, zero, positive.
DIVERGING = ("#9A3B00", "#D55E00", "#EFAA7C", "#DADADA", "#86BBDD", "#0072B2", "#004A75")


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

    @classmethod
    def around_zero(cls, values: Tensor) -> ColourScale:
        """As far below zero as above it."""
        known = values[values.isfinite()]
        end = float(known.abs().max()) if known.numel() else 0.0
        return cls(-end, end, DIVERGING)

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

    def legend(self, unit: str) -> str:
        """The scale as HTML: a bar between its two ends."""
        bar = ", ".join(self.colours)
        unit = html.escape(f"{unit}, logarithmic" if self.logarithmic else unit)
        if self.low == self.high:
            return f'<p class="scale"><span>everywhere {number(self.low)} {unit}</span></p>'
        return (
            f'<p class="scale"><span>{number(self.low)}</span>'
            f'<i style="background:linear-gradient(90deg,{bar})"></i>'
            f"<span>{number(self.high)}</span><span>{unit}</span></p>"
        )


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


def draw_graph(
    position: Tensor,
    edges: Tensor,
    names: Sequence[str],
    *,
    title: str,
    high: Tensor | None = None,
    node_values: Tensor | None = None,
    edge_values: Tensor | None = None,
    scale: ColourScale | None = None,
) -> str:
    """A drawing whose nodes or edges have the colours of their values.

    High nodes are larger and have a thick rim. Pointing at a node or an edge shows its value.

    Args:
        position: Where the nodes are, as :func:`panda_gnn.reports.drawing.layout.layout` says.
        edges: Every edge once, ``[2, m]``.
        names: The names of the nodes.
        title: What the drawing shows, for screen readers.
        high: Mask of the high nodes.
        node_values: A value for each node.
        edge_values: A value for each edge.
        scale: The colours of the values.
    """
    count = len(names)
    radius, thick = (9.0, 4.0) if count <= 60 else (6.0, 3.0) if count <= 200 else (4.0, 1.8)
    place = (position - position.amin(0)) * SCALE + 20
    right, bottom = (place.amax(0) + 20).tolist()
    room = max(SMALLEST - right, 0.0)
    parts = [
        f'<svg viewBox="{-room / 2:.0f} 0 {right + room:.0f} {bottom:.0f}" role="img" '
        f'aria-label="{html.escape(title)}" style="max-width:{right + room:.0f}px">'
    ]
    for index, (u, v) in enumerate(edges.t().tolist()):
        colour, width, text = "#9A9A9A", 1.5, f"{names[u]} – {names[v]}"
        if edge_values is not None and scale is not None:
            value = float(edge_values[index])
            colour, width, text = scale(value), thick, f"{text}: {number(value)}"
        (x1, y1), (x2, y2) = place[u].tolist(), place[v].tolist()
        parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}" stroke-linecap="round">'
            f"<title>{html.escape(text)}</title></line>"
        )
    for node in range(count):
        wide = bool(high[node]) if high is not None else False
        colour, text = "#FFFFFF" if edge_values is None else "#6E6E6E", names[node]
        if node_values is not None and scale is not None:
            value = float(node_values[node])
            colour, text = scale(value), f"{text}: {number(value)}"
        size = radius * (1.45 if wide else 1.0) * (0.6 if node_values is None else 1.0)
        x, y = place[node].tolist()
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" fill="{colour}" stroke="#222" '
            f'stroke-width="{3 if wide else 1}"><title>{html.escape(text)}'
            f"{' (high)' if wide else ''}</title></circle>"
        )
        if count <= 60 and node_values is not None and len(names[node]) <= 3:
            ink = "#FFF" if scale is not None and _is_dark(colour) else "#222"
            parts.append(
                f'<text x="{x:.1f}" y="{y + 3:.1f}" fill="{ink}">{html.escape(names[node])}</text>'
            )
    return "".join([*parts, "</svg>"])


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def _mixed(first: str, second: str, share: float) -> str:
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02X}" for a, b in pairs)


def _is_dark(colour: str) -> bool:
    red, green, blue = _channels(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 130
