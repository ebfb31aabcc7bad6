"""Property checks for any layer or model, ours or yours.

Each check takes a function from a graph (``Data`` or ``Batch``) to a tensor with one row for each
node, or with ``level="graph"`` one for each graph, and raises ``AssertionError`` where the property
does not hold. Models with dropout or batch statistics should be in evaluation mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from panda_gnn.errors import choose
from panda_gnn.nn.convolution import small_graph
from panda_gnn.nn.panda_conv import Factory, PandaConv, PlainConv

__all__ = [
    "assert_batch_invariant",
    "assert_permutation_equivariant",
    "assert_reduces_to",
    "assert_reduces_to_plain",
    "permuted",
]

Model = Callable[[Data], Tensor]


def permuted(data: Data, order: Tensor) -> Data:
    """``data`` with node ``order[i]`` as node ``i`` and the edges in another order too.

    Args:
        data: A graph.
        order: The old number of each node, in their new order.

    Shapes:
        - **input:** ``order`` ``[num_nodes]``

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.testing import permuted
        >>> (ring,) = transfer("ring", 2, num_graphs=1)
        >>> ring.source_mask.tolist()
        [False, False, True, False]
        >>> permuted(ring, torch.tensor([3, 2, 1, 0])).source_mask.tolist()
        [False, True, False, False]
    """
    position = torch.empty_like(order)
    position[order] = torch.arange(order.numel(), device=order.device)
    edge_order = torch.arange(data.num_edges, device=order.device).flip(0)
    result = data.clone()
    for key in data.node_attrs():
        result[key] = data[key][order]
    for key in data.edge_attrs():
        if key != "edge_index":
            result[key] = data[key][edge_order]
    result.edge_index = position[data.edge_index][:, edge_order]
    return result


def assert_permutation_equivariant(
    model: Model, data: Data, *, level: str = "node", seed: int = 0, tolerance: float = 1e-12
) -> None:
    """The order of nodes and edges changes nothing but the order of the output.

    Args:
        model: A function from a graph to one row for each node, or for each graph.
        data: A graph.
        level: ``"node"`` or ``"graph"``.
        seed: Seeds the order that is tried.
        tolerance: The greatest difference.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.nn import GNN
        >>> from panda_gnn.testing import assert_permutation_equivariant
        >>> (tree,) = transfer("tree", 3, num_graphs=1)
        >>> tree.x, model = tree.x.double(), GNN(5, 2, width=8, readout=None).double().eval()
        >>> assert_permutation_equivariant(lambda data: model(data.x, data.edge_index), tree)
    """
    choose("level", level, ("node", "graph"))
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(int(data.num_nodes or 0), generator=generator)
    order = order.to(data.edge_index.device)
    expected = model(data)
    if level == "node":
        expected = expected[order]
    torch.testing.assert_close(model(permuted(data, order)), expected, rtol=0, atol=tolerance)


def assert_batch_invariant(
    model: Model, graphs: Sequence[Data], *, tolerance: float = 1e-12
) -> None:
    """A batch gives what its graphs give one by one.

    Args:
        model: A function from a batch to one row for each node, or for each graph.
        graphs: Some graphs.
        tolerance: The greatest difference.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.nn import GNN
        >>> from panda_gnn.testing import assert_batch_invariant
        >>> graphs = transfer("tree", 3, num_graphs=3)
        >>> model = GNN(5, 2, width=8, readout=None).eval()
        >>> scores = lambda data: model(data.x, data.edge_index)
        >>> assert_batch_invariant(scores, graphs, tolerance=1e-5)
    """
    together = model(Batch.from_data_list(list(graphs)))
    apart = torch.cat([model(graph) for graph in graphs])
    torch.testing.assert_close(together, apart, rtol=0, atol=tolerance)


def assert_reduces_to(
    model: Model, other: Model, graphs: Sequence[Data], *, tolerance: float = 1e-12
) -> None:
    """Two models agree on every graph.

    Args:
        model: A function from a graph to a tensor.
        other: Another one.
        graphs: Some graphs.
        tolerance: The greatest difference.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.nn import GNN
        >>> from panda_gnn.rewiring import FullyAdjacent
        >>> from panda_gnn.testing import assert_reduces_to
        >>> graphs, model = transfer("ring", 3, num_graphs=2), GNN(5, 2, width=8).eval()
        >>> full = FullyAdjacent()
        >>> assert_reduces_to(
        ...     lambda data: model(data.x, full(data).edge_index),
        ...     lambda data: model(data.x, full(full(data)).edge_index),
        ...     graphs,
        ... )
    """
    for graph in graphs:
        torch.testing.assert_close(model(graph), other(graph), rtol=0, atol=tolerance)


def assert_reduces_to_plain(
    conv: Factory,
    *,
    width: int = 4,
    edge_attr: Tensor | None = None,
    edge_type: Tensor | None = None,
    edge_weight: Tensor | None = None,
    num_graphs: int = 3,
    tolerance: float = 1e-9,
) -> None:
    """A convolution made width-aware is the plain one where both widths and weights are equal.

    Try your own convolution with it before you make it width-aware::

        assert_reduces_to_plain(MyConv)
        assert_reduces_to_plain(lambda i, o: MyConv(i, o, edge_dim=3), edge_attr=torch.rand(50, 3))

    Args:
        conv: Makes the convolution from input and output width.
        width: Input and output width.
        edge_attr: Rows to draw those of the edges from, if the convolution needs features of edges.
        edge_type: Likewise, relations.
        edge_weight: Likewise, weights.
        num_graphs: The number of random graphs that are tried.
        tolerance: The greatest difference.

    Shapes:
        - **input:** ``edge_attr`` ``[rows, columns]``, ``edge_type`` and ``edge_weight`` ``[rows]``

    Example:
        >>> from torch_geometric.nn import SAGEConv
        >>> from panda_gnn.testing import assert_reduces_to_plain
        >>> assert_reduces_to_plain(SAGEConv)
    """
    rows = {"edge_attr": edge_attr, "edge_type": edge_type, "edge_weight": edge_weight}
    values = {name: value for name, value in rows.items() if value is not None}
    layer = PandaConv(conv, width, width).double().eval()
    plain = PlainConv(conv, width, width).double().eval()
    for module in (layer.high, plain.conv):
        module.load_state_dict(layer.low.state_dict())
    for seed in range(num_graphs):
        x, partition = small_graph(width, torch.float64, seed, **values)
        found = partition.merge(*layer(partition.split(x), partition))
        expected = plain(x, partition.whole)
        torch.testing.assert_close(found, expected, rtol=0, atol=tolerance)
