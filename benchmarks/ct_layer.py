"""How much of a node's state a GCN behind a CT-Layer takes from its neighbours.

    python benchmarks/ct_layer.py                     MUTAG after 30 epochs, within a minute
    python benchmarks/ct_layer.py --datasets enzymes,proteins --epochs 50

For each dataset: the mean weight of an edge as the layer gives it and as the model uses it, and the
mean share of a node's own state in a row of GCN's matrix: without weights, with the weights of the
layer as they are, and with those of mean one.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from panda_gnn.evaluation.methods import configure, graphs_and_model
from panda_gnn.evaluation.tasks import load_data
from panda_gnn.evaluation.train import train
from panda_gnn.evaluation.trial import one_thread
from panda_gnn.nn import CommuteTimeGNN


def own_share(weight: Tensor, edge_index: Tensor, num_nodes: int) -> float:
    """The mean share of the diagonal in a row of GCN's matrix, self-loops of weight one."""
    source, target = edge_index
    degree = torch.ones(num_nodes).index_add(0, target, weight)
    root = degree.rsqrt()
    others = torch.zeros(num_nodes).index_add(0, target, weight * root[source] * root[target])
    own = 1 / degree
    return float((own / (own + others)).mean())


def row(dataset: str, epochs: int) -> list[str]:
    """The numbers of one dataset."""
    config = configure(dataset, "gcn", "ct-layer", {"centers": 16})
    config = replace(config, max_epochs=epochs, patience=epochs)
    data = load_data(dataset)
    graphs, model = graphs_and_model(data, config, 0)
    assert isinstance(model, CommuteTimeGNN)
    split = data.task.split(data, config.settings, 0)
    with one_thread():
        train(model, graphs, split, data.task.recipe(config), 0)
    model.eval()
    x, edge_index, sizes = graphs.x, graphs.edge_index, graphs.node_ptr.diff()
    batch = torch.arange(sizes.numel()).repeat_interleave(sizes)
    with torch.no_grad():
        bare, _ = model.commute_time(x, edge_index, batch)
        used, _ = model.edge_weights(x, edge_index, batch)
    shares = [
        own_share(weight, edge_index, x.size(0)) for weight in (torch.ones_like(bare), bare, used)
    ]
    return [
        f"{bare.mean():.4f}",
        f"{used.mean():.3f} ± {used.std():.3f}",
        *(f"{share:.2f}" for share in shares),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", default="mutag")
    parser.add_argument("--epochs", type=int, default=30)
    arguments = parser.parse_args()
    columns = ("dataset", "layer's weight", "model's weight", "own share: plain", "layer", "model")
    table = Table(*columns)
    for dataset in arguments.datasets.split(","):
        table.add_row(dataset, *row(dataset, arguments.epochs))
    Console().print(table)


if __name__ == "__main__":
    main()
