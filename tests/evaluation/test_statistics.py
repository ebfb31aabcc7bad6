from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from panda_gnn.errors import InputError
from panda_gnn.evaluation.statistics import (
    half_width,
    holm,
    paired_difference,
    power,
    smallest_difference,
    summarise,
    trials_needed,
)


def test_the_interval_is_students() -> None:
    values = [70.0, 75.0, 80.0, 72.0, 78.0]
    summary = summarise(values)
    low, high = stats.t.interval(0.95, 4, loc=np.mean(values), scale=stats.sem(values))
    assert summary.n == 5
    assert summary.mean == pytest.approx(75.0)
    assert summary.interval == pytest.approx((high - low) / 2)


def test_one_value_has_no_interval() -> None:
    assert summarise([3.0]).interval is None
    assert summarise([3.0]).mean == 3.0


def test_the_interval_holds_its_promise() -> None:
    generator = np.random.default_rng(0)
    samples = generator.normal(5.0, 2.0, size=(4000, 6))
    inside = 0
    for sample in samples:
        summary = summarise(list(sample))
        assert summary.interval is not None
        inside += abs(summary.mean - 5.0) <= summary.interval
    assert inside / 4000 == pytest.approx(0.95, abs=0.012)


def test_more_trials_narrow_the_interval() -> None:
    widths = [half_width(1.0, n) for n in range(2, 30)]
    assert widths == sorted(widths, reverse=True)


def test_the_paired_difference_is_the_paired_t_test_on_shared_seeds() -> None:
    ours = {0: 80.0, 1: 82.0, 2: 79.0, 3: 90.0, 7: 10.0}
    other = {0: 78.0, 1: 81.0, 2: 80.0, 3: 85.0, 9: 99.0}
    difference = paired_difference(ours, other)
    expected = stats.ttest_rel([80, 82, 79, 90], [78, 81, 80, 85])
    assert difference is not None
    assert difference.n == 4
    assert difference.mean == pytest.approx(1.75)
    assert difference.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval()
    assert difference.interval == pytest.approx((high - low) / 2)


def test_differences_without_spread_or_without_pairs() -> None:
    assert paired_difference({0: 1.0}, {1: 1.0}) is None
    alone = paired_difference({0: 2.0}, {0: 1.0})
    assert alone is not None
    assert (alone.mean, alone.interval, alone.p) == (1.0, None, None)
    same = paired_difference({0: 1.0, 1: 2.0}, {0: 1.0, 1: 2.0})
    assert same is not None
    assert same.p == 1.0
    shifted = paired_difference({0: 0.3, 1: 0.4, 2: 0.9}, {0: 0.2, 1: 0.3, 2: 0.8})
    assert shifted is not None
    assert shifted.p is None


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_between_the_p_value_and_bonferroni_and_keeps_the_order(p: list[float]) -> None:
    corrected = holm(p)
    for before, after in zip(p, corrected, strict=True):
        assert before <= after <= min(1.0, len(p) * before) + 1e-12
    order = sorted(range(len(p)), key=lambda i: p[i])
    assert [corrected[i] for i in order] == sorted(corrected)


def test_holm_keeps_the_family_wise_error_below_the_level() -> None:
    generator = np.random.default_rng(0)
    families = generator.uniform(size=(2000, 8))
    wrong = sum(min(holm(list(family))) < 0.05 for family in families)
    assert wrong / 2000 < 0.06


def test_half_widths_of_printed_tables() -> None:
    """Student's 97.5 % quantiles as statistical tables print them."""
    quantiles = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 9: 2.26216, 29: 2.04523}
    for freedom, quantile in quantiles.items():
        n = freedom + 1
        assert half_width(3.0, n) == pytest.approx(quantile * 3.0 / math.sqrt(n), rel=1e-5)


def test_intervals_in_closed_form() -> None:
    """With two degrees of freedom Student's distribution function is 1/2 + t / 2 sqrt(2 + t^2)."""
    values = [0.2, 0.5, 0.8]
    summary = summarise(values)
    quantile = 0.95 * math.sqrt(2 / (1 - 0.95**2))
    assert summary.mean == pytest.approx(0.5, rel=1e-12)
    assert summary.interval == pytest.approx(quantile * 0.3 / math.sqrt(3), rel=1e-9)
    two = summarise([1.0, 4.0])  # one degree of freedom: Cauchy
    assert two.interval == pytest.approx(math.tan(0.475 * math.pi) * 1.5, rel=1e-9)


def test_paired_differences_in_closed_form() -> None:
    ours, reference = {0: 0.7, 1: 0.9, 2: 0.8, 5: 0.1}, {0: 0.6, 1: 0.6, 2: 0.6, 9: 0.3}
    difference = paired_difference(ours, reference)  # 0.1, 0.3, 0.2
    assert difference is not None
    statistic = 0.2 * math.sqrt(3) / 0.1
    assert difference.n == 3
    assert difference.mean == pytest.approx(0.2, rel=1e-12)
    assert difference.p == pytest.approx(1 - statistic / math.sqrt(2 + statistic**2), rel=1e-9)
    quantile = 0.95 * math.sqrt(2 / (1 - 0.95**2))
    assert difference.interval == pytest.approx(quantile * 0.1 / math.sqrt(3), rel=1e-9)
    back = paired_difference(reference, ours)
    assert back is not None
    assert (back.mean, back.p) == pytest.approx((-0.2, difference.p), rel=1e-9)
    two = paired_difference({0: 0.5, 1: 0.9}, {0: 0.4, 1: 0.6})  # one degree of freedom: Cauchy
    assert two is not None
    assert two.p == pytest.approx(1 - 2 / math.pi * math.atan(2.0), rel=1e-9)


def test_holm_never_exceeds_one_and_never_falls() -> None:
    assert holm([0.5, 0.6, 0.9]) == pytest.approx([1.0, 1.0, 1.0])
    assert holm([0.02, 0.02, 0.021]) == pytest.approx([0.06, 0.06, 0.06])
    assert holm([0.001, 0.3, 0.2]) == pytest.approx([0.003, 0.4, 0.4])


TEN = dict(enumerate((0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.01, 0.03, 0.02, 0.01)))


@pytest.mark.parametrize(
    ("ratio", "statistic", "p"),
    [(0.0, 3.5, 0.0067), (1 / 9, 2.4089, 0.0393), (0.125, 2.3333, 0.0445), (0.25, 1.8708, 0.0942)],
)
def test_the_corrected_test_on_worked_values(ratio: float, statistic: float, p: float) -> None:
    """Nadeau and Bengio: ten differences of mean 0.014 and deviation 0.012649."""
    difference = paired_difference(TEN, dict.fromkeys(TEN, 0.0), ratio)
    assert difference is not None
    assert (difference.n, difference.ratio) == (10, ratio)
    assert (difference.mean, difference.deviation) == pytest.approx((0.014, 0.012649), rel=1e-4)
    assert difference.p == pytest.approx(p, abs=6e-5)
    assert difference.p == pytest.approx(2 * stats.t.sf(statistic, 9), rel=1e-3)
    assert difference.naive_p == pytest.approx(0.0067, abs=6e-5)
    naive = paired_difference(TEN, dict.fromkeys(TEN, 0.0))
    assert naive is not None
    assert difference.naive_interval == naive.interval == naive.naive_interval


def test_the_corrected_interval_on_worked_values() -> None:
    difference = paired_difference(TEN, dict.fromkeys(TEN, 0.0), 0.125)
    assert difference is not None
    assert difference.interval is not None
    ends = difference.mean - difference.interval, difference.mean + difference.interval
    assert ends == pytest.approx((0.00043, 0.02757), abs=5e-6)


def test_a_hundred_splits_are_worth_far_less_than_a_hundred_datasets() -> None:
    grows = half_width(1.0, 100, 10 / 80) / half_width(1.0, 100)
    assert grows == pytest.approx(3.674, abs=5e-4)
    assert grows == pytest.approx(math.sqrt(1 + 100 / 8))


def test_the_corrected_test_is_calibrated_where_differences_share_a_part() -> None:
    """Differences of correlation r = ratio / (1 + ratio), as the correction supposes, and no
    true difference: it errs in 5 % of cases, the naive test in far more."""
    generator, ratio, n = np.random.default_rng(0), 0.25, 10
    wrong = np.zeros(2)
    for _ in range(4000):
        # variance of the mean / expected sample variance = 1/n + ratio
        values = math.sqrt(ratio) * generator.normal() + generator.normal(size=n)
        difference = paired_difference(dict(enumerate(values)), dict.fromkeys(range(n), 0.0), ratio)
        assert difference is not None
        assert difference.p is not None
        assert difference.naive_p is not None
        wrong += [difference.p < 0.05, difference.naive_p < 0.05]
    assert wrong[0] / 4000 == pytest.approx(0.05, abs=0.012)
    assert wrong[1] / 4000 > 0.2


def test_power_by_simulation() -> None:
    generator, ratio, n = np.random.default_rng(1), 0.1, 12
    shared = math.sqrt(ratio) * generator.normal(size=(20000, 1))
    values = 1.1 + shared + generator.normal(size=(20000, n))
    error = values.std(axis=1, ddof=1) * math.sqrt(1 / n + ratio)
    found = np.abs(values.mean(axis=1) / error) > stats.t.ppf(0.975, n - 1)
    assert power(1.1, 1.0, n, ratio) == pytest.approx(found.mean(), abs=0.012)


def test_power_without_a_difference_is_the_level() -> None:
    assert power(0.0, 1.0, 8, 0.2) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("ratio", [0.0, 0.125])
def test_the_fewest_trials(ratio: float) -> None:
    needed = trials_needed(2.0, 1.5, ratio)
    assert needed is not None
    assert power(2.0, 1.5, needed, ratio) >= 0.8 > power(2.0, 1.5, needed - 1, ratio)


def test_trials_of_printed_tables_and_what_no_number_of_trials_sees() -> None:
    """A paired t-test for an effect of half a deviation needs 34 pairs, of a whole one 10."""
    assert trials_needed(0.5, 1.0) == 34
    assert trials_needed(1.0, 1.0) == 10
    limit = smallest_difference(1.0, 0.125)
    assert limit == pytest.approx((1.959964 + 0.841621) * math.sqrt(0.125), rel=1e-6)
    assert trials_needed(limit * 0.99, 1.0, 0.125) is None
    assert trials_needed(limit * 1.05, 1.0, 0.125) is not None
    assert trials_needed(1e-6, 1.0) is None  # some 10^13 would
    assert trials_needed(1.0, 0.0) == 2
    with pytest.raises(InputError, match="difference must be a number above 0, not 0"):
        trials_needed(0, 1.0)
