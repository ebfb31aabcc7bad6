"""Task, classes and split follow from the graphs, or are said."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.datasets.own import Choices, own_data
from panda_gnn.errors import InputError
from panda_gnn.evaluation.tasks.node_classification import NODE_CLASSIFICATION

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def graphs(targets: list[Any], dtype: torch.dtype = torch.long) -> list[Data]:
    return [
        Data(x=torch.ones(3, 2), edge_index=EDGES, y=torch.tensor(y, dtype=dtype)) for y in targets
    ]


def one_graph(y: torch.Tensor, **values: Any) -> list[Data]:
    size = y.size(0)
    node = torch.arange(size)
    edges = torch.stack([node[:-1], node[1:]])
    return [Data(x=torch.ones(size, 1), edge_index=edges, y=y, **values)]


@pytest.mark.parametrize(
    ("given", "task", "classes", "y"),
    [
        (graphs([[i % 3 - 1] for i in range(12)]), "graph-classification", 3, [0, 1, 2]),
        (graphs([i % 2 for i in range(12)]), "graph-classification", 2, [0, 1, 0]),
        (graphs([float(i % 2) for i in range(12)], torch.float), "graph-classification", 2, [0, 1]),
        (graphs([i / 7 for i in range(12)], torch.float), "graph-regression", 1, [[0.0]]),
        (graphs([[i % 2, 1] for i in range(12)]), "graph-multi-label", 2, [[0, 1], [1, 1]]),
        (graphs([[i, 1] for i in range(12)]), "graph-regression", 2, [[0, 1], [1, 1]]),
        (one_graph(torch.arange(12) % 4 + 5), "node-classification", 4, [0, 1, 2]),
        (one_graph(torch.linspace(0, 1, 12)), "node-regression", 1, [[0.0]]),
        (one_graph(torch.arange(24.0).view(12, 2)), "node-regression", 2, [[0, 1]]),
    ],
)
def test_what_is_inferred(given: list[Data], task: str, classes: int, y: list[Any]) -> None:
    own = own_data("mine", given)
    assert own.entry.task == task
    assert own.entry.num_classes == classes
    assert own.dataset._data.y[: len(y)].tolist() == y
    assert task in own.summary
    assert "\n" not in own.summary


def test_what_is_said_wins() -> None:
    numbers = graphs([i % 3 for i in range(12)])
    own = own_data("mine", numbers, Choices(task="regression", split="cv4", features="constant"))
    assert own.entry.task == "graph-regression"
    assert own.entry.split == "cv4"
    assert own.entry.num_features == 1
    assert own.dataset._data.y.tolist()[:3] == [[0.0], [1.0], [2.0]]
    full = own_data("mine", numbers, Choices(task="graph-classification", metric="accuracy"))
    assert full.entry.task == "graph-classification"


def masks(parts: torch.Tensor, also: int = 2) -> dict[str, torch.Tensor]:
    """Nodes of the parts 0, 1 and 2 are for training, validation and test (those of ``also``,
    too)."""
    return {
        "train_mask": parts == 0,
        "val_mask": parts == 1,
        "test_mask": (parts == 2) | (parts == also),
    }


def test_one_test_mask_is_that_of_all_splits() -> None:
    """As in WikiCS: several splits into training and validation, one set of test nodes."""
    parts = torch.arange(12) % 4
    given = {
        "train_mask": torch.stack([parts == 0, parts == 1], dim=1),
        "val_mask": torch.stack([parts == 1, parts == 0], dim=1),
        "test_mask": parts == 2,
    }
    data = own_data("mine", one_graph(torch.arange(12) % 2, **given)).dataset[0]
    assert data.test_mask.shape == (12, 2)
    assert data.test_mask[:, 1].nonzero().view(-1).tolist() == [2, 6, 10]


def test_masks_are_the_split_of_a_graph_that_has_them() -> None:
    given = masks(torch.arange(12) % 3)
    own = own_data("mine", one_graph(torch.arange(12) % 2, **given))
    assert own.entry.split == "masks"
    assert own.dataset[0].train_mask.shape == (12, 1)
    other = own_data("mine", one_graph(torch.arange(12) % 2, **given), Choices(split="50/25/25"))
    assert other.entry.split == "50/25/25"
    assert "train_mask" not in other.dataset[0]


def test_the_fingerprint_follows_the_data() -> None:
    first = own_data("mine", graphs([i % 2 for i in range(12)])).entry.fingerprint
    again = own_data("other", graphs([i % 2 for i in range(12)])).entry.fingerprint
    changed = own_data("mine", graphs([i % 2 for i in range(11)] + [0])).entry.fingerprint
    assert first == again != changed


@pytest.mark.parametrize(
    ("given", "choices", "message"),
    [
        (graphs([0, 1, 0]), {}, "there are 3 graphs with a target"),
        (graphs([1] * 12), {}, r"all targets are of one class \(1\)"),
        (graphs([float("nan")] * 12, torch.float), {}, "graph 0 has no finite target"),
        (graphs([[0, 1]] * 11 + [[1]]), {}, "targets, graph 0 has 2"),
        (graphs([0, 1] * 6), {"task": "node-classification"}, "unknown task"),
        (graphs([0, 1] * 6), {"metric": "mean absolute error"}, "unknown metric"),
        (graphs([0, 1] * 6), {"split": "80/10"}, "split is '80/10'"),
        (graphs([0, 1] * 6), {"split": "80/20/20"}, "split is '80/20/20'"),
        (graphs([0, 1] * 6), {"split": "cv2"}, "split is 'cv2'"),
        (graphs([0, 1] * 30), {"split": "cv21"}, "split is 'cv21'"),
        (graphs([0, 1] * 6), {"split": "masks"}, "split masks needs train_mask"),
        (
            graphs([[0.5, 1]] * 12, torch.float),
            {"task": "classification"},
            "needs one whole number",
        ),
        (
            graphs([[0, 1, 1]] * 12),
            {},
            r"as many numbers as the graph has nodes.* the shape \[1, 3\]",
        ),
        (
            one_graph(torch.arange(12) % 2, **masks(torch.arange(12) % 3, also=0)),
            {},
            "train_mask and test_mask share 4 of 12 nodes",
        ),
        (
            one_graph(torch.arange(12) % 2, **masks(torch.arange(12) % 2)),
            {},
            "test_mask must mark at least one of the 12 nodes",
        ),
        (
            one_graph(
                torch.arange(12) % 2,
                **{**masks(torch.arange(12) % 3), "val_mask": torch.ones(11, dtype=torch.bool)},
            ),
            {},
            r"val_mask has the shape \[11\], but there are 12 nodes",
        ),
        (
            one_graph(
                torch.arange(12) % 2,
                **{
                    **masks((torch.arange(12) % 3).view(12, 1).expand(12, 3)),
                    "val_mask": torch.ones(12, 2, dtype=torch.bool),
                },
            ),
            {},
            "val_mask has 2 columns, others have 3",
        ),
        (graphs([0])[:1], {}, r"there is one graph and y has the shape \[\]"),
        ([Data(x=torch.ones(3, 1), edge_index=EDGES)] * 12, {}, "graph 0 has no target y"),
    ],
)
def test_what_cannot_be_learned(given: list[Data], choices: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        own_data("mine", given, Choices(**choices))


def test_masks_of_several_splits_say_how_many_there_are() -> None:
    parts = torch.stack([(torch.arange(12) + shift) % 3 for shift in range(2)], dim=1)
    own = own_data("mine", one_graph(torch.arange(12) % 2, **masks(parts)))
    assert own.entry.split == "masks of 2 splits"
    assert own.entry.split_sizes == (4, 4, 4)
    assert NODE_CLASSIFICATION.test_ratio(own.entry, {"split": "random"}) == 1.0


def test_classes_keep_what_they_are_called() -> None:
    signs = own_data("mine", graphs([(-1) ** i for i in range(12)]))
    assert signs.entry.classes == (-1, 1)
    assert signs.dataset._data.y[:2].tolist() == [1, 0]
    real = own_data("mine", graphs([float(i % 2 + 1) for i in range(12)], torch.float))
    assert real.entry.classes == (1, 2)
    words = own_data("mine", one_graph(torch.arange(12) % 2 + 1), labels=["no", "yes", "zero"])
    assert words.entry.classes == ("yes", "zero")
    fewer = own_data("mine", one_graph(torch.arange(12) % 2 + 1), labels=["no", "yes"])
    assert fewer.entry.classes == (1, 2)
    assert own_data("mine", graphs([i / 7 for i in range(12)], torch.float)).entry.classes == ()
