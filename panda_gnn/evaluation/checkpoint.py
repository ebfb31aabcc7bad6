"""Long trials go on where they were killed: every few minutes their state is put into a file.

A checkpoint belongs to one trial of one version of the code, on one content of a dataset and one
kind of processor, and has a hash of all of that and of its own content: any other file is not used.
What it holds is tensors and numbers, and reading it executes nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import pickle
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Seconds between two checkpoints of a trial; a trial that is shorter has none.
SAVE_EVERY = 300.0

State = dict[str, Any]


class Checkpoint:
    """The file of one trial.

    Args:
        path: The file. Its folder is made when it is needed, in a folder that must be there: a
            worker that does not see that one keeps no checkpoints.
        belongs_to: All that decides the state of the trial, in words.
        every: Seconds between two states, by default :data:`SAVE_EVERY`.
    """

    def __init__(self, path: Path, belongs_to: str, every: float | None = None) -> None:
        self.path = path
        self.every = every
        #: Seconds that the trial had taken when the state was saved that was loaded.
        self.seconds_before = 0.0
        self._belongs_to = belongs_to
        self._opened = self._saved = time.monotonic()

    def load(self) -> State | None:
        """The state that was saved last; ``None`` if there is none that can be used."""
        import torch  # not by a driver, which only removes checkpoints

        try:
            written, _, content = self.path.read_bytes().partition(b"\n")
        except OSError:
            return None
        state: State | None = None
        if written == self._hash(content):
            with contextlib.suppress(pickle.UnpicklingError):
                state = torch.load(io.BytesIO(content), weights_only=True)
        if state is None:
            warnings.warn(
                f"{self.path} is damaged, or of another trial, version of the code, dataset or "
                "processor: the trial starts with its first epoch",
                stacklevel=2,
            )
            return None
        self.seconds_before = state["seconds"]
        return state

    def save_if_due(self, state: Callable[[], State]) -> None:
        """Replace the file if the last one is old enough; a disk that is full is warned about."""
        import torch

        now = time.monotonic()
        every = SAVE_EVERY if self.every is None else self.every
        if now - self._saved < every or not self.path.parent.parent.is_dir():
            return
        self._saved = now
        content = io.BytesIO()
        torch.save({**state(), "seconds": self.seconds_before + now - self._opened}, content)
        fresh = _fresh(self.path)
        try:
            self.path.parent.mkdir(exist_ok=True)
            fresh.write_bytes(self._hash(content.getvalue()) + b"\n" + content.getvalue())
            fresh.replace(self.path)
        except OSError as error:
            warnings.warn(f"no checkpoint could be written: {error}", stacklevel=2)

    def _hash(self, content: bytes) -> bytes:
        return hashlib.sha256(self._belongs_to.encode() + b"\n" + content).hexdigest().encode()


def remove_checkpoint(path: Path) -> None:
    """The trial is finished: remove its checkpoint, and the folder if it was the last."""
    try:
        path.unlink(missing_ok=True)
        _fresh(path).unlink(missing_ok=True)
        if path.parent.is_dir():
            path.parent.rmdir()
    except OSError:  # others are still there
        pass


def _fresh(path: Path) -> Path:
    return path.with_name(path.name + ".new")
