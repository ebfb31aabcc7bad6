"""Datasets, methods, backbones, centralities and rewirings of one's own, under names.

A plugin is a Python file or module that registers things when it is imported::

    from panda_gnn import register_centrality, register_dataset, register_rewiring

    @register_dataset("rings")
    def rings():
        return [...]                           # a list of PyG Data

    @register_centrality("size-of-ball")
    def size_of_ball(data):
        return scores                          # one for each node

    register_rewiring("two-hop", TwoHop())     # any PyG transform

It is named by ``--plugin FILE``, by ``plugins = ["FILE"]`` in a study, or by an entry point in the
group ``panda_gnn.plugins``. Workers load what the driver has loaded. Rows name the plugins that
their config uses with a hash of the source, so that rows of changed code never mix.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from panda_gnn.centrality.families import CENTRALITIES, FAMILIES, Family
from panda_gnn.datasets import DATASETS
from panda_gnn.datasets.resolver import SOURCES, current_folder_first
from panda_gnn.errors import InputError, reason
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Setting
from panda_gnn.evaluation.methods import METHODS, Method
from panda_gnn.evaluation.methods.rewirings import REWIRING_METHODS
from panda_gnn.evaluation.tasks import TaskData
from panda_gnn.graph.rows import GraphRows
from panda_gnn.nn.models import add_backbone
from panda_gnn.registry import OWNERS, Plugin
from panda_gnn.rewiring import REWIRINGS, Rewiring
from panda_gnn.transforms import own_scores

GROUP = "panda_gnn.plugins"
"""The group of entry points that name plugins."""

T = TypeVar("T")


LOADED: dict[str, Plugin] = {}
"""The plugins of this process, by their source."""

_loading: list[Plugin] = []


def load_plugin(source: str, folder: Path | None = None) -> Plugin:
    """Import a plugin, once in a process.

    Args:
        source: A module, or a file that ends in ``.py``.
        folder: What the path of a file is relative to, by default the current folder.
    """
    path = Path(source).expanduser()
    if path.suffix == ".py":
        path = (folder or Path.cwd()) / path
        if not path.is_file():
            raise InputError(f"there is no plugin '{path}': give a Python file or a module")
        source = str(path.resolve())
    if source in LOADED:
        return LOADED[source]
    before = _state()
    try:
        plugin = _import(source)
    except BaseException:
        _restore(before)
        raise
    LOADED[source] = plugin
    return plugin


def load_entry_points() -> None:
    """Load the plugins of installed packages."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        load_plugin(entry.value.partition(":")[0])


def run_with_plugins(plugins: Sequence[Plugin], run: Callable[..., T], *args: Any, **kw: Any) -> T:
    """Load the driver's plugins, on a worker, and call a function.

    A plugin that is another one there than on the driver is refused.
    """
    for plugin in plugins:
        found = load_plugin(plugin.source)
        if found.hash != plugin.hash:
            raise InputError(
                f"the plugin '{plugin.source}' of this worker is not the driver's: bring both to "
                "the same version"
            )
    return run(*args, **kw)


def _import(source: str) -> Plugin:
    is_file = source.endswith(".py")
    name = Path(source).stem if is_file else source
    if not is_file and (not source or not all(part.isidentifier() for part in source.split("."))):
        raise InputError(f"the plugin '{source}' is no module and no file that ends in .py")
    try:
        with nullcontext() if is_file else current_folder_first():
            spec = (
                importlib.util.spec_from_file_location(f"panda_plugin_{name}", source)
                if is_file
                else importlib.util.find_spec(source)
            )
            if spec is None or spec.loader is None or spec.origin is None:
                raise InputError(f"there is no plugin '{source}': give a Python file or a module")
            plugin = Plugin(name, source, _hash(_files(Path(spec.origin))))
            _loading.append(plugin)
            try:
                if is_file:
                    module = importlib.util.module_from_spec(spec)
                    sys.modules[spec.name] = module
                    spec.loader.exec_module(module)
                else:
                    importlib.import_module(source)
            finally:
                _loading.pop()
    except InputError:
        raise
    except ModuleNotFoundError as error:
        raise InputError(f"the plugin '{source}' cannot be imported ({error})") from error
    except Exception as error:
        raised = f"raised {type(error).__name__} when it was imported ({reason(error)})"
        raise InputError(f"the plugin '{source}' {raised}") from error
    return plugin


def _files(origin: Path) -> list[Path]:
    """The source of a module: its file, or all of a package."""
    if origin.name == "__init__.py":
        return sorted(origin.parent.rglob("*.py"))
    return [origin]


def _hash(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _registration(kind: str, name: str, add: Callable[[Any], object], made: Any = None) -> Any:
    """Add what was made and remember to whom its name belongs: the plugin that is being loaded, or
    the file that called the caller; without anything made, the decorator that does so."""
    if not isinstance(name, str) or not name or any(mark in name for mark in " :/\\?,="):
        raise InputError(
            f"the name of a {kind} is {name!r}: it must be text without spaces, commas and : / ? ="
        )
    file = Path(str(sys._getframe(2).f_globals.get("__file__", "")))
    owner = Plugin("interactive", "", "unknown")
    if _loading:
        owner = _loading[-1]
    elif file.is_file():
        owner = Plugin(file.stem, str(file.resolve()), _hash([file]))

    def register(made: Any) -> Any:
        add(made)
        OWNERS[kind, name] = owner
        return made

    return register if made is None else register(made)


def register_dataset(name: str) -> Callable[[T], T]:
    """Make graphs a dataset by name.

    Decorates a function without arguments that returns what
    :func:`panda_gnn.datasets.resolve` takes: a list of ``Data``, a dataset, graphs of networkx.
    Task, split and features are inferred, or chosen as in ``rings?split=cv10``.

    Args:
        name: Its name wherever a dataset is named.

    Example:
        >>> from panda_gnn import register_dataset
        >>> from panda_gnn.datasets import load, transfer
        >>> @register_dataset("rings")
        ... def rings():
        ...     graphs = transfer("ring", 3, num_graphs=20)
        ...     for data in graphs:
        ...         del data.target_mask, data.source_mask
        ...     return graphs
        >>> len(load("rings"))
        20
    """

    def add(graphs: Any) -> None:
        if name in DATASETS:
            raise InputError(f"there is already a dataset called '{name}'")
        SOURCES.register(name, graphs if callable(graphs) else lambda: graphs)

    registered: Callable[[T], T] = _registration("dataset", name, add)
    return registered


@overload
def register_method(name: str) -> Callable[[T], T]: ...
@overload
def register_method(name: str, method: Method) -> Method: ...
def register_method(name: str, method: Method | None = None) -> Any:
    """Make a :class:`~panda_gnn.evaluation.methods.Method` one that can be compared.

    Called with the method, or as a decorator of a function that returns it.

    Args:
        name: Its name in commands and studies.
        method: The method.

    Example:
        >>> from panda_gnn import register_method
        >>> from panda_gnn.evaluation.methods import METHODS
        >>> _ = register_method("panda-again", METHODS["panda"])
        >>> "panda-again" in METHODS
        True
    """

    def add(made: Any) -> None:
        entry = made if isinstance(made, Method) else made()
        if not isinstance(entry, Method):
            raise InputError(f"the method '{name}' is a {type(entry).__name__}, not a Method")
        METHODS.register(name, entry)

    return _registration("method", name, add, method)


@overload
def register_backbone(name: str) -> Callable[[T], T]: ...
@overload
def register_backbone(name: str, make: Callable[..., Any]) -> Callable[..., Any]: ...
def register_backbone(name: str, make: Any = None) -> Any:
    """Make a PyG convolution a backbone by name, plain and width-aware.

    Called with a class or function that makes the convolution from input and output width, or as
    its decorator.

    Args:
        name: Its name in commands and studies.
        make: The class or function.

    Example:
        >>> from torch_geometric.nn import GraphConv
        >>> from panda_gnn import register_backbone
        >>> from panda_gnn.nn import PandaGNN
        >>> _ = register_backbone("graph-conv", GraphConv)
        >>> PandaGNN(7, 2, backbone="graph-conv").backbone
        'graph-conv'
    """
    return _registration("backbone", name, partial(add_backbone, name), make)


def register_centrality(name: str) -> Callable[[T], T]:
    """Make a function a centrality by name.

    The function gets a ``Data`` with ``edge_index``, every undirected edge in both directions, and
    ``num_nodes``, and returns a score for each node.

    Args:
        name: Its name in commands, studies and :class:`~panda_gnn.transforms.ExpandWidth`.

    Example:
        >>> from torch_geometric.utils import degree
        >>> from panda_gnn import register_centrality
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.transforms import ExpandWidth
        >>> @register_centrality("few-neighbours")
        ... def few_neighbours(data):
        ...     return -degree(data.edge_index[0], data.num_nodes)
        >>> (tree,) = transfer("tree", 2, num_graphs=1)
        >>> ExpandWidth("few-neighbours", k=4)(tree).high.nonzero().flatten().tolist()  # the leaves
        [3, 4, 5, 6]
    """

    def add(function: Any) -> None:
        if name in CENTRALITIES:
            raise InputError(f"there is already a centrality called '{name}'")
        if not callable(function):
            raise InputError(f"the centrality '{name}' is no function of a graph")

        def compute(graphs: GraphRows, threads: int, seed: int) -> dict[str, Any]:
            scores = [own_scores(function, data).numpy() for data in _as_data(graphs)]
            return {name: np.concatenate([np.zeros(0), *scores])}

        FAMILIES[f"own {name}"] = Family(compute, stored=False)
        CENTRALITIES[name] = f"own {name}"

    registered: Callable[[T], T] = _registration("centrality", name, add)
    return registered


def _as_data(graphs: GraphRows) -> Iterable[Data]:
    """The graphs one by one, as a user's function sees them."""
    rows = np.repeat(np.arange(graphs.num_nodes), np.diff(graphs.row_ptr))
    for first, last in zip(graphs.node_ptr[:-1], graphs.node_ptr[1:], strict=True):
        entries = slice(graphs.row_ptr[first], graphs.row_ptr[last])
        columns = graphs.neighbours[entries].astype(np.int64)
        edge_index = torch.from_numpy(np.stack([rows[entries] - first, columns]))
        yield Data(edge_index=edge_index, num_nodes=int(last - first))


@overload
def register_rewiring(name: str, **defaults: Setting) -> Callable[[T], T]: ...
@overload
def register_rewiring(name: str, transform: Any, **defaults: Setting) -> Any: ...
def register_rewiring(name: str, transform: Any = None, **defaults: Setting) -> Any:
    """Make a PyG transform, or a function from a ``Data`` to a ``Data``, a method by name.

    ``register_rewiring("two-hop", TwoHop())`` takes a transform as it is;
    ``register_rewiring("knn", KNNGraph, k=6)`` a class, and ``k`` is a setting of the method.

    It changes every graph before the plain backbone sees it. A class is called with the settings,
    by default those of its keyword arguments that are numbers, text or truth values. Also a
    decorator.

    Args:
        name: Its name in commands and studies.
        transform: The transform, its class, or a function.
        **defaults: The settings of a class, and their defaults.

    Example:
        >>> from torch_geometric.transforms import TwoHop
        >>> from panda_gnn import register_rewiring
        >>> from panda_gnn.evaluation.methods import METHODS
        >>> _ = register_rewiring("two-hop", TwoHop())
        >>> "two-hop" in METHODS
        True
    """

    def add(made: Any) -> None:
        settings = dict(defaults)
        if isinstance(made, type):
            settings = {**_keyword_defaults(made), **defaults}
        elif defaults:
            raise InputError(f"the rewiring '{name}' has settings, but is no class to give them to")
        method = _transform_method(name, made, settings)
        METHODS.register(name, method)
        REWIRING_METHODS[name] = method
        if isinstance(made, type) and issubclass(made, Rewiring) and name not in REWIRINGS:
            REWIRINGS.register(name, made)

    return _registration("method", name, add, transform)


def _keyword_defaults(kind: type) -> dict[str, Setting]:
    return {
        parameter.name: parameter.default
        for parameter in inspect.signature(kind).parameters.values()
        if isinstance(parameter.default, (str, int, float, bool))
    }


def _transform_method(name: str, made: Any, defaults: Mapping[str, Setting]) -> Method:
    def make(settings: Mapping[str, Any]) -> Callable[[Data], Data]:
        transform: Callable[[Data], Data] = made
        if isinstance(made, type):
            try:
                transform = made(**{key: settings[key] for key in defaults})
            except InputError:
                raise
            except Exception as error:
                raise InputError(f"the rewiring '{name}' cannot be made ({error})") from error
        if not callable(transform):
            raise InputError(f"the rewiring '{name}' is no function of a graph")
        return transform

    @lru_cache(maxsize=2)
    def changed(data: TaskData, *settings: tuple[str, Setting]) -> GraphTable:
        transform = make(dict(settings))
        graphs = [
            _changed(name, transform, number, graph, data)
            for number, graph in enumerate(data.dataset)
        ]
        return data.task.collate(graphs)

    def graphs(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
        own = {key: settings[key] for key in defaults}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # a transform that draws gives the same graphs in every trial
            return changed(data, *sorted(own.items()))

    summary = (inspect.getdoc(made) or f"the rewiring {name}").partition("\n")[0].rstrip(".")
    if not isinstance(made, type) and isinstance(made, BaseTransform):
        summary = repr(made)
    return Method(summary, lambda task, config: defaults, graphs, check=make)


def _changed(
    name: str, transform: Callable[[Data], Data], number: int, graph: Data, data: TaskData
) -> Data:
    result = transform(graph.clone())
    if not isinstance(result, Data) or result.edge_index is None or result.get("x") is None:
        raise InputError(
            f"the rewiring '{name}' gives no Data with x and edge_index for graph {number}"
        )
    nodes = int(result.num_nodes or 0)
    if data.graphs.target_nodes is not None and nodes != graph.num_nodes:
        raise InputError(
            f"the rewiring '{name}' changes the number of nodes of graph {number}, whose nodes "
            "have targets"
        )
    kept = Data(x=result.x.float(), edge_index=result.edge_index.long(), y=graph.y, num_nodes=nodes)
    weights = result.get("edge_weight")
    if weights is not None:
        kept.edge_weight = weights
    return kept


def _state() -> list[tuple[dict[Any, Any], dict[Any, Any]]]:
    live: list[dict[Any, Any]] = [
        METHODS._entries,
        SOURCES._entries,
        REWIRINGS._entries,
        REWIRING_METHODS,
        FAMILIES,
        CENTRALITIES,
        OWNERS,
    ]
    return [(entries, dict(entries)) for entries in live]


def _restore(state: list[tuple[dict[Any, Any], dict[Any, Any]]]) -> None:
    """Forget what a plugin registered before it failed."""
    for entries, before in state:
        entries.clear()
        entries.update(before)
