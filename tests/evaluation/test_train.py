"""The one loop: what it looks at, when it stops, and several processes' shares of it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.datasets import transfer
from panda_gnn.datasets.peptides import ATOM_CATEGORIES, BOND_CATEGORIES
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.epoch_selection import selected_epoch
from panda_gnn.evaluation.metrics import ACCURACY, Metric
from panda_gnn.evaluation.splits import Split, random_split
from panda_gnn.evaluation.tasks import TASKS
from panda_gnn.evaluation.tasks.graph_classification import GRAPH_CLASSIFICATION
from panda_gnn.evaluation.train import Curves, Patience, Recipe, predict, train
from panda_gnn.nn import GNN, CommuteTimeGNN, PandaGNN
from tests.evaluation.literal_loop import Cosine, Plateau, PyGStack, Record, literal_training
from tests.evaluation.test_batches import graphs
from tests.marks import thorough


def test_patience_counts_epochs_below_the_goal() -> None:
    patience = Patience(patience=3, threshold=1.01)
    scores = [0.5, 0.504, 0.6, 0.6, 0.605, 0.605]  # 0.504 < 1.01 * 0.5, 0.605 < 1.01 * 0.6
    assert [patience.is_over(score) for score in scores] == [False] * 6
    assert patience.is_over(0.605)


def table() -> GraphTable:
    collated = GraphTable.collate(graphs() * 4)
    return dataclasses.replace(collated, x=collated.x.float())


def test_best_val_cannot_see_a_test_score() -> None:
    """The rule's code takes validation scores only, and other test labels change nothing else."""
    assert list(inspect.signature(Patience.is_over).parameters) == ["self", "validation"]
    recipe = GRAPH_CLASSIFICATION.recipe(Config("mutag", max_epochs=12, patience=4))
    split = random_split(52, 0)
    honest = table()
    poisoned_y = honest.y.clone()
    poisoned_y[split.test] = (poisoned_y[split.test] + 1) % 3
    poisoned = dataclasses.replace(honest, y=poisoned_y)
    curves = []
    for graphs_ in (honest, poisoned):
        torch.manual_seed(0)
        curves.append(train(GNN(3, 3, width=4), graphs_, split, recipe, 0))
    assert curves[0].test != curves[1].test
    assert curves[0].validation == curves[1].validation
    epochs = [selected_epoch("best-val", c.validation, c.test) for c in curves]
    assert epochs[0] == epochs[1]


def test_training_learns_and_reports_every_epoch() -> None:
    recipe = GRAPH_CLASSIFICATION.recipe(Config("mutag", max_epochs=3))
    seen: list[tuple[int, float]] = []
    torch.manual_seed(0)
    model = GNN(3, 3, width=4)
    before = [p.clone() for p in model.parameters()]
    curves = train(
        model, table(), random_split(52, 0), recipe, 0, lambda *epoch: seen.append(epoch)
    )
    assert [epoch for epoch, _ in seen] == [0, 1, 2]
    assert tuple(score for _, score in seen) == curves.validation
    assert all(not torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


class OfItsTaskAlone(GNN):
    """A model that knows of no auxiliary loss, as one of somebody else."""

    def __getattribute__(self, name: str) -> Any:
        if name == "auxiliary_loss":
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_the_loss_of_a_model_without_an_auxiliary_one_is_that_of_its_task() -> None:
    recipe = GRAPH_CLASSIFICATION.recipe(Config("mutag", max_epochs=2))
    curves = []
    for kind in (GNN, OfItsTaskAlone):
        torch.manual_seed(0)
        curves.append(train(kind(3, 3, width=4), table(), random_split(52, 0), recipe, 0))
    assert curves[0] == curves[1]


def test_the_answer_of_a_target_node_is_trained_until_all_are_right() -> None:
    table = GraphTable.collate(transfer("ring", 2, num_graphs=3, num_classes=3))
    everything = torch.arange(3)
    recipe = Recipe(
        F.cross_entropy, ACCURACY, torch.optim.Adam, max_epochs=500, shuffle=False, goal=1.0
    )
    torch.manual_seed(0)
    model = GNN(3, 3, width=16, num_layers=1, dropout=0.0, readout=None)
    split = Split(everything, everything, everything[:0])
    curves = train(model, table, split, recipe, 0)
    assert curves.training[-1] == 1.0
    assert all(score < 1 for score in curves.training[:-1])
    assert curves.training[1:] == curves.validation[:-1]  # before a step, and after the one before
    assert len(curves.validation) < 500
    assert all(math.isnan(score) for score in curves.test)
    outputs, targets = predict(model, list(table.batches(everything)))
    assert torch.equal(outputs.argmax(1), targets)
    torch.testing.assert_close(table.take(torch.tensor([1])).scores(model)[0], outputs[1])


def test_without_held_out_rows_the_losses_are_all_there_is() -> None:
    recipe = GRAPH_CLASSIFICATION.recipe(Config("mutag", max_epochs=2))
    nothing = torch.arange(0)
    curves = train(
        GNN(3, 3, width=4), table(), Split(torch.arange(52), nothing, nothing), recipe, 0
    )
    assert len(curves.loss) == 2
    assert all(loss > 0 for loss in curves.loss)
    assert all(math.isnan(score) for score in (*curves.validation, *curves.test))


RELATIVE = 1e-12
TASK_NAMES = ("graph-classification", "node-classification", "multi-label", "regression")
PARTS = (list(range(3, 16)), list(range(16, 20)), [0, 1, 2, *range(20, 23)])
SEED = 5


def random_graph(number: int, num_nodes: int, categories: Sequence[Sequence[int]] | None) -> Data:
    """A connected random graph with features, or with categories of nodes and edges."""
    draw = torch.Generator().manual_seed(number)
    nodes = torch.arange(1, num_nodes)
    tree = torch.stack([nodes, (torch.rand(num_nodes - 1, generator=draw) * nodes).long()])
    chords = torch.randint(num_nodes, (2, num_nodes // 2), generator=draw)
    edge_index = to_undirected(torch.cat([tree, chords[:, chords[0] != chords[1]]], dim=1))
    data = Data(x=torch.randn(num_nodes, 3, generator=draw).double(), edge_index=edge_index)
    if categories is not None:
        atoms, bonds = (
            torch.stack([torch.randint(c, (size,), generator=draw) for c in columns], dim=1)
            for columns, size in zip(categories, (num_nodes, edge_index.size(1)), strict=True)
        )
        data.x, data.edge_attr = atoms, bonds
    return data


def data_of(task: str) -> list[Data]:
    """Twenty-three small graphs, or one graph of as many nodes, with targets of the task."""
    draw = torch.Generator().manual_seed(1)
    if task == "node-classification":
        graph = random_graph(0, 23, None)
        graph.y = torch.arange(23) % 3
        return [graph]
    long_range = task in ("multi-label", "regression")
    categories = (ATOM_CATEGORIES, BOND_CATEGORIES) if long_range else None
    graphs = [random_graph(i, 3 + i % 6, categories) for i in range(23)]
    for i, graph in enumerate(graphs):
        graph.y = torch.tensor([i % 3])
        if task == "regression":
            graph.y = torch.randn(1, 4, generator=draw).double()
        if task == "multi-label":
            graph.y = (torch.tensor([[i, i + 1, i // 2, i // 4]]) % 2).double()
    return graphs


def accuracy(output: Tensor, target: Tensor) -> float:
    hits = [int(row.argmax()) == int(y) for row, y in zip(output, target, strict=True)]
    return sum(hits) / len(hits)


def average_precision(output: Tensor, target: Tensor) -> float:
    """The mean over labels of the mean precision at the rank of every positive."""
    means: list[float] = []
    for scores, labels in zip(output.t().tolist(), target.t().tolist(), strict=True):
        ranked = [label for _, label in sorted(zip(scores, labels, strict=True), reverse=True)]
        precisions = [
            sum(ranked[: rank + 1]) / (rank + 1) for rank, label in enumerate(ranked) if label
        ]
        if precisions:
            means.append(sum(precisions) / len(precisions))
    return sum(means) / len(means)


def mean_absolute_error(output: Tensor, target: Tensor) -> float:
    return float((output - target).abs().sum()) / target.numel()


def cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    rows = [row.exp().sum().log() - row[y] for row, y in zip(output, target, strict=True)]
    return torch.stack(rows).mean()


def binary_cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    right = torch.sigmoid(output) * target + torch.sigmoid(-output) * (1 - target)
    return -right.log().mean()


def absolute_difference(output: Tensor, target: Tensor) -> Tensor:
    return (output - target).abs().mean()


LITERAL: dict[str, dict[str, Any]] = {
    "graph-classification": {"loss": cross_entropy, "score": accuracy},
    "node-classification": {"loss": cross_entropy, "score": accuracy, "of_nodes": True},
    "multi-label": {"loss": binary_cross_entropy, "score": average_precision},
    "regression": {"loss": absolute_difference, "score": mean_absolute_error},
}


@dataclass(frozen=True)
class Scene:
    """A task, a model in double precision, and the laboratory's recipe for it."""

    task: str
    data: list[Data]
    graphs: GraphTable
    split: Split
    recipe: Recipe
    model: Any

    def run(self, **options: Any) -> tuple[Curves, Record, Any]:
        """What the laboratory makes of the model, and what the literal loop makes of its copy."""
        twin = copy.deepcopy(self.model)
        torch.manual_seed(SEED)
        curves = train(self.model, self.graphs, self.split, self.recipe, SEED)
        torch.manual_seed(SEED)
        record = literal_training(twin, self.data, PARTS, SEED, **{**LITERAL[self.task], **options})
        return curves, record, twin


def scene(
    task: str,
    *,
    backbone: str = "gcn",
    kind: type[GNN] = GNN,
    preset: str = "dwivedi",
    options: Mapping[str, Any] | None = None,
    **training: Any,
) -> Scene:
    """The task with a model of this kind, PANDA having two high nodes in every graph."""
    settings = {"preset": preset} if task in ("multi-label", "regression") else {}
    config = Config("any", backbone, "none", settings, **{"width": 6, "num_layers": 2, **training})
    data = data_of(task)
    if kind is PandaGNN:
        for graph in data:
            graph.high = torch.arange(graph.num_nodes) % 3 == 1
        options = {"high_width": 9, **(options or {})}
    graphs = TASKS[task].collate(data)
    torch.manual_seed(3)
    model = TASKS[task].model(kind, graphs, config, **(options or {})).double()
    split = Split(*(torch.tensor(part) for part in PARTS))
    return Scene(task, data, graphs, split, TASKS[task].recipe(config), model)


def assert_alike(curves: Curves, record: Record, model: Any, twin: Any) -> None:
    assert curves.loss == pytest.approx(record.losses, rel=RELATIVE, abs=0)
    assert curves.validation == pytest.approx(record.validation, rel=RELATIVE, abs=0)
    assert curves.test == pytest.approx(record.test, rel=RELATIVE, abs=0)
    found, expected = model.state_dict(), twin.state_dict()
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        difference = float((found[name] - values).abs().max()) if values.numel() else 0.0
        assert difference < 1e-12, name


@pytest.mark.parametrize("kind", [GNN, PandaGNN])
@pytest.mark.parametrize("backbone", ["gcn", "gin"])
@pytest.mark.parametrize("task", TASK_NAMES)
def test_an_epoch_is_the_literal_epoch(task: str, backbone: str, kind: type[GNN]) -> None:
    """Batches, dropout, loss, clipping, Adam and scores, in every task, with and without PANDA.

    The rate is small because the gradient of a bias before a batch norm is nothing but rounding
    errors, which Adam makes larger. With warm-up there are three epochs, the first having no rate.
    """
    rate, batch_size = 1e-5, 5
    long_range = task in ("multi-label", "regression")
    for preset in ("dwivedi", "toenshoff") if long_range else ("",):
        warms_up = preset == "toenshoff"
        epochs = 3 if warms_up else 1
        made = scene(
            task,
            backbone=backbone,
            kind=kind,
            preset=preset,
            max_epochs=epochs,
            batch_size=batch_size,
            learning_rate=rate,
            dropout=0.4,
        )
        curves, record, twin = made.run(
            epochs=epochs,
            rates=Cosine(rate, 5, epochs) if warms_up else Plateau(rate, "training", 1.0, 1),
            batch_size=None if task == "node-classification" else batch_size,
            clip=1.0 if warms_up else None,
        )
        assert_alike(curves, record, made.model, twin)
        sizes = [13] if task == "node-classification" else [5, 5, 3]
        assert [len(rows) for rows in record.batches] == sizes * epochs


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_an_epoch_of_a_plain_model_is_one_of_pygs_layers(backbone: str) -> None:
    made = scene("graph-classification", backbone=backbone, dropout=0.0, max_epochs=2, batch_size=5)
    twin = PyGStack(made.model, backbone)
    curves = train(made.model, made.graphs, made.split, made.recipe, SEED)
    record = literal_training(
        twin,
        made.data,
        PARTS,
        SEED,
        loss=cross_entropy,
        score=accuracy,
        epochs=2,
        rates=Plateau(1e-3, "training", 1.0, 1),
        batch_size=5,
    )
    assert curves.loss == pytest.approx(record.losses, rel=RELATIVE, abs=0)
    assert (list(curves.validation), list(curves.test)) == (record.validation, record.test)


def test_every_epoch_has_another_order_that_the_seed_decides() -> None:
    made = scene("graph-classification", max_epochs=2, batch_size=5)
    seen: list[list[int]] = []
    take = GraphTable.take

    class Watched(GraphTable):
        def take(self, rows: Tensor) -> GraphTable:
            seen.append(rows.tolist())
            return take(self, rows)

    fields = {
        f.name: getattr(made.graphs, f.name) for f in dataclasses.fields(GraphTable) if f.init
    }
    train(made.model, Watched(**fields), made.split, made.recipe, SEED)
    assert seen[:1] == [PARTS[1]]  # held-out graphs are put together once
    trained = [rows for rows in seen if set(rows) <= set(PARTS[0])]
    _, record, _ = made.run(epochs=2, rates=Plateau(1e-3, "training", 1.0, 1), batch_size=5)
    assert trained == record.batches
    first, second = ([i for rows in epoch for i in rows] for epoch in (trained[:3], trained[3:]))
    assert sorted(first) == sorted(second) == PARTS[0]
    assert first != second


@pytest.mark.parametrize("task", TASK_NAMES)
def test_dropout_is_on_in_training_and_off_in_scoring(task: str) -> None:
    made = scene(task, max_epochs=2, batch_size=5, dropout=0.5, preset="toenshoff")
    modes: list[tuple[bool, bool]] = []
    made.model.register_forward_pre_hook(
        lambda model, inputs: modes.append((model.training, torch.is_grad_enabled()))
    )
    train(made.model, made.graphs, made.split, made.recipe, SEED)
    training, scoring = (True, True), (False, False)
    count = 1 if task == "node-classification" else 3
    assert modes == ([training] * count + [scoring] * count) * 2
    batches = list(made.graphs.batches(made.split.test))
    made.model.train()
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first, _ = predict(made.model, batches)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(1)
    assert torch.equal(predict(made.model, batches)[0], first)
    made.model.train()
    noisy = [batches[0].scores(made.model) for _ in range(2)]
    assert not torch.equal(*noisy)


@pytest.mark.parametrize("task", ["graph-classification", "node-classification"])
def test_the_ct_layer_trains_by_its_own_loss(task: str) -> None:
    made = scene(
        task, kind=CommuteTimeGNN, options={"centers": 2}, max_epochs=1, batch_size=5, dropout=0.3
    )
    before = made.model.commute_time.position.weight.detach().clone()
    curves, record, twin = made.run(
        epochs=1,
        rates=Plateau(1e-3, "training", 1.0, 1),
        batch_size=None if task == "node-classification" else 5,
    )
    assert_alike(curves, record, made.model, twin)
    assert bool((made.model.commute_time.position.weight != before).all())


def test_the_sum_of_losses_contains_the_auxiliary_loss() -> None:
    class Burdened(GNN):
        auxiliary_loss = 7.0

    losses = []
    for kind in (GNN, Burdened):
        made = scene("graph-classification", kind=kind, max_epochs=1, batch_size=5, dropout=0.0)
        losses.append(train(made.model, made.graphs, made.split, made.recipe, SEED).loss[0])
    assert losses[1] - losses[0] == pytest.approx(3 * 7.0)


def watch_rates(made: Scene) -> tuple[Recipe, list[float]]:
    """The recipe, and the learning rate of every step that will be taken by it."""
    rates: list[float] = []

    def optimizer(parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
        inner = made.recipe.optimizer(parameters)
        inner.register_step_pre_hook(
            lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"])
        )
        return inner

    return dataclasses.replace(made.recipe, optimizer=optimizer), rates


@pytest.mark.parametrize(
    ("task", "preset", "rates"),
    [
        ("graph-classification", "", Plateau(1e-3, "training", 0.1, 10)),
        ("node-classification", "", Plateau(1e-3, "training", 0.1, 25)),
        ("multi-label", "dwivedi", Plateau(1e-3, "validation", 0.5, 20, 1e-5)),
        *thorough(("regression", "dwivedi", Plateau(1e-3, "validation", 0.5, 20, 1e-5))),
        ("multi-label", "toenshoff", Cosine(1e-3, 5, 60)),
        *thorough(("regression", "toenshoff", Cosine(1e-3, 5, 60))),
    ],
)
def test_the_learning_rate_falls_by_the_rule_of_the_task(
    task: str, preset: str, rates: Plateau | Cosine
) -> None:
    """The watched loss rises from epoch 3 on; the other, which nobody should watch, falls."""
    made = scene(task, preset=preset, max_epochs=60, patience=100, batch_size=50)
    done: list[int] = []

    def scripted(epoch: int) -> float:
        return abs(epoch - 3) + 1.0

    def loss(output: Tensor, target: Tensor) -> Tensor:
        assert target.size(0) == len(PARTS[0] if made.model.training else PARTS[1])
        watched = made.model.training == (getattr(rates, "watches", "training") == "training")
        return output.sum() * 0 + (scripted(len(done)) if watched else 100.0 - len(done))

    recipe, found = watch_rates(made)
    recipe = dataclasses.replace(recipe, loss=loss)
    train(made.model, made.graphs, made.split, recipe, SEED, lambda epoch, _: done.append(epoch))
    expected = [rates.first()]
    for epoch in range(59):
        expected.append(rates.after(epoch, scripted(epoch), scripted(epoch)))
    assert found == pytest.approx(expected, rel=1e-12, abs=0)
    assert len(set(found)) > 1


def scripted_metric(validation: Sequence[float], test: Sequence[float]) -> Metric:
    """Scores as they are written here, whatever the outputs."""
    scores = iter([score for both in zip(validation, test, strict=True) for score in both])
    return dataclasses.replace(ACCURACY, compute=lambda target, output: next(scores))


@pytest.mark.parametrize(
    ("patience", "threshold", "stops_after"),
    [
        (2, 1.0, 10),  # epochs 7, 8 and 9 are not above 0.62
        (2, 1.1, 5),  # 0.50 and 0.54 are below 0.55, so is 0.55 itself
        (3, 1.1, 10),  # 0.60 was in time, 0.61 to 0.65 are below 0.66
        (4, 1.1, 11),
        (50, 1.1, 11),
        (0, 1.0, 3),
    ],
)
def test_training_stops_when_the_goal_is_not_reached_in_time(
    patience: int, threshold: float, stops_after: int
) -> None:
    validation = [0.4, 0.5, 0.5, 0.54, 0.55, 0.6, 0.62, 0.61, 0.62, 0.62, 0.65]
    test = [epoch / 100 for epoch in range(len(validation))]
    made = scene("graph-classification", max_epochs=11, patience=patience, threshold=threshold)
    recipe = dataclasses.replace(made.recipe, metric=scripted_metric(validation, test))
    curves = train(made.model, made.graphs, made.split, recipe, SEED)
    assert list(curves.validation) == validation[:stops_after]
    assert list(curves.test) == test[:stops_after]


def test_a_regression_never_stops_early() -> None:
    made = scene("regression", max_epochs=8, patience=1)
    curves = train(made.model, made.graphs, made.split, made.recipe, SEED)
    assert len(curves.validation) == 8
