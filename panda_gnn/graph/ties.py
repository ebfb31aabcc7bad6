"""When two numbers are tied: the one rule of all that take the best of many.

Numbers that differ by no more than rounding can explain are equal, and of equals the first wins, by
the index of nodes or the order of edges. So neither the machine nor the order of additions decides.
How much rounding can explain depends on where a number comes from, and all of that stands here.
"""

from __future__ import annotations

from torch import Tensor

#: Curvatures, and falls of a trace as a share of the greatest, that differ by less are tied.
TIE = 1e-9
#: Scores of nodes are tied where they agree to so many digits of the greatest.
SCORE_DIGITS = 12
#: Measures that come out of a solver, resistances among them, have fewer digits.
MEASURE_DIGITS = 9
#: Entries of a unit vector are compared to so many decimals.
VECTOR_DECIMALS = 12
#: Logarithms of counts are compared to so many decimals.
LOGARITHM_DECIMALS = 10


def steps(values: Tensor, scale: Tensor | float, digits: int) -> Tensor:
    """``values`` as whole multiples of ``scale * 10**-digits``: those of tied ones are equal."""
    multiples: Tensor = values / scale * 10**digits
    return multiples.round()
