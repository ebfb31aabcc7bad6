"""Who runs which trial: several drivers on one store share the work, and no trial runs twice.

A driver claims a trial before it starts it. Claims are in a file beside the store, changed under a
lock. A claim counts as long as its driver lives: on this machine that is looked up, of a driver on
another machine it is believed until its last report has been in the file for :data:`BELIEVED`
seconds. Then whoever asks next takes the trial over. These seconds are those of the asking process
since it first saw the report, so no clock has to be right, nor two to agree.
"""

from __future__ import annotations

import json
import os
import platform
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

from panda_gnn.errors import InputError
from panda_gnn.evaluation.store import Identity, stop_when_unwritable

#: Seconds between two reports of a driver.
REPORT_EVERY = 15.0

#: Seconds for which a driver on another machine is believed to live without a new report.
BELIEVED = 120.0


class Claims:
    """The claims of one driver on the trials of a store.

    Args:
        store: The file of the rows; claims are in a file of the same name that ends in ``.claims``.
    """

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + ".claims")
        self._lock = store.with_name(store.name + ".claims.lock")
        self._mine: set[str] = set()
        self._reported = 0.0
        self._id = uuid.uuid4().hex
        self._first_seen: dict[tuple[str, str], float] = {}

    def take(self, trial: Identity) -> bool:
        """Claim a trial; ``False`` if another driver that lives has claimed it."""
        name = name_of(trial)
        with self._locked():
            claims = self._read()
            owner = claims.get(name)
            if owner is not None and owner.get("id") != self._id and self._lives(owner):
                return False
            self._mine.add(name)
            self._write(claims)
        return True

    def release(self, trial: Identity) -> None:
        """The trial is finished, or will not be run by this driver."""
        if name_of(trial) in self._mine:
            self._mine.remove(name_of(trial))
            self._rewrite()

    def report(self) -> None:
        """Say that this driver lives, if it is time to."""
        if self._mine and time.monotonic() - self._reported > REPORT_EVERY:
            self._rewrite()

    def close(self) -> None:
        """This driver ends."""
        if self._mine:
            self._mine.clear()
            with suppress(InputError):
                self._rewrite()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with stop_when_unwritable(self.path), FileLock(self._lock):
            yield

    def _rewrite(self) -> None:
        with self._locked():
            self._write(self._read())

    def _read(self) -> dict[str, Any]:
        """The claims of all drivers; of a file that nobody can read, none."""
        try:
            claims = json.loads(self.path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(claims, dict):
            return {}
        return {name: owner for name, owner in claims.items() if isinstance(owner, dict)}

    def _write(self, claims: dict[str, Any]) -> None:
        """Replace the file: the claims of others that live, and those of this driver."""
        owner = {"id": self._id, **_process(os.getpid()), "reported": time.time()}
        kept = {
            name: other
            for name, other in claims.items()
            if other.get("id") != self._id and self._lives(other)
        }
        kept |= dict.fromkeys(sorted(self._mine - set(kept)), owner)
        self._reported = time.monotonic()
        if not kept:
            self.path.unlink(missing_ok=True)
            return
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.write_text(json.dumps(kept), "utf-8")
        fresh.replace(self.path)

    def _lives(self, owner: dict[str, Any]) -> bool:
        if owner.get("host") == _host() and owner.get("started") is not None:
            return bool(_start_of(owner.get("pid", 0)) == owner["started"])
        report = (str(owner.get("id")), str(owner.get("reported")))
        now = time.monotonic()
        return now - self._first_seen.setdefault(report, now) < BELIEVED


def name_of(trial: Identity) -> str:
    """A trial in one line of text, the same in every process."""
    key, origin, seed = trial
    return json.dumps([key, seed, *origin])


def _process(pid: int) -> dict[str, Any]:
    """What tells a process of this machine from all others."""
    return {"host": _host(), "pid": pid, "started": _start_of(pid)}


def _host() -> str:
    """This machine, or the container in which process numbers are its own."""
    space = ""
    with suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink())
    return f"{platform.node()} {space}".strip()


def _start_of(pid: int) -> str | None:
    """When a process started, in ticks since the machine did; ``None`` where that is not told."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    words = stat.rpartition(")")[2].split()
    return None if words[0] in "ZX" else words[19]
