"""What roles cost: every rung beside our plain GCN.

For each dataset one table, from one run on one thread in which all models take turns on the same
batches of 64 graphs. A forward pass is without gradients and dropout; a training step has dropout,
loss, backward pass and Adam. Both include the preparation of the edges, as in training. Times are
medians of CPU time, and the ratios of two models are medians over the rounds.

    python benchmarks/roles.py [--datasets mutag,enzymes] [--rounds 60] [--num-roles 3]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional as F

from panda_gnn.datasets import load
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.trial import one_thread
from panda_gnn.nn import GNN, PandaGNN, RoleGNN
from panda_gnn.transforms import AssignRoles, CentralityEncoding, ExpandWidth

BATCH_SIZE = 64


def models(in_channels: int, classes: int, num_roles: int) -> dict[str, tuple[GNN, bool]]:
    """The models by name, and whether each has the centralities among its features."""
    wide = in_channels + CentralityEncoding(scale=("log", "relative")).num_columns
    steps = torch.linspace(64, 128, num_roles).round().int().tolist()
    return {
        "gcn": (GNN(in_channels, classes), False),
        "gcn, encoding": (GNN(wide, classes), True),
        "roles-gain": (RoleGNN(in_channels, classes, num_roles=num_roles), False),
        "roles-gain, encoding": (RoleGNN(wide, classes, num_roles=num_roles), True),
        "roles-low-rank": (
            RoleGNN(in_channels, classes, num_roles=num_roles, rung="low-rank"),
            False,
        ),
        "roles-pairs": (RoleGNN(in_channels, classes, num_roles=num_roles, rung="pairs"), False),
        "roles-width": (
            RoleGNN(in_channels, classes, num_roles=num_roles, rung="widths", widths=steps),
            False,
        ),
        "panda": (PandaGNN(in_channels, classes, high_width=128), False),
    }


def forward(model: GNN, batch: GraphTable) -> None:
    """One pass without gradients."""
    with torch.no_grad():
        batch.scores(model)


def training_step(optimizers: dict[GNN, Any]) -> Callable[[GNN, GraphTable], None]:
    """One step of training, each model with an optimiser of its own."""

    def step(model: GNN, batch: GraphTable) -> None:
        optimizer = optimizers[model]
        optimizer.zero_grad()
        F.cross_entropy(batch.scores(model), batch.y).backward()
        optimizer.step()

    return step


def measure(
    contestants: dict[str, tuple[GNN, bool]],
    tables: dict[bool, GraphTable],
    call: Callable[[GNN, GraphTable], None],
    rounds: int,
) -> dict[str, list[float]]:
    """The seconds of each model in every round, on the same graphs and with fresh edges."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    graphs = tables[False].num_graphs
    generator = torch.Generator().manual_seed(0)
    for number in range(rounds + 3):
        rows = torch.randperm(graphs, generator=generator)[:BATCH_SIZE]
        for name, (model, encoded) in contestants.items():
            batch = tables[encoded].take(rows)
            start = time.process_time()
            call(model, batch)
            if number >= 3:  # the first rounds warm up
                seconds[name].append(time.process_time() - start)
    return seconds


def table_of(dataset: str, rounds: int, num_roles: int) -> Table:
    """The table of one dataset."""
    graphs = load(dataset)
    table = GraphTable.collate(graphs)
    columns = CentralityEncoding(scale=("log", "relative")).columns(graphs).to(table.x.dtype)
    role = AssignRoles("betweenness", num_roles).roles(graphs)
    table = table.with_nodes(role=role, high=ExpandWidth("betweenness", 10).mask(graphs))
    tables = {False: table, True: table.with_nodes(x=torch.cat([table.x, columns], dim=1))}
    contestants = models(table.x.size(1), table.num_outputs, num_roles)
    optimizers = {
        model: torch.optim.Adam([p for p in model.parameters() if p.requires_grad])
        for model, _ in contestants.values()
    }
    for model, _ in contestants.values():
        model.eval()
    passes = measure(contestants, tables, forward, rounds)
    for model, _ in contestants.values():
        model.train()
    steps = measure(contestants, tables, training_step(optimizers), rounds)
    printed = Table(
        "model", "forward, ms", "/ gcn", "training step, ms", "/ gcn", title=f"{dataset}, 64 graphs"
    )
    for name in contestants:
        cells = [name]
        for seconds in (passes, steps):
            ratios = [a / b for a, b in zip(seconds[name], seconds["gcn"], strict=True)]
            cells.append(f"{1000 * statistics.median(seconds[name]):.2f}")
            cells.append(f"{statistics.median(ratios):.2f}")
        printed.add_row(*cells)
    return printed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", default="mutag,enzymes")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--num-roles", type=int, default=3)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    for dataset in arguments.datasets.split(","):
        with one_thread():
            Console().print(table_of(dataset, arguments.rounds, arguments.num_roles))


if __name__ == "__main__":
    main()
