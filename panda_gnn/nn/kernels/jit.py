"""Kernels that are compiled when they are first called.

A kernel is a numba ``cfunc``. It gets addresses, as ``tensor.data_ptr()`` gives them, so a call
costs two microseconds and lets other threads run. Nothing checks types or sizes behind it: the
function in front of the kernel, in the same file, does.

No file with a kernel imports numba: ``carray``, which makes an array of an address, is imported
for type checkers only, and bound to its name when a kernel of the file is compiled. This is done
for one kernel and one type of numbers at a time. The machine code is kept on disk; later processes
only load it.
"""

from __future__ import annotations

import ctypes
import importlib
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from panda_gnn.errors import InputError

Bytes = Any
Int16s = Any
Int32s = Any
Int64s = Any
Reals = Any
"""In a kernel: the address of numbers of one type, to be read through ``carray``."""

NUMBA_TYPES = {
    "Bytes": "CPointer(uint8)",
    "Int16s": "CPointer(int16)",
    "Int32s": "CPointer(int32)",
    "Int64s": "CPointer(int64)",
    "Reals": "CPointer({real})",
    "int": "int64",
    "float": "{real}",
    "None": "void",
}
C_TYPES: dict[str, Any] = {
    "int64": ctypes.c_int64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "void": None,
}


class Kernel(dict[torch.dtype, Callable[..., Any]]):
    """The compiled function for each type of numbers, as ``kernel[dtype](...)``."""

    def __init__(self, body: Callable[..., Any], uses: tuple[str, ...]) -> None:
        super().__init__()
        self.body, self.uses = body, uses

    def __missing__(self, dtype: torch.dtype) -> Callable[..., Any]:
        """Compile or load the function for one type."""
        from numba import cfunc
        from numba.np.numpy_support import carray

        from panda_gnn.graph.compiled import announce, kernel_folder, one_at_a_time

        self.body.__globals__["carray"] = carray
        for name in self.uses:
            self.body.__globals__[name.rpartition(".")[2]] = importlib.import_module(name)
        real = str(dtype).removeprefix("torch.")
        types = [NUMBA_TYPES[name].format(real=real) for name in self.body.__annotations__.values()]
        make = cfunc(
            f"{types[-1]}({', '.join(types[:-1])})",
            cache=kernel_folder(self.body) is not None,
            error_model="numpy",
            fastmath={"contract"},
        )
        with one_at_a_time(self.body):
            begin = time.perf_counter()
            function = make(self.body)
        if function.cache_hits == 0:
            announce(self.body, time.perf_counter() - begin)
        returned, *arguments = (
            C_TYPES.get(name, ctypes.c_void_p) for name in types[-1:] + types[:-1]
        )
        prototype: Any = ctypes.CFUNCTYPE(returned, *arguments)
        call = prototype(function.address)
        call.owner = function  # The machine code lives as long as its owner.
        self[dtype] = call
        return self[dtype]


def kernel(*uses: str) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a function, whose annotations say the types of its arguments.

    ``float`` and ``Reals`` are of the type that the kernel is asked for, as in
    ``kernel[torch.float32]``. The modules named in ``uses`` are bound to their names in the file
    when the kernel is compiled.
    """
    return lambda body: Kernel(body, uses)


def addresses(*tensors: Tensor | None) -> list[int | None]:
    """Where contiguous tensors stand in memory."""
    try:
        return [None if tensor is None else tensor.data_ptr() for tensor in tensors]
    except RuntimeError as error:  # a batch of gradients is a tensor without memory of its own
        raise InputError(
            "compiled layers take one gradient at a time: call panda_gnn.backend('torch') before "
            "vectorize=True, is_grads_batched=True or torch.vmap"
        ) from error
