"""Forests that are told one thing each."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.datasets import resolve
from panda_gnn.datasets.causes import labelled_graphs
from panda_gnn.evaluation.advice import quick
from panda_gnn.evaluation.advice.quick import quick_inputs, quick_scores
from panda_gnn.evaluation.ltp import histograms
from panda_gnn.evaluation.probe import propagated_means
from panda_gnn.evaluation.tasks import TASKS, TaskData


@pytest.fixture(autouse=True)
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "TREES", 10)


def task_data(graphs: object) -> TaskData:
    found = resolve(graphs)
    task = TASKS[found.entry.task]
    return TaskData(found.entry, task, found.dataset, task.collate(found.dataset), "")


def mean(scores: dict[str, dict[int, float]], name: str) -> float:
    return float(np.mean(list(scores[name].values())))


def test_the_forest_that_is_told_the_cause_finds_it() -> None:
    data = task_data(labelled_graphs("size", num_graphs=100))
    called: list[None] = []
    scores = quick_scores(data, {}, (0, 1), lambda: called.append(None))
    assert list(scores) == [
        "majority",
        "size alone",
        "features alone",
        "local structure",
        "untrained probe",
    ]
    assert len(called) == 10
    assert mean(scores, "size alone") == 1
    assert mean(scores, "majority") < 0.7
    inputs = quick_inputs(data)
    assert inputs["size alone"][0].tolist() == [
        data.dataset[0].num_nodes,
        data.dataset[0].num_edges,
    ]
    assert np.array_equal(inputs["local structure"], histograms(data.graphs, 50))
    assert np.array_equal(inputs["untrained probe"], propagated_means(data.graphs, 4))
    assert inputs["features alone"][3] == pytest.approx(data.dataset[3].x.mean(0).numpy())


def test_numbers_and_nodes() -> None:
    generator = torch.Generator().manual_seed(0)
    graphs = labelled_graphs("size", num_graphs=40)
    for graph in graphs:
        graph.y = torch.tensor([[graph.num_nodes + 0.5, 0.25]])
    scores = quick_scores(task_data(graphs), {}, (0,))
    assert scores["size alone"][0] < scores["majority"][0]  # errors: less is better
    x = torch.randn(60, 2, generator=generator)
    ring = torch.stack([torch.arange(60), (torch.arange(60) + 1) % 60])
    edge_index = torch.cat([ring, ring.flip(0)], dim=1)
    one = task_data(Data(x=x, edge_index=edge_index, y=(x[:, 0] > 0).long()))
    of_nodes = quick_scores(one, {"split": "random"}, (0, 1))
    assert list(of_nodes) == ["majority", "features alone", "local structure", "untrained probe"]
    assert mean(of_nodes, "features alone") > 0.8
    assert quick_inputs(one)["untrained probe"].shape == (60, 6)
