"""Kernels are compiled where they are first called, once, and that is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CODE = """
import sys, torch, panda_gnn.transforms
from torch_geometric.data import Data
from panda_gnn.centrality import centrality
from panda_gnn.graph.compiled import _announcer
print([kernel for kernel in _announcer.kernels if kernel.overloads])
data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
input()
print(centrality("pagerank", data).tolist())
"""


def compiled(count: int, cache: Path) -> list[str]:
    """What processes that run at once say they compile, when all have imported everything."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        )
        for _ in range(count)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = []
    for process in processes:
        output, errors = process.communicate()
        assert process.returncode == 0
        assert output.splitlines() == ["[]", "[0.5, 0.5]"]
        said += [line for line in errors.splitlines() if "compiled" in line]
    return said


def test_importing_compiles_nothing_and_of_two_first_calls_one_compiles_and_says_so(
    tmp_path: Path,
) -> None:
    """Compiles the kernels of PageRank anew."""
    (said,) = compiled(2, tmp_path)
    assert "s (once; kept for later runs)" in said
    assert compiled(1, tmp_path) == []
