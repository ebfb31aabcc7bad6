"""Where the raw files of a dataset come from: a mirror, GraKeL's copy of MUTAG, or the network."""

from __future__ import annotations

import importlib.util
import lzma
import os
import shutil
import urllib.request
import zipfile
import zlib
from http.client import HTTPException
from pathlib import Path

from panda_gnn.datasets.entries import DatasetEntry
from panda_gnn.errors import InputError

MIRROR_VARIABLE = "PANDA_DATA_MIRROR"
TIMEOUT = 20.0
"""Seconds without an answer after which the network counts as absent."""


def fetch(entry: DatasetEntry, raw: Path, mirror: str | os.PathLike[str] | None) -> str:
    """Fill the folder ``raw``, which must not exist, from the first source that has ``entry``.

    Returns where the files came from. Only ``raw`` and folders beside it are written.
    """
    archive = _in_mirror(entry, mirror)
    if archive is not None:
        _unpack(entry, archive, raw)
        return str(archive)
    bundled = _in_grakel(entry)
    if bundled is not None:
        raw.mkdir()
        for file in bundled.iterdir():
            shutil.copyfile(file, raw / file.name)
        return str(bundled)
    archive = raw.parent / "download.zip"
    _download(entry, archive)
    _unpack(entry, archive, raw)
    archive.unlink()
    return entry.url


def _in_mirror(entry: DatasetEntry, mirror: str | os.PathLike[str] | None) -> Path | None:
    """The archive of ``entry`` in the mirror, if there is a mirror and it has one."""
    named = mirror if mirror is not None else os.environ.get(MIRROR_VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise InputError(
            f"the mirror '{folder}' is not a folder: give the folder that holds {entry.archive}"
        )
    archive = folder / entry.archive
    return archive if archive.is_file() else None


def _in_grakel(entry: DatasetEntry) -> Path | None:
    """GraKeL ships MUTAG in the raw format for its own tests; look without importing it."""
    package = importlib.util.find_spec("grakel")
    for location in (package and package.submodule_search_locations) or ():
        folder = Path(location, "tests", "data", entry.printed)
        if folder.is_dir():
            return folder
    return None


def _download(entry: DatasetEntry, archive: Path) -> None:
    try:
        with (
            urllib.request.urlopen(entry.url, timeout=TIMEOUT) as response,
            archive.open("wb") as file,
        ):
            shutil.copyfileobj(response, file)
    except (OSError, HTTPException) as error:
        raise InputError(
            f"{entry.printed} is not on this machine and {entry.url} cannot be read ({error}): "
            f"go online, or set {MIRROR_VARIABLE} to a folder that holds {entry.archive}"
        ) from error


def _unpack(entry: DatasetEntry, archive: Path, raw: Path) -> None:
    """Unpack the folder named like the dataset to ``raw``, unless it is damaged or reaches out."""
    scratch = raw.with_name("unpacked")
    name = entry.url if archive.parent == raw.parent else str(archive)
    try:
        with zipfile.ZipFile(archive) as file:
            for member in file.namelist():
                if not (scratch / member).resolve().is_relative_to(scratch.resolve()):
                    raise InputError(
                        f"the archive {name} is refused: its member '{member}' "
                        "would be written outside its folder"
                    )
            file.extractall(scratch)
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise InputError(
            f"the archive {name} is damaged ({error}): replace it with a sound copy"
        ) from error
    content = scratch / entry.printed
    if not content.is_dir():
        raise InputError(f"the archive {name} does not hold a folder {entry.printed}/")
    content.rename(raw)
    shutil.rmtree(scratch)
