"""What comes with the package beside its code: studies, and the rows that were measured for them.

In a checkout both lie beside the package. A wheel has them inside it, the rows compressed.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from panda_gnn.evaluation.store import COMPRESSED, Store

RESULTS = Path("results")
"""The folder of the user's own rows, unless another is named."""


def bundled_folder(name: str) -> Path:
    """The folder ``studies`` or ``results`` that comes with the package."""
    package = Path(str(files("panda_gnn")))
    installed = package / name
    return installed if installed.is_dir() else package.parent / name


def study_names() -> list[str]:
    """The studies that come with panda-gnn."""
    return sorted(path.stem for path in bundled_folder("studies").glob("*.toml"))


def folder_to_read(results: Path | None) -> Path:
    """Where rows are read: the folder that is named, else the user's own, else the package's.

    Rows of two folders are never read together.
    """
    if results is not None:
        return results
    return RESULTS if RESULTS.is_dir() else bundled_folder("results")


def stored_rows(folder: Path, study: str) -> Store:
    """The rows of a study in a folder; those in a wheel are compressed and can only be read."""
    path = folder / f"{study}.jsonl"
    compressed = path.with_name(path.name + COMPRESSED)
    return Store(compressed if compressed.exists() and not path.exists() else path)
