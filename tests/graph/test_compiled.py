"""Kernels are compiled where they are first called, and that is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_importing_compiles_nothing_and_the_first_call_says_what_it_compiled(
    tmp_path: Path,
) -> None:
    code = """
import sys, torch, panda_gnn.transforms
from torch_geometric.data import Data
from panda_gnn.centrality import centrality
from panda_gnn.graph.compiled import _announcer
print([kernel for kernel in _announcer.kernels if kernel.overloads])
data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
print(centrality("pagerank", data).tolist())
"""
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        )
        assert done.stdout.splitlines() == ["[]", "[0.5, 0.5]"]
        said.append([line for line in done.stderr.splitlines() if "compiled" in line])
    assert len(said[0]) == 1
    assert "s (once; kept for later runs)" in said[0][0]
    assert said[1] == []
