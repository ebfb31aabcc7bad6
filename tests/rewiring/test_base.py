"""What every rewiring inherits: edges, types, attributes and random numbers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from panda_gnn import rewiring
from panda_gnn.errors import InputError
from panda_gnn.rewiring import REWIRINGS
from panda_gnn.rewiring.base import Rewiring, both_directions, edited
from tests.odd_graphs import undirected


class Fixed(Rewiring):
    """Replaces the edges by given ones."""

    def __init__(self, *edges: tuple[int, int]) -> None:
        super().__init__()
        self.edges = edges

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        return torch.tensor(self.edges, dtype=torch.long).reshape(-1, 2).t()


def test_types_and_attributes_follow_the_edge() -> None:
    data = undirected(5, (0, 1), (1, 2), (2, 2), (2, 3))
    source, target = data.edge_index
    data.edge_attr = (10 * source + target).double()
    data.edge_weight = data.edge_attr
    data.y = torch.tensor([7])
    after = Fixed((1, 2), (0, 4), (2, 3))(data)
    expected = {(0, 4): 0, (1, 2): 12, (2, 1): 21, (2, 3): 23, (3, 2): 32, (4, 0): 0}
    assert list(map(tuple, after.edge_index.t().tolist())) == list(expected)
    assert after.edge_attr.tolist() == list(expected.values())
    assert after.edge_weight.tolist() == [value or 1 for value in expected.values()]
    assert after.edge_type.tolist() == [int(value == 0) for value in expected.values()]
    assert torch.equal(after.x, data.x)
    assert after.y == 7
    assert after.num_nodes == 5
    assert "edge_type" not in data


def test_no_edges_before_or_after() -> None:
    empty, path = undirected(3), undirected(3, (0, 1), (1, 2))
    assert Fixed()(path).edge_index.shape == (2, 0)
    assert Fixed()(empty).edge_type.shape == (0,)
    assert Fixed((0, 2))(empty).edge_type.tolist() == [1, 1]


def test_repeated_edges_keep_the_first_attribute() -> None:
    edge_index = torch.tensor([[1, 0, 1, 0], [0, 1, 0, 1]])
    data = Data(edge_index=edge_index, edge_attr=torch.tensor([5, 6, 7, 8]), num_nodes=2)
    after = Fixed((0, 1))(data)
    assert after.edge_attr.tolist() == [6, 5]


def test_a_batch_has_one_meaning_of_types() -> None:
    plain, typed = undirected(3, (0, 1)), undirected(3, (0, 1))
    plain.edge_type, typed.edge_type = torch.tensor([0, 0]), torch.tensor([4, 4])
    batch = Batch.from_data_list([plain, typed])
    one, other = Fixed((0, 1), (1, 2))(batch).to_data_list()
    assert one.edge_type.tolist() == [0, 0, 5, 5]
    assert other.edge_type.tolist() == [4, 4, 5, 5]


def test_bad_graphs_get_a_sentence() -> None:
    transform = Fixed((0, 1))
    with pytest.raises(InputError, match=r"Fixed needs an undirected graph, .*ToUndirected"):
        transform(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
    for types in (torch.tensor([0.0, 1.0]), torch.tensor([True, False]), torch.tensor([0])):
        typed = undirected(2, (0, 1))
        typed.edge_type = types
        with pytest.raises(InputError, match="Fixed adds a value to edge_type, which must hold"):
            transform(typed)
    with pytest.raises(InputError, match=r"Fixed found an edge to a node .* outside 0\.\.1"):
        transform(Data(edge_index=torch.tensor([[0, 2], [2, 0]]), num_nodes=2))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "x"])
def test_a_bad_seed_gets_a_sentence(seed: Any) -> None:
    with pytest.raises(InputError, match="seed must be a whole number, zero or more, not"):
        rewiring.FoSR(seed=seed)


def test_random_numbers_depend_on_the_seed_and_the_graph_alone() -> None:
    edges = torch.tensor([[0, 1], [1, 2]])
    numbers = rewiring.FoSR(seed=3).generator(edges, 3).random(4).tolist()
    assert rewiring.SDRF(seed=3).generator(edges, 3).random(4).tolist() == numbers
    assert (
        rewiring.FoSR(seed=3).generator(edges.t().contiguous().t(), 3).random(4).tolist() == numbers
    )
    assert rewiring.FoSR(seed=4).generator(edges, 3).random(4).tolist() != numbers
    assert rewiring.FoSR(seed=3).generator(edges, 4).random(4).tolist() != numbers
    assert rewiring.FoSR(seed=3).generator(edges[:, :1], 3).random(4).tolist() != numbers


def test_edges_can_be_edited() -> None:
    edges = torch.tensor([[0, 0, 1], [1, 2, 2]])
    none = torch.empty(2, 0, dtype=torch.long)
    assert edited(edges, 4, none, none).tolist() == edges.tolist()
    added, removed = torch.tensor([[0, 0], [3, 1]]), torch.tensor([[1], [2]])
    assert edited(edges, 4, added, removed).tolist() == [[0, 0, 0], [1, 2, 3]]
    assert edited(none, 0, none, none).shape == (2, 0)
    assert both_directions(edges, 4).tolist() == [[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]


def test_every_rewiring_has_a_name() -> None:
    assert set(REWIRINGS) == {
        *("digl", "fa", "sdrf", "fosr", "borf", "gtr"),
        *("afrc", "expander", "laser", "virtual-node", "cayley", "proxy-add", "proxy-delete"),
        *("goku", "heat", "half-hop", "central-edges", "jdr"),
    }
    for kind in REWIRINGS.values():
        assert kind.__name__ in rewiring.__all__
        assert repr(kind()).startswith(f"{kind.__name__}(")
