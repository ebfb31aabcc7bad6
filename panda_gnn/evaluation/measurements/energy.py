"""The Dirichlet energy of the states of test graphs in a trained model, after every layer."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.data import Batch

from panda_gnn.diagnostics import dirichlet_energy, node_states
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.untrained import dataset_measure, one_graph, untrained
from panda_gnn.evaluation.splits import random_split
from panda_gnn.evaluation.tasks import TaskData
from panda_gnn.evaluation.train import train

#: Raised whenever another number is measured than before.
CODE = "energy-1"

FEWEST_GRAPHS = 10
"""Of fewer graphs there are none to test on."""


def check_graphs(config: Config) -> None:
    """Reject a config with too few graphs to train on."""
    graphs: Any = config.settings["graphs"]
    if graphs is not None and graphs < FEWEST_GRAPHS:
        raise InputError(f"graphs is {graphs}: training needs at least {FEWEST_GRAPHS}")


def energies(data: TaskData, config: Config, seed: int) -> dict[str, list[float]]:
    """Train once, then measure ``energy`` and ``relative_energy``, a list over layers each.

    The first number is of the features, the last of the class scores. The energy is the mean over
    graphs, on the edges that the model sees; the relative one is divided by the squared norm of the
    states.
    """
    model, table = untrained(config, seed, data)
    split = random_split(table.num_graphs, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        train(model, table, split, data.task.recipe(config), seed)
    batch = Batch.from_data_list([one_graph(table, index) for index in split.test.tolist()])
    with torch.no_grad():
        states = [batch.x, *(state.values for state in node_states(model.eval(), batch))]
    return {
        name: [
            float(dirichlet_energy(state, batch.edge_index, batch.batch, relative=relative))
            for state in states
        ]
        for name, relative in (("energy", False), ("relative_energy", True))
    }


ENERGY = dataset_measure("energy", CODE, energies, check=check_graphs)
