"""The paper's figure of signal propagation against total effective resistance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from panda_gnn.evaluation.statistics import LEVEL
from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.panels import (
    CsvRow,
    Figure,
    Panel,
    distinct,
    draw_panels,
    pairs_in_rows,
    select,
)
from panda_gnn.reports.drawing.style import SERIES_STYLES, Sheet
from panda_gnn.reports.figures.request import Request, config_of, printed, series
from panda_gnn.reports.models import printed_name

BINS = 8


def rows(request: Request, study: Study) -> list[CsvRow]:
    """The signal of every graph under every method, and the resistance of the graph before it."""
    table: list[CsvRow] = []
    for cell, values in request.values(study):
        resistance = values["total_resistance"][0]
        largest = max(*resistance, 1e-12)
        heard, signal = (np.mean(values[name], axis=0).tolist() for name in ("heard", "signal"))
        table += [
            {
                "dataset": cell.dataset,
                "backbone": cell.line.backbone,
                "series": series(cell),
                "graph": number,
                "total_resistance": resistance[place],
                "normalised_resistance": resistance[place] / largest,
                "heard": heard[place],
                "signal": signal[place],
                "trials": request.trials,
            }
            for place, number in enumerate(values["graph"][0])
        ]
    return table


def correlation(rows: Sequence[CsvRow], column: str = "heard") -> float:
    """Pearson's correlation of signal and total resistance; zero where one of them is constant."""
    x = np.array([float(row["total_resistance"]) for row in rows])
    y = np.array([float(row[column]) for row in rows])
    if x.std() == 0 or y.std() == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def correlation_interval(r: float, count: int) -> tuple[float, float]:
    r"""The 95 % interval of a correlation of ``count`` pairs by Fisher's transformation.

    :math:`\tanh(\operatorname{artanh} r \pm 1.96 / \sqrt{n - 3})`; everything below four pairs. It
    takes graphs for independent.
    """
    if count < 4:
        return -1.0, 1.0
    centre = np.arctanh(np.clip(r, -1 + 1e-15, 1 - 1e-15))
    half = norm.ppf((1 + LEVEL) / 2) / np.sqrt(count - 3)
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))


def _cases(rows: Sequence[CsvRow]) -> list[tuple[str, str, list[CsvRow]]]:
    """Every dataset and backbone, with their rows."""
    return [
        (dataset, backbone, select(rows, dataset=dataset, backbone=backbone))
        for dataset in distinct(rows, "dataset")
        for backbone in distinct(rows, "backbone")
    ]


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """A panel for each dataset and backbone: means of graphs of about equal resistance."""
    panels = [
        Panel(
            f"{printed_name(backbone)}, {printed(dataset)}",
            [
                row
                for name in distinct(case, "series")
                for row in _binned(name, select(case, series=name))
            ],
            "resistance",
            "heard",
            x_label="total resistance / largest",
            y_label="signal",
            ticks=False,
            x_logarithmic=True,
            y_limits=(0, None),
        )
        for dataset, backbone, case in _cases(rows)
    ]
    return draw_panels(panels, sheet, columns=pairs_in_rows(len(panels)), y_labels_once=True)


def _binned(name: str, rows: Sequence[CsvRow]) -> list[CsvRow]:
    """Mean resistance, mean signal and its standard error of equally many graphs each."""
    ordered = sorted(
        (float(row["normalised_resistance"]), place, float(row["heard"]))
        for place, row in enumerate(rows)
    )
    bins: list[CsvRow] = []
    for part in np.array_split(np.array(ordered), min(BINS, len(ordered))):
        resistance, heard = part[:, 0], part[:, 2]
        bins.append(
            {
                "series": name,
                "resistance": float(np.mean(resistance)),
                "heard": float(heard.mean()),
                "standard_error": float(heard.std(ddof=1) / len(heard) ** 0.5)
                if len(heard) > 1
                else 0.0,
                "trials": int(rows[0]["trials"]),
            }
        )
    return bins


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows, with the correlations."""
    config = config_of(study, "panda")
    settings = config.settings
    parts = []
    for dataset, backbone, case in _cases(rows):
        values = []
        for name in distinct(case, "series"):
            line = select(case, series=name)
            r = correlation(line)
            low, high = correlation_interval(r, len(line))
            values.append(f"{SERIES_STYLES[name].label} {r:+.2f} ({low:+.2f} to {high:+.2f})")
        parts.append(f"{printed_name(backbone)} on {printed(dataset)}: {', '.join(values)}")
    return (
        f"How far the signal of a source gets in untrained models ({config.num_layers} layers of "
        f"{config.width}, the {settings['k']} high nodes of PANDA {settings['high_width']}), as a "
        "share of the greatest distance, against total effective resistance before rewiring: "
        f"{request.graphs_in_words()}, {settings['sources']} sources each, "
        f"{request.initialisations}; means of {BINS} groups of graphs, "
        f"band: standard error. Pearson's r with its 95 % interval for {'; '.join(parts)}."
    )
