"""PANDA without its residual connection."""

from __future__ import annotations

from pathlib import Path

import torch

from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.measurements.signal import SIGNAL
from panda_gnn.evaluation.measurements.untrained import (
    in_double,
    measured_data,
    one_graph,
    untrained,
)
from panda_gnn.evaluation.methods import complete


def test_panda_without_residual_is_the_backbone_but_for_high_nodes(shared_root: Path) -> None:
    """With no high node the control gives what GCN gives, weights being the same."""
    none: dict[str, Setting] = {"k": 0, "high_width": 128, "centrality": "degree"}
    configs = [
        complete(Config("mutag", method=method, settings=settings, num_layers=2), SIGNAL)
        for method, settings in (("panda-plain", none), ("none", {}))
    ]
    (model, table), (plain, _) = (
        in_double(*untrained(config, 0, measured_data(config, str(shared_root), None)))
        for config in configs
    )
    low = {
        key.replace(".low.", ".conv."): value
        for key, value in model.state_dict().items()
        if ".low." in key
    }
    plain.load_state_dict(low)
    data = one_graph(table, 2)
    expected = plain(data.x, data.edge_index)
    torch.testing.assert_close(model(data.x, data.edge_index, data.high), expected)
