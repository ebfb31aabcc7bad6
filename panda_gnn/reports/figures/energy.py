"""The paper's figure of the Dirichlet energy of trained models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch_geometric.data import Batch

from panda_gnn.diagnostics import dirichlet_energy, node_states
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import METHODS, complete
from panda_gnn.evaluation.splits import random_split
from panda_gnn.evaluation.tasks import task_of
from panda_gnn.evaluation.train import train
from panda_gnn.progress import track
from panda_gnn.reports.figures.contestants import REWIRINGS
from panda_gnn.reports.figures.request import Request, counted_trials, graph, printed, untrained
from panda_gnn.reports.figures.style import COLUMN_WIDTH, Row, draw_line, panels, shared_legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SERIES = {"none": "none", **{name: name for name in REWIRINGS}, "all-wide": "all-wide"}
SERIES |= {"residual": "residual-twin", "equal-width": "equal-width", "panda": "panda"}


def measure(request: Request) -> list[Row]:
    """Train every method and measure the states of the test graphs after every layer."""
    if request.graphs is not None and request.graphs < 10:
        raise InputError(f"--graphs is {request.graphs}: training needs at least 10")
    rows: list[Row] = []
    for dataset in request.datasets:
        for name, method in SERIES.items():
            if method not in METHODS:
                continue
            trials = torch.stack(
                [
                    _trial(request, Config(dataset, "gcn", method), seed)
                    for seed in track(range(request.trials), f"energy, {dataset}, {name}")
                ]
            )
            error = trials.std(0) / len(trials) ** 0.5 if len(trials) > 1 else 0 * trials[0]
            rows += [
                {
                    "dataset": dataset,
                    "series": name,
                    "layer": layer,
                    "energy": float(trials[:, 0, layer].mean()),
                    "energy_error": float(error[0, layer]),
                    "relative_energy": float(trials[:, 1, layer].mean()),
                    "relative_error": float(error[1, layer]),
                    "trials": request.trials,
                }
                for layer in range(trials.size(2))
            ]
    return rows


def _trial(request: Request, config: Config, seed: int) -> Tensor:
    """Energy and relative energy, after no layer, one layer, and so on."""
    config = complete(config)
    model, table = untrained(request, config, seed)
    split = random_split(table.num_graphs, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        train(model, table, split, task_of(config.dataset).recipe(config), seed)
    batch = Batch.from_data_list([graph(table, index) for index in split.test.tolist()])
    with torch.no_grad():
        hidden = [states.values for states in node_states(model.eval(), batch)]
    return torch.tensor(
        [
            [
                float(dirichlet_energy(values, batch.edge_index, batch.batch, relative=relative))
                for values in [batch.x, *hidden]
            ]
            for relative in (False, True)
        ]
    )


def draw(rows: Sequence[Row], caption: str) -> Figure:
    """For each dataset the energy, and the energy relative to the size of the states."""
    datasets = list(dict.fromkeys(str(row["dataset"]) for row in rows))
    columns = 2 if len(datasets) < 3 else 4
    width = COLUMN_WIDTH * (1.0 if columns == 2 else 2.1)
    with panels(2 * len(datasets), caption, columns=columns, width=width) as (figure, axes):
        for place, dataset in enumerate(datasets):
            case = [row for row in rows if row["dataset"] == dataset]
            for offset, kind in enumerate(("energy", "relative")):
                panel = axes[2 * place + offset]
                column = "energy" if kind == "energy" else "relative_energy"
                for name in dict.fromkeys(str(row["series"]) for row in case):
                    line = [row for row in case if row["series"] == name]
                    draw_line(
                        panel,
                        name,
                        [float(row["layer"]) for row in line],
                        [float(row[column]) for row in line],
                        [float(row[f"{kind}_error"]) for row in line],
                    )
                if kind == "energy":
                    panel.set_yscale("log")
                else:
                    panel.set_ylim(bottom=0)
                panel.set_title(printed(dataset))
                panel.set_xticks(sorted({int(row["layer"]) for row in case}))
                panel.set_xlabel("layer")
                panel.set_ylabel("energy" if kind == "energy" else "energy / size of states")
        shared_legend(figure, axes)
        return figure


def caption(request: Request, rows: Sequence[Row]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "band: standard error")
    return (
        "Dirichlet energy, mean over graphs, of the states of test graphs in trained GCNs after "
        "every layer (0: features, last: class scores), as it is and divided by the squared norm "
        f"of the states: {request.graphs_in_words()}, {trials}. "
        "Edges are those the model sees, after rewiring. 'Two kinds, one width' is PANDA "
        "without extra width, 'with residual' PANDA without high nodes."
    )
