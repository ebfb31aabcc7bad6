"""Which networks are compared, and how much training each of them gets: all the same.

A training has a fixed number of epochs and its last one counts, so the validation rows decide
nothing and their score is an honest one. It is short, so graphs come in small mini-batches without
dropout: what a network can learn at all, it shows then on most splits, not on every second one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods import METHODS, configure
from panda_gnn.evaluation.methods.method import Method
from panda_gnn.evaluation.store import Row
from panda_gnn.evaluation.study import Cell, Line, Study
from panda_gnn.evaluation.tasks import TaskData
from panda_gnn.evaluation.trial import trial_on

#: The methods that are tried beside the plain backbone.
CANDIDATES = ("centralities", "roles-gain", "panda", "fosr", "sdrf", "virtual-node")

PLAIN, SIZE, DEEPER = "none", "size", "deeper"
#: Everything that is trained: the plain backbone, controls (told the size; twice the layers), and
#: the candidates.
NETWORKS = (PLAIN, SIZE, *CANDIDATES, DEEPER)
#: Those that bring distant nodes nearer, or go further.
SHORTER_PATHS = ("fosr", "sdrf", "virtual-node", DEEPER)

#: PANDA's settings for everybody: the paper's were chosen on some of these datasets.
SETTINGS: Mapping[str, Setting] = {"k": 10, "high_width": 128, "centrality": "betweenness"}
LEARNING_RATE = 0.005
DROPOUT = 0.0
#: An epoch has about so many mini-batches of graphs, of a size within these limits.
STEPS, SMALLEST_BATCH, LARGEST_BATCH = 25, 16, 64

MOST_TRIALS, FEWEST_TRIALS = 10, 5
MOST_EPOCHS, FEWEST_EPOCHS = 60, 20
PILOT_EPOCHS = 3
#: What needs no training is scored on so many splits of graphs at least; of nodes there are many.
QUICK_SPLITS = 20
#: What a training costs on average, in trainings of the plain backbone.
COST = 1.6


@dataclass(frozen=True)
class Budget:
    """Trials of each network, and epochs of a trial."""

    trials: int
    epochs: int


def network_config(
    data: TaskData, name: str, backbone: str, num_layers: int | None, epochs: int
) -> Config:
    """The config of one of :data:`NETWORKS`."""
    method = _method(name)
    training: dict[str, Any] = {
        "max_epochs": epochs,
        "patience": epochs,
        "learning_rate": LEARNING_RATE,
    }
    if data.graphs.target_nodes is None:
        training |= {"dropout": DROPOUT, "batch_size": batch_size(data.graphs.num_graphs)}
    if num_layers is not None:
        training["num_layers"] = num_layers
    bare = configure(data.entry.name, backbone, PLAIN, **training)
    if name == DEEPER:
        training["num_layers"] = 2 * bare.num_layers
    usual = Config(data.entry.name, backbone, method, dict(SETTINGS))
    defaults = METHODS.lookup(method).defaults(data.task, usual)
    settings = {key: value for key, value in SETTINGS.items() if key in defaults}
    return configure(data.entry.name, backbone, method, settings, **training)


def batch_size(num_graphs: int) -> int:
    """Graphs of a mini-batch."""
    return min(LARGEST_BATCH, max(SMALLEST_BATCH, num_graphs // STEPS))


def _method(name: str) -> str:
    """The method behind the name of a network."""
    return PLAIN if name == DEEPER else name


def advice_study(data: TaskData, backbone: str, num_layers: int | None, budget: Budget) -> Study:
    """All networks that suit the data and the backbone, each with one config."""
    cells = tuple(
        Cell(
            data.entry.name,
            Line(backbone, _method(name), name),
            (network_config(data, name, backbone, num_layers, budget.epochs),),
        )
        for name in NETWORKS
        if _suits(METHODS.lookup(_method(name)), data, backbone)
    )
    return Study(f"advise-{data.entry.name}", "Advice", cells, budget.trials)


def _suits(method: Method, data: TaskData, backbone: str) -> bool:
    """Whether a method is for such targets and for the backbone."""
    if method.whole_graphs and not data.task.classifies_graphs:
        return False
    return method.backbones is None or backbone in method.backbones


def fit_budget(
    data: TaskData, backbone: str, num_layers: int | None, seconds: float, workers: int
) -> Budget:
    """As many trials and epochs as fit into the time, by a pilot of a few epochs.

    Epochs are cut first, down to :data:`FEWEST_EPOCHS`, then trials, down to
    :data:`FEWEST_TRIALS`; fewer would tell nothing, so the least may take longer than the time.
    """
    pilot = network_config(data, PLAIN, backbone, num_layers, PILOT_EPOCHS)
    trial_on(data, pilot, 0)  # compiles and prepares
    start = time.perf_counter()
    trial_on(data, pilot, 0)
    an_epoch = (time.perf_counter() - start) / PILOT_EPOCHS
    return shared_budget(seconds * workers / (COST * len(NETWORKS) * max(an_epoch, 1e-6)))


def shared_budget(epochs: float) -> Budget:
    """How each network spends so many epochs."""
    of_trial = int(min(MOST_EPOCHS, max(FEWEST_EPOCHS, epochs / MOST_TRIALS)))
    return Budget(int(min(MOST_TRIALS, max(FEWEST_TRIALS, epochs / of_trial))), of_trial)


def last_validation(row: Row) -> float:
    """The validation score of the last epoch, which no choice was made by."""
    value: float = row["scores"]["last"]["validation"]
    return value
