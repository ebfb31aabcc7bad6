"""Rewired datasets, computed once and kept beside the dataset.

What a rewiring makes of a graph depends on the graph and on the rewiring's options, so all trials
share it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.cache import cached, content_key
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.rewiring.base import Rewiring
from panda_gnn.rewiring.fully_adjacent import FullyAdjacent


def rewired(
    dataset: InMemoryDataset,
    graphs: GraphTable,
    transform: Rewiring,
    collate: Callable[[Sequence[Data]], GraphTable],
) -> GraphTable:
    """``graphs``, which ``collate`` made of ``dataset``, with the edges that a rewiring gives them.

    They are kept in the folder ``rewired`` next to ``processed``, except all pairs of nodes, which
    take longer to read than to make.
    """

    def compute() -> dict[str, Tensor]:
        table = collate([transform(graph) for graph in dataset])
        return {
            "edge_index": table.edge_index,
            "edge_ptr": table.edge_ptr,
            **{f"option {name}": values for name, values in table.edge_options.items()},
        }

    folder, key = None, ""
    if dataset.root is not None and not isinstance(transform, FullyAdjacent):
        folder = Path(dataset.processed_dir).parent / "rewired"
        key = content_key(
            type(transform).__name__.lower(),
            transform.version,
            repr(transform),
            graphs.edge_index,
            graphs.node_ptr,
        )
    found = cached(folder, key, compute)
    options = {name: found[name] for name in found if name.startswith("option ")}
    return replace(
        graphs,
        edge_index=found["edge_index"],
        edge_ptr=found["edge_ptr"],
        edge_options={name.removeprefix("option "): values for name, values in options.items()},
    )
