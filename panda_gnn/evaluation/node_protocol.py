"""Node classification: one graph, trained in one piece.

The protocol is that of graph classification (:mod:`panda_gnn.evaluation.protocol`) except that a
mini-batch is the whole graph, the split is 60/20/20 of its nodes, and the learning rate is divided
by ten when the training loss has not fallen for 25 epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn import functional as F
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch_geometric.data import Data

from panda_gnn.errors import choose
from panda_gnn.evaluation.batches import GraphBatch, GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.metrics import evaluate
from panda_gnn.evaluation.protocol import Curves, Patience, Split
from panda_gnn.nn import GNN

NODE_SETTINGS = {"split": "random"}
"""What a config of a node set has beside the settings of its method."""

NODE_TRAINING = {"num_layers": 3}
"""What the rewiring papers train node sets with where it differs from graph classification."""

NODE_SPLITS = ("random", "public")
PLATEAU_PATIENCE = 25


def check_node_settings(settings: Mapping[str, Any]) -> None:
    """Refuse what no trial on a node set can have."""
    choose("split", settings["split"], NODE_SPLITS)


def node_split(data: Data, kind: str, seed: int) -> Split:
    """The nodes for training, validation and test.

    Args:
        data: The graph, with the public splits as columns of its masks.
        kind: ``"random"`` for 60 % of the nodes for training, 20 % for validation and the rest for
            test, by the seed alone; ``"public"`` for one of the ten splits of Geom-GCN, that of
            number ``seed`` modulo ten, which are 48 / 32 / 20 % of the nodes.
        seed: The seed.
    """
    if choose("split", kind, NODE_SPLITS) == "public":
        number = seed % data.train_mask.size(1)
        masks = (data.train_mask, data.val_mask, data.test_mask)
        return Split(*(mask[:, number].nonzero().view(-1) for mask in masks))
    num_nodes = int(data.num_nodes or 0)
    order = torch.randperm(num_nodes, generator=torch.Generator().manual_seed(seed))
    train, validation = int(0.6 * num_nodes), int(0.2 * num_nodes)
    return Split(*order.split([train, validation, num_nodes - train - validation]))


def train_nodes(
    model: GNN,
    graphs: GraphTable,
    split: Split,
    config: Config,
    seed: int,
    on_epoch: Callable[[int, float], None] | None = None,
) -> Curves:
    """Train ``model`` on the one graph of ``graphs`` and return its scores after every epoch.

    The arguments are those of :func:`panda_gnn.evaluation.protocol.train`; the seed decides
    nothing here, for there are no mini-batches.
    """
    whole = GraphBatch(
        graphs.x,
        graphs.y,
        graphs.edge_index,
        graphs.graph_of_node,
        1,
        graphs.high,
        graphs.edge_options,
    )
    optimizer = torch.optim.Adam(
        [p for p in model.parameters() if p.requires_grad], lr=config.learning_rate, fused=True
    )
    scheduler = ReduceLROnPlateau(optimizer, patience=PLATEAU_PATIENCE)
    patience = Patience(config.patience, config.threshold)
    validation: list[float] = []
    test: list[float] = []
    for epoch in range(config.max_epochs):
        model.train()
        out = whole.scores(model)[split.train]
        loss = F.cross_entropy(out, graphs.y[split.train]) + model.auxiliary_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step(float(loss.detach()))
        model.eval()
        with torch.no_grad():
            out = whole.scores(model)
        for part, scores in ((split.validation, validation), (split.test, test)):
            scores.append(evaluate(config.dataset, out[part], graphs.y[part]))
        if on_epoch is not None:
            on_epoch(epoch, validation[-1])
        if patience.is_over(validation[-1]):
            break
    return Curves(tuple(validation), tuple(test))
