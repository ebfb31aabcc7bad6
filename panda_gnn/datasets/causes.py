"""Graphs whose class has one known cause, to see whether advice about them is right.

>>> graphs = labelled_graphs("motif", num_graphs=4)
>>> sorted(int(data.y) for data in graphs)
[0, 0, 1, 1]

Of both classes there are equally many graphs (up to one), in random order. The cause is

==========  ======================================================================================
``size``    how many nodes a random tree has: 10 to 16, or 20 to 26
``motif``   what hangs on a random tree: a house (a square with a roof) or the complete bipartite
            graph of 2 and 3 nodes, both of 5 nodes, 6 edges and the same degrees
``message`` whether equal colours are side by side in a ring of four rooms, red red blue blue, or
            opposite, red blue red blue. A room is a clique of 3 to 6 nodes, the path from one to
            the next has two nodes between: both classes have the same neighbourhoods of one hop
            equally often, so a network with one hidden layer, the last one being linear, cannot
            tell; two can
``noise``   nothing: the class is drawn, whatever the tree
==========  ======================================================================================

Nodes have three features: a constant and, in rooms, which of two colours they have; trees have
random colours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn.functional import one_hot
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.errors import choose
from panda_gnn.options import whole_number

Edge = tuple[int, int]
Made = tuple[int, list[Edge], Tensor]
"""The number of nodes, every edge once, and the colour of each node: 0 for none, 1 or 2."""

HOUSE = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]
BIPARTITE = [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]
BETWEEN = 2
"""Nodes of the path from a room to the next."""


def _tree(num_nodes: int, generator: torch.Generator) -> list[Edge]:
    """Every node hangs on a random one before it."""
    return [
        (int(torch.randint(node, (1,), generator=generator)), node) for node in range(1, num_nodes)
    ]


def _between(low: int, high: int, generator: torch.Generator) -> int:
    return int(torch.randint(low, high + 1, (1,), generator=generator))


def _colours(num_nodes: int, generator: torch.Generator) -> Tensor:
    return torch.randint(3, (num_nodes,), generator=generator)


def _size(label: int, generator: torch.Generator) -> Made:
    num_nodes = _between(10, 16, generator) + 10 * label
    return num_nodes, _tree(num_nodes, generator), _colours(num_nodes, generator)


def _noise(label: int, generator: torch.Generator) -> Made:
    return _size(_between(0, 1, generator), generator)


def _motif(label: int, generator: torch.Generator) -> Made:
    trunk = _between(8, 14, generator)
    motif = [(u + trunk, v + trunk) for u, v in (HOUSE if label else BIPARTITE)]
    joint = (_between(0, trunk - 1, generator), trunk + 4)
    num_nodes = trunk + 5
    edges = [*_tree(trunk, generator), *motif, joint]
    return num_nodes, edges, _colours(num_nodes, generator)


def _message(label: int, generator: torch.Generator) -> Made:
    colours = [1, 1, 2, 2] if label else [1, 2, 1, 2]
    size = _between(3, 6, generator)
    stretch = size + BETWEEN
    num_nodes = 4 * stretch
    place = torch.randperm(num_nodes, generator=generator).tolist()  # numbers shall tell nothing
    edges = []
    colour = torch.zeros(num_nodes, dtype=torch.long)
    for room, held in enumerate(colours):
        start = room * stretch
        edges += [(start + u, start + v) for v in range(size) for u in range(v)]
        path = range(start + size - 1, start + stretch)
        edges += [(node, (node + 1) % num_nodes) for node in path]
        colour[[place[node] for node in range(start, start + size)]] = held
    return num_nodes, [(place[u], place[v]) for u, v in edges], colour


CAUSES: Mapping[str, Callable[[int, torch.Generator], Made]] = MappingProxyType(
    {"size": _size, "motif": _motif, "message": _message, "noise": _noise}
)
"""Every cause, as a function of the class."""


def labelled_graphs(cause: str, *, num_graphs: int = 400, seed: int = 0) -> list[Data]:
    """Graphs with ``x`` and the class ``y``, which is 0 or 1.

    Args:
        cause: What the class follows from: one of :data:`CAUSES`.
        num_graphs: How many.
        seed: Draws trees, colours and the order.
    """
    make = CAUSES[choose("cause", cause, CAUSES)]
    generator = torch.Generator().manual_seed(seed)
    count = whole_number("num_graphs", num_graphs, 2)
    graphs = []
    for label in (torch.randperm(count, generator=generator) % 2).tolist():
        num_nodes, edges, colour = make(label, generator)
        x = one_hot(colour, 3).float()
        x[:, 0] = 1.0
        edge_index = to_undirected(torch.tensor(edges).t().contiguous(), num_nodes=num_nodes)
        graphs.append(Data(x=x, edge_index=edge_index, y=torch.tensor([label])))
    return graphs


def write_csv_folder(graphs: Sequence[Data], folder: Path) -> None:
    """Write graphs as a folder that :func:`~panda_gnn.datasets.resolve` reads: an edge list and a
    table of nodes for each, and ``labels.csv``."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = ["graph,label"]
    for number, data in enumerate(graphs):
        name = f"graph-{number:04d}"
        forward = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
        edges = ["source,target", *(f"{u},{v}" for u, v in forward.t().tolist())]
        columns = ",".join(f"x{column}" for column in range(data.x.size(1)))
        nodes = [f"id,{columns}"]
        for node, values in enumerate(data.x.tolist()):
            nodes.append(",".join([str(node), *(f"{value:g}" for value in values)]))
        (folder / f"{name}.csv").write_text("\n".join(edges) + "\n", "utf-8")
        (folder / f"{name}.nodes.csv").write_text("\n".join(nodes) + "\n", "utf-8")
        labels.append(f"{name},{int(data.y)}")
    (folder / "labels.csv").write_text("\n".join(labels) + "\n", "utf-8")
