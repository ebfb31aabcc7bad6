"""Training on a transfer task: can a model carry a class over a distance at all?

All graphs of a class are the same graph (see :func:`panda_gnn.datasets.transfer`), so one graph of
each class is the whole task and there is nothing to generalise to: the accuracy says whether the
model found weights that carry the message. Every model has as many convolutions as the distance,
the fewest with which the message can arrive.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional as F
from torch_geometric.data import Batch

from panda_gnn.datasets import transfer
from panda_gnn.errors import choose
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.rewiring.fosr import FoSR
from panda_gnn.transforms import ExpandWidth

METHODS = ("none", "all-wide", "fosr", "panda")


@dataclass(frozen=True)
class TransferTask:
    """One training.

    Attributes:
        topology: ``ring``, ``crossed-ring``, ``lollipop`` or ``tree``.
        distance: Edges between the node that knows the class and the node that must tell it.
        backbone: ``gcn`` or ``gin``.
        method: ``none``, ``all-wide`` (every node at ``high_width``), ``fosr`` or ``panda``.
        width: Hidden width.
        high_width: Hidden width of high nodes.
        share: The share of the nodes that are high, by betweenness.
        iterations: Edges that FoSR adds.
        num_classes: How many messages there are.
        steps: Steps of Adam, at most.
        learning_rate: Their size.
    """

    topology: str
    distance: int
    backbone: str
    method: str
    width: int = 64
    high_width: int = 128
    share: float = 0.2
    iterations: int = 10
    num_classes: int = 5
    steps: int = 1000
    learning_rate: float = 1e-3

    def batch(self, seed: int) -> Batch:
        """One graph of each class, as the method makes them."""
        graphs = transfer(
            self.topology, self.distance, num_graphs=self.num_classes, num_classes=self.num_classes
        )
        if self.method == "fosr":
            graphs = [FoSR(self.iterations, seed=seed)(graph) for graph in graphs]
        if self.method == "panda":
            graphs = [ExpandWidth("betweenness", ratio=self.share)(graph) for graph in graphs]
        return Batch.from_data_list(graphs)

    def model(self) -> GNN:
        """The model with fresh weights."""
        wide = self.method == "all-wide"
        if self.method == "panda":
            return PandaGNN(
                self.num_classes,
                self.num_classes,
                high_width=self.high_width,
                backbone=self.backbone,
                width=self.width,
                num_layers=self.distance - 1,
                dropout=0.0,
                readout=None,
            )
        return GNN(
            self.num_classes,
            self.num_classes,
            backbone=self.backbone,
            width=self.high_width if wide else self.width,
            num_layers=self.distance - 1,
            dropout=0.0,
            readout=None,
        )


def transfer_accuracy(task: TransferTask, seed: int) -> float:
    """The share of the classes that the model tells right after training, at its best step.

    The same task and seed give the same result. Training ends early when all classes are right.
    """
    choose("method", task.method, METHODS)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        batch, model = task.batch(seed), task.model()
        optimizer = torch.optim.Adam(model.parameters(), lr=task.learning_rate)
        high = (batch.high,) if task.method == "panda" else ()
        best = 0.0
        for _ in range(task.steps):
            out = model(batch.x, batch.edge_index, *high)[batch.target_mask]
            best = max(best, float((out.argmax(1) == batch.y).double().mean()))
            if best == 1.0:
                break
            optimizer.zero_grad()
            F.cross_entropy(out, batch.y).backward()
            optimizer.step()
        return best
