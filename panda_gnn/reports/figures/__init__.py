"""Every figure of the paper and of its appendix, and one more, as functions and by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.panels import write_figure
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures import (
    bottleneck,
    energy,
    ladder,
    molecule,
    resistance,
    sensitivity,
    signal,
    sweep,
    transfer,
)
from panda_gnn.reports.figures.request import FigureKind, Request

__all__ = ["FIGURES", "FigureKind", "Request", "figure_name", "figure_study", "make_figure"]

#: The six datasets of the paper's graph classification.
EVERY = ("reddit-binary", "imdb-binary", "mutag", "enzymes", "proteins", "collab")


def _with_all(
    name: str,
    kind: FigureKind,
    datasets: tuple[str, ...] = EVERY,
    summary: str = "the same for all datasets",
) -> dict[str, FigureKind]:
    """A figure, and the same for more datasets with at most three trials."""
    more = replace(kind, summary=summary, datasets=datasets, trials=min(3, kind.trials))
    return {name: kind, f"{name}-all": more}


def _sweep(setting: str, study: str) -> FigureKind:
    summary = f"accuracy against {setting}, from the study {study}"
    return FigureKind(summary, ("proteins", "mutag"), 1, sweep, study, measured=None)


FIGURES: Mapping[str, FigureKind] = MappingProxyType(
    {
        "resistance": FigureKind(
            "correlation of signal and resistance against accuracy, by method",
            ("mutag", "reddit-binary"),
            3,
            resistance,
            "main",
            resistance.signal_study,
        ),
        **_with_all(
            "sensitivity-width",
            FigureKind("sensitivity by width", ("mutag",), 3, sensitivity, "sensitivity-width"),
        ),
        **_with_all(
            "sensitivity-method",
            FigureKind("sensitivity by method", ("mutag",), 3, sensitivity, "sensitivity-method"),
        ),
        **_with_all(
            "signal",
            FigureKind(
                "signal propagation against total resistance",
                ("reddit-binary",),
                3,
                signal,
                "signal",
            ),
            ("enzymes", "mutag", "proteins", "reddit-binary"),
            "the same for all datasets of the paper's appendix",
        ),
        **_with_all(
            "energy",
            FigureKind(
                "Dirichlet energy of trained models", ("proteins", "mutag"), 5, energy, "energy"
            ),
        ),
        **_with_all("topk", _sweep("k", "sweep-k")),
        **_with_all("high-width", _sweep("high_width", "sweep-high-width")),
        "ladder": FigureKind(
            "what size, structure and PANDA add to the backbone (not in the paper)",
            ("mutag", "imdb-binary", "enzymes", "proteins"),
            1,
            ladder,
            "controls",
            measured=None,
        ),
        "molecule": FigureKind(
            "a molecule of MUTAG with its high nodes marked (not in the paper)",
            (),
            1,
            molecule,
            "main",
            measured=None,
        ),
        "transfer": FigureKind(
            "accuracy against distance on transfer tasks (not in the paper)",
            (),
            5,
            transfer,
            "transfer",
        ),
        **{
            name: FigureKind(f"{summary} (not in the paper)", (), 3, bottleneck, name)
            for name, summary in (
                ("hub", "how many bits a hub carries, each for another target"),
                ("short-range", "how many labels a centre holds, one or two edges away"),
                ("tree-neighbors", "accuracy against the depth of a tree whose leaves all speak"),
            )
        },
    }
)


def figure_name(name: str, datasets: tuple[str, ...]) -> str:
    """What the files of a figure are called: its name and its datasets, unless these are all."""
    kind = FIGURES[choose("figure", name, FIGURES)]
    whole = not kind.datasets or (name.endswith("-all") and datasets == kind.datasets)
    return name if whole else "-".join([name, *datasets])


def figure_study(name: str, request: Request) -> Study | None:
    """What a figure still needs: the study to run first, or ``None`` if all its rows are there."""
    kind, shown = _checked(name, request)
    if kind.measured is None:
        return None
    study = kind.measured(request, shown)
    finished = all(len(rows) == request.trials for _, rows in request.measured(study))
    return None if finished else study


def make_figure(
    name: str,
    request: Request,
    folder: Path,
    *,
    sheet: Sheet | None = None,
    formats: Sequence[str] = ("png", "svg"),
    with_caption: bool = False,
) -> list[Path]:
    """Draw a figure from the store and write it, with the CSV behind it and its caption.

    Args:
        name: Which figure.
        request: What to draw.
        folder: Where to.
        sheet: How wide; columns of ICML's template if omitted.
        formats: Of the pictures: png, svg, pdf.
        with_caption: Whether the caption is in the pictures too.

    Returns:
        The pictures in the order of ``formats``, the CSV and the text.
    """
    kind, study = _checked(name, request)
    rows = kind.figure.rows(request, study)
    caption = f"{kind.figure.caption(request, study, rows)}\n$ {request.command}"
    drawn = kind.figure.draw(
        rows, replace(sheet or Sheet(), caption=caption if with_caption else "")
    )
    file_name = figure_name(name, request.datasets)
    return write_figure(drawn, rows, folder, file_name, caption, formats)


def _checked(name: str, request: Request) -> tuple[FigureKind, Study]:
    """The kind of a figure and the part of its study that is asked for."""
    kind = FIGURES[choose("figure", name, FIGURES)]
    for dataset in request.datasets:
        choose("dataset", dataset, DATASETS)
    if bool(request.datasets) != bool(kind.datasets):
        raise InputError(f"the figure '{name}' has its own data: leave --dataset out")
    if request.graphs is not None and not (kind.measured and kind.datasets):
        raise InputError(f"the figure '{name}' measures no graphs: leave --graphs out")
    return kind, request.study(kind.study)
