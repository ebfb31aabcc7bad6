"""Learned tables of binned values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from panda_gnn.errors import InputError, choose
from panda_gnn.nn.inputs import check_tensor
from panda_gnn.options import whole_number
from panda_gnn.transforms.encoding import ascending, quantile_boundaries


class BinnedEmbedding(nn.Module):
    r"""A learned vector for each bin of each measure, as Graphormer has one for each degree.

    .. math::
        \mathbf{e}_v = \sum_m \mathbf{T}^{(m)}_{b_m(c_{vm})} \qquad\text{or}\qquad
        \mathbf{e}_v = \big\Vert_m \mathbf{T}^{(m)}_{b_m(c_{vm})}

    :math:`b_m(c)` is the number of boundaries of measure m that are less than c. The boundaries are
    fitted on training data (:meth:`fit`) or given, and saved with the parameters. A table starts
    with entries of variance :math:`1 / F`.

    Args:
        num_measures: The number M of measures, columns of the input.
        num_bins: The number B of bins of each.
        channels: The width F of the vectors.
        combine: ``"add"`` the vectors of all measures, or ``"concatenate"`` them.
        boundaries: The ascending numbers between bins, :math:`B - 1` for each measure; without
            them, :meth:`fit` must come first.

    Shapes:
        - **input:** values :math:`(|V|, M)`, such as the columns of
          :class:`~panda_gnn.transforms.CentralityEncoding`
        - **output:** :math:`(|V|, F)`, or :math:`(|V|, M \cdot F)` if concatenated

    Example:
        >>> import torch
        >>> from panda_gnn.nn import BinnedEmbedding
        >>> embed = BinnedEmbedding(1, 3, 8, boundaries=[[1.0, 2.0]])
        >>> embed(torch.tensor([[0.5], [1.5], [9.0], [9.5]])).unique(dim=0).shape  # three bins
        torch.Size([3, 8])
    """

    boundaries: Tensor

    def __init__(
        self,
        num_measures: int,
        num_bins: int,
        channels: int,
        *,
        combine: str = "add",
        boundaries: Sequence[Sequence[float]] | Tensor | None = None,
    ) -> None:
        super().__init__()
        self.num_measures = whole_number("num_measures", num_measures, 1)
        self.num_bins = whole_number("num_bins", num_bins, 1)
        self.channels = whole_number("channels", channels, 1)
        self.combine = choose("combine", combine, ("add", "concatenate"))
        shape = (num_measures, num_bins - 1)
        self.register_buffer("boundaries", torch.full(shape, torch.nan, dtype=torch.float64))
        if boundaries is not None:
            self.boundaries.copy_(
                ascending(boundaries, shape, f"for each of {num_measures} measures")
            )
        self.table = nn.Parameter(torch.empty(num_measures * num_bins, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the tables; the boundaries stay."""
        nn.init.normal_(self.table, std=self.channels**-0.5)

    def fit(self, values: Tensor) -> BinnedEmbedding:
        """Find boundaries between which there are about as many of these values each.

        Args:
            values: The measures of training nodes, shape ``[num_nodes, num_measures]``.
        """
        self._check(values)
        if values.size(0) == 0:
            raise InputError("values have no rows: fit needs those of training nodes")
        for row, column in zip(self.boundaries, values.t(), strict=True):
            row.copy_(quantile_boundaries(column, self.num_bins))
        return self

    def bins(self, values: Tensor) -> Tensor:
        """The bin of every value, shape ``[num_nodes, num_measures]``."""
        self._check(values)
        if not torch.compiler.is_compiling() and bool(self.boundaries.isnan().any()):
            raise InputError("BinnedEmbedding has no boundaries yet: call fit, or give boundaries")
        columns = values.t().to(self.boundaries.dtype).contiguous()
        return torch.searchsorted(self.boundaries, columns).t()

    def forward(self, values: Tensor) -> Tensor:
        """The vector of each node."""
        bins = self.bins(values)
        first = self.num_bins * torch.arange(self.num_measures, device=bins.device)
        vectors = F.embedding(bins + first, self.table)
        return vectors.sum(dim=1) if self.combine == "add" else vectors.flatten(1)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """What moves or casts the module moves the boundaries, and never casts them: values between
        two of them would change bins."""
        boundaries = self.boundaries
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        if self.boundaries.dtype != boundaries.dtype:
            self.boundaries = boundaries.to(self.boundaries.device)
        return self

    def _check(self, values: Tensor) -> None:
        check_tensor("values", values, "row", "node")
        if values.dim() != 2 or values.size(1) != self.num_measures:
            raise InputError(
                f"values have the shape {list(values.shape)}: give one row for each node and "
                f"{self.num_measures} columns, one for each measure"
            )
        if not torch.compiler.is_compiling() and bool(values.isnan().any()):
            raise InputError("values are in no bin where they are nan, and some are")

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"{self.num_measures} measures, {self.num_bins} bins, {self.channels}, "
            f"combine={self.combine}"
        )
