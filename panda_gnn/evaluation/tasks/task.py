"""A task: what is predicted, and all that follows from it.

A task knows how graphs are put together and split, how outputs are scored, how a model is trained
where nobody says otherwise, which settings a config has for it, and which options the model needs.
Nothing outside asks which task it is. A new task is a subclass in a file of its own, registered in
:data:`panda_gnn.evaluation.tasks.TASKS`; a dataset names its task there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets import DatasetEntry
from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.metrics import Metric
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import Recipe
from panda_gnn.paper import best_settings


@dataclass(frozen=True, eq=False)
class TaskData:
    """A dataset as trials see it.

    Attributes:
        entry: What is known of the dataset.
        task: What is predicted.
        dataset: The dataset.
        graphs: Its graphs in one piece.
        fingerprint: What the whole dataset holds: see :func:`panda_gnn.datasets.fingerprint`.
    """

    entry: DatasetEntry
    task: Task
    dataset: InMemoryDataset
    graphs: GraphTable
    fingerprint: str


@dataclass(frozen=True)
class Task(ABC):
    """What all tasks share.

    Attributes:
        name: What datasets call it.
        metric: How outputs are scored.
        settings: The settings, with their defaults, that a config has for the task beside those of
            its method.
        version: Raised whenever trials of the task give other scores than before.
    """

    name: str
    metric: Metric
    settings: Mapping[str, Setting] = field(default_factory=dict)
    version: int = field(default=1, kw_only=True)

    #: What the edges of the graphs keep.
    edge_attributes: ClassVar[Sequence[str]] = ("edge_type", "edge_weight")

    #: Whether every graph has one class, which methods without a network need.
    classifies_graphs: ClassVar[bool] = False

    @abstractmethod
    def split(self, data: TaskData, settings: Mapping[str, Any], seed: int) -> Split:
        """The rows for training, validation and test: the same for all methods."""

    @abstractmethod
    def recipe(self, config: Config) -> Recipe:
        """How a model of this config is trained."""

    def training(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields of a :class:`Config` whose default is another than the config's own."""
        return {}

    def check(self, config: Config) -> None:  # noqa: B027
        """Reject a complete config that no trial of the task can have; most tasks accept all."""

    def panda_settings(
        self, config: Config, names: Sequence[str] | None = None
    ) -> dict[str, Setting]:
        """PANDA's settings where a config gives none: the paper's best ones.

        Args:
            config: Backbone and dataset, and the settings that are given.
            names: Those that are asked for; by default all.
        """
        best = best_settings(config.backbone, config.dataset.removesuffix("-filtered"))
        known = {
            **(vars(best) if best else config.settings),
            "selector": "topk",
            "variant": "paper",
        }
        names = names or ("k", "high_width", "centrality", "selector", "variant")
        missing = [name for name in names if name not in known]
        if missing:
            raise InputError(
                f"the paper has no settings for {config.backbone} on {config.dataset}: "
                f"give {', '.join(missing)}"
            )
        return {name: known[name] for name in names}

    def collate(self, graphs: Sequence[Data] | InMemoryDataset) -> GraphTable:
        """The graphs in one piece."""
        return GraphTable.collate(graphs, self.edge_attributes)

    def model(self, kind: type[Any], graphs: GraphTable, config: Config, **options: Any) -> Any:
        """A model with fresh weights.

        Args:
            kind: Its class, such as :class:`~panda_gnn.nn.GNN` or :class:`~panda_gnn.nn.PandaGNN`.
            graphs: The graphs that it will see.
            config: Backbone, width and so on.
            **options: Options of the class, instead of those that all models share.
        """
        options = {**self.model_options(graphs, config), **options}
        return kind(self.in_channels(graphs), graphs.num_outputs, **options)

    def in_channels(self, graphs: GraphTable) -> int | Sequence[int]:
        """What the model gets for each node: so many features, or so many kinds of categories."""
        return graphs.x.size(1)

    def model_options(self, graphs: GraphTable, config: Config) -> dict[str, Any]:
        """The options that all models of a comparison share."""
        options: dict[str, Any] = {
            "backbone": config.backbone,
            "width": config.width,
            "num_layers": config.num_layers,
            "dropout": config.dropout,
        }
        if graphs.target_nodes is not None:
            options["readout"] = None
        if config.backbone.startswith("r"):
            options["num_relations"] = 2 if "edge_type" in graphs.edge_options else 1
        return options
