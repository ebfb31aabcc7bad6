"""Everything a study can measure, by name: the score of a trial, times, and measurements."""

from __future__ import annotations

from panda_gnn.evaluation.measure import Measure, Unit
from panda_gnn.evaluation.measurements.bottleneck import BOTTLENECK
from panda_gnn.evaluation.measurements.energy import ENERGY
from panda_gnn.evaluation.measurements.sensitivity import SENSITIVITY
from panda_gnn.evaluation.measurements.signal import SIGNAL
from panda_gnn.evaluation.measurements.transfer import TRANSFER
from panda_gnn.evaluation.tasks import task_of
from panda_gnn.evaluation.timing import FORWARD, PREPARATION
from panda_gnn.evaluation.trial import SCORE
from panda_gnn.registry import Registry

_ALL = (SCORE, PREPARATION, FORWARD, ENERGY, SENSITIVITY, SIGNAL, TRANSFER, BOTTLENECK)
MEASURES: Registry[Measure] = Registry("measure", {measure.name: measure for measure in _ALL})


def unit_of(measure: str, dataset: str) -> Unit:
    """What a study of this measure prints for a dataset."""
    return MEASURES[measure].unit or task_of(dataset).metric.unit
