"""Every figure of the paper and of its appendix, and one more, as functions and by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.trial import one_thread
from panda_gnn.reports.figures import (
    energy,
    molecule,
    resistance,
    sensitivity,
    signal,
    sweep,
    transfer,
)
from panda_gnn.reports.figures.request import FigureKind, Request
from panda_gnn.reports.figures.style import write

__all__ = ["FIGURES", "FigureKind", "Request", "figure_name", "make_figure"]

#: The six datasets of the paper's graph classification.
EVERY = ("reddit-binary", "imdb-binary", "mutag", "enzymes", "proteins", "collab")

_WIDTHS = (sensitivity.measure_widths, sensitivity.draw, sensitivity.caption_widths)
_METHODS = (sensitivity.measure_methods, sensitivity.draw, sensitivity.caption_methods)
_SIGNAL = (signal.measure, signal.draw, signal.caption)
_ENERGY = (energy.measure, energy.draw, energy.caption)
_K = (sweep.measure("sweep-k"), sweep.draw, sweep.caption)
_HIGH_WIDTH = (sweep.measure("sweep-high-width"), sweep.draw, sweep.caption)

FIGURES: Mapping[str, FigureKind] = MappingProxyType(
    {
        "resistance": FigureKind(
            "correlation of signal and resistance against accuracy, by method",
            ("mutag", "reddit-binary"),
            3,
            resistance.measure,
            resistance.draw,
            resistance.caption,
        ),
        "sensitivity-width": FigureKind("sensitivity by width", ("mutag",), 3, *_WIDTHS),
        "sensitivity-width-all": FigureKind("the same for all datasets", EVERY, 3, *_WIDTHS),
        "sensitivity-method": FigureKind("sensitivity by method", ("mutag",), 3, *_METHODS),
        "sensitivity-method-all": FigureKind("the same for all datasets", EVERY, 3, *_METHODS),
        "signal": FigureKind(
            "signal propagation against total resistance", ("reddit-binary",), 3, *_SIGNAL
        ),
        "signal-all": FigureKind(
            "the same for all datasets of the paper's appendix",
            ("enzymes", "mutag", "proteins", "reddit-binary"),
            3,
            *_SIGNAL,
        ),
        "energy": FigureKind(
            "Dirichlet energy of trained models", ("proteins", "mutag"), 5, *_ENERGY
        ),
        "energy-all": FigureKind("the same for all datasets", EVERY, 3, *_ENERGY),
        "topk": FigureKind(
            "accuracy against k, from the study sweep-k", ("proteins", "mutag"), 1, *_K
        ),
        "topk-all": FigureKind("the same for all datasets", EVERY, 1, *_K),
        "high-width": FigureKind(
            "accuracy against high_width, from the study sweep-high-width",
            ("proteins", "mutag"),
            1,
            *_HIGH_WIDTH,
        ),
        "high-width-all": FigureKind("the same for all datasets", EVERY, 1, *_HIGH_WIDTH),
        "molecule": FigureKind(
            "a molecule of MUTAG with its high nodes marked (not in the paper)",
            (),
            1,
            molecule.measure,
            molecule.draw,
            molecule.caption,
        ),
        "transfer": FigureKind(
            "accuracy against distance on transfer tasks (not in the paper)",
            (),
            3,
            transfer.measure,
            transfer.draw,
            transfer.caption,
        ),
    }
)


def figure_name(name: str, datasets: tuple[str, ...]) -> str:
    """What the files of a figure are called: its name and its datasets, unless these are all."""
    kind = FIGURES[choose("figure", name, FIGURES)]
    whole = not kind.datasets or (name.endswith("-all") and datasets == kind.datasets)
    return name if whole else "-".join([name, *datasets])


def make_figure(name: str, request: Request, folder: Path) -> list[Path]:
    """Measure, draw and write a figure as PNG, SVG and CSV; returns the three files."""
    kind = FIGURES[choose("figure", name, FIGURES)]
    for dataset in request.datasets:
        choose("dataset", dataset, DATASETS)
    if bool(request.datasets) != bool(kind.datasets):
        raise InputError(f"the figure '{name}' has its own data: leave --dataset out")
    with one_thread():
        rows = kind.measure(request)
    caption = f"{kind.caption(request, rows)}\n$ {request.command}"
    drawn = kind.draw(rows, caption)
    return write(drawn, rows, folder, figure_name(name, request.datasets), caption)
