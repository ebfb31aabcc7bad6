r"""Where finished trials are kept: one row of JSON per trial, written whole or not at all.

A store is a file to which rows are only ever appended, in one write under a lock, and put on disk
before the next trial begins. Several processes may append at once. If one is killed while it
writes, the cut line is set aside in a file named ``.damaged`` beside the store by the next one that
writes; no other row is touched. Reading never changes the file. Every line ends with a checksum of
its row, so that a row that was altered is noticed and left out.

For a path and a row, ``Store(path).append(row)`` adds the row, and ``Store(path).read().rows`` has
all of them.
"""

from __future__ import annotations

import json
import lzma
import os
import platform
import subprocess
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from panda_gnn import __version__
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.origin import Origin, origin_of, processor
from panda_gnn.evaluation.row_check import NEEDED, checksum, fault, parse_row

#: A finished trial, ready for JSON.
Row = Mapping[str, Any]

#: Rows by config (its key) and seed, each config's of one origin.
Finished = Mapping[str, Mapping[int, Row]]

Identity = tuple[str, Origin, int]

#: How the name of a file ends whose rows are compressed, as in a wheel.
COMPRESSED = ".xz"

#: Seconds that a line takes to be written, at most.
MOMENT = 0.02

#: What two runs of one trial may differ in.
INCIDENTAL = ("seconds", "versions", "revision", "processor", "curves")


def identity(row: Row) -> Identity:
    """Which trial the row is of: its config, the code and the data it ran with, and its seed."""
    return row["key"], origin_of(row), row["seed"]


def new_row(
    config: Config,
    seed: int,
    code: str,
    seconds: float,
    *,
    parts: Mapping[str, str],
    data: str | None,
    **results: Any,
) -> Row:
    """The row of a trial or of another measurement, ready for JSON: its results and their origin.

    Args:
        config: The complete config that was run.
        seed: The seed it was run with.
        code: The version of what ran it.
        seconds: How long that took.
        parts: The versions of its task and its method; empty where it has none.
        data: The fingerprint of the dataset; ``None`` where no dataset was used.
        **results: What came out: ``scores`` of a trial, ``value`` of a time, or ``values``.
    """
    return {
        "key": config.key,
        "seed": seed,
        "code": code,
        "parts": dict(parts),
        "data": data,
        "config": config.to_dict(),
        **results,
        "seconds": round(seconds, 3),
        "versions": versions(),
        "revision": revision(),
        "processor": processor(),
    }


@cache
def versions() -> dict[str, str]:
    """The versions of what decides the bits of a result."""
    return {
        "python": platform.python_version(),
        "panda-gnn": __version__,
        **{name: version(name) for name in ("torch", "torch_geometric", "numpy", "numba")},
    }


@cache
def revision() -> str | None:
    """The revision of the checkout the package runs from; ``None`` where it is installed."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return None
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        described = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return described.stdout.strip()


def by_config_and_seed(
    rows: Iterable[Row], origins: Mapping[str, Origin]
) -> dict[str, dict[int, Row]]:
    """The rows that have the origin of their config, which is given by key; by config and seed."""
    finished: dict[str, dict[int, Row]] = {}
    for row in rows:
        if row["key"] in origins and origin_of(row) == origins[row["key"]]:
            finished.setdefault(row["key"], {})[row["seed"]] = row
    return finished


def code_to_show(rows: Sequence[Row], installed: str) -> tuple[str, list[str]]:
    """The version of the code whose rows a table shows, and sentences about other versions.

    It is the installed version, or, where there is no row of that, the one that was written last.
    Rows of different versions are never shown together.
    """
    counts = Counter(row["code"] for row in rows)
    shown = installed if installed in counts or not rows else rows[-1]["code"]
    remarks = []
    if shown != installed:
        remarks.append(
            f"all rows shown were written by version {shown} of the trial code, "
            f"not by the installed version {installed}"
        )
    remarks += [
        f"{count} rows of version {code} of the trial code are left out: "
        f"they do not mix with those of version {shown}"
        for code, count in counts.items()
        if code != shown
    ]
    return shown, remarks


def score(row: Row, selection: str) -> float:
    """What the row reports under a selection rule; what is measured is the same under all.

    Of a list of measured numbers it is their mean.
    """
    if "values" in row:
        return float(np.mean(next(iter(row["values"].values()))))
    value: float = row["value"] if "value" in row else row["scores"][selection]["test"]
    return value


def scores(rows: Mapping[int, Row], selection: str) -> dict[int, float]:
    """The reported score of every seed."""
    return {seed: score(row, selection) for seed, row in rows.items()}


def validation_score(row: Row) -> float:
    """The best validation score of the trial: all that a choice of settings may look at."""
    value: float = row["scores"]["best-val"]["validation"]
    return value


@contextmanager
def stop_when_unwritable(path: Path) -> Iterator[None]:
    """Say in one sentence that a file beside or in a store cannot be written, whatever the cause.

    Of the causes, a full disk and a folder that became read-only are the most frequent.
    """
    try:
        yield
    except (OSError, NotImplementedError) as error:
        raise InputError(
            f"{path} cannot be written any more ({error}): all rows before are kept, "
            "and the same command continues when it can be written again"
        ) from error


@dataclass(frozen=True)
class Contents:
    """What a store holds: every trial once, in the order written, and what is wrong with it."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...]


class Store:
    """The rows of a study in one file; one that is compressed can only be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged_path = path.with_name(path.name + ".damaged")

    def prepare(self) -> None:
        """Create the file and set aside a damaged last line, or say why that cannot be."""
        if self.path.suffix == COMPRESSED:
            raise InputError(f"{self.path} comes with the package and is only read")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked() as file:
                self._mend(file)
        except OSError as error:
            raise InputError(
                f"the results folder '{self.path.parent}' cannot be written "
                f"({error.strerror}): name another with --results"
            ) from error

    def append(self, row: Row) -> None:
        """Write one row and return when it is on disk; if that cannot be, the file is as before."""
        missing = [name for name in NEEDED if name not in row]
        if missing:
            raise ValueError(f"a row needs {', '.join(NEEDED)}; this one has no {missing[0]}")
        line = line_of(row)
        with stop_when_unwritable(self.path), self._locked() as file:
            self._mend(file)
            before = os.fstat(file).st_size
            try:
                written = os.write(file, line)
                if written != len(line):
                    raise OSError(f"{self.path}: {written} of {len(line)} bytes written")
                os.fsync(file)
            except OSError:
                os.ftruncate(file, before)
                raise

    def read(self) -> Contents:
        """All rows, without their checksums.

        Lines that are damaged or were altered, and trials that are there twice and differ, are left
        out and reported.
        """
        try:
            lines = self._bytes().split(b"\n")
        except FileNotFoundError:
            return Contents((), ())
        except OSError as error:
            raise InputError(f"{self.path} cannot be read ({error.strerror})") from error
        rows: dict[Identity, Row] = {}
        problems = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            row = parse_row(line)
            problem = "damaged" if row is None else fault(row)
            if row is None or problem is not None:
                problems.append(f"{self.path}, line {number}: {problem}, left out")
                continue
            del row["checksum"]
            first = rows.setdefault(identity(row), row)
            if lasting(first) != lasting(row):
                problems.append(
                    f"{self.path}, line {number}: another result of a trial that is already there "
                    f"(seed {row['seed']} of config {row['key']}), left out"
                )
        return Contents(tuple(rows.values()), tuple(problems))

    def read_from(self, offset: int) -> tuple[list[Row], int]:
        """The sound rows of the whole lines from a place in the file on, and where they end."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                start = offset if offset <= size else 0
                file.seek(start)
                lines, newline, _ = file.read().rpartition(b"\n")
        except FileNotFoundError:
            return [], 0
        found = [parse_row(line) for line in lines.split(b"\n")]
        rows = [row for row in found if row is not None and fault(row) is None]
        for row in rows:
            del row["checksum"]
        return list(rows), start + len(lines) + len(newline)

    def _bytes(self) -> bytes:
        """The whole file; if somebody is about to write its last line, with that line."""
        if self.path.suffix == COMPRESSED:
            try:
                return lzma.decompress(self.path.read_bytes())
            except lzma.LZMAError as error:
                raise InputError(f"{self.path} is no compressed file of rows ({error})") from error
        content = self.path.read_bytes()
        if content and not content.endswith(b"\n"):
            time.sleep(MOMENT)
            content = self.path.read_bytes()
        return content

    @contextmanager
    def _locked(self) -> Iterator[int]:
        new = not self.path.exists()
        with FileLock(self.path.with_name(self.path.name + ".lock")):
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            file = os.open(self.path, flags, 0o644)
            try:
                if new:
                    _sync_folder(self.path.parent)
                yield file
            finally:
                os.close(file)

    def _mend(self, file: int) -> None:
        """Make the file end with a whole line, under the lock."""
        size = os.fstat(file).st_size
        start = self._start_of_last_line(file, size)
        last = _read_at(file, start, size - start)
        if not last.strip():
            return
        if parse_row(last) is None:
            with self.damaged_path.open("ab") as aside:
                aside.write(last.rstrip(b"\n") + b"\n")
                aside.flush()
                os.fsync(aside.fileno())
            os.ftruncate(file, start)
            os.fsync(file)
            warnings.warn(
                f"the last line of {self.path} was damaged and is now in {self.damaged_path}",
                stacklevel=3,
            )
        elif not last.endswith(b"\n"):
            os.write(file, b"\n")

    @staticmethod
    def _start_of_last_line(file: int, size: int) -> int:
        end = size
        step = 1 << 16
        while end > 0:
            begin = max(0, end - step)
            chunk = _read_at(file, begin, end - begin)
            searched = chunk[:-1] if end == size else chunk
            newline = searched.rfind(b"\n")
            if newline >= 0:
                return begin + newline + 1
            end = begin
        return 0


def line_of(row: Row) -> bytes:
    """The line of a row in a file: its JSON, with a checksum of it at the end."""
    whole = {name: value for name, value in row.items() if name != "checksum"}
    whole["checksum"] = checksum(whole)
    text = json.dumps(whole, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.encode() + b"\n"


def lasting(row: Row) -> dict[str, Any]:
    """The row without what two runs of one trial may differ in."""
    return {name: value for name, value in row.items() if name not in INCIDENTAL}


def _read_at(file: int, start: int, length: int) -> bytes:
    os.lseek(file, start, os.SEEK_SET)
    parts = []
    while part := os.read(file, length):  # of no length, nothing is read
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Folders cannot be opened there.
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
