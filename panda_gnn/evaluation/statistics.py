r"""Means with their uncertainty, and differences of methods that share their splits.

For scores :math:`x_1, \dots, x_n` of n trials with standard deviation s, the mean is known to
within

.. math::
    \bar{x} \pm t_{0.975,\, n-1} \frac{s}{\sqrt{n}},

Student's 95 % interval. Two methods that ran the same seeds share their splits, so the differences
:math:`d_i = x_i - y_i` are free of what the split does to both. But n random splits of one dataset
share most of their training graphs, so the differences are not independent, and the paired t-test,
which takes them for that, finds too much. The corrected resampled t-test of `"Inference for the
Generalization Error" <https://doi.org/10.1023/A:1024068626366>`_ (Nadeau and Bengio, 2003) adds the
ratio of test to training rows to the variance of the mean,

.. math::
    t = \frac{\bar{d}}{\sqrt{\left(\frac{1}{n} + \frac{n_\text{test}}{n_\text{train}}\right) s_d^2}}
    \quad\text{with } n - 1 \text{ degrees of freedom,}

and :math:`\bar{d} \pm t_{0.975,\, n-1}` times the same root is the interval. For ten folds the
ratio is 1/9, a heuristic; with a ratio of 0 this is the plain (naive) paired t-test. More splits
make the interval narrower only down to the ratio's own share.

Of m p-values in one table, Holm's correction keeps the chance of any false find below the level:
sorted upwards, :math:`p_{(i)}` becomes :math:`\max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.stats import nct, norm
from scipy.stats import t as student

from panda_gnn.options import real_number

#: What a split is known by: its seed, or its hash.
Split = TypeVar("Split", bound=Hashable)

LEVEL = 0.95
POWER = 0.8
"""The chance with which a difference that is there shall be seen."""
MOST_TRIALS = 10_000


@dataclass(frozen=True)
class Summary:
    """A mean of ``n`` values and half of its 95 % interval (``None`` below two values)."""

    n: int
    mean: float
    interval: float | None


@dataclass(frozen=True)
class Difference:
    """The mean paired difference over ``n`` shared splits, its interval and its p-value.

    Below two shared splits there is neither interval nor p-value. Where all differences are the
    same number, the p-value is 1 if that is 0; if not, the t-test has nothing to say and there is
    none.

    Attributes:
        n: The number of pairs.
        mean: Their mean difference.
        interval: Half of its 95 % interval, by the corrected resampled t-test.
        p: The p-value of that test.
        naive_interval: The same by the paired t-test, which takes re-splits for independent.
        naive_p: The p-value of that test.
        deviation: The standard deviation of the differences.
        ratio: The test rows over the training rows, which the correction is made with.
    """

    n: int
    mean: float
    interval: float | None = None
    p: float | None = None
    naive_interval: float | None = None
    naive_p: float | None = None
    deviation: float | None = None
    ratio: float = 0.0


def half_width(deviation: float, n: int, ratio: float = 0.0) -> float:
    """Half the width of the 95 % interval of a mean of ``n`` values of this standard deviation.

    Args:
        deviation: The standard deviation.
        n: The number of values.
        ratio: Test rows over training rows, where the values are of re-splits of one dataset.
    """
    error = deviation * math.sqrt(1 / n + ratio)
    return float(student.ppf((1 + LEVEL) / 2, n - 1)) * error


def summarise(values: Sequence[float]) -> Summary:
    """Mean and interval of at least one value."""
    n = len(values)
    interval = half_width(float(np.std(values, ddof=1)), n) if n > 1 else None
    return Summary(n, float(np.mean(values)), interval)


def paired_difference(
    scores: Mapping[Split, float],
    reference: Mapping[Split, float],
    ratio: float = 0.0,
) -> Difference | None:
    """``scores`` minus ``reference`` on what both have; ``None`` where that is nothing.

    Args:
        scores: The score of every split, by the split's name or seed.
        reference: The same of what it is compared with.
        ratio: Test rows over training rows, where the splits are re-splits of one dataset.
    """
    shared = [split for split in scores if split in reference]
    if not shared:
        return None
    differences = np.array([scores[split] - reference[split] for split in shared])
    n, mean = len(shared), float(differences.mean())
    if n < 2:
        return Difference(n, mean, ratio=ratio)
    deviation = float(differences.std(ddof=1))
    p: list[float | None]
    if deviation <= 1e-12 * float(np.abs(differences).max()):
        p = [None if differences.any() else 1.0] * 2
    else:
        errors = (deviation * math.sqrt(1 / n + share) for share in (ratio, 0.0))
        p = [float(2 * student.sf(abs(mean) / error, n - 1)) for error in errors]
    return Difference(
        n,
        mean,
        half_width(deviation, n, ratio),
        p[0],
        half_width(deviation, n),
        p[1],
        deviation,
        ratio,
    )


def power(difference: float, deviation: float, n: int, ratio: float = 0.0) -> float:
    """The chance that ``n`` paired trials find a difference significant on the 5 % level.

    Args:
        difference: The true mean difference.
        deviation: The standard deviation of paired differences.
        n: The number of trials, at least two.
        ratio: Test rows over training rows, of the corrected resampled t-test.
    """
    shift = abs(difference) / (deviation * math.sqrt(1 / n + ratio))
    bound = float(student.ppf((1 + LEVEL) / 2, n - 1))
    return float(nct.sf(bound, n - 1, shift) + nct.cdf(-bound, n - 1, shift))


def smallest_difference(deviation: float, ratio: float) -> float:
    """The difference below which no number of trials has the chance :data:`POWER` to see it.

    Beyond many trials the error of the mean is ``deviation * sqrt(ratio)``: only other data help.
    """
    quantiles = norm.ppf((1 + LEVEL) / 2) + norm.ppf(POWER)
    return float(quantiles) * deviation * math.sqrt(ratio)


def trials_needed(difference: float, deviation: float, ratio: float = 0.0) -> int | None:
    """The fewest trials that see a difference with the chance :data:`POWER`.

    ``None`` where no number of trials does, or only one above :data:`MOST_TRIALS`. Arguments are
    those of :func:`power`; the difference must be above 0.
    """
    real_number("difference", difference, "a number above 0", above=0)
    if deviation == 0:
        return 2
    if difference <= smallest_difference(deviation, ratio) * (1 + 1e-9):
        return None
    counts = range(2, MOST_TRIALS + 1)
    place = bisect_left(counts, POWER, key=lambda n: power(difference, deviation, n, ratio))
    return counts[place] if place < len(counts) else None


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values after Holm's correction, in the order given."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
