"""Reading files of datasets without executing anything that stands in them.

A pickle is a program: an object in it may name any function to be called while it is read. PyG
reads some raw files with ``pickle.load`` (Planetoid's), and its processed files with a fallback to
a full unpickle. While :func:`nothing_executed` is in force, both build tensors, arrays, sparse
matrices and plain containers, and refuse everything else.
"""

from __future__ import annotations

import contextlib
import importlib
import pickle
import sys
import threading
import zipfile
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import IO, Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import GlobalStorage

#: The classes and functions that pickled arrays, sparse matrices and adjacency lists are made of,
#: under the names they had in the versions of numpy and scipy that wrote them.
_ARRAYS = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    *(
        (f"numpy.{core}.multiarray", name)
        for core in ("core", "_core")
        for name in ("_reconstruct", "scalar")
    ),
    ("numpy._core.numeric", "_frombuffer"),
    ("scipy.sparse._csr", "csr_matrix"),
    ("collections", "defaultdict"),
    ("collections", "OrderedDict"),
    ("builtins", "list"),
    ("builtins", "dict"),
    ("builtins", "object"),
    ("copyreg", "_reconstructor"),
    ("_codecs", "encode"),
}
#: Where modules of old pickles are today, Python 2's among them.
_TODAY = {
    "scipy.sparse.csr": "scipy.sparse._csr",
    "copy_reg": "copyreg",
    "__builtin__": "builtins",
}

#: What PyG's own ``Data`` is made of.
_GRAPHS = (Data, DataEdgeAttr, DataTensorAttr, GlobalStorage)

#: What PyG's readers raise where a file is damaged.
DAMAGED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
)

_lock = threading.RLock()


class ArrayUnpickler(pickle.Unpickler):
    """An unpickler that builds numpy arrays, scipy matrices and plain containers only."""

    def find_class(self, module: str, name: str) -> Any:
        """The class ``name`` if it is one of those that data are made of."""
        module = _TODAY.get(module, module)
        if (module, name) not in _ARRAYS:
            raise pickle.UnpicklingError(f"the file asks for {module}.{name}, which is no data")
        return getattr(importlib.import_module(module), name)


def load_arrays(file: IO[bytes], **options: Any) -> Any:
    """What ``pickle.load(file)`` gives, provided that it is made of arrays and containers."""
    return ArrayUnpickler(file, **options).load()


def load_tensors(path: Any, map_location: Any = "cpu") -> Any:
    """What ``torch.load(path)`` gives, provided that it is made of tensors and PyG's ``Data``."""
    with torch.serialization.safe_globals(_not_yet_safe()):
        return torch.load(path, map_location, weights_only=True)


def _not_yet_safe() -> list[Any]:
    """What torch must be told for a while; what PyG has told it already must stay afterwards."""
    safe = torch.serialization.get_safe_globals()
    return [kind for kind in _GRAPHS if kind not in safe]


@contextlib.contextmanager
def nothing_executed() -> Iterator[None]:
    """While it lasts, PyG's dataset classes read files without executing anything in them.

    ``torch.load`` takes tensors and PyG's own classes alone, numpy's ``load`` no pickled objects,
    and the modules of PyG that unpickle get :func:`load_arrays`. What does not fit raises
    :class:`pickle.UnpicklingError` or ``ValueError``.
    """
    plain_torch, plain_numpy = torch.load, np.load

    def torch_load(file: Any, map_location: Any = None, *_: Any, **options: Any) -> Any:
        options["weights_only"] = True
        return plain_torch(file, map_location, **options)

    def numpy_load(file: Any, *_: Any, **options: Any) -> Any:
        options["allow_pickle"] = False
        return plain_numpy(file, **options)

    pickling = SimpleNamespace(load=load_arrays, UnpicklingError=pickle.UnpicklingError)
    with _lock, torch.serialization.safe_globals(_not_yet_safe()):
        readers = [module for module in _modules_of_pyg() if vars(module).get("pickle") is pickle]
        torch.load, np.load = torch_load, numpy_load  # type: ignore[assignment]
        for module in readers:
            module.pickle = pickling  # type: ignore[attr-defined]
        try:
            yield
        finally:
            torch.load, np.load = plain_torch, plain_numpy
            for module in readers:
                module.pickle = pickle  # type: ignore[attr-defined]


def _modules_of_pyg() -> list[ModuleType]:
    """The loaded modules of PyG that read files."""
    folders = ("torch_geometric.datasets.", "torch_geometric.io.")
    return [module for name, module in list(sys.modules.items()) if name.startswith(folders)]
