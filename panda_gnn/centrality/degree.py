"""Degree centrality: the share of the other nodes that a node is connected to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from panda_gnn.csr import BlockCSR


def degree(csr: BlockCSR) -> npt.NDArray[np.float64]:
    r"""The degree over :math:`n - 1`; a self-loop counts twice, a lone node has the value one."""
    others = np.repeat(csr.sizes, csr.sizes) - 1
    count = csr.degrees + 2 * csr.loops
    return np.where(others > 0, count / np.maximum(others, 1), 1.0)
