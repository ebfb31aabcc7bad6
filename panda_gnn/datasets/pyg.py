"""Any dataset class of PyG by its name and arguments, such as ``TUDataset/NCI1`` or ``ZINC``.

Files come from the mirror where it has them, and through the same checks as those of the built-in
datasets; nothing in them is executed. A mirror has ``tudataset/NAME.zip``, ``planetoid/ind.*``, and
for any other class the raw files in ``pyg/CLASS``, or ``pyg/CLASS/NAME`` where it has a name. The
network is asked otherwise, by PyG itself for classes but those two.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import pickle
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch_geometric.datasets
from filelock import FileLock
from torch_geometric.data import Data, Dataset
from torch_geometric.datasets import Planetoid, TUDataset

from panda_gnn.datasets.entries import DATASETS, DatasetEntry
from panda_gnn.datasets.loading import data_root
from panda_gnn.datasets.node import planetoid_files
from panda_gnn.datasets.safe import DAMAGED, nothing_executed
from panda_gnn.datasets.sources import Folder, copy_files, fetch, mirror_folder
from panda_gnn.datasets.tu import FastTUDataset
from panda_gnn.errors import InputError, choose, reason

PARTS = ("train", "val", "test")
CLASSES = {
    name: kind
    for name, kind in sorted(vars(torch_geometric.datasets).items())
    if isinstance(kind, type) and issubclass(kind, Dataset)
}
"""Every dataset class of PyG."""


def pyg_graphs(
    text: str, arguments: Mapping[str, str], root: Folder = None, mirror: Folder = None
) -> tuple[list[Data], str]:
    """The graphs of ``CLASS`` or ``CLASS/NAME``, and the split of a class that has a fixed one.

    A class whose ``split`` is ``train`` unless told otherwise is read whole: training, validation
    and test graphs one after the other, and the split is ``rows``, with the number of each.

    Args:
        text: The class, and the name that it gets.
        arguments: Its other arguments, as text.
        root: The folder that holds datasets.
        mirror: The folder that holds raw files.
    """
    class_name, _, name = text.partition("/")
    kind = CLASSES[choose("dataset class of PyG", class_name, CLASSES)]
    options = _options(kind, name, arguments)
    home = data_root(root) / "pyg" / class_name / _folder(name, options)
    parameters = inspect.signature(kind).parameters
    fixed = "split" in parameters and parameters["split"].default == "train"
    if not fixed or "split" in options:
        return _graphs(kind, text, home, options, name, mirror), ""
    parts = [_graphs(kind, text, home, {**options, "split": part}, name, mirror) for part in PARTS]
    sizes = "/".join(str(len(part)) for part in parts)
    return [data for part in parts for data in part], f"rows {sizes}"


def _options(kind: type[Dataset], name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """The arguments as the class takes them, each of the type of its default."""
    parameters = dict(inspect.signature(kind).parameters)
    for hidden in ("self", "root", "transform", "pre_transform", "pre_filter", "args", "kwargs"):
        parameters.pop(hidden, None)
    options: dict[str, Any] = {}
    if name:
        if "name" not in parameters:
            raise InputError(f"{kind.__name__} takes no name, got '{name}': leave it out")
        options["name"] = name
    for key, text in arguments.items():
        choose("argument", key, parameters, f"of {kind.__name__}")
        options[key] = _value(text)
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            instead = f"pyg:{kind.__name__}/NAME" if key == "name" else f"?{key}=VALUE"
            raise InputError(f"{kind.__name__} needs {key}: write {instead}")
    return options


def _value(text: str) -> str | int | float | bool:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for read in (int, float):
        with contextlib.suppress(ValueError):
            return read(text)
    return text


def _folder(name: str, options: Mapping[str, Any]) -> str:
    words = [name, *(f"{key}={value}" for key, value in sorted(options.items()) if key != "name")]
    text = ",".join(word for word in words if word) or "all"
    return "".join(letter if letter.isalnum() or letter in "-_=,." else "_" for letter in text)


def _graphs(
    kind: type[Dataset], text: str, home: Path, options: dict[str, Any], name: str, mirror: Folder
) -> list[Data]:
    home.parent.mkdir(parents=True, exist_ok=True)
    base = FastTUDataset if kind is TUDataset else kind

    def download(self: Any) -> None:
        _fill(self, kind, name, mirror)

    changed = {"download": download} if kind.download is not Dataset.download else {}
    mirrored = type(kind.__name__, (base,), {**changed, "__module__": __name__})
    takes_root = "root" in inspect.signature(kind).parameters
    places = {"root": str(home)} if takes_root else {}
    try:
        with (
            FileLock(f"{home}.lock"),
            warnings.catch_warnings(),
            nothing_executed(),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            dataset = mirrored(**places, **options)
            graphs = [dataset[index] for index in range(len(dataset))]
    except InputError:
        _remove_unfinished(home)
        raise
    except pickle.UnpicklingError as error:
        raise InputError(
            f"pyg:{text} cannot be read, a file in {home} is damaged or holds more than data, "
            "which is not executed"
        ) from error
    except ImportError as error:
        raise InputError(f"pyg:{text} needs the package '{error.name}': install it") from error
    except (*DAMAGED, OSError) as error:
        _remove_unfinished(home)
        raise InputError(
            f"pyg:{text} cannot be had ({type(error).__name__}: {reason(error)}): check name and "
            "arguments, go online, or give a mirror that has its files"
        ) from error
    for number, data in enumerate(graphs):
        if type(data) is not Data:
            raise InputError(
                f"graph {number} of pyg:{text} is a {type(data).__name__}: only Data can be used"
            )
    return graphs


def _remove_unfinished(home: Path) -> None:
    """A folder without processed files is of no use and would be taken for a download."""
    if home.is_dir() and not any(path.suffix == ".pt" for path in home.rglob("processed/*")):
        shutil.rmtree(home, ignore_errors=True)


def _fill(dataset: Any, kind: type[Dataset], name: str, mirror: Folder) -> None:
    """Put the raw files where PyG looks for them."""
    entry = _entry(kind, name)
    raw = Path(dataset.raw_dir)
    if entry is not None:
        raw.rmdir()
        fetch(entry, raw, mirror)
        return
    folder = mirror_folder(mirror)
    below = f"pyg/{kind.__name__}" + (f"/{name}" if name else "")
    if folder is not None and (folder / below).is_dir():
        copy_files(folder, below, raw, {f: f"{below}/{f}" for f in dataset.raw_file_names})
        return
    super(type(dataset), dataset).download()


def _entry(kind: type[Dataset], name: str) -> DatasetEntry | None:
    """Where the files of a class that the built-in datasets use are to be had."""
    if kind is TUDataset:
        return dataclasses.replace(
            DATASETS["mutag"],
            name=name,
            printed=name,
            archive=f"tudataset/{name}.zip",
            url=f"{TUDataset.url}/{name}.zip",
            raw_names=(),
        )
    if kind is Planetoid:
        files = tuple(planetoid_files(name.lower()))
        return dataclasses.replace(
            DATASETS["cora"], name=name, printed=name, loose_files=files, raw_names=()
        )
    return None
