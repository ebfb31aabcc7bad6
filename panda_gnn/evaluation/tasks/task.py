"""A task: what is predicted, and all that follows from it.

A task knows how graphs are put together and split, how outputs are scored, how a model is trained
where nobody says otherwise, which settings a config has for it, and which options the model needs.
Nothing outside asks which task it is. A new task is a subclass in a file of its own, registered in
:data:`panda_gnn.evaluation.tasks.TASKS`; a dataset names its task there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, TypeVar

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import Adam
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets import DatasetEntry
from panda_gnn.datasets.resolver import is_own
from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.metrics import Metric
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import Recipe
from panda_gnn.nn import GNN
from panda_gnn.paper import best_settings

Model = TypeVar("Model", bound=GNN)


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
        loss: The mean loss over rows and targets, from outputs and targets.
        version: Raised whenever trials of the task give other scores than before.
    """

    name: str
    metric: Metric
    settings: Mapping[str, Setting] = field(default_factory=dict)
    loss: Callable[[Tensor, Tensor], Tensor] = F.cross_entropy
    version: int = field(default=1, kw_only=True)

    #: What the edges of the graphs keep.
    edge_attributes: ClassVar[Sequence[str]] = ("edge_type", "edge_weight", "edge_attr")

    @property
    def usual(self) -> Mapping[str, Setting]:
        """Settings that a config has only where they are not as usual: so the usual key stays."""
        return {}

    @property
    def classifies_graphs(self) -> bool:
        """Whether every graph has one class, which methods without a network need."""
        return False

    @abstractmethod
    def split(self, data: TaskData, settings: Mapping[str, Any], seed: int) -> Split:
        """The rows for training, validation and test: the same for all methods."""

    def test_ratio(self, entry: DatasetEntry, settings: Mapping[str, Any]) -> float:
        """Test rows over training rows, where seeds re-split the dataset; 0 where all have the same
        split, and differ in nothing but the training."""
        return 0.0

    @abstractmethod
    def recipe(self, config: Config) -> Recipe:
        """How a model of this config is trained."""

    def patient_recipe(self, config: Config, **options: Any) -> Recipe:
        """Adam until the validation score has not reached its next goal for ``config.patience``
        epochs; where targets are no classes, any better score is the next goal, and where they are
        numbers in some unit, the model learns them without it."""
        return Recipe(
            self.loss,
            self.metric,
            partial(Adam, lr=config.learning_rate, fused=True),
            config.max_epochs,
            patience=config.patience,
            threshold=config.threshold if self.metric.of_classes else 1.0,
            standardises=self.metric.of_numbers,
            **options,
        )

    def training(self, settings: Mapping[str, Any], backbone: str) -> Mapping[str, Any]:
        """The fields of a :class:`Config` whose default is another than the config's own."""
        return {}

    def check(self, config: Config) -> None:  # noqa: B027
        """Reject a complete config that no trial of the task can have; most tasks accept all."""

    def panda_settings(
        self, config: Config, names: Sequence[str] | None = None
    ) -> dict[str, Setting]:
        """PANDA's settings where a config gives none: the paper's best ones, and for own data ten
        nodes of highest betweenness with twice the width.

        Args:
            config: Backbone and dataset, and the settings that are given.
            names: Those that are asked for; by default all.
        """
        best = best_settings(config.backbone, config.dataset.removesuffix("-filtered"))
        own: dict[str, Setting] = {}
        if is_own(config.dataset):  # our choice
            own = {"k": 10, "high_width": max(128, 2 * config.width), "centrality": "betweenness"}
        known = {
            **own,
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

    def as_read(self, graphs: GraphTable, config: Config) -> GraphTable:
        """The graphs without features of edges, unless the backbone reads them."""
        return graphs if config.backbone == "gine" else graphs.without("edge_attr")

    def model(self, kind: type[Model], graphs: GraphTable, config: Config, **options: Any) -> Model:
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
        if config.backbone in ("rgcn", "rgin"):
            kinds = graphs.edge_options.get("edge_type")
            options["num_relations"] = 1
            if kinds is not None:
                options["num_relations"] = max(2, int(kinds.max()) + 1 if kinds.numel() else 0)
        elif config.backbone == "gine":
            features = graphs.edge_options.get("edge_attr")
            if features is None:
                raise InputError(
                    f"backbone gine reads edge_attr, which the graphs of {config.dataset} do not "
                    "have: choose gin"
                )
            options["edge_dim"] = features.size(1)
        elif config.backbone == "pna":
            degrees = torch.bincount(graphs.edge_index[1], minlength=graphs.x.size(0))
            options["deg"] = torch.bincount(degrees)
        return options
