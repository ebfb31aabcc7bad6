from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation import timing
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements import MEASURES, unit_of
from panda_gnn.evaluation.methods import complete, parts
from panda_gnn.evaluation.metrics import METRICS
from panda_gnn.evaluation.origin import Origin
from panda_gnn.evaluation.store import identity
from panda_gnn.rewiring import FoSR


@pytest.mark.parametrize(
    ("measure", "config"),
    [
        ("preparation", Config("mutag", method="fosr", settings={"iterations": 2})),
        ("preparation", Config("mutag", method="panda", settings={"centrality": "load"})),
        ("forward", Config("mutag", method="none")),
        ("forward", Config("mutag", method="panda")),
    ],
)
def test_a_time_is_a_row_like_any_other(measure: str, config: Config, shared_root: Path) -> None:
    row = MEASURES[measure].run(complete(config), 1, root=str(shared_root))
    assert json.loads(json.dumps(row)) == row
    whole = complete(config)
    known = DATASETS[config.dataset].fingerprint
    origin = Origin(MEASURES[measure].code, tuple(sorted(parts(whole).items())), known)
    assert identity(row) == (whole.key, origin, 1)
    assert 0 < row["value"] < 60_000
    assert row["seconds"] < 60


@pytest.mark.parametrize(
    ("config", "before"),
    [
        (Config("mutag", method="fosr", settings={"iterations": 2}), [1, 1]),
        (Config("mutag", method="panda", settings={"centrality": "load"}), ["load", 2]),
    ],
)
def test_the_clock_starts_when_all_is_compiled(
    config: Config, before: list[object], shared_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    whole = complete(config)

    def clock() -> float:
        seen.append("clock")
        return 0.0

    monkeypatch.setattr(timing, "compile_kernels", seen.append)
    monkeypatch.setattr(timing, "centrality", lambda name, some, **_: seen.append(len(some)))
    monkeypatch.setattr(FoSR, "__call__", lambda self, graph: seen.append(1))
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=clock))
    MEASURES["preparation"].run(whole, 1, root=str(shared_root))
    first = seen.index("clock")
    assert seen[:first] == before
    assert seen[-1] == "clock"
    assert sum(seen[first + 1 : -1]) == 188  # type: ignore[arg-type]


def test_times_never_mix_with_scores() -> None:
    assert len({measure.code for measure in MEASURES.values()}) == len(MEASURES)


def test_every_metric_of_a_dataset_has_a_unit() -> None:
    assert {unit_of("score", name) for name in DATASETS} == {m.unit for m in METRICS.values()}
    assert unit_of("score", "mutag").scale == 100
    assert unit_of("score", "peptides-struct").scale == 1
    assert unit_of("forward", "mutag").name == "milliseconds"
