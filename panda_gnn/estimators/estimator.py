"""What all estimators share: their parameters, training, outputs, and how they are kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import torch
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch_geometric.data import Data
from typing_extensions import Self

from panda_gnn.datasets.checked import checked_graphs, features_of, listed
from panda_gnn.datasets.own import in_memory, own_entry
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import TRAINING, Config
from panda_gnn.evaluation.methods import METHODS, complete, graphs_and_model, graphs_of
from panda_gnn.evaluation.methods.rewirings import REWIRING_METHODS
from panda_gnn.evaluation.metrics import Metric
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.evaluation.train import predict, train
from panda_gnn.evaluation.trial import one_thread, threads
from panda_gnn.nn import GNN
from panda_gnn.options import Whole, real_number, validate, whole_number
from panda_gnn.progress import progress_bar
from panda_gnn.registry import OWNERS

#: The parameters that are fields of a config.
CONFIGURED = tuple(name for name in TRAINING if name != "threshold")

SECONDS_BEFORE_BAR = 2.0
"""A training that is over sooner has no progress bar."""


class PandaEstimator(BaseEstimator):
    """What all estimators share.

    Training is that of ``panda train``: the same loop, models and defaults of the task. It ends
    when the validation score has not improved for ``patience`` epochs, and the weights of the best
    epoch are kept.

    Args:
        backbone: Name of the backbone.
        method: ``panda``, ``none`` for the plain backbone, or a rewiring such as ``fosr``.
        k: How many nodes of each graph are high; all of them where a graph has no more.
        high_width: Hidden width of high nodes; by default 128, or twice the width if that is more.
        centrality: Which nodes are high.
        selector: What low nodes take of high ones.
        settings: Other settings of the method, such as ``{"iterations": 20}`` of ``fosr``.
        features: Where the features of nodes come from, in ``fit`` and in ``predict``: ``x`` of the
            graphs, ``constant`` for the number 1, or ``degree``; by default ``x`` where all graphs
            have it, else ``constant``.
        width: Hidden width.
        num_layers: Hidden layers; by default the task's, 4 for graphs and 3 for nodes.
        dropout: Dropout probability.
        learning_rate: Step size of Adam.
        batch_size: Graphs in a mini-batch.
        max_epochs: Epochs after which training ends in any case.
        patience: Epochs without a better validation score after which training ends.
        validation_fraction: The share of what is fitted that is kept for validation; with 0 there
            is none, and all ``max_epochs`` are trained.
        random_state: Seed of the validation share, weights, dropout and order of mini-batches.
        n_jobs: How many threads share the graphs where centralities and rewirings are computed, in
            ``fit`` and in ``predict``; ``None`` is one, -1 one per processor. Training has one in
            any case, and no result depends on it.

    Example:
        >>> from panda_gnn.estimators import PandaClassifier, PandaEstimator
        >>> issubclass(PandaClassifier, PandaEstimator)
        True
        >>> PandaClassifier(k=5).get_params()["k"]
        5
    """

    #: What is predicted.
    task: ClassVar[Task]

    def __init__(
        self,
        *,
        backbone: str = "gcn",
        method: str = "panda",
        k: int = 10,
        high_width: int | None = None,
        centrality: str = "betweenness",
        selector: str = "topk",
        settings: Mapping[str, Any] | None = None,
        features: str | None = None,
        width: int = 64,
        num_layers: int | None = None,
        dropout: float = 0.5,
        learning_rate: float = 1e-3,
        batch_size: int = 64,
        max_epochs: int = 300,
        patience: int = 100,
        validation_fraction: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.backbone = backbone
        self.method = method
        self.k = k
        self.high_width = high_width
        self.centrality = centrality
        self.selector = selector
        self.settings = settings
        self.features = features
        self.width = width
        self.num_layers = num_layers
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs

    def config(self) -> Config:
        """The config of a trial with these parameters; those out of range are rejected."""
        choose("method", self.method, ("none", "panda", *REWIRING_METHODS), "of an estimator")
        width = whole_number("width", self.width, 1)
        for name in ("batch_size", "max_epochs", "patience"):
            whole_number(name, getattr(self, name), 1)
        real_number("dropout", self.dropout, "from 0 to less than 1", least=0, most=1 - 1e-9)
        real_number("learning_rate", self.learning_rate, "a positive number", above=0)
        if self.settings is not None and not isinstance(self.settings, Mapping):
            raise InputError(f"settings must be a dictionary, not {self.settings!r}")
        usual = self.task.training({}, str(self.backbone)).get("num_layers", Config("").num_layers)
        layers = self.num_layers or usual
        of_panda = {
            "k": whole_number("k", self.k),
            "high_width": max(128, 2 * width) if self.high_width is None else self.high_width,
            "centrality": self.centrality,
            "selector": self.selector,
        }
        training: dict[str, Any] = {name: getattr(self, name) for name in CONFIGURED}
        training |= {"width": width, "num_layers": whole_number("num_layers", layers, 1)}
        bare = Config("own graphs", self.backbone, self.method, of_panda, **training)
        known = METHODS[self.method].defaults(self.task, bare)
        if ("method", self.method) in OWNERS:  # what a plugin calls k is none of PANDA's k
            known = {}
        settings = {name: value for name, value in of_panda.items() if name in known}
        config = replace(bare, settings=settings | dict(self.settings or {}))
        return complete(config, task=self.task)

    @property
    def of_nodes(self) -> bool:
        """Whether samples are nodes of one graph."""
        return self.task.name.startswith("node")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _to_fit(self, graphs: Any) -> list[Data]:
        """Graphs to fit, checked and with the features that the model is to read."""
        items = listed(graphs)
        self.features_: str | None = features_of(items, self.features)
        return checked_graphs(items, self.features_)

    def _learn(self, graphs: list[Data], num_outputs: int, rows: Tensor) -> None:
        """Train on some of the targets of checked graphs."""
        config = self.config()
        fraction = real_number(
            "validation_fraction", self.validation_fraction, "from 0 to 0.9", least=0, most=0.9
        )
        seed = self._seed()
        split = _with_validation(rows, fraction, seed)
        recipe = replace(self.task.recipe(config), standardises=False)  # fit has done so
        if not split.validation.numel():
            recipe = replace(recipe, patience=None)
        self.n_features_in_ = int(graphs[0].x.size(1))
        self.num_outputs_, self.seed_ = num_outputs, seed
        data = self._task_data(graphs)
        with ExitStack() as stack:
            stack.enter_context(one_thread())
            stack.enter_context(torch.random.fork_rng(devices=[]))
            with threads(self._threads()):
                table, model = graphs_and_model(data, config, seed)
            watch = stack.enter_context(_Watch(model, recipe.metric, config.max_epochs))
            curves = train(model, table, split, recipe, seed, watch)
        if any(np.isnan(curves.loss)):
            raise InputError(
                f"the training loss is not a number with learning_rate={self.learning_rate}: "
                "choose a smaller one, or scale the features"
            )
        model.load_state_dict(watch.best)
        self.model_: GNN = model.eval()
        self.edge_values_ = sorted(table.edge_options)
        kinds = table.edge_options.get("edge_type")
        self.num_relations_ = 1 if kinds is None or not kinds.numel() else int(kinds.max()) + 1
        features = table.edge_options.get("edge_attr")
        self.num_edge_features_ = 0 if features is None else features.size(1)
        self.n_iter_ = len(curves.loss)
        self.validation_scores_ = list(curves.validation)

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return whole_number("random_state", int(self.random_state))
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _threads(self) -> int:
        if self.n_jobs is not None:
            jobs = validate("n_jobs", self.n_jobs, Whole)
            if jobs == 0:
                raise InputError("n_jobs is 0: give 1 or more, -1 for one per processor, or None")
        return int(effective_n_jobs(self.n_jobs))

    def _task_data(self, graphs: list[Data]) -> TaskData:
        dataset = in_memory(graphs)
        entry = own_entry("own graphs", self.task.name, graphs, self.num_outputs_)
        return TaskData(entry, self.task, dataset, self.task.collate(dataset), "")

    def _outputs(self, graphs: Any) -> Tensor:
        """What the model gives for each graph, or for each node of one."""
        check_is_fitted(self)
        items = listed(graphs)
        features = features_of(items, self.features)
        if self.features_ not in (None, features):
            raise InputError(
                f"the features of the nodes are {features}, but the model was fitted with "
                f"{self.features_}: give it graphs of the same kind"
            )
        checked = checked_graphs(items, features)
        if checked[0].x.size(1) != self.n_features_in_:
            raise InputError(
                f"the graphs have {checked[0].x.size(1)} features per node, but the model was "
                f"fitted with {self.n_features_in_}: give it graphs of the same kind"
            )
        for data in checked:
            data.y = self._blank(data)
        config = self.config()
        data = self._task_data(checked)
        with one_thread(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed_)
            with threads(self._threads()):
                table = graphs_of(data, config, self.seed_)
            if sorted(table.edge_options) != self.edge_values_:
                raise InputError(
                    f"the edges have {_listed(table.edge_options)}, but the model was fitted with "
                    f"{_listed(self.edge_values_)}: give it graphs of the same kind"
                )
            rows = torch.arange(table.y.size(0))
            size = None if table.target_nodes is not None else config.batch_size
            outputs, _ = predict(self.model_, list(table.batches(rows, size)))
        return outputs

    def _blank(self, data: Data) -> Tensor:
        """Targets of the right shape for a graph whose targets nobody knows."""
        rows = int(data.num_nodes or 0) if self.of_nodes else 1
        if self.task.metric.of_classes:
            return torch.zeros(rows, dtype=torch.long)
        return torch.zeros(rows, self.num_outputs_)

    def blank_model(self) -> GNN:
        """A model of the fitted shape, for its weights to be read into."""
        values = {
            "edge_weight": torch.ones(2),
            "edge_type": torch.tensor([0, self.num_relations_ - 1]),
            "edge_attr": torch.zeros(2, self.num_edge_features_),
        }
        x = torch.zeros(2, self.n_features_in_)
        y = torch.full((1,), self.num_outputs_ - 1)
        ends = torch.tensor([0, 2])
        table = GraphTable(
            x,
            y if self.task.metric.of_classes else torch.zeros(1, self.num_outputs_),
            torch.tensor([[0, 1], [1, 0]]),
            ends,
            ends,
            high=torch.tensor([True, False]),
            edge_options={name: values[name] for name in self.edge_values_},
            target_nodes=torch.zeros(1, dtype=torch.long) if self.of_nodes else None,
        )
        config = self.config()
        with torch.random.fork_rng(devices=[]):
            return METHODS[config.method].model(self.task, table, config)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the fitted model into a folder: ``weights.safetensors`` and ``model.json``."""
        from panda_gnn.estimators.files import save_estimator

        save_estimator(self, folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a model of this kind that :meth:`save` wrote; nothing in the folder is executed."""
        from panda_gnn.estimators.files import load_estimator

        loaded = load_estimator(folder)
        if not isinstance(loaded, cls):
            raise InputError(
                f"'{folder}' holds a {type(loaded).__name__}, not a {cls.__name__}: load it with "
                f"{type(loaded).__name__}.load"
            )
        return loaded


class _Watch:
    """Keeps the weights of the best epoch, and shows a bar where training takes a while."""

    def __init__(self, model: GNN, metric: Metric, epochs: int) -> None:
        self.model, self.metric, self.epochs = model, metric, epochs
        self.merit: float | None = None
        self.best: dict[str, Tensor] = {}
        self.bars = ExitStack()
        self.advance: Callable[[int], None] = lambda done: None
        self.start = time.monotonic()
        self.has_bar = False

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *error: object) -> None:
        self.bars.close()

    def __call__(self, epoch: int, validation: float) -> None:
        merit = self.metric.merit(validation)
        if self.merit is None or merit > self.merit or np.isnan(merit):
            self.merit = merit
            self.best = {name: value.clone() for name, value in self.model.state_dict().items()}
        if not self.has_bar and time.monotonic() - self.start > SECONDS_BEFORE_BAR:
            self.has_bar = True
            bar = self.bars.enter_context(progress_bar())
            task = bar.add_task("training", total=self.epochs)
            self.advance = lambda done: bar.update(task, completed=done)
        self.advance(epoch + 1)


def _with_validation(rows: Tensor, fraction: float, seed: int) -> Split:
    """Some rows for training, a share of them for validation instead, none for test."""
    order = rows[torch.randperm(rows.numel(), generator=torch.Generator().manual_seed(seed))]
    count = 0 if fraction == 0 else max(1, round(fraction * rows.numel()))
    if count >= rows.numel():
        raise InputError(
            f"there are {rows.numel()} targets to fit, too few to keep one for validation: give "
            "more, or validation_fraction=0"
        )
    return Split(order[count:], order[:count], order[:0])


def _listed(names: Sequence[str] | Mapping[str, Any]) -> str:
    return " and ".join(sorted(names)) or "no values"
