"""Training on tasks with a bottleneck, as a row."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.measurements.bottleneck import (
    BOTTLENECK,
    BOTTLENECK_METHODS,
    BOTTLENECK_TASKS,
    SELECTOR_OF,
    bottleneck_graphs,
    bottleneck_model,
    split_in_order,
)
from panda_gnn.evaluation.methods import complete
from panda_gnn.nn import PandaGNN


def config_of(task: str, method: str, **settings: Setting) -> Config:
    given = {"size": 2, "num_graphs": 40, "high_width": 12, **settings}
    config = Config(task, "gin", method, given, width=6, dropout=0.0, max_epochs=2)
    return complete(config, BOTTLENECK)


@pytest.mark.parametrize("task", BOTTLENECK_TASKS)
@pytest.mark.parametrize("method", BOTTLENECK_METHODS)
def test_every_method_is_measured_on_every_task(task: str, method: str) -> None:
    config = config_of(task, method)
    row = BOTTLENECK.run(config, 1)
    assert 0 <= row["values"]["accuracy"] <= 1
    assert BOTTLENECK.run(config, 1)["values"] == row["values"]
    graphs = GraphTable.collate(bottleneck_graphs(config, 1))
    model = bottleneck_model(config, graphs)
    assert len(model.layers) == BOTTLENECK_TASKS[task].convolutions(2)
    assert isinstance(model, PandaGNN) == (method in SELECTOR_OF)
    assert model.width == (12 if method == "all-wide" else 6)


@pytest.mark.parametrize(
    ("task", "nodes"), [("hub", [4]), ("two-radius", [4]), ("one-radius", [2])]
)
def test_panda_widens_the_bottleneck(task: str, nodes: list[int]) -> None:
    graph = bottleneck_graphs(config_of(task, "panda"), 0)[0]
    assert graph.high.nonzero().view(-1).tolist() == nodes
    tree = bottleneck_graphs(config_of("tree-neighbors", "panda", size=3), 0)[0]
    assert tree.high.nonzero().view(-1).tolist() == [0, 1, 2]


def test_a_rewiring_adds_edges_and_a_virtual_node_a_node() -> None:
    plain, rewired, virtual = (
        bottleneck_graphs(config_of("hub", method, size=4, iterations=3), 0)[5]
        for method in ("none", "fosr", "virtual-node")
    )
    assert rewired.num_edges == plain.num_edges + 6
    assert virtual.num_nodes == plain.num_nodes + 1
    for other in (rewired, virtual):
        assert torch.equal(other.y, plain.y)
        assert torch.equal(other.x[: plain.num_nodes], plain.x)


def test_graphs_are_not_split_in_two() -> None:
    graphs = GraphTable.collate(bottleneck_graphs(config_of("hub", "none", size=3), 0))
    split = split_in_order(graphs)
    parts = (split.train, split.validation, split.test)
    assert [len(part) for part in parts] == [84, 12, 24]
    assert torch.equal(torch.cat(parts), torch.arange(120))
    assert graphs.take(split.train[:9]).num_graphs == 3


def test_an_easy_hub_is_solved() -> None:
    config = config_of("hub", "none", num_graphs=200)
    config = replace(config, width=16, max_epochs=40, learning_rate=0.02, batch_size=20)
    assert BOTTLENECK.run(config, 0)["values"]["accuracy"] > 0.95


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Config("ring", "gin"), "unknown task 'ring': choose one of hub"),
        (Config("hub", "gin", "gtr"), "unknown method 'gtr' of a bottleneck task"),
        (Config("hub", "gin", settings={"size": 0}), "size must be a whole number, 1 or more"),
        (Config("hub", "gin", settings={"high_width": 8}), "high_width must be .* 64 or more"),
    ],
)
def test_mistakes_get_one_sentence(config: Config, message: str) -> None:
    with pytest.raises(InputError, match=message):
        complete(config, BOTTLENECK)
