"""Where the raw files of a dataset come from: a mirror, GraKeL's copy of MUTAG, or the network."""

from __future__ import annotations

import hashlib
import importlib.util
import lzma
import os
import shutil
import urllib.request
import zipfile
import zlib
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path

from panda_gnn.datasets.entries import DatasetEntry
from panda_gnn.errors import InputError

#: A folder, or ``None`` for the one that the environment names.
Folder = str | os.PathLike[str] | None

MIRROR_VARIABLE = "PANDA_DATA_MIRROR"
TIMEOUT = 20.0
"""Seconds without an answer after which the network counts as absent."""

CHECKSUMS = "SHA256SUMS"
"""The file of a mirror that lists the hashes of its files, as ``sha256sum`` writes it."""

GREATEST_FACTOR, GREATEST_FREE_SIZE, GREATEST_COUNT = 200, 50 * 2**20, 1000
"""An archive may become so many times its size, or so many bytes, and hold so many files."""


def fetch(entry: DatasetEntry, raw: Path, mirror: Folder) -> str:
    """Fill the folder ``raw``, which must not exist, from the first source that has ``entry``.

    Returns where the files came from. Only ``raw`` and folders beside it are written.
    """
    folder = _mirror(entry, mirror)
    if folder is not None:
        if entry.loose_files:
            files = {file.name: file.path for file in entry.loose_files}
            copy_files(folder, entry.in_mirror, raw, files)
        else:
            check_sums(folder, [entry.archive])
            _unpack(entry, folder / entry.archive, raw)
        return str(folder / entry.in_mirror)
    bundled = _in_grakel(entry)
    if bundled is not None:
        raw.mkdir()
        for file in bundled.iterdir():
            shutil.copyfile(file, raw / file.name)
        return str(bundled)
    if entry.loose_files:
        raw.mkdir()
        for loose in entry.loose_files:
            _download(entry, loose.url, raw / loose.name)
        return entry.loose_files[0].url
    archive = raw.parent / "download.zip"
    _download(entry, entry.url, archive)
    _unpack(entry, archive, raw)
    archive.unlink()
    return entry.url


def _mirror(entry: DatasetEntry, mirror: Folder) -> Path | None:
    """The mirror, if there is one and it has ``entry``."""
    folder = mirror_folder(mirror, entry.in_mirror)
    return folder if folder is not None and (folder / entry.in_mirror).is_file() else None


def mirror_folder(mirror: Folder, holds: str = "the raw files") -> Path | None:
    """The folder of the mirror, if there is one."""
    named = mirror if mirror is not None else os.environ.get(MIRROR_VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise InputError(
            f"the mirror '{folder}' is not a folder: give the folder that holds {holds}"
        )
    return folder


def check_sums(folder: Path, files: list[str]) -> None:
    """Refuse a file of a mirror that is not what the mirror's own list of hashes says."""
    listing = folder / CHECKSUMS
    if not listing.is_file():
        return
    lines = listing.read_text("utf-8", errors="replace").splitlines()
    sums = {
        name.strip().lstrip("*").removeprefix("./"): digest.lower()
        for digest, _, name in (line.partition(" ") for line in lines)
    }
    for file in files:
        path = folder / file
        if not path.is_file():
            continue
        if file not in sums:
            raise InputError(f"{path} is refused: {listing} does not list it")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != sums[file]:
            raise InputError(
                f"{path} is refused: its SHA-256 is {digest[:12]}..., but {listing} says "
                f"{sums[file][:12]}...; fetch the file again"
            )


def copy_files(folder: Path, known: str, raw: Path, files: Mapping[str, str]) -> None:
    """Copy the files of a dataset from the mirror ``folder``, which has what is ``known``.

    ``files`` are their paths in the mirror, by their names in ``raw``.
    """
    check_sums(folder, list(files.values()))
    for name, path in files.items():
        if not (folder / path).is_file():
            raise InputError(f"the mirror '{folder}' has {known}, but not {path}")
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / path, raw / name)


def _in_grakel(entry: DatasetEntry) -> Path | None:
    """GraKeL ships MUTAG in the raw format for its own tests; look without importing it."""
    package = importlib.util.find_spec("grakel")
    for location in (package and package.submodule_search_locations) or ():
        folder = Path(location, "tests", "data", entry.printed)
        if folder.is_dir():
            return folder
    return None


def _download(entry: DatasetEntry, url: str, path: Path) -> None:
    try:
        with (
            urllib.request.urlopen(url, timeout=TIMEOUT) as response,
            path.open("wb") as file,
        ):
            shutil.copyfileobj(response, file)
    except (OSError, HTTPException) as error:
        raise InputError(
            f"{entry.printed} is not on this machine and {url} cannot be read ({error}): "
            f"go online, or set {MIRROR_VARIABLE} to a folder that holds {entry.in_mirror}"
        ) from error


def _check_size(file: zipfile.ZipFile, packed: int, name: str) -> None:
    """Refuse an archive that would fill the disk; zipfile writes no more than it announces."""
    members = file.infolist()
    size = sum(member.file_size for member in members)
    limit = max(GREATEST_FREE_SIZE, GREATEST_FACTOR * packed)
    if size > limit or len(members) > GREATEST_COUNT:
        raise InputError(
            f"the archive {name} is refused: {packed:,} bytes would become {size:,} in "
            f"{len(members):,} files, more than the {limit:,} bytes in {GREATEST_COUNT:,} files "
            "that are accepted"
        )


def _unpack(entry: DatasetEntry, archive: Path, raw: Path) -> None:
    """Unpack the folder of the raw files to ``raw``, unless it is damaged or reaches out."""
    scratch = raw.with_name("unpacked")
    name = entry.url if archive.parent == raw.parent else str(archive)
    try:
        with zipfile.ZipFile(archive) as file:
            _check_size(file, archive.stat().st_size, name)
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
    folder = entry.folder_in_archive or entry.printed
    content = scratch / folder
    if not content.is_dir():
        raise InputError(f"the archive {name} does not hold a folder {folder}/")
    content.rename(raw)
    shutil.rmtree(scratch)
