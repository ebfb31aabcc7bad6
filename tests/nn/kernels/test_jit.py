"""Kernels that are compiled when they are first called."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch.autograd.functional import jacobian

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN
from panda_gnn.nn.kernels.jit import addresses
from panda_gnn.nn.kernels.row_sums import _dot_ends


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_kernel_is_compiled_for_the_type_it_is_asked_for(dtype: torch.dtype) -> None:
    ptr, column = torch.tensor([[0, 1, 2], [1, 0, 0]], dtype=torch.int32)
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=dtype)
    out = torch.empty(2, dtype=dtype)
    _dot_ends[dtype](*addresses(ptr, column, x, x, out), 2, 0, 2)
    assert out.tolist() == [13.0, 13.0]
    assert _dot_ends[dtype] is _dot_ends[dtype]


def test_later_processes_load_what_was_compiled() -> None:
    assert _dot_ends[torch.float32] is not None
    code = (
        "import torch\n"
        "from panda_gnn.nn.kernels.row_sums import _dot_ends\n"
        "_dot_ends[torch.float32]\n"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert run.stderr == b""


def test_a_batch_of_gradients_is_refused_with_a_way_out() -> None:
    model, edge_index = GNN(3, 2).eval(), torch.tensor([[0, 1], [1, 0]])
    x = torch.randn(2, 3)

    def scores(x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = model(x, edge_index)
        return result

    with pytest.raises(
        InputError, match=r"call panda_gnn.backend\('torch'\) before vectorize=True"
    ):
        jacobian(scores, x, vectorize=True)
    with panda_gnn.backend("torch"):
        fast = jacobian(scores, x, vectorize=True)
    torch.testing.assert_close(fast, jacobian(scores, x))
