"""How all figures look: sizes, colours, and every series by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Sheet:
    """What a figure is drawn on.

    Attributes:
        column: Inches of a column of text, the width of figures of one or two panels in a row.
        text: Inches of the whole text, the width of figures of more panels.
        caption: What is written below the panels; nothing where it is empty.
    """

    column: float = 3.25
    text: float = 6.75
    caption: str = ""


#: The templates of venues, by the widths of a column and of the text in their style files.
TEMPLATES: Mapping[str, Sheet] = {
    "icml": Sheet(3.25, 6.75),
    "neurips": Sheet(5.5, 5.5),
    "iclr": Sheet(5.5, 5.5),
    "acl": Sheet(3.03, 6.3),
    "ieee": Sheet(3.5, 7.16),
    "acm": Sheet(3.33, 7.0),
    "lncs": Sheet(4.8, 4.8),
}

#: What pictures can be written as.
PICTURES = ("png", "svg", "pdf")

PANEL_HEIGHT = 2.0
POINTS = 7.0
"""The size of letters."""
CAPTION_POINTS = 6.0

#: Okabe and Ito's colours, which people of every kind of colour vision can tell apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
GREY = "#767676"
#: Their yellow is too faint for lines on white paper; and two more are needed.
OCHRE, WINE, BROWN = "#9A8700", "#6B1F3D", "#7F3B08"

STYLE = {
    "font.size": POINTS,
    "font.family": "DejaVu Sans",
    "axes.titlesize": POINTS,
    "axes.labelsize": POINTS,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "xtick.labelsize": POINTS - 0.5,
    "ytick.labelsize": POINTS - 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": POINTS - 0.5,
    "legend.frameon": False,
    "legend.handlelength": 2.0,
    "legend.columnspacing": 1.0,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "svg.hashsalt": "panda-gnn",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # whole fonts, which venues ask for
}


@dataclass(frozen=True)
class SeriesStyle:
    """How one series looks: told apart by colour, marker and dashes, never by colour alone."""

    label: str
    colour: str
    marker: str
    dashes: str = "-"


#: Every series of every figure, by its name in the CSV.
SERIES_STYLES: Mapping[str, SeriesStyle] = {
    "none": SeriesStyle("no rewiring", BLACK, "o"),
    "residual": SeriesStyle("with residual", GREY, "o", "--"),
    "digl": SeriesStyle("DIGL", OCHRE, "v", "-."),
    "sdrf": SeriesStyle("SDRF", GREEN, "^", "--"),
    "fosr": SeriesStyle("FoSR", ORANGE, "s", "--"),
    "borf": SeriesStyle("BORF", PURPLE, "D", "-."),
    "gtr": SeriesStyle("GTR", SKY, "P", ":"),
    "ct-layer": SeriesStyle("CT-Layer", GREY, "X", ":"),
    "last-fa": SeriesStyle("FA, last layer", GREY, "1", ":"),
    "every-fa": SeriesStyle("FA, every layer", GREY, "2", "--"),
    "all-wide": SeriesStyle("all nodes wide", BLUE, "d", ":"),
    "panda": SeriesStyle("PANDA", VERMILION, "*"),
    "panda-gated": SeriesStyle("PANDA, gated", GREEN, "^", "--"),
    "panda-gated-fixed": SeriesStyle("PANDA, fixed gates", OCHRE, "v", ":"),
    "panda-linear": SeriesStyle("PANDA, linear", PURPLE, "D", "-."),
    "virtual-node": SeriesStyle("virtual node", GREY, "X", ":"),
    "equal-width": SeriesStyle("two kinds, one width", WINE, "h", ":"),
    "panda-plain": SeriesStyle("PANDA, no residual", BROWN, "X", "--"),
    "p=16": SeriesStyle("p = 16", "#A6CEE8", "v"),
    "p=32": SeriesStyle("p = 32", SKY, "^"),
    "p=64": SeriesStyle("p = 64", BLUE, "o"),
    "p=128": SeriesStyle("p = 128", "#003F63", "s"),
    "p=256": SeriesStyle("p = 256", BLACK, "D"),
    "gcn": SeriesStyle("GCN", BLACK, "o"),
    "gin": SeriesStyle("GIN", BLUE, "s"),
    "panda-gcn": SeriesStyle("PANDA-GCN", VERMILION, "*"),
    "panda-gin": SeriesStyle("PANDA-GIN", BLUE, "P"),
}
