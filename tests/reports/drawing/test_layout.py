"""Where nodes are drawn."""

from __future__ import annotations

import torch

from panda_gnn.diagnostics import hop_distances
from panda_gnn.reports.drawing.layout import layout
from tests.odd_graphs import ODD_GRAPHS, undirected


def test_layout_keeps_distances() -> None:
    path = layout(ODD_GRAPHS["path"])
    torch.testing.assert_close(
        torch.cdist(path, path),
        hop_distances(ODD_GRAPHS["path"], torch.arange(6)),
        atol=0.05,
        rtol=0,
    )
    assert torch.equal(path, layout(ODD_GRAPHS["path"]))
    for name in ("cycle", "grid", "barbell"):
        position = layout(ODD_GRAPHS[name])
        source, target = ODD_GRAPHS[name].edge_index
        lengths = (position[source] - position[target]).norm(dim=1)
        assert 0.5 < float(lengths.min()) <= float(lengths.max()) < 1.6


def test_layout_keeps_components_apart() -> None:
    position = layout(ODD_GRAPHS["two components"])
    assert float(torch.cdist(position[:3], position[3:]).min()) > 1
    lone = layout(ODD_GRAPHS["no edges"])
    assert float(torch.cdist(lone, lone).fill_diagonal_(9).min()) > 1


def test_components_stand_in_rows() -> None:
    """Seven lone nodes take up 7 x 1.5^2, so a row ends at 1.5 times the root of that, 5.95."""
    lone = undirected(7)
    assert layout(lone).tolist() == [
        *([1.5 * place, 0.0] for place in range(4)),
        *([1.5 * place, 1.5] for place in range(3)),
    ]
    path_and_two = undirected(8, *((node, node + 1) for node in range(5)))
    position = layout(path_and_two)
    assert float(position[:6, 0].min()) == float(position[:6, 1].min()) == 0
    assert position[6:, 0].tolist() != position[6:, 1].tolist()
    assert float(torch.cdist(position[:6], position[6:]).min()) >= 1.5 - 1e-9
