"""A device that is not there: tensors that are not on the CPU, although there is nothing else.

An :class:`Elsewhere` says that its device is ``meta``, has its numbers in a tensor on the CPU that
nobody else sees, and computes with other tensors of its kind alone: what mixes it with a tensor on
the CPU raises an error, as it would on CUDA. What is read back to the host, which on CUDA waits for
all kernels, is listed in ``Device.read``: ``.item()``, ``.tolist()``, ``.cpu()`` and so on.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

aten = torch.ops.aten
DEVICE = torch.device("meta")

#: What gives the host a number.
READS = (aten._local_scalar_dense.default, aten.equal.default, aten.is_nonzero.default)


class Elsewhere(Tensor):
    """A tensor on the device."""

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor) -> Elsewhere:
        made: Elsewhere = Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
        )
        made.held = held
        return made

    def tolist(self) -> Any:
        """The numbers as lists, which torch would not give for a class of ours."""
        return self.cpu().tolist()

    def __repr__(self) -> str:  # type: ignore[override]
        return f"Elsewhere({self.held})"

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, operator: Any, types: Any, arguments: Any = (), options: Any = None
    ) -> Any:
        raise RuntimeError(f"{operator} on a device that is not entered")


class Device(TorchDispatchMode):
    """The device, for as long as a ``with`` statement lasts.

    Attributes:
        read: The operators that gave the host values, one for each call.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.read: list[str] = []

    def __torch_dispatch__(
        self, operator: Any, types: Any, arguments: Any = (), options: Any = None
    ) -> Any:
        options = dict(options or {})
        tensors = [v for v in tree_flatten((arguments, options))[0] if isinstance(v, Tensor)]
        here = [t for t in tensors if not isinstance(t, Elsewhere)]
        goes = torch.device(options["device"]) if options.get("device") is not None else None
        wraps = len(here) < len(tensors) if goes is None else goes == DEVICE
        moves = operator is aten._to_copy.default
        if wraps and not moves and any(t.dim() > 0 for t in here):
            raise RuntimeError(f"{operator} mixes tensors of this device and of the CPU")
        if len(here) < len(tensors) and (operator in READS or (moves and not wraps)):
            self.read.append(str(operator))
        if goes is not None:
            options["device"] = torch.device("cpu")
        arguments, options = tree_map(_held, (arguments, options))
        result = operator(*arguments, **options)
        return tree_map(_elsewhere, result) if wraps else result


def _held(value: Any) -> Any:
    return value.held if isinstance(value, Elsewhere) else value


def _elsewhere(value: Any) -> Any:
    return Elsewhere(value) if isinstance(value, Tensor) else value


def sent(module: nn.Module) -> nn.Module:
    """The module with its parameters and buffers on the device."""
    for part in module.modules():
        for name, parameter in part._parameters.items():
            if parameter is not None:
                moved = nn.Parameter(Elsewhere(parameter.detach()), parameter.requires_grad)
                part._parameters[name] = moved
        for name, buffer in part._buffers.items():
            if buffer is not None:
                part._buffers[name] = Elsewhere(buffer)
    return module


def back(value: Tensor) -> Tensor:
    """The numbers of a tensor."""
    return value.held if isinstance(value, Elsewhere) else value
