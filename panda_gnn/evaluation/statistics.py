r"""Means with their uncertainty, and differences of methods that share their splits.

For scores :math:`x_1, \dots, x_n` of n trials with standard deviation s, the mean is known to
within

.. math::
    \bar{x} \pm t_{0.975,\, n-1} \frac{s}{\sqrt{n}},

Student's 95 % interval. Two methods that ran the same seeds share their splits, so the differences
:math:`d_i = x_i - y_i` are free of what the split does to both: their mean has an interval of its
own, and :math:`p = P(|T_{n-1}| \ge |\bar{d}| \sqrt{n} / s_d)` is the p-value of the paired t-test.
Of m such p-values in one table, Holm's correction keeps the chance of any false find below the
level: sorted upwards, :math:`p_{(i)}` becomes
:math:`\max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`.

The intervals are about the mean over random splits of this dataset. Splits of one small dataset
overlap, so they say less about new data than their width suggests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

LEVEL = 0.95


@dataclass(frozen=True)
class Summary:
    """A mean of ``n`` values and half of its 95 % interval (``None`` below two values)."""

    n: int
    mean: float
    interval: float | None


@dataclass(frozen=True)
class Difference:
    """The mean paired difference over ``n`` shared seeds, its interval and its p-value.

    Below two shared seeds there is neither interval nor p-value. Where all differences are the same
    number, the p-value is 1 if that is 0; if not, the t-test has nothing to say and there is none.
    """

    n: int
    mean: float
    interval: float | None
    p: float | None


def half_width(deviation: float, n: int) -> float:
    """Half the width of the 95 % interval of a mean of ``n`` values of this standard deviation."""
    return float(student.ppf((1 + LEVEL) / 2, n - 1)) * deviation / math.sqrt(n)


def summarise(values: Sequence[float]) -> Summary:
    """Mean and interval of at least one value."""
    n = len(values)
    interval = half_width(float(np.std(values, ddof=1)), n) if n > 1 else None
    return Summary(n, float(np.mean(values)), interval)


def paired_difference(
    scores: Mapping[int, float], reference: Mapping[int, float]
) -> Difference | None:
    """``scores`` minus ``reference`` on the seeds that both have; ``None`` where there is none."""
    shared = sorted(scores.keys() & reference.keys())
    if not shared:
        return None
    differences = np.array([scores[seed] - reference[seed] for seed in shared])
    summary = summarise(differences.tolist())
    if summary.n < 2:
        return Difference(summary.n, summary.mean, None, None)
    deviation = float(differences.std(ddof=1))
    p: float | None
    if deviation <= 1e-12 * float(np.abs(differences).max()):
        p = None if differences.any() else 1.0
    else:
        statistic = abs(summary.mean) * math.sqrt(summary.n) / deviation
        p = float(2 * student.sf(statistic, summary.n - 1))
    return Difference(summary.n, summary.mean, summary.interval, p)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values after Holm's correction, in the order given."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
