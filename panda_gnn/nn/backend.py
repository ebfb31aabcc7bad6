"""One switch between compiled kernels and plain torch."""

from __future__ import annotations

from panda_gnn.errors import choose

BACKENDS = ("compiled", "torch")

_current = "compiled"


def current_backend() -> str:
    """The backend that was chosen last: ``"compiled"`` or ``"torch"``."""
    return _current


class backend:
    """Choose the code that sums messages, for the whole process.

    ``"compiled"``, the default, is for tensors of float32 or float64 on a CPU; whatever it does
    not cover (other devices and types, ``torch.compile``, ``torch.export``, the transforms of
    ``torch.func``) runs in plain torch without further ado. ``"torch"`` is plain torch everywhere,
    and needed for second derivatives. Both compute the same sums; only rounding differs.

    The choice holds from the call on. Used in a ``with`` statement, it ends with it::

        panda_gnn.backend("torch")

        with panda_gnn.backend("torch"):
            model(x, edge_index)

    Args:
        name: ``"compiled"`` or ``"torch"``.

    Example:
        >>> import torch
        >>> import panda_gnn
        >>> from panda_gnn.nn import GNN
        >>> x, edge_index = torch.rand(3, 7), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> with panda_gnn.backend("torch"):
        ...     scores = GNN(7, 2, width=8)(x, edge_index)
        >>> scores.shape
        torch.Size([1, 2])
    """

    def __init__(self, name: str) -> None:
        global _current
        self.name = choose("backend", name, BACKENDS)
        self._before: list[str] = [_current]
        self._entered = False
        _current = name

    def __enter__(self) -> backend:
        global _current
        if self._entered or _current != self.name:  # a stored object, entered later
            self._before.append(_current)
        self._entered = True
        _current = self.name
        return self

    def __exit__(self, *error: object) -> None:
        global _current
        _current = self._before.pop()

    def __repr__(self) -> str:
        return f"backend('{self.name}')"
