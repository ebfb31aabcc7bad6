"""What the rules of advice look at: scores on shared splits, and how two of them compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from panda_gnn.evaluation.statistics import Difference, holm, paired_difference

LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """One thing minus another on shared splits; more is better, whatever the metric.

    Attributes:
        name: The one.
        reference: The other.
        difference: Mean, corrected interval and p-value.
        p: The p-value after Holm's correction over what was compared with the reference at once.
    """

    name: str
    reference: str
    difference: Difference
    p: float

    @property
    def mean(self) -> float:
        """The mean difference."""
        return self.difference.mean

    @property
    def half(self) -> float:
        """Half of its interval; infinite where there is none."""
        interval = self.difference.interval
        return float("inf") if interval is None else interval

    @property
    def is_gain(self) -> bool:
        """Whether the one is better beyond chance."""
        return self.mean > 0 and self.p < LEVEL

    @property
    def is_loss(self) -> bool:
        """Whether the one is worse beyond chance."""
        return self.mean < 0 and self.p < LEVEL


@dataclass(frozen=True)
class Evidence:
    """Everything that was measured of a dataset.

    Attributes:
        rows: How many graphs, or nodes of a single graph, have a target.
        of_nodes: Whether these are nodes.
        merits: By what was scored and by seed, the validation score, its sign turned where less is
            better.
        ratio: Validation rows over training rows where seeds re-split the data, else 0.
        useful: A difference worth having.
        out_of_reach: The share of connected pairs further apart than the model is deep.
    """

    rows: int
    of_nodes: bool
    merits: Mapping[str, Mapping[int, float]]
    ratio: float
    useful: float
    out_of_reach: float

    def mean(self, name: str) -> float:
        """The mean merit over the seeds."""
        values = self.merits[name].values()
        return sum(values) / len(values)

    def best(self, names: Sequence[str]) -> str:
        """The one of the greatest mean merit among those that were scored, the first if equal."""
        return max((name for name in names if name in self.merits), key=self.mean)

    def compare(self, names: Sequence[str], reference: str) -> dict[str, Comparison]:
        """Those of ``names`` that were scored against a reference, with p-values corrected for
        their number; nothing where the reference was not scored."""
        found = {}
        for name in names if reference in self.merits else ():
            if name in self.merits and name != reference:
                scores = self.merits[name], self.merits[reference]
                difference = paired_difference(*scores, self.ratio)
                if difference is not None:
                    found[name] = difference
        p = holm([_p(difference) for difference in found.values()])
        return {
            name: Comparison(name, reference, difference, corrected)
            for (name, difference), corrected in zip(found.items(), p, strict=True)
        }


def _p(difference: Difference) -> float:
    """The p-value; equal differences on all of several splits leave no doubt."""
    if difference.n < 2:
        return 1.0
    return 0.0 if difference.p is None else difference.p
