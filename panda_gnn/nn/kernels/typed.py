"""Compiling kernels that work on raw memory, for both floating types.

A kernel is a numba ``cfunc``. It gets addresses, as ``tensor.data_ptr()`` gives them, so a call
costs two microseconds and lets other threads run. Nothing checks types or sizes behind it: the
callers do, and they are :mod:`~panda_gnn.nn.kernels.rows` and
:mod:`~panda_gnn.nn.kernels.operators` alone.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any

import torch
from numba import cfunc

Kernel = Callable[..., Any]
Kernels = dict[torch.dtype, Kernel]
Pointer = Any
"""In a kernel: an address with a type, to be read through ``numba.carray``."""

NUMBERS: dict[str, Any] = {
    "int64": ctypes.c_int64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "void": None,
}

compile_times: dict[str, float] = {}
"""Seconds this process spent on compiling each kernel; one that was loaded is not there."""


def kernel(signature: str) -> Callable[[Kernel], Kernel]:
    """Compile a kernel of integers, with a signature such as ``"int64(int32*, int64)"``."""

    def compiled(body: Kernel) -> Kernel:
        return _compiled(body, signature)

    return compiled


def kernels(signature: str) -> Callable[[Kernel], Kernels]:
    """Compile a kernel twice, ``real`` in the signature being float32 and float64."""

    def compiled(body: Kernel) -> Kernels:
        return {
            torch.float32: _compiled(body, signature.replace("real", "float32")),
            torch.float64: _compiled(body, signature.replace("real", "float64")),
        }

    return compiled


def _compiled(body: Kernel, signature: str) -> Kernel:
    returned, _, parameters = signature.rstrip(")").partition("(")
    names = [name.strip() for name in parameters.split(",")]
    typed = [f"CPointer({name[:-1]})" if name.endswith("*") else name for name in names]
    begin = time.perf_counter()
    function = cfunc(
        f"{returned}({', '.join(typed)})", cache=True, error_model="numpy", fastmath={"contract"}
    )(body)
    if function.cache_hits == 0:
        compile_times[f"{body.__name__}({parameters})"] = time.perf_counter() - begin
    arguments = [ctypes.c_void_p if name.endswith("*") else NUMBERS[name] for name in names]
    call: Any = ctypes.CFUNCTYPE(NUMBERS[returned], *arguments)
    made: Any = call(function.address)
    made.owner = function  # The machine code lives as long as its owner.
    found: Kernel = made
    return found
