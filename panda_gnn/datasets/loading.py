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
from torch_geometric.transforms import Constant

from panda_gnn.datasets.entries import DATASETS, DatasetEntry
from panda_gnn.datasets.sources import fetch
from panda_gnn.errors import InputError, choose

ROOT_VARIABLE = "PANDA_DATA_ROOT"


def data_root(root: str | os.PathLike[str] | None = None) -> Path:
    """The folder that holds the datasets.

    That is ``root``, else the environment variable ``PANDA_DATA_ROOT``, else ``panda-gnn/data`` in
    the user's cache folder.
    """
    named = root if root is not None else os.environ.get(ROOT_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    if sys.platform == "win32":
        caches = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "panda-gnn" / "data"


def load(
    name: str,
    *,
    root: str | os.PathLike[str] | None = None,
    mirror: str | os.PathLike[str] | None = None,
) -> InMemoryDataset:
    """Return the dataset ``name`` of :data:`panda_gnn.datasets.DATASETS` as PyG's own class.

    The first source that has it is used: what already lies in the root (in PyG's layout), the
    mirror, for MUTAG the copy that GraKeL ships, the network. Datasets without node features get
    the feature 1 at every node, stored with the data. The first load reads text files, which takes
    about a minute and 7 GB of memory for COLLAB and seconds for the others; later loads are quick.

    A dataset appears in the root whole or not at all: it is built in a folder of its own and moved
    into place when its counts have been checked, and processes that want the same one wait for
    each other.

    Args:
        name: The name of the dataset, such as ``"mutag"``.
        root: The folder that holds the datasets (default: see :func:`data_root`).
        mirror: A folder to take archives from instead of the network, with the graph
            classification sets as ``tudataset/MUTAG.zip`` and so on (default: the environment
            variable ``PANDA_DATA_MIRROR``).
    """
    entry = DATASETS[choose("dataset", name, DATASETS)]
    folder = data_root(root)
    home = folder / entry.printed
    try:
        if not (_has_raw(entry, folder) and _processed(entry, folder).is_file()):
            _build(entry, folder, mirror)
        return _open(entry, folder, f"the copy in {home}", "delete that folder and load again")
    except OSError as error:
        raise InputError(
            f"{entry.printed} cannot be kept in the data folder {folder} ({error}): choose "
            f"another one with the environment variable {ROOT_VARIABLE}"
        ) from error


def _has_raw(entry: DatasetEntry, folder: Path) -> bool:
    """Whether the text files are there that PyG looks for before it decides to download."""
    raw = folder / entry.printed / "raw"
    parts = ("A", "graph_indicator", "graph_labels")
    return all((raw / f"{entry.printed}_{part}.txt").is_file() for part in parts)


def _processed(entry: DatasetEntry, folder: Path) -> Path:
    return folder / entry.printed / "processed" / "data.pt"


def _build(entry: DatasetEntry, folder: Path, mirror: str | os.PathLike[str] | None) -> None:
    """Fetch and process ``entry`` beside its place in ``folder``, then move it there at once."""
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / entry.printed
    with (
        _preparing(entry),
        FileLock(folder / f".{entry.printed}.lock"),
        tempfile.TemporaryDirectory(prefix=f".{entry.printed}-", dir=folder) as scratch_name,
    ):
        scratch = Path(scratch_name)
        raw = scratch / entry.printed / "raw"
        if _has_raw(entry, folder):
            if _processed(entry, folder).is_file():  # Another process was faster.
                return
            shutil.copytree(home / "raw", raw)
            _open(entry, scratch, f"the copy in {home}", "delete that folder and load again")
            (scratch / entry.printed / "processed").rename(home / "processed")
        else:
            if home.is_dir() and any(home.iterdir()):
                raise InputError(f"the dataset in {home} is incomplete: delete that folder first")
            raw.parent.mkdir()
            source = fetch(entry, raw, mirror)
            if not _has_raw(entry, scratch):
                raise InputError(f"{source} does not hold the text files of {entry.printed}")
            _open(entry, scratch, f"the copy from {source}", "replace it with a sound one")
            (scratch / entry.printed).rename(home)


def _open(entry: DatasetEntry, folder: Path, what: str, remedy: str) -> InMemoryDataset:
    """Let PyG read the dataset in ``folder``, processed already or not, and check its counts."""
    pre_transform = Constant() if entry.constant_features else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset = entry.dataset_class(str(folder), entry.printed, pre_transform=pre_transform)
        problem = _difference(entry, dataset)
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        EOFError,
        LookupError,
        RuntimeError,
        TypeError,
        ValueError,
        pickle.UnpicklingError,
    ) as error:
        raise InputError(
            f"{entry.printed} cannot be read, {what} is damaged ({type(error).__name__}): {remedy}"
        ) from error
    if problem is not None:
        raise InputError(f"{what} is not a whole {entry.printed}, it has {problem}: {remedy}")
    return dataset


def _difference(entry: DatasetEntry, dataset: InMemoryDataset) -> str | None:
    """The first count of ``dataset`` that is not the one of ``entry``, in words."""
    graphs = len(dataset)
    if not graphs == dataset.y.numel() == entry.num_graphs:
        return f"{min(graphs, dataset.y.numel())} graphs instead of {entry.num_graphs}"
    if dataset.num_features != entry.num_features:
        return f"{dataset.num_features} features per node instead of {entry.num_features}"
    classes = dataset.y.unique().numel()
    if classes != entry.num_classes:
        return f"{classes} classes instead of {entry.num_classes}"
    for attribute, word, expected in (
        ("x", "nodes", entry.average_nodes),
        ("edge_index", "edges", entry.average_edges),
    ):
        average = int(dataset.slices[attribute][-1]) / graphs
        if abs(average - expected) > 0.0051:  # The entries have two decimals.
            return f"{average:.2f} {word} per graph instead of {expected:.2f}"
    return None


@contextlib.contextmanager
def _preparing(entry: DatasetEntry) -> Iterator[None]:
    """Say what is going on where somebody can see it, and keep PyG's own messages back.

    The garbage collector rests meanwhile: PyG's text reader makes millions of small lists, all of
    them alive, and walking over them again and again would cost an eighth of the time.
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
