"""From whatever names or is a dataset to graphs, and to what can be trained on.

==============================  ==============================================================
``mutag``                       a built-in or registered dataset
``pyg:TUDataset/NCI1``          a dataset class of PyG, its name and arguments
``pyg:ZINC?subset=true``
``package.module:object``       a dataset, a list of ``Data``, or a function that returns one
``folder/``                     raw files of the TU collection, or edge lists with ``labels.csv``
``graphs.pt``                   a ``Data``, a list of them, or PyG's processed form
``roads.csv`` (``.tsv``,        an edge list, with a table of nodes beside it if there is one
``.txt``, ``.edges``)
``net.graphml``, ``net.gml``    a graph with its attributes
==============================  ==============================================================

In Python also a ``Data``, a list of them, a dataset, and graphs of networkx and igraph. After a
``?`` follow choices, with ``&`` between them: ``own.pt?task=regression&split=cv10&features=degree``
(see :class:`~panda_gnn.datasets.own.Choices`), and for an edge list the columns ``source``,
``target`` and ``weight``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data, Dataset, InMemoryDataset

from panda_gnn.datasets.checked import checked_graphs
from panda_gnn.datasets.csv_graphs import (
    SUFFIXES,
    is_csv_folder,
    read_csv_folder,
    read_csv_graph,
    read_unlabelled_folder,
    table_of_nodes,
)
from panda_gnn.datasets.entries import DATASETS
from panda_gnn.datasets.entry import DatasetEntry
from panda_gnn.datasets.files import (
    as_targets,
    label_words,
    printable,
    read_graphml,
    simple_edges,
)
from panda_gnn.datasets.libraries import is_library_graph, of_library, read_gml
from panda_gnn.datasets.loading import data_root, load
from panda_gnn.datasets.own import Choices, OwnData, in_memory, own_data
from panda_gnn.datasets.pyg import pyg_graphs
from panda_gnn.datasets.saved_graphs import read_saved_graphs, separated
from panda_gnn.datasets.sources import Folder
from panda_gnn.datasets.tu_files import read_numbers, read_tu
from panda_gnn.errors import InputError, choose, reason
from panda_gnn.registry import Registry

CHOICES = tuple(field.name for field in dataclasses.fields(Choices))
COLUMNS = ("source", "target", "weight")
ACCEPTED = (
    "a built-in name, pyg:CLASS/NAME, module:object, a folder, or a file that ends in "
    f"{', '.join((*SUFFIXES, '.graphml', '.gml', '.pt'))}"
)
NO_FEATURES = "without features, the number 1 is used"
SOURCES: Registry[Callable[[], Any]] = Registry("registered dataset", {})
"""Functions that give the graphs of registered datasets, by name."""

Stamp = tuple[str, int, int]
"""Name, time of change and size of a file."""

_SPLIT = re.compile(r"\d+/\d+/\d+|cv\d+|masks")


@dataclasses.dataclass(frozen=True, eq=False)
class Resolved:
    """What a name or an object stands for.

    Attributes:
        name: What it is called.
        graphs: Its graphs as they are, undirected and without self-loops.
        known: The entry of a built-in dataset.
        choices: What is not to be inferred.
        remark: What was done to the graphs, if anything.

    Example:
        >>> from panda_gnn.datasets import resolve, transfer
        >>> graphs = transfer("ring", 3, num_graphs=20)
        >>> for data in graphs:
        ...     del data.target_mask, data.source_mask
        >>> found = resolve(graphs)
        >>> found.entry.task, found.entry.num_graphs, found.entry.split
        ('graph-classification', 20, '80/10/10')
    """

    name: str
    graphs: InMemoryDataset
    known: DatasetEntry | None = None
    choices: Choices = dataclasses.field(default_factory=Choices)
    remark: str = ""

    @cached_property
    def _own(self) -> OwnData:
        features = self.choices.features or ("constant" if self.is_bare else "x")
        if self.is_bare and features == "x":
            raise InputError(f"{self.name} has no features x: choose constant or degree")
        remark = self.remark
        if features == "degree":
            remark = remark.replace(NO_FEATURES, "the degree is the feature")
        choices = dataclasses.replace(self.choices, features=features)
        labels = getattr(self.graphs, "label_names", None)
        return own_data(self.name, list(self.graphs), choices, remark, labels)

    @property
    def is_bare(self) -> bool:
        """Whether the graphs came without features, so that every node has the feature 1."""
        return NO_FEATURES in self.remark

    @property
    def graph_names(self) -> list[str] | None:
        """The names of the graphs' files, where each has one."""
        return getattr(self.graphs, "graph_names", None)

    @property
    def node_names(self) -> list[str] | None:
        """What the nodes of a single graph are called."""
        return getattr(self.graphs, "node_names", None)

    @property
    def entry(self) -> DatasetEntry:
        """Task, classes and split, known or inferred from the graphs."""
        return self._own.entry if self.known is None else self.known

    @property
    def dataset(self) -> InMemoryDataset:
        """The graphs as models are trained on them."""
        return self._own.dataset if self.known is None else self.graphs

    @property
    def printed(self) -> str:
        """The name in tables and messages."""
        return self.name if self.known is None else self.known.printed

    @property
    def summary(self) -> str:
        """One line that says what was inferred."""
        if self.known is None:
            return self._own.summary
        return f"{self.known.printed}: {self.known.num_graphs} graphs, {self.known.task}"


def is_own(name: str) -> bool:
    """Whether a name is none of a registered dataset, but says where data are."""
    return name not in DATASETS and (
        name in SOURCES
        or any(mark in name for mark in ":/\\?")
        or Path(name).suffix != ""
        or Path(name).exists()
    )


def resolve(
    source: Any,
    *,
    task: str | None = None,
    metric: str | None = None,
    split: str | None = None,
    features: str | None = None,
    labelled: bool = True,
    root: Folder = None,
    mirror: Folder = None,
) -> Resolved:
    """Find the graphs that ``source`` names or is, and what can be learned on them.

    Args:
        source: A name in one of the forms of this module, or graphs.
        task: What is to be predicted, where it is not to be inferred.
        metric: How it is scored.
        split: ``80/10/10``, ``cv10`` or ``masks``.
        features: ``x``, ``constant`` or ``degree``.
        labelled: Whether a folder of edge lists must have a table of labels.
        root: The folder that holds datasets.
        mirror: A folder to take raw files from instead of the network.

    Example:
        >>> from panda_gnn.datasets import resolve
        >>> found = resolve("mutag", split="cv10")
        >>> found.entry.task, found.entry.split, len(found.dataset)
        ('graph-classification', 'cv10', 188)
    """
    given = {"task": task, "metric": metric, "split": split, "features": features}
    said = {name: value for name, value in given.items() if value is not None}
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if not isinstance(source, str):
        graphs, remark = _of_object(source, type(source).__name__)
        return Resolved("own graphs", graphs, None, Choices(**said), remark)
    place, arguments = _parse(source)
    said = {**{name: arguments.pop(name) for name in CHOICES if name in arguments}, **said}
    if place in DATASETS or place in SOURCES:
        for name in arguments:
            choose("argument", name, CHOICES, f"of {place}")
    if place in DATASETS:
        dataset = load(place, root=root, mirror=mirror)
        remark = NO_FEATURES if DATASETS[place].features == "constant" else ""
        if not said:
            return Resolved(place, dataset, DATASETS[place], remark=remark)
        return Resolved(source, dataset, None, Choices(**said), remark)
    if not is_own(place):
        choose("dataset", place, (*DATASETS, *SOURCES))
    graphs, remark, fixed = _named(place, arguments, labelled, root, mirror)
    if fixed and "split" not in said:
        said["split"] = fixed
    return Resolved(source, graphs, None, Choices(**said), remark)


def choices_in(source: str) -> dict[str, str]:
    """The choices that a name makes after its question mark."""
    return {name: value for name, value in _parse(source)[1].items() if name in CHOICES}


def _parse(source: str) -> tuple[str, dict[str, str]]:
    """What stands before the question mark, and the choices behind it."""
    if Path(source).exists():
        return source, {}
    place, mark, query = source.partition("?")
    arguments: dict[str, str] = {}
    for part in query.split("&") if mark else []:
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise InputError(f"'{source}': expected NAME=VALUE after the question mark")
        arguments[name] = value
    if (
        place.startswith("pyg:")
        and "split" in arguments
        and not _SPLIT.fullmatch(arguments["split"])
    ):
        arguments["argument split"] = arguments.pop("split")
    return place, arguments


def _named(
    place: str, arguments: dict[str, str], labelled: bool, root: Folder, mirror: Folder
) -> tuple[InMemoryDataset, str, str]:
    """The graphs of a name, what was done to them, and the split that comes with them."""
    if place.startswith("pyg:"):
        own = {name.removeprefix("argument "): value for name, value in arguments.items()}
        listed, fixed = pyg_graphs(place.removeprefix("pyg:"), own, root, mirror)
        return *_undirected(listed), fixed
    if place in SOURCES:
        return *_of_object(_called(place, SOURCES[place]), place), ""
    path = Path(place).expanduser()
    text_file = path.suffix.lower() in SUFFIXES
    for name in arguments:
        known = (*CHOICES, *COLUMNS) if text_file else CHOICES
        choose("choice", name, known, f"after '{place}'")
    if not path.exists() and ":" in place and not path.is_absolute():
        return *_of_module(place), ""
    try:
        return *_undirected(_read(place, path, arguments, labelled)), ""
    except OSError as error:
        raise InputError(f"'{place}' cannot be read ({error.strerror})") from error


def _read(place: str, path: Path, columns: Mapping[str, str], labelled: bool) -> list[Data]:
    if path.is_dir():
        return _read_folder(path, labelled)
    if not path.is_file():
        raise InputError(f"there is no dataset, file or folder '{place}': give {ACCEPTED}")
    graphs = _read_file(place, path, columns)
    if len(graphs) == 1:
        graphs[0].graph_name = path.name
    return graphs


def _read_file(place: str, path: Path, columns: Mapping[str, str]) -> list[Data]:
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return [read_csv_graph(path, columns)]
    if suffix in (".graphml", ".xml"):
        return [read_graphml(path)]
    if suffix == ".gml":
        return [read_gml(path)]
    if suffix == ".pt":
        return read_saved_graphs(path)
    raise InputError(f"'{place}' is of no kind that can be read: give {ACCEPTED}")


def _read_folder(folder: Path, labelled: bool) -> list[Data]:
    edges = [
        file
        for place in (folder, folder / "raw")
        if place.is_dir()
        for file in sorted(place.glob("*_A.txt"))
    ]
    if len(edges) > 1:
        raise InputError(f"'{folder}' holds several datasets: {', '.join(f.name for f in edges)}")
    if edges:
        return _read_tu(edges[0].parent, edges[0].name.removesuffix("_A.txt"))
    if is_csv_folder(folder):
        return read_csv_folder(folder)
    if not labelled:
        return read_unlabelled_folder(folder)
    raise InputError(
        f"the folder '{folder}' holds neither NAME_A.txt, as the TU collection has, nor labels.csv "
        "beside edge lists"
    )


def _read_tu(folder: Path, name: str) -> list[Data]:
    try:
        data, slices, _ = read_tu(folder, name)
    except (ValueError, RuntimeError, IndexError) as error:
        fault = f"the files {name}_*.txt in '{folder}' do not fit: {reason(error)}"
        raise InputError(fault) from error
    except OSError as error:
        missing = Path(str(error.filename)).name
        raise InputError(f"'{folder}' has no {missing}: the TU format needs it") from error
    labels = folder / f"{name}_graph_labels.txt"
    if labels.is_file() and not (folder / f"{name}_graph_attributes.txt").is_file():
        data.y = torch.from_numpy(read_numbers(labels, np.int64)).reshape(-1)  # as written
    return separated(data, slices)


def _of_module(place: str) -> tuple[InMemoryDataset, str]:
    module_name, _, attribute = place.rpartition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        raise InputError(f"there is no dataset, file or folder '{place}': give {ACCEPTED}")
    with current_folder_first():
        try:
            module = importlib.import_module(module_name)
        except ImportError as error:
            raise InputError(f"'{place}': the module cannot be imported ({error})") from error
        except Exception as error:
            raise InputError(
                f"'{place}': the module raised {type(error).__name__} ({error})"
            ) from error
    if not hasattr(module, attribute):
        raise InputError(f"'{place}': the module {module_name} has no {attribute}")
    found = getattr(module, attribute)
    if callable(found) and not isinstance(found, (Data, Dataset)):
        found = _called(place, found)
    return _of_object(found, place)


def _called(place: str, function: Callable[[], Any]) -> Any:
    """What a user's function returns."""
    try:
        return function()
    except InputError:
        raise
    except Exception as error:
        raised = f"{type(error).__name__} ({reason(error)})"
        raise InputError(f"'{place}': the function raised {raised}") from error


@contextlib.contextmanager
def current_folder_first() -> Iterator[None]:
    """Modules in the current folder can be imported, as with ``python -m``."""
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        yield
    finally:
        if added:
            sys.path.remove(here)


def _of_object(graphs: Any, what: str) -> tuple[InMemoryDataset, str]:
    """Graphs of PyG, networkx or igraph."""
    if is_library_graph(graphs):
        items: list[Any] = [of_library(graphs)]
    elif isinstance(graphs, Data):
        items = [graphs]
    elif isinstance(graphs, Iterable):
        items = [of_library(item) if is_library_graph(item) else item for item in graphs]
    else:
        raise InputError(
            f"{what} holds a {type(graphs).__name__}: it must be a Data, a list of them, a "
            "dataset, or graphs of networkx or igraph"
        )
    return _undirected(items)


def _undirected(graphs: list[Data]) -> tuple[InMemoryDataset, str]:
    """The graphs with both directions of every edge, and a remark about what was changed."""
    directed = [bool(getattr(data, "was_directed", False)) for data in graphs]
    bare = any(isinstance(data, Data) and data.get("x") is None for data in graphs)
    graphs, words = _without_words(graphs)
    checked = checked_graphs(graphs)
    for number, data in enumerate(checked):
        num_nodes = int(data.num_nodes or 0)
        directed[number] |= _is_directed(data.edge_index, num_nodes)
        if data.get("edge_type") is not None:
            del data.edge_type
        values = {name: data[name] for name in ("edge_weight", "edge_attr") if name in data}
        data.edge_index, values = simple_edges(data.edge_index, values, num_nodes)
        data.update(values)
    remarks = [NO_FEATURES] if bare else []
    if any(directed):
        which = "it is" if len(graphs) == 1 else f"{sum(directed)} of {len(graphs)} are"
        remarks.append(f"{which} directed, edges are used in both directions")
    for name in ("edge_type", "edge_attr"):
        if any(data.get(name) is not None for data in graphs) and name not in checked[0]:
            remarks.append(f"{name} is left out")
    if "edge_attr" in checked[0]:
        remarks.append("edge_attr is read by the backbone gine alone")
    dataset = in_memory(checked)
    dataset.label_names = words or getattr(graphs[0], "label_names", None)
    dataset.graph_names = _names([data.get("graph_name") for data in graphs], len(graphs))
    if len(graphs) == 1:
        dataset.node_names = _names(graphs[0].get("node_names"), checked[0].num_nodes)
    return dataset, ", ".join(remarks)


def _without_words(graphs: list[Any]) -> tuple[list[Any], list[str] | None]:
    """Graphs whose ``y`` are words, with numbers instead of these, and the words."""
    if not graphs or not all(isinstance(data, Data) for data in graphs):
        return graphs, None
    labels = [data.get("y") for data in graphs]
    if not all(isinstance(label, str) for label in labels):
        return graphs, None
    numbered = []
    for data, y in zip(graphs, as_targets(labels, _refuse_graph), strict=True):
        numbered.append(copy(data))
        numbered[-1].y = y.view(1)
    return numbered, label_words(labels)


def _refuse_graph(place: int, problem: str) -> NoReturn:
    raise InputError(f"graph {place}: {problem}")


def _names(names: Any, count: int | None) -> list[str] | None:
    """A list with a name for each graph or node as text, or ``None`` if it is none."""
    if not isinstance(names, list) or len(names) != count or None in names:
        return None
    return [printable(str(name)) for name in names]


def _is_directed(edge_index: Tensor, num_nodes: int) -> bool:
    """Whether some edge has no counterpart in the other direction."""
    forth = (edge_index[0] * num_nodes + edge_index[1]).unique()
    back = (edge_index[1] * num_nodes + edge_index[0]).unique()
    return not torch.equal(forth, back)


_resolved: dict[tuple[object, ...], Resolved] = {}


def resolve_once(name: str, root: Folder = None, mirror: Folder = None) -> Resolved:
    """What :func:`resolve` gives, read again only when a file has changed."""
    key = (name, stamps(name), str(data_root(root)), str(mirror))
    if key not in _resolved:
        if len(_resolved) >= 4:
            _resolved.pop(next(iter(_resolved)))
        _resolved[key] = resolve(name, root=root, mirror=mirror)
    return _resolved[key]


def stamps(name: str) -> tuple[Stamp, ...]:
    """The stamps of the files that a name is read from."""
    path = Path(_parse(name)[0]).expanduser()
    try:
        if path.is_dir():
            return tuple(sorted((*_stamps_in(path), *_stamps_in(path / "raw"))))
        nodes = table_of_nodes(path) if path.suffix.lower() in SUFFIXES else None
        return tuple(_stamp(file) for file in (path, nodes) if file is not None)
    except OSError:  # resolve says why
        return ()


def _stamps_in(folder: Path) -> list[Stamp]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as files:
        return [_stamp(file) for file in files if file.is_file()]


def _stamp(file: Path | os.DirEntry[str]) -> Stamp:
    stat = file.stat()
    return file.name, stat.st_mtime_ns, stat.st_size


def _entry(name: str) -> DatasetEntry | None:
    if not is_own(name):
        return None
    current = name, stamps(name)
    known = [found for key, found in _resolved.items() if key[:2] == current]
    return (known[-1] if known else resolve_once(name)).entry


DATASETS.fallback = _entry
