"""Mini-batches of one large graph, with everything its nodes carry: ``high`` travels along.

PyG's ``NeighborLoader`` is used where pyg-lib or torch-sparse is installed, its
``RandomNodeLoader`` where neither is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch_geometric import typing as installed
from torch_geometric.data import Data
from torch_geometric.loader import NeighborLoader, RandomNodeLoader

from panda_gnn.errors import InputError, choose
from panda_gnn.graph.rows import edge_index_of

NODE_SAMPLERS = ("neighbour", "random")


def available_sampler() -> str:
    """What this installation of PyG can do: ``neighbour``, or else ``random``."""
    return "neighbour" if installed.WITH_PYG_LIB or installed.WITH_TORCH_SPARSE else "random"


class NodeBatches:
    r"""Parts of a graph to train on one after the other.

    Each batch is a ``Data`` with the attributes that ``data`` has for its nodes (``x``, ``y``,
    ``high``, ...) and the mask ``counted`` of the nodes whose loss counts. An epoch counts every
    node of ``nodes`` exactly once.

    * ``"neighbour"``: ``batch_size`` counted nodes and a sample of what surrounds them, at most
      ``num_neighbors[i]`` neighbours of each in step i;
    * ``"random"``: ``batch_size`` random nodes and the edges between them; those of ``nodes`` among
      them count. Most edges of a sparse graph are cut, so take batches as large as memory allows.

    Args:
        data: The graph.
        batch_size: Counted nodes of a batch (``neighbour``), or all of them (``random``).
        nodes: A mask of the nodes whose loss counts; all by default.
        num_neighbors: Neighbours that are sampled in each step.
        sampler: ``"neighbour"`` or ``"random"``; by default what :func:`available_sampler` says.
        seed: Decides the order of the nodes; every epoch has another one.
    """

    def __init__(
        self,
        data: Data,
        batch_size: int,
        *,
        nodes: Tensor | None = None,
        num_neighbors: Sequence[int] = (10, 10),
        sampler: str | None = None,
        seed: int = 0,
    ) -> None:
        num_nodes = int(data.num_nodes or 0)
        if batch_size < 1:
            raise InputError(f"batch_size is {batch_size}, it must be at least 1")
        if nodes is not None and (nodes.dtype != torch.bool or list(nodes.shape) != [num_nodes]):
            raise InputError(
                f"nodes must be a boolean mask of shape [{num_nodes}], "
                f"got {nodes.dtype} of shape {list(nodes.shape)}"
            )
        self.sampler = choose("sampler", sampler or available_sampler(), NODE_SAMPLERS)
        if self.sampler == "neighbour" and available_sampler() != "neighbour":
            raise InputError(
                "sampler 'neighbour' needs the package 'pyg-lib': install it, or take 'random'"
            )
        data = data.clone()
        if nodes is None:
            nodes = edge_index_of(data, type(self).__name__).new_ones(num_nodes, dtype=torch.bool)
        data.counted = nodes
        generator = torch.Generator().manual_seed(seed)
        self._loader: NeighborLoader | RandomNodeLoader
        if self.sampler == "neighbour":
            self._loader = NeighborLoader(
                data,
                list(num_neighbors),
                input_nodes=data.counted,
                batch_size=batch_size,
                shuffle=True,
                generator=generator,
            )
        else:
            parts = max(1, math.ceil(num_nodes / batch_size))
            self._loader = RandomNodeLoader(data, parts, shuffle=True, generator=generator)

    def __len__(self) -> int:
        """The number of batches in an epoch."""
        return len(self._loader)

    def __iter__(self) -> Iterator[Data]:
        """The batches of an epoch."""
        for batch in self._loader:
            if self.sampler == "neighbour":
                batch.counted = torch.zeros_like(batch.counted)
                batch.counted[: batch.batch_size] = True
            yield batch
