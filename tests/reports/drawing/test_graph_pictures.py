"""Pictures of one graph: which edges and nodes are drawn, where and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.reports.drawing import graph_pictures as module
from panda_gnn.reports.drawing.layout import layout
from panda_gnn.reports.drawing.style import VERMILION
from tests.odd_graphs import undirected

PATH = undirected(4, (0, 1), (1, 2), (2, 3))
#: The first edge is gone, one across is new, and a fifth node has joined the last two.
REWIRED = undirected(5, (1, 2), (2, 3), (0, 2), (2, 4), (3, 4), (1, 1))

Segments = set[tuple[tuple[float, ...], ...]]


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that were to be saved."""
    saved: list[Any] = []
    monkeypatch.setattr(module, "_save_picture", lambda figure, path: saved.append(figure))
    return saved


def points(at: Tensor) -> list[tuple[float, ...]]:
    return [tuple(round(x, 6) for x in place) for place in at.tolist()]


def lines(panel: Any, number: int) -> Segments:
    """The segments of a panel's collection of edges."""
    drawn = [one for one in panel.collections if type(one).__name__ == "LineCollection"][number]
    return {tuple(points(torch.as_tensor(line))) for line in drawn.get_segments()}


def dots(panel: Any, number: int) -> list[tuple[float, ...]]:
    drawn = [one for one in panel.collections if type(one).__name__ == "PathCollection"][number]
    return points(torch.as_tensor(drawn.get_offsets().data))


def between(at: Tensor, *pairs: tuple[int, int]) -> Segments:
    place = points(at)
    return {(place[u], place[v]) for u, v in pairs}


def test_centralities_stand_side_by_side(figures: list[Any]) -> None:
    scores = {f"measure {i}": torch.arange(4.0) * i for i in range(1, 6)}
    module.plot_centrality(PATH, scores, "it.png", "five measures")
    (figure,) = figures
    at = layout(PATH)
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [panel.get_title() for panel in panels] == list(scores)
    assert figure.get_figwidth() == pytest.approx(4 * 3.6)
    assert [panel.get_subplotspec().rowspan.start for panel in panels] == [0] * 4 + [1]
    assert figure.get_suptitle() == "five measures"
    for panel, values in zip(panels, scores.values(), strict=True):
        assert lines(panel, 0) == between(at, (0, 1), (1, 2), (2, 3))
        assert dots(panel, 0) == points(at)
        (coloured,) = [one for one in panel.collections if type(one).__name__ == "PathCollection"]
        assert coloured.get_array().tolist() == values.tolist()
        assert coloured.get_sizes().tolist() == [60.0]


def test_a_rewiring_has_old_lost_and_new_edges(figures: list[Any]) -> None:
    module.plot_rewiring(PATH, REWIRED, "it.pdf", "before and after")
    (figure,) = figures
    before, after = figure.axes
    at = layout(PATH)
    at = torch.cat([at, at.mean(0, keepdim=True)])
    for panel in (before, after):
        assert lines(panel, 0) == between(at, (1, 2), (2, 3))
    assert lines(before, 1) == between(at, (0, 1))
    assert lines(after, 1) == between(at, (0, 2), (2, 4), (3, 4))
    assert dots(before, 0) == points(at[:4])
    assert dots(after, 0) == points(at)
    assert before.get_title() == "before: 3 edges, 1 removed later (dashed)"
    assert after.get_title() == "after: 5 edges, 3 new (red)"


def test_nothing_is_said_where_nothing_changes(figures: list[Any]) -> None:
    module.plot_rewiring(PATH, PATH, "it.pdf", "the same")
    assert [panel.get_title() for panel in figures[0].axes] == ["before: 3 edges", "after: 3 edges"]


def test_every_rewiring_beside_the_graph(figures: list[Any]) -> None:
    alone = undirected(5, (0, 1))
    module.plot_rewirings(PATH, {"one": REWIRED, "two": alone}, "it.svg", "all")
    (figure,) = figures
    assert figure.get_figwidth() == pytest.approx(3 * 2.4)
    before, one, two = figure.axes
    titles = [panel.get_title() for panel in (before, one, two)]
    assert titles == ["before  3 edges", "one  +3 -1", "two  +0 -2"]
    at = layout(PATH)
    assert lines(before, 0) == between(at, (0, 1), (1, 2), (2, 3))
    assert lines(before, 1) == lines(before, 2) == set()
    place = torch.cat([at, at[2:4].mean(0, keepdim=True)])  # among its neighbours
    assert lines(one, 0) == between(place, (1, 2), (2, 3))
    assert lines(one, 1) == between(place, (0, 1))
    assert lines(one, 2) == between(place, (0, 2), (2, 4), (3, 4))
    assert dots(one, 0) == points(at)
    assert dots(one, 1) == points(place[4:])
    assert dots(two, 1) == points(at.mean(0, keepdim=True))  # it has no neighbour
    new = [one for one in one.collections if type(one).__name__ == "LineCollection"][2]
    assert new.get_color()[0][:3].tolist() == pytest.approx(
        [int(VERMILION[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    )


def test_large_graphs_have_small_dots(figures: list[Any]) -> None:
    ring = Data(
        edge_index=torch.stack([torch.arange(300), (torch.arange(300) + 1) % 300]), num_nodes=300
    )
    ring.edge_index = torch.cat([ring.edge_index, ring.edge_index.flip(0)], dim=1)
    module.plot_rewirings(ring, {}, "it.png", "a ring")
    module.plot_rewiring(ring, ring, "it.png", "a ring")
    module.plot_centrality(ring, {"degree": torch.ones(300)}, "it.png", "a ring")
    sizes = [
        next(one for one in figure.axes[0].collections if type(one).__name__ == "PathCollection")
        .get_sizes()
        .tolist()
        for figure in figures
    ]
    assert sizes == [[8.0], [20.0], [20.0]]


def test_pictures_are_saved_or_refused(tmp_path: Path) -> None:
    module.plot_rewiring(PATH, REWIRED, tmp_path / "it.png", "saved")
    assert (tmp_path / "it.png").read_bytes()[1:4] == b"PNG"
    with pytest.raises(InputError, match=r"cannot draw 'it.gnp': the name must end in one of"):
        module.plot_rewiring(PATH, REWIRED, "it.gnp", "refused")
    with pytest.raises(InputError, match=r"the picture cannot be saved as .*No such file"):
        module.plot_rewiring(PATH, REWIRED, tmp_path / "none" / "it.png", "refused")
