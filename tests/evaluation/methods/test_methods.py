"""Defaults of methods, tasks and measurements, as they are in stored rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.methods import METHODS, configure
from panda_gnn.registry import OWNERS
from tests.test_paper import GRAPH_SETS, NODE_SETS

#: Every default of before. A row belongs to a config with all its settings, so another default
#: would leave the stored rows of a method behind.
#: ``python -m tests.evaluation.methods.test_methods`` prints those of today.
PINNED: dict[str, Any] = json.loads(Path(__file__).with_name("defaults.json").read_text())


def defaults() -> dict[str, dict[str, Any]]:
    """What a config has when nothing but these names is given, and differs from the usual."""
    own = [name for name in METHODS if ("method", name) not in OWNERS]
    names: list[tuple[str, str, str, dict[str, Any]]]
    names = [("mutag", (METHODS[name].backbones or ["gcn"])[0], name, {}) for name in own]
    names += [(dataset, b, "panda", {}) for dataset in GRAPH_SETS for b in ("gcn", "gin", "rgcn")]
    names += [(dataset, "gcn", method, {}) for dataset in NODE_SETS for method in ("none", "panda")]
    names += [
        (dataset, backbone, "none", {"preset": preset})
        for dataset in ("peptides-func", "peptides-struct")
        for backbone in ("gcn", "gin")
        for preset in ("dwivedi", "toenshoff")
    ]
    usual = Config("").to_dict()
    configs = {
        " ".join([dataset, backbone, method, *settings.values()]): configure(
            dataset, backbone, method, settings
        )
        for dataset, backbone, method, settings in names
    }
    for name, measure in MEASURES.items():
        dataset = {"transfer": "ring", "bottleneck": "hub"}.get(name, "mutag")
        configs[f"{name} of {dataset}"] = configure(dataset, measure=measure)
    return {"usual": usual} | {
        name: {field: value for field, value in config.to_dict().items() if value != usual[field]}
        for name, config in configs.items()
    }


def test_defaults_are_those_of_stored_rows() -> None:
    assert defaults() == PINNED


if __name__ == "__main__":
    lines = [f" {json.dumps(name)}: {json.dumps(values)}" for name, values in defaults().items()]
    print("{\n" + ",\n".join(lines) + "\n}")
