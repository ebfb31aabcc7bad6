"""Training, literally: one graph, one formula, one number at a time, with PyG's batches.

Nothing here is taken from :mod:`panda_gnn.evaluation`, and of torch's optimisers and schedulers
nothing is used: Adam, plateaus and cosine are written out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, GINConv, global_mean_pool

Loss = Callable[[Tensor, Tensor], Tensor]
Score = Callable[[Tensor, Tensor], float]
EDGE_VALUES = {
    "gcn": ("edge_weight",),
    "gin": ("edge_weight",),
    "gine": ("edge_attr",),
    "rgcn": ("edge_type", "edge_weight"),
    "rgin": ("edge_type", "edge_weight"),
}


class Adam:
    """Kingma and Ba's algorithm 1, with their constants."""

    def __init__(self, parameters: Sequence[nn.Parameter], rate: float) -> None:
        self.parameters = list(parameters)
        self.rate = rate
        self.steps = 0
        self.first = [torch.zeros_like(p) for p in self.parameters]
        self.second = [torch.zeros_like(p) for p in self.parameters]

    def step(self) -> None:
        self.steps += 1
        with torch.no_grad():
            for p, m, v in zip(self.parameters, self.first, self.second, strict=True):
                if p.grad is None:
                    continue
                m.copy_(0.9 * m + 0.1 * p.grad)
                v.copy_(0.999 * v + 0.001 * p.grad**2)
                mean, square = m / (1 - 0.9**self.steps), v / (1 - 0.999**self.steps)
                p.sub_(self.rate * mean / (square.sqrt() + 1e-8))


class Rates(Protocol):
    """The learning rate: that of the first epoch, and after every epoch that of the next."""

    def first(self) -> float: ...

    def after(self, epoch: int, training_loss: float, validation_loss: float) -> float: ...


@dataclass
class Plateau:
    """Multiplied by ``factor`` when the loss was above 0.9999 of its best for over ``patience``
    epochs."""

    start: float
    watches: str
    factor: float
    patience: int
    least: float = 0.0
    best: float = math.inf
    waited: int = 0

    def first(self) -> float:
        return self.start

    def after(self, epoch: int, training_loss: float, validation_loss: float) -> float:
        loss = training_loss if self.watches == "training" else validation_loss
        self.waited += 1
        if loss < 0.9999 * self.best:
            self.best, self.waited = loss, 0
        if self.waited > self.patience:
            self.start, self.waited = max(self.factor * self.start, self.least), 0
        return self.start


@dataclass
class Cosine:
    """Linear up to ``peak`` over ``warmup`` epochs, then half a period of a cosine down to zero."""

    peak: float
    warmup: int
    epochs: int

    def first(self) -> float:
        return 1e-6 * self.peak

    def after(self, epoch: int, training_loss: float, validation_loss: float) -> float:
        done = epoch + 1
        if done < self.warmup:
            return self.peak * done / self.warmup
        share = (done - self.warmup) / (self.epochs - self.warmup)
        return self.peak * (1 + math.cos(math.pi * share)) / 2


@dataclass
class Record:
    """What happened: one number for each epoch, and the rows of every mini-batch."""

    losses: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    test: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    batches: list[list[int]] = field(default_factory=list)


def outputs(model: Any, data: Sequence[Data], rows: Sequence[int], *, of_nodes: bool) -> Tensor:
    """What the model gives for some graphs, or for some nodes of the only graph."""
    graphs = list(data) if of_nodes else [data[i] for i in rows]
    batch = Batch.from_data_list(graphs)
    options = {
        name: batch[name]
        for name in EDGE_VALUES.get(getattr(model, "backbone", ""), ())
        if name in batch
    }
    if "high" in batch:
        options["high"] = batch.high
    out: Tensor = model(batch.x, batch.edge_index, batch=batch.batch, **options)
    return out[list(rows)] if of_nodes else out


def targets(data: Sequence[Data], rows: Sequence[int], *, of_nodes: bool) -> Tensor:
    return data[0].y[list(rows)] if of_nodes else torch.cat([data[i].y for i in rows])


def literal_training(
    model: Any,
    data: Sequence[Data],
    parts: Sequence[Sequence[int]],
    seed: int,
    *,
    loss: Loss,
    score: Score,
    epochs: int,
    rates: Rates,
    batch_size: int | None = None,
    of_nodes: bool = False,
    clip: float | None = None,
    patience: int | None = None,
    threshold: float = 1.0,
) -> Record:
    """Train ``model`` in place on the rows of the first part; the others are validation and test.

    Without a batch size all rows are one mini-batch, in the order given. Held-out graphs are scored
    one by one.
    """
    record = Record()
    train, validation, test = parts
    trained = [p for p in model.parameters() if p.requires_grad]
    adam = Adam(trained, rates.first())
    generator = torch.Generator().manual_seed(seed)
    goal, waited = 0.0, 0
    for epoch in range(epochs):
        record.rates.append(adam.rate)
        order = list(train)
        if batch_size is not None:
            order = [train[i] for i in torch.randperm(len(train), generator=generator).tolist()]
        model.train()
        total = 0.0
        for start in range(0, len(order), batch_size or len(order)):
            rows = order[start : start + (batch_size or len(order))]
            record.batches.append(rows)
            for p in trained:
                p.grad = None
            value = loss(
                outputs(model, data, rows, of_nodes=of_nodes),
                targets(data, rows, of_nodes=of_nodes),
            )
            value = value + model.auxiliary_loss
            value.backward()
            total += value.item()
            if clip is not None:
                gradients = [p.grad for p in trained if p.grad is not None]
                norm = math.sqrt(sum(float((g**2).sum()) for g in gradients))
                for g in gradients:
                    g *= min(1.0, clip / (norm + 1e-6))
            adam.step()
        record.losses.append(total)
        model.eval()
        with torch.no_grad():
            if of_nodes:
                held_out = [outputs(model, data, rows, of_nodes=True) for rows in parts[1:]]
            else:
                held_out = [
                    torch.cat([outputs(model, data, [i], of_nodes=False) for i in rows])
                    for rows in parts[1:]
                ]
        wanted = [targets(data, rows, of_nodes=of_nodes) for rows in (validation, test)]
        record.validation.append(score(held_out[0], wanted[0]))
        record.test.append(score(held_out[1], wanted[1]))
        adam.rate = rates.after(epoch, total, float(loss(held_out[0], wanted[0])))
        if record.validation[-1] > goal:
            goal, waited = threshold * record.validation[-1], 0
        else:
            waited += 1
        if patience is not None and waited > patience:
            break
    return record


class PyGStack(nn.Module):
    """The plain backbone out of PyG's own convolutions, with the weights of ``model``."""

    auxiliary_loss = 0.0

    def __init__(self, model: Any, backbone: str) -> None:
        super().__init__()
        convs = []
        for layer in model.layers:
            own = layer.conv
            if backbone == "gcn":
                conv = GCNConv(own.linear.in_features, own.linear.out_features)
                conv.lin.weight = nn.Parameter(own.linear.weight.detach().clone())
                conv.bias = nn.Parameter(own.linear.bias.detach().clone())
            else:
                first, _, _, last = own.mlp
                mlp = nn.Sequential(
                    nn.Linear(first.in_features, first.out_features),
                    nn.BatchNorm1d(first.out_features),
                    nn.ReLU(),
                    nn.Linear(last.in_features, last.out_features),
                ).to(first.weight.dtype)
                conv = GINConv(mlp)  # resets the parameters
                mlp.load_state_dict(own.mlp.state_dict())
            convs.append(conv)
        self.convs = nn.ModuleList(convs)

    def forward(self, x: Tensor, edge_index: Tensor, *, batch: Tensor, **rest: Tensor) -> Tensor:
        for i, conv in enumerate(self.convs):
            x = conv(x, edge_index)
            if i + 1 < len(self.convs):
                x = F.relu(x)
        pooled: Tensor = global_mean_pool(x, batch)
        return pooled
