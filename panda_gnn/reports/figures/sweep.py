"""The paper's figures of accuracy against k and against high_width, from the store of a study."""

from __future__ import annotations

from collections.abc import Sequence

from panda_gnn.errors import InputError
from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.panels import CsvRow, Figure, Panel, distinct, draw_panels, select
from panda_gnn.reports.drawing.style import SERIES_STYLES, Sheet
from panda_gnn.reports.figures.request import Request, accuracy_cells, counted_trials, printed
from panda_gnn.reports.tables import build_table

LABELS = {"k": "number of high nodes k", "high_width": "width of high nodes"}


def rows(request: Request, study: Study) -> list[CsvRow]:
    """The means of a study whose lines are the values of a setting."""
    store = request.store(study)
    table: list[CsvRow] = [
        {
            "dataset": block.dataset,
            "backbone": entry.line.backbone,
            "method": entry.line.method,
            "setting": str(study.rows),
            "value": "" if entry.line.variant is None else str(entry.line.variant),
            **accuracy_cells(entry.ours),
        }
        for block in build_table(study, store.read()).blocks
        for entry in block.entries
        if entry.ours is not None
    ]
    missing = [name for name in study.datasets if name not in distinct(table, "dataset")]
    if missing:
        raise InputError(
            f"{store.path} has no trials of {missing[0]}: run "
            f"panda study run {study.name} --datasets {','.join(missing)} first"
        )
    return table


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """One panel for each dataset, the setting along and accuracy upwards."""
    panels = [
        Panel(
            printed(dataset),
            sorted(
                (
                    {**row, "series": f"panda-{row['backbone']}", "value": float(row["value"])}
                    for row in case
                    if row["value"] != ""
                ),
                key=lambda row: float(row["value"]),
            ),
            "value",
            "accuracy",
            "interval",
            bars=True,
            x_label=LABELS[str(rows[0]["setting"])],
            y_label="test accuracy in %",
            percent=True,
            references={
                f"panda-{row['backbone']}": (
                    float(row["accuracy"]),
                    float(row["interval"] or 0.0),
                    SERIES_STYLES[str(row["backbone"])].label,
                )
                for row in select(case, method="none")
            },
        )
        for dataset in distinct(rows, "dataset")
        for case in [select(rows, dataset=dataset)]
    ]
    return draw_panels(panels, sheet, y_labels_once=True, legend_columns=4)


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "bars: 95 % intervals")
    datasets = ", ".join(printed(name) for name in distinct(rows, "dataset"))
    plain = any(row["interval"] != "" for row in select(rows, method="none"))
    dotted = "dotted, with its interval at the right" if plain else "dotted"
    return (
        f"Mean test accuracy of PANDA (first epoch of the best validation score) on {datasets}, "
        f"{trials}; {dotted}: the plain backbone. Fixed: {_fixed(study, rows)}."
    )


def _fixed(study: Study, rows: Sequence[CsvRow]) -> str:
    """The settings of PANDA that no line of the figure changes, by dataset and backbone."""
    drawn = {(row["dataset"], row["backbone"]) for row in rows}
    parts: dict[str, list[str]] = {}
    for cell in study.cells:
        place = cell.dataset, cell.line.backbone
        if cell.line.method != "panda" or place not in drawn:
            continue
        drawn.remove(place)
        config = cell.candidates[0]
        values: dict[str, object] = {
            "centrality": config.settings["centrality"],
            "k": config.settings["k"],
            "width": config.width,
            "high_width": config.settings["high_width"],
            "layers": config.num_layers,
        }
        values.pop(str(study.rows), None)
        text = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
        label = f"{SERIES_STYLES[cell.line.backbone].label} on {printed(cell.dataset)}"
        parts.setdefault(text, []).append(label)
    return "; ".join(f"{text} ({', '.join(where)})" for text, where in parts.items())
