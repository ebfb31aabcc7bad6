"""Compiling the kernels that trials need, once, before the trials start.

A kernel is compiled where it is first called. Workers that start together would all come to the
same kernels, one would compile and the others wait. So a tiny trial of every kind runs first, on
graphs made here: different kinds on different workers, each of which waits for what another one is
compiling and loads it. A kind that was compiled for this version of the package on this processor
is noted beside the machine code, and does not run again.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, as_completed
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
import torch
from llvmlite import binding  # type: ignore[import-untyped]
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

import panda_gnn
from panda_gnn.datasets import DATASETS
from panda_gnn.datasets.own import in_memory
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import configure
from panda_gnn.evaluation.tasks import TaskData, task_of
from panda_gnn.evaluation.trial import trial_on
from panda_gnn.graph.compiled import kernel_folder, silently
from panda_gnn.graph.rows import read_graphs
from panda_gnn.progress import track

#: The dataset whose task the tiny trials have.
DATASET = "mutag"

#: How little they train.
TINY: dict[str, Any] = {"width": 8, "num_layers": 2, "max_epochs": 1}


class Kind(NamedTuple):
    """What decides which kernels a trial needs."""

    backbone: str
    method: str
    centrality: str | None = None


def kind_of(config: Config) -> Kind:
    """The kind of a config."""
    centrality = config.settings.get("centrality")
    return Kind(config.backbone, config.method, None if centrality is None else str(centrality))


def tiny_data() -> TaskData:
    """Twenty connected graphs of 6 to 15 nodes in two classes."""
    generator = torch.Generator().manual_seed(0)
    graphs = []
    for number in range(20):
        size = 6 + number % 10
        child = torch.arange(1, size)
        parent = (child * torch.rand(size - 1, generator=generator)).long()
        others = torch.randint(size, (2, size), generator=generator)
        edges = torch.cat([torch.stack([parent, child]), others[:, others[0] != others[1]]], dim=1)
        x = torch.randn(size, 7, generator=generator)
        y = torch.tensor([number % 2])
        both = to_undirected(edges, num_nodes=size)
        bonds = torch.ones(both.size(1), 1)
        graphs.append(Data(x=x, edge_index=both, edge_attr=bonds, y=y))
    dataset = in_memory(graphs)
    task = task_of(DATASET)
    return TaskData(DATASETS[DATASET], task, dataset, task.collate(dataset), "")


def compile_kind(kind: Kind) -> float:
    """Compile or load the kernels of a kind in this process; the seconds spent on compiling."""
    settings = {} if kind.centrality is None else {"centrality": kind.centrality}
    with silently() as seconds:
        config = configure(DATASET, kind.backbone, kind.method, settings, **TINY)
        trial_on(tiny_data(), config, 0)
    return seconds()


def compile_before(
    kinds: Iterable[Kind],
    executor: Executor,
    on_worker: Callable[[Callable[..., float]], Callable[..., float]] = lambda run: run,
) -> dict[Kind, Exception]:
    """Let workers compile the kernels of some kinds of trials, unless they did before; says so.

    Args:
        kinds: The kinds.
        executor: Workers of this machine.
        on_worker: Wraps what workers call, such as to load plugins first.

    Returns:
        The kinds that have no tiny trial, or whose tiny trial failed, and why.
    """
    missing = [kind for kind in dict.fromkeys(kinds) if not is_ready(kind)]
    # A trial compiles its centrality before its layers; another worker begins with the layers.
    layers = dict.fromkeys(
        kind._replace(centrality="degree") for kind in missing if kind.centrality
    )
    failed: dict[Kind, Exception] = {}
    if not missing:
        return failed
    begin, seconds = time.perf_counter(), 0.0
    jobs = dict.fromkeys([*missing, *(kind for kind in layers if not is_ready(kind))])
    futures = {executor.submit(on_worker(compile_kind), kind): kind for kind in jobs}
    for future in track(as_completed(futures), "compiling kernels, once", len(futures)):
        kind = futures[future]
        try:
            seconds += future.result()
            _note(kind)
        except Exception as error:
            if kind in missing:
                failed[kind] = error
    if seconds > 0:
        methods = sorted({kind.method for kind in missing})
        named = ", ".join(methods) if len(methods) < 5 else f"{len(methods)} methods"
        print(
            f"panda_gnn: compiled the kernels of {named} in {time.perf_counter() - begin:.0f} s "
            "(once; kept for later runs)",
            file=sys.stderr,
        )
    return failed


def is_ready(kind: Kind) -> bool:
    """Whether the kernels of a kind were compiled before, for this package and this processor."""
    place = _place(kind)
    with suppress(OSError):
        return place is not None and place.read_text("utf-8") == _stamp()
    return False


def _note(kind: Kind) -> None:
    place = _place(kind)
    if place is not None:
        with suppress(OSError):
            place.write_text(_stamp(), "utf-8")


def _place(kind: Kind) -> Path | None:
    folder = kernel_folder(read_graphs)
    name = "-".join(part or "" for part in kind)
    return None if folder is None else folder / f"{hashlib.sha256(name.encode()).hexdigest()}.ready"


@cache
def _stamp() -> str:
    """What machine code depends on: the sources of the package, numba, Python and the processor."""
    folder = Path(panda_gnn.__file__).parent
    files = sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*.py"))
    parts = (files, numba.__version__, sys.version, binding.get_host_cpu_name())
    return hashlib.sha256(repr(parts).encode()).hexdigest()
