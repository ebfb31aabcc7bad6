"""Results of expensive graph computations, kept on disk and never trusted blindly.

A result is a dictionary of tensors in one safetensors file. Its name is a hash of everything it
depends on, and its metadata hold that name and a hash of the content: a file that is damaged, cut
short, renamed or not ours is computed again. Files appear whole or not at all, so several processes
may fill one folder at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch_geometric.data import Dataset
from torch_geometric.data.dataset import MISSING

Tensors = dict[str, Tensor]


def content_key(name: str, *parts: Tensor | str | int | float | None) -> str:
    """A file name for ``name`` that changes whenever any of ``parts`` does."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Tensor):
            array = part.detach().cpu().contiguous().numpy()
            digest.update(f"{array.dtype}{array.shape}".encode())
            digest.update(array.tobytes())
        else:
            digest.update(f"|{part!r}|".encode())
    return f"{name}-{digest.hexdigest()[:32]}"


def folder_for(graphs: object, name: str, cache: str | Path | Literal[False] | None) -> Path | None:
    """Where results about ``graphs`` are kept.

    That is ``cache`` where it is a folder, nowhere where it is ``False``, and by default the folder
    ``name`` next to ``processed`` for a dataset and nowhere for other graphs.
    """
    if cache is False:
        return None
    if cache is not None:
        return Path(cache)
    if isinstance(graphs, Dataset) and graphs.root not in (None, MISSING):
        return Path(graphs.processed_dir).parent / name
    return None


def cached(
    folder: Path | None,
    key: str,
    compute: Callable[[], Tensors],
    fits: Callable[[Tensors], bool],
) -> Tensors:
    """What ``compute`` gives, from ``folder`` if a sound copy is there.

    Args:
        folder: Where copies are kept; ``None`` for no cache.
        key: What the result depends on, from :func:`content_key`.
        compute: Computes the result.
        fits: Whether a copy has the names, shapes and types of a result; one that does not is
            computed again.
    """
    if folder is None:
        return compute()
    path = folder / f"{key}.safetensors"
    stored = _read(path, key)
    if stored is not None and fits(stored):
        return stored
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in compute().items()}
    try:
        _write(path, key, tensors)
    except OSError as error:
        warnings.warn(f"{path} could not be written ({error}); going on without it", stacklevel=2)
    return tensors


def _checksum(key: str, tensors: Tensors) -> str:
    parts = (part for name in sorted(tensors) for part in (name, tensors[name]))
    return content_key("", key, *parts)


def _read(path: Path, key: str) -> Tensors | None:
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError):
        return None
    return tensors if metadata.get("checksum") == _checksum(key, tensors) else None


def _write(path: Path, key: str, tensors: Tensors) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex}")
    try:
        save_file(tensors, scratch, metadata={"checksum": _checksum(key, tensors)})
        os.replace(scratch, path)  # noqa: PTH105
    finally:
        with contextlib.suppress(FileNotFoundError):
            scratch.unlink()
