"""Every convolution of PyG is right where it is made width-aware, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch_geometric.nn.conv as convolutions
from torch import Tensor, nn
from torch_geometric.nn import MLP

from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, PandaConv, PandaGNN, WidthPartition
from panda_gnn.testing import assert_reduces_to_plain
from tests.nn.graphs import MIXED

Factory = Callable[[int, int], nn.Module]
C: Any = convolutions

WEIGHTS = {"edge_weight": torch.linspace(0.3, 2, 30, dtype=torch.float64)}
FEATURES = {"edge_attr": torch.linspace(-1, 1, 60, dtype=torch.float64).view(30, 2)}
RELATIONS = {"edge_type": torch.arange(3)}
DEGREES = torch.tensor([1, 3, 5, 3, 1])


def mlp(*widths: int) -> nn.Module:
    made: nn.Module = MLP(list(widths), norm=None)
    return made


#: What works, and the values of edges that it gets.
RIGHT: dict[str, tuple[Factory, dict[str, Any]]] = {
    "AGNNConv": (lambda i, o: C.AGNNConv(), {}),
    "AntiSymmetricConv around GraphConv": (
        lambda i, o: C.AntiSymmetricConv(i, C.GraphConv(i, i), num_iters=1),
        {},
    ),
    "CGConv": (lambda i, o: C.CGConv(i, dim=2), FEATURES),
    "ChebConv K=1": (lambda i, o: C.ChebConv(i, o, 1), {}),
    "ClusterGCNConv": (C.ClusterGCNConv, {}),
    "EGConv sum, max": (
        lambda i, o: C.EGConv(i, o, ["sum", "max"], num_heads=2, num_bases=2, add_self_loops=False),
        {},
    ),
    "EdgeConv": (lambda i, o: C.EdgeConv(mlp(2 * i, o)), {}),
    "FastRGCNConv": (lambda i, o: C.FastRGCNConv(i, o, 3), RELATIONS),
    "FeaStConv": (lambda i, o: C.FeaStConv(i, o, heads=2), {}),
    "FiLMConv": (lambda i, o: C.FiLMConv(i, o, num_relations=3), RELATIONS),
    "GATConv": (lambda i, o: C.GATConv(i, o, heads=2, concat=False, edge_dim=2), FEATURES),
    "GATv2Conv": (lambda i, o: C.GATv2Conv(i, o, edge_dim=2), FEATURES),
    "GCNConv": (C.GCNConv, {}),
    "GCNConv with weights": (C.GCNConv, WEIGHTS),
    "GCNConv without self-loops": (lambda i, o: C.GCNConv(i, o, add_self_loops=False), WEIGHTS),
    "GCNConv without norm": (lambda i, o: C.GCNConv(i, o, normalize=False), WEIGHTS),
    "GENConv": (lambda i, o: C.GENConv(i, o, norm="layer"), {}),
    "GINConv": (lambda i, o: C.GINConv(mlp(i, o), train_eps=True), {}),
    "GINEConv": (lambda i, o: C.GINEConv(mlp(i, o), edge_dim=2), FEATURES),
    "GMMConv": (lambda i, o: C.GMMConv(i, o, dim=2, kernel_size=3), FEATURES),
    "GatedGraphConv 1": (lambda i, o: C.GatedGraphConv(o, num_layers=1), WEIGHTS),
    "GeneralConv": (lambda i, o: C.GeneralConv(i, o, in_edge_channels=2), FEATURES),
    "GraphConv": (C.GraphConv, WEIGHTS),
    "GraphConv max": (lambda i, o: C.GraphConv(i, o, aggr="max"), {}),
    "LEConv": (C.LEConv, WEIGHTS),
    "LGConv": (lambda i, o: C.LGConv(), WEIGHTS),
    "MFConv": (C.MFConv, {}),
    "NNConv": (lambda i, o: C.NNConv(i, o, mlp(2, i * o)), FEATURES),
    "PNAConv": (
        lambda i, o: C.PNAConv(i, o, ["mean", "std"], ["amplification"], DEGREES, edge_dim=2),
        FEATURES,
    ),
    "RGATConv": (lambda i, o: C.RGATConv(i, o, num_relations=3), RELATIONS),
    "RGCNConv": (lambda i, o: C.RGCNConv(i, o, num_relations=3), RELATIONS),
    "ResGatedGraphConv": (lambda i, o: C.ResGatedGraphConv(i, o, edge_dim=2), FEATURES),
    "SAGEConv": (C.SAGEConv, {}),
    "SimpleConv": (lambda i, o: C.SimpleConv(combine_root="sum"), WEIGHTS),
    "SuperGATConv": (lambda i, o: C.SuperGATConv(i, o), {}),
    "TAGConv K=1": (lambda i, o: C.TAGConv(i, o, K=1), WEIGHTS),
    "TransformerConv": (lambda i, o: C.TransformerConv(i, o, edge_dim=2), FEATURES),
    "WLConvContinuous": (lambda i, o: C.WLConvContinuous(), WEIGHTS),
}
#: What is refused, with a word of the sentence and the values of edges that it gets.
REFUSED: dict[str, tuple[Factory, str, dict[str, Any]]] = {
    "APPNP": (lambda i, o: C.APPNP(2, 0.1), "use several layers of GCNConv", {}),
    "ARMAConv": (C.ARMAConv, "use GCNConv", {}),
    "AntiSymmetricConv": (lambda i, o: C.AntiSymmetricConv(i), "around GraphConv", {}),
    "ChebConv": (lambda i, o: C.ChebConv(i, o, 3), "use several layers of GCNConv", {}),
    "DNAConv": (lambda i, o: C.DNAConv(i), "use GraphConv", {}),
    "DirGNNConv": (lambda i, o: C.DirGNNConv(C.SAGEConv(i, o)), "use RGCNConv", {}),
    "EGConv": (lambda i, o: C.EGConv(i, o, num_heads=2), "other aggregators than symnorm", {}),
    "FAConv": (lambda i, o: C.FAConv(i), "called with x, x_0, edge_index", {}),
    "GCN2Conv": (lambda i, o: C.GCN2Conv(i, 0.1), "called with x, x_0, edge_index", {}),
    "GCNConv improved": (lambda i, o: C.GCNConv(i, o, improved=True), "without improved", {}),
    "GPSConv": (
        lambda i, o: C.GPSConv(i, C.SAGEConv(i, i), heads=2, norm=None),
        "use the convolution inside it",
        {},
    ),
    "GatedGraphConv": (lambda i, o: C.GatedGraphConv(o, 3), "with num_layers=1", {}),
    "HEATConv": (
        lambda i, o: C.HEATConv(i, o, 2, 2, 2, 2, 2),
        "called with x, edge_index, node_type",
        {},
    ),
    "HeteroConv": (
        lambda i, o: C.HeteroConv({("a", "to", "a"): C.SAGEConv(i, o)}),
        "such as GraphConv",
        {},
    ),
    "HGTConv": (
        lambda i, o: C.HGTConv(i, o, (["a"], [("a", "to", "a")])),
        "called with x_dict, edge_index_dict",
        {},
    ),
    "HANConv": (
        lambda i, o: C.HANConv(i, o, (["a"], [("a", "to", "a")])),
        "called with x_dict, edge_index_dict",
        {},
    ),
    "HypergraphConv": (C.HypergraphConv, "called with x, hyperedge_index", {}),
    "MeshCNNConv": (lambda i, o: C.MeshCNNConv(i, o), "use GraphConv", {}),
    "MixHopConv": (
        lambda i, o: C.MixHopConv(i, o, powers=[0, 1, 2]),
        "use several layers of GCNConv",
        {},
    ),
    "PANConv": (lambda i, o: C.PANConv(i, o, 2), "use GraphConv", {}),
    "PDNConv": (
        lambda i, o: C.PDNConv(i, o, edge_dim=2, hidden_channels=3),
        "use GCNConv with edge weights",
        FEATURES,
    ),
    "PPFConv": (lambda i, o: C.PPFConv(mlp(i + 4, o)), "called with x, pos, normal", {}),
    "PointGNNConv": (
        lambda i, o: C.PointGNNConv(mlp(i, 3), mlp(i + 3, i), mlp(i, o)),
        "called with x, pos, edge_index",
        {},
    ),
    "PointNetConv": (lambda i, o: C.PointNetConv(mlp(i + 3, o)), "called with x, pos", {}),
    "PointTransformerConv": (C.PointTransformerConv, "called with x, pos, edge_index", {}),
    "SAGEConv flow": (
        lambda i, o: C.SAGEConv(i, o, flow="target_to_source"),
        "use SAGEConv with the aggregation mean, sum or max and the usual flow",
        {},
    ),
    # PyG pads sequences to the largest degree of a batch and runs the LSTM over the padding.
    "SAGEConv lstm": (
        lambda i, o: C.SAGEConv(i, o, aggr="lstm"),
        "use SAGEConv with the aggregation mean, sum or max",
        {},
    ),
    "SGConv": (lambda i, o: C.SGConv(i, o, K=2), "use several layers of GCNConv", {}),
    "SGConv K=1": (lambda i, o: C.SGConv(i, o, K=1), "use several layers of GCNConv", {}),
    "SSGConv": (lambda i, o: C.SSGConv(i, o, 0.1, K=2), "use several layers of GCNConv", {}),
    "SignedConv": (
        lambda i, o: C.SignedConv(i, o, first_aggr=True),
        "called with x, pos_edge_index",
        {},
    ),
    "TAGConv": (lambda i, o: C.TAGConv(i, o, K=2), "TAGConv with K=1", {}),
    "WLConv": (lambda i, o: C.WLConv(), "use GraphConv", {}),
}
#: What cannot be made without other packages, or is no convolution.
ABSENT: dict[str, Callable[[], object]] = {
    "CuGraphGATConv": lambda: C.CuGraphGATConv(4, 4),
    "CuGraphRGCNConv": lambda: C.CuGraphRGCNConv(4, 4, 3),
    "CuGraphSAGEConv": lambda: C.CuGraphSAGEConv(4, 4),
    "DynamicEdgeConv": lambda: C.DynamicEdgeConv(mlp(8, 4), k=2),
    "FusedGATConv": lambda: C.FusedGATConv(4, 4, add_self_loops=False),
    "GravNetConv": lambda: C.GravNetConv(4, 4, 2, 2, 2),
    "MessagePassing": lambda: C.MessagePassing(),
    "SplineConv": lambda: C.SplineConv(4, 4, dim=2, kernel_size=3),
    "XConv": lambda: C.XConv(4, 4, dim=2, kernel_size=3),
}


def test_every_convolution_of_pyg_is_listed() -> None:
    listed = {name.split()[0] for name in [*RIGHT, *REFUSED, *ABSENT]}
    assert sorted(set(convolutions.__all__) - listed) == []


@pytest.mark.parametrize("name", RIGHT)
def test_it_is_the_plain_convolution_where_widths_and_weights_are_equal(name: str) -> None:
    torch.manual_seed(0)
    make, values = RIGHT[name]
    assert_reduces_to_plain(make, **values)


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_replacement(name: str) -> None:
    make, says, values = REFUSED[name]
    with pytest.raises(InputError, match=says):
        assert_reduces_to_plain(make, **values)


@pytest.mark.parametrize("name", ABSENT)
def test_without_its_package_it_cannot_be_made_or_is_refused(name: str) -> None:
    with pytest.raises((ImportError, InputError, TypeError)):
        PandaConv(lambda i, o: ABSENT[name](), 4, 4)  # type: ignore[arg-type,return-value]


class InTurn(convolutions.MessagePassing):
    """The first message into a node counts once, the second twice, and so on."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_channels, out_channels)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        target = edge_index[1]
        turn = torch.stack([(target[: e + 1] == v).sum() for e, v in enumerate(target)])
        out: Tensor = self.linear(self.propagate(edge_index, x=x, turn=turn))
        return out

    def message(self, x_j: Tensor, turn: Tensor) -> Tensor:
        return x_j * turn.view(-1, 1)


def test_edges_into_a_node_keep_their_order() -> None:
    assert_reduces_to_plain(InTurn)


def test_a_layer_that_must_see_edge_features_is_tried_when_it_is_first_used() -> None:
    def make(i: int, o: int) -> nn.Module:
        conv: nn.Module = C.NNConv(i, o, nn.Sequential(nn.Linear(7, i * o)))
        return conv

    layer = PandaConv(make, 3, 3).double()
    assert not layer.settled
    none = WidthPartition(MIXED.edge_index[:, :0], MIXED.high)
    values = torch.rand(MIXED.num_edges, 7, dtype=torch.float64)
    partition = WidthPartition(MIXED.edge_index, MIXED.high, edge_attr=values)
    with pytest.raises(InputError, match="on a small graph it raised"):
        layer(none.split(MIXED.x), WidthPartition(MIXED.edge_index, MIXED.high))
    layer(partition.split(MIXED.x), partition)
    assert layer.settled


def test_trying_a_convolution_changes_no_random_numbers() -> None:
    torch.manual_seed(0)
    C.GATConv(3, 4), C.GATConv(3, 4)
    expected = torch.rand(3)
    torch.manual_seed(0)
    PandaConv(C.GATConv, 3, 4)
    assert torch.equal(torch.rand(3), expected)


def test_gcn_of_pyg_is_our_own() -> None:
    """PyG's GCNConv as a backbone gives what the backbone gcn gives with self-loops and bias."""
    torch.manual_seed(0)
    options: dict[str, Any] = {"width": 4, "high_width": 6, "num_layers": 2, "residual": False}
    own = PandaGNN(3, 2, self_loops=True, bias=True, **options).double().eval()
    theirs: Any = PandaGNN(3, 2, backbone=C.GCNConv, **options).double().eval()
    renamed = {
        name.replace("linear.weight", "conv.lin.weight").replace("linear.bias", "conv.bias"): value
        for name, value in own.state_dict().items()
    }
    theirs.load_state_dict(renamed)
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64)
    inputs = (MIXED.x, MIXED.edge_index, MIXED.high, weight)
    torch.testing.assert_close(theirs(*inputs), own(*inputs), rtol=0, atol=1e-12)
    assert isinstance(theirs, GNN)
