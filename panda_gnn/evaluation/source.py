"""A dataset as trials see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets import DATASETS, load
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.lrgb_protocol import molecule_table


@dataclass(frozen=True, eq=False)
class Source:
    """A dataset and its graphs in one piece.

    Attributes:
        dataset: The dataset.
        graphs: Its graphs, as ``collate`` puts them together.
        collate: Puts other versions of the graphs together in the same way.
    """

    dataset: InMemoryDataset
    graphs: GraphTable
    collate: Callable[[Sequence[Data]], GraphTable] = GraphTable.collate


@lru_cache(maxsize=2)
def source(
    name: str,
    root: str | None = None,
    mirror: str | None = None,
    graphs: tuple[int, ...] | None = None,
) -> Source:
    """The dataset ``name``, or some of its graphs, loaded and collated once in a process."""
    dataset = load(name, root=root, mirror=mirror)
    if graphs is not None:
        dataset = dataset.copy(list(graphs))
    collate = molecule_table if DATASETS[name].task == "lrgb" else GraphTable.collate
    return Source(dataset, collate(dataset), collate)
