"""Load a benchmark dataset by name, from wherever it can be had, whole or not at all."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import pickle
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock
from rich.console import Console
from torch_geometric.data import InMemoryDataset

from panda_gnn.datasets.entries import DATASETS, DatasetEntry
from panda_gnn.datasets.fingerprint import fingerprint
from panda_gnn.datasets.peptides import SPLITS, joined
from panda_gnn.datasets.safe import DAMAGED, nothing_executed
from panda_gnn.datasets.sources import Folder, fetch
from panda_gnn.errors import InputError, reason

ROOT_VARIABLE = "PANDA_DATA_ROOT"


class UnknownContentWarning(UserWarning):
    """A dataset has the right counts, but other graphs, features or labels than are known of it."""


def data_root(root: Folder = None) -> Path:
    """The folder that holds the datasets.

    That is ``root``, else the environment variable ``PANDA_DATA_ROOT``, else ``panda-gnn/data`` in
    the user's cache folder.

    Args:
        root: The folder, where it is given.

    Example:
        >>> from panda_gnn.datasets import data_root
        >>> data_root("data").name
        'data'
    """
    named = root if root is not None else os.environ.get(ROOT_VARIABLE)
    try:
        if named:
            return Path(named).expanduser().absolute()
        if sys.platform == "win32":
            caches = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            caches = Path.home() / "Library" / "Caches"
        else:
            caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError as error:
        raise InputError(
            f"there is no home folder to keep datasets in: set {ROOT_VARIABLE} to another folder"
        ) from error
    return caches / "panda-gnn" / "data"


def load(name: str, *, root: Folder = None, mirror: Folder = None) -> InMemoryDataset:
    """Return the dataset ``name`` of :data:`panda_gnn.datasets.DATASETS` as PyG's own class, or
    own data in one of the forms of :mod:`panda_gnn.datasets.resolver`.

    The first source that has it is used: what already lies in the root (in PyG's layout), the
    mirror, for MUTAG the copy that GraKeL ships, the network. The first load reads the raw files,
    which takes half a minute for the peptides and seconds for the others; later loads are quick.
    Nothing in a file is executed. What is stored with the data:

    - graph classification sets without node features get the feature 1 at every node;
    - node classification sets are one graph, made undirected and without self-loops, with ten
      public splits as columns of ``train_mask``, ``val_mask`` and ``test_mask``; see
      :mod:`panda_gnn.datasets.node` for what ``squirrel-filtered`` leaves out;
    - the peptides are PyG's ``LRGBDataset`` with the graphs of all three of its splits, training
      first, then validation, then test (``DATASETS[name].split_sizes`` has the numbers).

    A dataset appears in the root whole or not at all: it is built in a folder of its own and moved
    into place when its counts have been checked, and processes that want the same one wait for
    each other. Data that are not those known under this name (another fingerprint, see
    :func:`~panda_gnn.datasets.fingerprint`) are used after an :class:`UnknownContentWarning`.

    Args:
        name: The name of the dataset, such as ``"mutag"``.
        root: The folder that holds the datasets (default: see :func:`data_root`).
        mirror: A folder to take raw files from instead of the network: ``tudataset/MUTAG.zip`` and
            so on, ``geom-gcn/new_data`` and ``geom-gcn/splits``, ``planetoid``,
            ``lrgb/peptidesfunc.zip`` (default: the environment variable ``PANDA_DATA_MIRROR``).

    Example:
        >>> from panda_gnn.datasets import load
        >>> mutag = load("mutag")
        >>> len(mutag), mutag.num_features, mutag.num_classes
        (188, 7, 2)
    """
    from panda_gnn.datasets.resolver import is_own, resolve_once

    if is_own(name):
        return resolve_once(name, root, mirror).dataset
    entry, folder = DATASETS.lookup(name), data_root(root)
    with _kept_in(folder, entry):
        _build_if_missing(entry, folder, mirror)
        home = folder / entry.place
        dataset = _open(entry, folder, f"the copy in {home}", "delete that folder and load again")
    _check_content(entry, dataset, home)
    return dataset


def prepare(name: str, *, root: Folder = None, mirror: Folder = None) -> None:
    """Fetch and process the dataset unless it lies in the root already; see :func:`load`.

    Args:
        name: The name of the dataset.
        root: The folder that holds the datasets.
        mirror: A folder to take raw files from instead of the network.

    Example:
        >>> from panda_gnn.datasets import prepare
        >>> prepare("mutag")
    """
    entry, folder = DATASETS.lookup(name), data_root(root)
    with _kept_in(folder, entry):
        _build_if_missing(entry, folder, mirror)


@contextlib.contextmanager
def _kept_in(folder: Path, entry: DatasetEntry) -> Iterator[None]:
    """Says what to do where the folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{entry.printed} cannot be kept in the data folder {folder} ({error}): choose "
            f"another one with the environment variable {ROOT_VARIABLE}"
        ) from error


def _check_content(entry: DatasetEntry, dataset: InMemoryDataset, home: Path) -> None:
    """Say so where the content of a dataset is not the known one."""
    content = fingerprint(dataset)
    if entry.fingerprint and content != entry.fingerprint:
        warnings.warn(
            f"{entry.printed} in {home} has other graphs, features or labels than the known "
            f"{entry.printed} (fingerprint {content} instead of {entry.fingerprint}): "
            "it is used, but it is another dataset",
            UnknownContentWarning,
            stacklevel=3,
        )


def _build_if_missing(entry: DatasetEntry, folder: Path, mirror: Folder) -> None:
    if not (_has_raw(entry, folder) and _is_processed(entry, folder)):
        _build(entry, folder, mirror)


def _has_raw(entry: DatasetEntry, folder: Path) -> bool:
    """Whether the files are there that PyG looks for before it decides to download."""
    return all((folder / entry.place / "raw" / name).is_file() for name in entry.raw_names)


def _is_processed(entry: DatasetEntry, folder: Path) -> bool:
    """Whether PyG has read them already."""
    made = folder / entry.place / "processed"
    return all((made / name).is_file() for name in entry.processed_names)


def _build(entry: DatasetEntry, folder: Path, mirror: Folder) -> None:
    """Fetch and process ``entry`` beside its place in ``folder``, then move it there at once."""
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / entry.place
    with (
        _preparing(entry),
        FileLock(folder / f".{entry.printed}.lock"),
        tempfile.TemporaryDirectory(prefix=f".{entry.printed}-", dir=folder) as scratch_name,
    ):
        scratch = Path(scratch_name)
        raw = scratch / entry.place / "raw"
        if _has_raw(entry, folder):
            if _is_processed(entry, folder):  # Another process was faster.
                return
            shutil.copytree(home / "raw", raw)
            _open(entry, scratch, f"the copy in {home}", "delete that folder and load again")
            (scratch / entry.place / "processed").rename(home / "processed")
        else:
            if home.is_dir() and any(home.iterdir()):
                raise InputError(f"the dataset in {home} is incomplete: delete that folder first")
            raw.parent.mkdir(parents=True)
            source = fetch(entry, raw, mirror)
            if not _has_raw(entry, scratch):
                raise InputError(f"{source} does not hold the raw files of {entry.printed}")
            _open(entry, scratch, f"the copy from {source}", "replace it with a sound one")
            home.parent.mkdir(parents=True, exist_ok=True)
            (scratch / entry.place).rename(home)


def _open(entry: DatasetEntry, folder: Path, what: str, remedy: str) -> InMemoryDataset:
    """Let PyG read the dataset in ``folder``, processed already or not, and check its counts."""
    try:
        with warnings.catch_warnings(), nothing_executed():
            warnings.simplefilter("ignore")
            parts = _parts(entry, str(folder / entry.below))
        problem = _split_difference(entry, parts)
        dataset = joined(parts) if problem is None else parts[0]
        problem = problem or _difference(entry, dataset)
    except pickle.UnpicklingError as error:
        raise InputError(
            f"{entry.printed} cannot be read, {what} is damaged or holds more than data, which is "
            f"not executed: {remedy}"
        ) from error
    except DAMAGED as error:
        raise InputError(
            f"{entry.printed} cannot be read, {what} is damaged "
            f"({type(error).__name__}: {reason(error)}): {remedy}"
        ) from error
    if problem is not None:
        raise InputError(f"{what} is not a whole {entry.printed}, it has {problem}: {remedy}")
    return dataset


def _parts(entry: DatasetEntry, root: str) -> list[InMemoryDataset]:
    """The dataset as PyG's class gives it: in one piece, or one for each of its fixed splits."""
    name = entry.pyg_name or entry.printed
    options = {**entry.options, "pre_transform": entry.prepare}
    if entry.split_sizes is None:
        return [entry.dataset_class(root, name, **options)]
    return [entry.dataset_class(root, name, split=split, **options) for split in SPLITS]


def _split_difference(entry: DatasetEntry, parts: list[InMemoryDataset]) -> str | None:
    """The first fixed split that has not as many graphs as it should, in words."""
    for split, part, size in zip(SPLITS, parts, entry.split_sizes or (), strict=False):
        if len(part) != size:
            return f"{len(part)} graphs in {split} instead of {size}"
    return None


def _difference(entry: DatasetEntry, dataset: InMemoryDataset) -> str | None:
    """The first count of ``dataset`` that is not the one of ``entry``, in words."""
    graphs = len(dataset)
    y = dataset._data.y
    rows = graphs if entry.num_graphs == 1 else y.size(0)  # one graph: targets of its nodes
    if not graphs == rows == entry.num_graphs:
        return f"{min(graphs, rows)} graphs instead of {entry.num_graphs}"
    if dataset.num_features != entry.num_features:
        return f"{dataset.num_features} features per node instead of {entry.num_features}"
    classes = y.size(1) if y.dim() > 1 else y.unique().numel()
    if classes != entry.num_classes:
        return f"{classes} classes instead of {entry.num_classes}"
    for total, word, expected in (
        (dataset._data.x.size(0), "nodes", entry.average_nodes),
        (dataset._data.edge_index.size(1), "edges", entry.average_edges),
    ):
        average = total / graphs
        if abs(average - expected) > 0.0051:  # The entries have two decimals.
            return f"{average:.2f} {word} per graph instead of {expected:.2f}"
    return None


@contextlib.contextmanager
def _preparing(entry: DatasetEntry) -> Iterator[None]:
    """Say what is going on where somebody can see it, and keep PyG's own messages back.

    The garbage collector rests meanwhile: some of PyG's readers make millions of small lists, all
    of them alive, and walking over them again and again would cost an eighth of the time.
    """
    collecting = gc.isenabled()
    with (
        Console(file=sys.stderr).status(f"preparing {entry.printed}, once"),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        gc.disable()
        try:
            yield
        finally:
            if collecting:
                gc.enable()
