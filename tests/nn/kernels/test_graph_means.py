"""The mean over the nodes of each graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels.graph_means import graph_means


def arguments() -> tuple[Any, ...]:
    x = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    return x, torch.tensor([0, 0, 2, 0, 2]), 3


def test_mean_of_a_graph_without_nodes_is_zero() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = graph_means(x, torch.tensor([2, 0, 2]), 4)
    assert found.tolist() == [[3.0, 4.0], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_operator_is_registered_as_torch_wants_it() -> None:
    torch.library.opcheck(torch.ops.panda_gnn.graph_means.default, arguments())


def test_gradients_by_finite_differences() -> None:
    x, *rest = arguments()

    def through(x: Tensor) -> Any:
        return torch.ops.panda_gnn.graph_means(x, *rest)[0]

    assert torch.autograd.gradcheck(through, (x,))


@pytest.mark.parametrize("graph", [2, -1])
def test_a_node_of_no_graph_is_named(graph: int) -> None:
    """Graphs are numbered 0 and 1: the first number beyond them is wrong already."""
    batch = torch.tensor([0, 1, graph, 7])
    says = f"batch puts node 2 into graph {graph}, but num_graphs is 2"
    with pytest.raises(InputError, match=says):
        graph_means(torch.rand(4, 3), batch, 2)
