"""The decay of sensitivity: worked values, and a literal version with whole numbers."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

from panda_gnn.diagnostics import sensitivity_decay
from panda_gnn.diagnostics.sensitivity_decay import decay_slopes
from panda_gnn.errors import InputError
from tests.odd_graphs import ODD_GRAPHS, clique


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.path_graph(3), (0.6667, 0.0977, 0.0974, 0.2231)),
        (nx.path_graph(4), (0.5, 0.1346, 0.1195, 0.3206)),
        (nx.cycle_graph(6), (0.5, 0.1716, 0.0609, 0.2554)),
        (nx.star_graph(4), (0.8, 0.0907, 0.0616, 0.2029)),
        (nx.barbell_graph(4, 0), (0.5, 0.3231, 0.1898, 0.4868)),
    ],
)
def test_worked_values(graph: nx.Graph, expected: tuple[float, ...]) -> None:
    decay = sensitivity_decay(from_networkx(graph))
    assert decay[:4] == pytest.approx(expected, abs=6e-5)
    assert decay.unreached == 0


def literal(graph: nx.Graph, first: int, last: int) -> np.ndarray:
    """The slopes from powers of whole numbers, which cannot overflow."""
    size = graph.number_of_nodes()
    matrix = nx.to_numpy_array(graph, nodelist=range(size), dtype=object).astype(int)
    adjacency = (matrix + np.eye(size, dtype=int)).astype(object)
    logs = []
    for depth in range(first, last + 1):
        power = np.linalg.matrix_power(adjacency, depth)
        share = [
            [Fraction(power[v, u], sum(power[:, v])) for u in range(size)] for v in range(size)
        ]
        logs.append([[float(np.log(float(value))) for value in row] for row in share])
    depths = np.arange(first, last + 1)
    slopes: np.ndarray = np.polyfit(depths, np.array(logs).reshape(len(depths), -1), 1)[0]
    return slopes.reshape(size, size)


def test_slopes_are_those_of_whole_numbers_where_single_precision_overflows() -> None:
    graph = nx.lollipop_graph(12, 20)  # 12 ** 41 is beyond single precision
    slopes, depths = decay_slopes(from_networkx(graph))
    assert depths == (21, 41)
    np.testing.assert_allclose(slopes.numpy(), literal(graph, *depths), rtol=1e-7, atol=1e-10)


def test_cross_pairs_of_a_barbell_rise_and_clique_pairs_fall() -> None:
    slopes, _ = decay_slopes(from_networkx(nx.barbell_graph(4, 0)))
    side = torch.arange(8) < 4
    across = side[:, None] != side[None, :]
    assert bool((slopes[across] > 0).all())
    assert bool((slopes[~across] < 0).all())


def test_both_directions_share_the_pairs() -> None:
    data = from_networkx(nx.barbell_graph(4, 0))
    falling = sensitivity_decay(data, direction="falling")
    assert falling.prevalence == pytest.approx(0.5)
    slopes = decay_slopes(data)[0].flatten()
    assert falling.intensity == pytest.approx(-float(slopes[slopes < -1e-9].mean()))
    assert falling.extremity > 0


def test_the_largest_component_counts() -> None:
    both = nx.disjoint_union(nx.path_graph(2), nx.cycle_graph(6))
    assert sensitivity_decay(from_networkx(both)) == sensitivity_decay(
        from_networkx(nx.cycle_graph(6))
    )


def test_fixed_depths_and_cliques() -> None:
    assert sensitivity_decay(clique(5), (1, 4)) == (0.0, 0.0, 0.0, 0.0, (1, 4), 0.0)
    decay = sensitivity_decay(ODD_GRAPHS["path"], (2, 3))
    reached = sum(abs(u - v) <= 2 for u in range(6) for v in range(6))
    assert decay.unreached == pytest.approx(1 - reached / 36)


def test_what_has_no_slope_is_refused() -> None:
    with pytest.raises(InputError, match=r"diameter 1, .*give depths"):
        sensitivity_decay(clique(5))
    with pytest.raises(InputError, match="greater than the first"):
        sensitivity_decay(clique(5), (3, 3))
    with pytest.raises(InputError, match="unknown direction 'up'"):
        sensitivity_decay(clique(5), (1, 2), direction="up")
    with pytest.raises(InputError, match="double precision"):
        sensitivity_decay(from_networkx(nx.lollipop_graph(40, 200)), (201, 202))
    with pytest.raises(InputError, match="no nodes"):
        sensitivity_decay(Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0))
