"""What is known of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch_geometric.data import InMemoryDataset
from torch_geometric.transforms import BaseTransform

#: What the classes of a dataset are called.
ClassNames = tuple[str, ...] | tuple[int, ...]


class LooseFile(NamedTuple):
    """A raw file that does not come in an archive.

    Attributes:
        name: The name that PyG looks for.
        path: Where it lies in a mirror.
        url: Where it lies on the network.
    """

    name: str
    path: str
    url: str


@dataclass(frozen=True, kw_only=True)
class DatasetEntry:
    """One dataset: the only place that knows its task, its classes and its citation.

    The counts are those of the graphs that :func:`panda_gnn.datasets.load` gives (every undirected
    edge twice, no self-loops); a copy of the dataset that does not have them is not accepted.

    Attributes:
        name: The name in commands, studies and :func:`panda_gnn.datasets.load`.
        printed: The name in tables and messages.
        dataset_class: PyG's class.
        pyg_name: The name that PyG's class gets, where it is not the printed one.
        options: What else PyG's class gets.
        prepare: What is done to every graph before it is stored.
        below: The folder below the data root that PyG's class gets as its root.
        home: The folder in there that the class uses, where it is not the printed name.
        archive: Where the archive lies in a mirror; empty where the files are loose.
        url: Where the archive lies on the network.
        folder_in_archive: What holds the raw files there, where it is not the printed name.
        loose_files: The raw files of a dataset without an archive.
        raw_names: The raw files without which PyG would try to download.
        processed_names: What PyG makes of them.
        task: What is to be predicted: the name of one of
            ``panda_gnn.evaluation.tasks.TASKS``, which know the metric.
        num_classes: The number of classes; of targets where there are several.
        classes: What own data call their classes, in order: words or whole numbers.
        num_graphs: The number of graphs.
        split: How own data are split: shares such as ``80/10/10``, folds such as ``cv10``, or
            ``masks``; empty where the task knows.
        split_sizes: How many graphs are for training, validation and test, in the order of the
            dataset, where the split is fixed; how many nodes on average, where masks say which.
        average_nodes: Nodes of a graph.
        average_edges: Edges of a graph.
        num_features: Features of a node.
        features: Where these come from: ``x`` are the dataset's own, ``constant`` is the number 1
            for datasets without features, ``degree`` is chosen for own data.
        fingerprint: What :func:`panda_gnn.datasets.fingerprint` gives for the known content; empty
            where no copy was at hand.
        citation: Whom to cite.

    Example:
        >>> from panda_gnn.datasets import DATASETS
        >>> entry = DATASETS["mutag"]
        >>> entry.printed, entry.num_graphs, entry.task
        ('MUTAG', 188, 'graph-classification')
    """

    name: str
    printed: str
    dataset_class: type[InMemoryDataset]
    pyg_name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    prepare: BaseTransform | None = None
    below: str = ""
    home: str = ""
    archive: str = ""
    url: str = ""
    folder_in_archive: str = ""
    loose_files: tuple[LooseFile, ...] = ()
    raw_names: tuple[str, ...]
    processed_names: tuple[str, ...] = ("data.pt",)
    task: str
    num_classes: int
    classes: ClassNames = ()
    num_graphs: int
    split: str = ""
    split_sizes: tuple[int, int, int] | None = None
    average_nodes: float
    average_edges: float
    num_features: int
    features: str = "x"
    fingerprint: str = ""
    citation: str

    @property
    def place(self) -> str:
        """The folder of the dataset below the data root."""
        home = self.home or self.printed
        return f"{self.below}/{home}" if self.below else home

    @property
    def in_mirror(self) -> str:
        """What a mirror must hold, the archive or the first of the files."""
        return self.archive or self.loose_files[0].path
