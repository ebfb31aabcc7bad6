"""Where calls run: processes of this machine, a Ray cluster, or Slurm, behind one seam."""

from panda_gnn.evaluation.executors.base import (
    ExecutorLost,
    WorkerDied,
    WorkerExecutor,
    WorkersLost,
)
from panda_gnn.evaluation.executors.local import LocalExecutor
from panda_gnn.evaluation.executors.ray import RayExecutor
from panda_gnn.evaluation.executors.slurm import SlurmExecutor

#: The names of the executors, the first being the default.
EXECUTORS = ("local", "ray", "slurm")

__all__ = [
    "EXECUTORS",
    "ExecutorLost",
    "LocalExecutor",
    "RayExecutor",
    "SlurmExecutor",
    "WorkerDied",
    "WorkerExecutor",
    "WorkersLost",
]
