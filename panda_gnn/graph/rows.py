"""Many undirected graphs side by side, each node with a row of its neighbours.

This is the one form of a graph that centralities, rewirings, curvatures and resistances compute
on, and the one place that reads ``edge_index``. :class:`GraphRows` is the adjacency matrix of the
disjoint union of some graphs in compressed sparse rows: block-diagonal, one block per graph, with
column numbers that start at zero in every block. A dataset is read from its collated storage,
without one :class:`~torch_geometric.data.Data` object per graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data, Dataset, HeteroData, InMemoryDataset

from panda_gnn.errors import InputError
from panda_gnn.graph.arrays import Bool, Float64, Int32, Int64
from panda_gnn.graph.compiled import compiled

Graphs: TypeAlias = "Data | Dataset | Sequence[Data]"


class GraphRows(NamedTuple):
    """The simple undirected graphs ``0 .. num_graphs - 1``, one after the other.

    Node ``v`` of graph ``g`` stands at ``p = node_ptr[g] + v``; its neighbours, as numbers inside
    the graph and in ascending order, are ``neighbours[row_ptr[p] : row_ptr[p + 1]]``. Repeated
    entries of ``edge_index`` count once; self-loops are kept apart, as a flag per node. Compiled
    kernels take it as it is.
    """

    node_ptr: Int64
    row_ptr: Int64
    neighbours: Int32
    loops: Bool

    @property
    def num_graphs(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def num_nodes(self) -> int:
        return int(self.node_ptr[-1])

    @property
    def sizes(self) -> Int64:
        """The number of nodes of each graph."""
        return np.diff(self.node_ptr)

    @property
    def degrees(self) -> Int64:
        """The number of neighbours of each node, itself not among them."""
        return np.diff(self.row_ptr)

    @property
    def graph_of_node(self) -> Int64:
        """The graph of each node."""
        return np.repeat(np.arange(self.num_graphs), self.sizes)

    @property
    def sources(self) -> Int64:
        """The place of the node whose row each entry of ``neighbours`` is in."""
        return np.repeat(np.arange(self.num_nodes), self.degrees)

    @property
    def columns(self) -> Int64:
        """The place of each neighbour, where ``neighbours`` has its number inside the graph."""
        start = np.repeat(self.node_ptr[:-1], np.diff(self.row_ptr[self.node_ptr]))
        return self.neighbours.astype(np.int64) + start

    @property
    def edges(self) -> Int64:
        """Every edge ``u < v`` once, by the places of its nodes, ``[2, m]`` in order."""
        source, target = self.sources, self.columns
        upper = source < target
        return np.stack([source[upper], target[upper]])

    def part(self, first: int, last: int) -> GraphRows:
        """The graphs ``first .. last - 1`` alone; the neighbours are shared, not copied."""
        start, stop = self.node_ptr[first], self.node_ptr[last]
        rows = self.row_ptr[start : stop + 1]
        return GraphRows(
            self.node_ptr[first : last + 1] - start,
            rows - rows[0],
            self.neighbours[rows[0] : rows[-1]],
            self.loops[start:stop],
        )

    def pieces(self, cost: Float64, count: int) -> Iterator[tuple[int, int]]:
        """Runs of graphs ``(first, last)`` that share ``cost`` (a value per graph) about equally.

        There are at most ``count`` runs, and the number does not depend on the machine.
        """
        if self.num_graphs == 0:
            return
        end = np.cumsum(cost)
        goals = np.arange(1, count) * (end[-1] / count)
        cuts = np.searchsorted(end, goals) + 1
        cuts = np.unique(np.concatenate([[0], cuts, [self.num_graphs]]))
        cuts = cuts[cuts <= self.num_graphs]
        yield from zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)


def read_graphs(graphs: Graphs, who: str = "read_graphs") -> GraphRows:
    """Read a ``Data``, a ``Batch``, a dataset or a list of ``Data`` into one :class:`GraphRows`.

    Graphs that are not undirected are rejected in the name of ``who``. Edges that are sorted
    already, as PyG's datasets keep them, are read and checked in two passes.
    """
    return _rows(_edges(graphs, who), who)


def read_graph(data: Data, who: str) -> GraphRows:
    """Read a ``Data`` as one graph; those of a batch are its components."""
    return _rows(_edges_of_list([data], who, as_one=True), who)


def edge_index_of(data: Data, who: str) -> Tensor:
    """``data.edge_index``; what is not one graph with whole numbers in it is rejected."""
    if isinstance(data, HeteroData):
        raise InputError(f"{who} takes graphs of type Data, not HeteroData: use to_homogeneous()")
    if not isinstance(data, Data):
        raise InputError(f"{who} takes graphs of type Data, not {type(data).__name__}")
    edge_index = data.edge_index
    if edge_index is None and data.get("adj_t") is not None:
        raise InputError(
            f"{who} reads edge_index, but this graph has only adj_t: set edge_index, for example "
            "to torch.stack([col, row]) of adj_t.coo(), or leave out the transform ToSparseTensor"
        )
    if edge_index is None:
        raise InputError(
            f"{who} reads edge_index, but this graph has none: set it, without edges to "
            "torch.empty(2, 0, dtype=torch.long)"
        )
    return checked_edge_index(edge_index, who)


def checked_edge_index(edge_index: Tensor, who: str) -> Tensor:
    """``edge_index`` if it is a dense ``[2, num_edges]`` of whole numbers."""
    if not isinstance(edge_index, Tensor) or edge_index.layout != torch.strided:
        kind = "sparse tensor" if isinstance(edge_index, Tensor) else type(edge_index).__name__
        raise InputError(f"{who} takes edge_index as a dense tensor [2, num_edges], not as {kind}")
    if edge_index.dtype == torch.bool or edge_index.is_floating_point() or edge_index.is_complex():
        raise InputError(
            f"{who} needs whole numbers in edge_index, not {edge_index.dtype}: "
            "use edge_index.long() if they are nodes"
        )
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise InputError(
            f"{who} needs edge_index of shape [2, num_edges], not {list(edge_index.shape)}"
        )
    return edge_index


def checked_nodes(nodes: Tensor, num_nodes: int, name: str) -> Tensor:
    """``nodes`` if they are numbers of nodes that the graph has."""
    if nodes.numel() and not 0 <= int(nodes.min()) <= int(nodes.max()) < num_nodes:
        wrong = nodes[(nodes < 0) | (nodes >= num_nodes)].view(-1)[0]
        raise InputError(f"{name} has node {int(wrong)}, but nodes are 0..{num_nodes - 1}")
    return nodes


def _columns_of(data: Data) -> Int64:
    """The columns of an ``edge_index`` that was checked, in numbers that can be multiplied."""
    columns: Int64 = data.edge_index.cpu().numpy().astype(np.int64, copy=False)
    return columns


def graph_sizes(graphs: Graphs, who: str) -> Int64:
    """The number of nodes of each graph, without reading the edges."""
    return _edges(graphs, who).sizes


def rows_of_edges(edges: Int64, num_nodes: int) -> GraphRows:
    """One graph from its edges ``[2, m]``, each in one direction or in both, without loops."""
    source, target = np.concatenate([edges, edges[::-1]], axis=1)
    rank = np.unique(source * num_nodes + target)
    return GraphRows(
        np.array([0, num_nodes]),
        np.searchsorted(rank, np.arange(num_nodes + 1) * num_nodes),
        (rank % max(num_nodes, 1)).astype(np.int32),
        np.zeros(num_nodes, np.bool_),
    )


def undirected_edges(data: Data, who: str) -> tuple[Tensor, Tensor]:
    """Every edge ``u < v`` of an undirected graph once, without self-loops and duplicates.

    Returns the edges ``[2, m]`` in lexicographic order and, for the concatenation of these edges
    and their opposites, the position of each in ``data.edge_index`` (of a repeated edge, the first
    position). A graph that is not undirected is rejected in the name of ``who``.
    """
    graph = read_graph(data, who)
    num_nodes = max(graph.num_nodes, 1)
    source, target = _columns_of(data)
    rank, place = np.unique(source * num_nodes + target, return_index=True)
    place = place[rank // num_nodes != rank % num_nodes]  # one for each entry of the rows
    opposite = np.argsort(graph.columns * num_nodes + graph.sources)
    upper = graph.sources < graph.neighbours
    places = np.concatenate([place[upper], place[opposite][upper]])
    device = data.edge_index.device
    return torch.from_numpy(graph.edges).to(device), torch.from_numpy(places).to(device)


def per_column(
    data: Data, graph: GraphRows, values: Float64, *, of_loops: float = np.nan
) -> Tensor:
    """Spread the values of the edges ``u < v`` of ``graph`` over the columns of ``edge_index``."""
    num_nodes = graph.num_nodes
    (u, v), (source, target) = graph.edges, _columns_of(data)
    low, high = np.minimum(source, target), np.maximum(source, target)
    proper = low < high
    result = np.full(source.shape, of_loops)
    place = np.searchsorted(u * num_nodes + v, low[proper] * num_nodes + high[proper])
    result[proper] = values[place]
    return torch.from_numpy(result).to(data.edge_index.device)


def pointer(sizes: npt.ArrayLike) -> Int64:
    """Where each of some pieces begins when they stand one after the other, and where all end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class _Edges(NamedTuple):
    """Edges of graphs with ``sizes`` nodes, in segments of one ``edge_index``.

    The nodes ``0 .. limit[k] - 1`` of segment ``k``, which is ``edge_index[:, begin[k]:end[k]]``,
    are the nodes ``shift[k], ...`` of all graphs together.
    """

    sizes: Int64
    edge_index: Int64
    begin: Int64
    end: Int64
    shift: Int64
    limit: Int64


def _edges(graphs: Graphs, who: str) -> _Edges:
    if isinstance(graphs, InMemoryDataset) and _is_plain(graphs):
        return _edges_of_storage(graphs, who)
    if isinstance(graphs, Data):
        return _edges_of_list([graphs], who)
    if isinstance(graphs, (Sequence, Dataset)):
        return _edges_of_list([graphs[index] for index in range(len(graphs))], who)
    way_out = ": use to_homogeneous()" if isinstance(graphs, HeteroData) else ""
    raise InputError(
        f"{who} takes a Data, a Batch, a dataset or a list of Data, "
        f"not {type(graphs).__name__}{way_out}"
    )


def _edges_of_list(graphs: list[Any], who: str, as_one: bool = False) -> _Edges:
    """The edges of some ``Data``, each of which may be a batch of graphs."""
    sizes, edges = [np.empty(0, np.int64)], [np.empty((2, 0), np.int64)]
    for data in graphs:
        edge_index_of(data, who)
        if not as_one and data.get("ptr") is not None:
            sizes.append(np.diff(data.ptr.cpu().numpy()))
        elif not as_one and data.get("batch") is not None:
            batch = data.batch.cpu().numpy()
            if np.any(batch[1:] < batch[:-1]):
                raise InputError(f"{who} needs the nodes of a graph together: sort batch first")
            sizes.append(np.bincount(batch))
        else:
            sizes.append(np.array([data.num_nodes or 0], np.int64))
        edges.append(_columns_of(data))
    limit = np.array([piece.sum() for piece in sizes[1:]], np.int64)
    edge_ptr = pointer([piece.shape[1] for piece in edges[1:]])
    edge_index = edges[1] if len(graphs) == 1 else np.concatenate(edges, axis=1)
    return _Edges(
        np.concatenate(sizes),
        np.ascontiguousarray(edge_index),
        edge_ptr[:-1],
        edge_ptr[1:],
        pointer(limit)[:-1],
        limit,
    )


def _is_plain(dataset: InMemoryDataset) -> bool:
    """Whether the collated storage of a dataset says all there is to know about its graphs."""
    return (
        dataset.transform is None
        and type(dataset).get is InMemoryDataset.get
        and isinstance(dataset._data, Data)
        and dataset.slices is not None
        and "edge_index" in dataset.slices
        and ("_num_nodes" in dataset._data._store.__dict__ or "x" in dataset.slices)
    )


def _edges_of_storage(dataset: InMemoryDataset, who: str) -> _Edges:
    """The edges of a dataset, or of the selected part of it, as they lie in its storage."""
    data, slices = dataset._data, dataset.slices
    if "_num_nodes" in data._store.__dict__:
        sizes = np.asarray(data._store._num_nodes, dtype=np.int64)
    else:
        sizes = np.diff(slices["x"].numpy())
    selected = np.asarray(dataset.indices(), dtype=np.int64)
    sizes = sizes[selected]
    edge_ptr = slices["edge_index"].numpy()
    begin, end = edge_ptr[:-1][selected], edge_ptr[1:][selected]
    edge_index_of(data, who)
    edge_index = np.ascontiguousarray(_columns_of(data))
    return _Edges(sizes, edge_index, begin, end, pointer(sizes)[:-1], sizes)


def _sorted(edges: _Edges) -> _Edges:
    """The same edges in one segment, in ascending order and each once."""
    counts = edges.end - edges.begin
    skipped = np.repeat(edges.begin - pointer(counts)[:-1], counts)
    edge_index = edges.edge_index[:, np.arange(counts.sum()) + skipped]
    row, column = edge_index + np.repeat(edges.shift, counts)
    num_nodes = int(edges.sizes.sum())
    rank = np.unique(row * num_nodes + column)
    return _Edges(
        edges.sizes,
        np.stack([rank // num_nodes, rank % num_nodes]),
        np.array([0]),
        np.array([len(rank)]),
        np.array([0]),
        np.array([num_nodes]),
    )


def _rows(edges: _Edges, who: str) -> GraphRows:
    """The rows that some edges fill, after checking them."""
    node_ptr = pointer(edges.sizes)
    graph_start = np.repeat(node_ptr[:-1], edges.sizes)
    state, row_ptr, neighbours, loops = _read(edges, graph_start)
    if state == UNSORTED:
        state, row_ptr, neighbours, loops = _read(_sorted(edges), graph_start)
    if state == LEAVES_GRAPH:
        last = edges.sizes[0] - 1 if len(edges.sizes) == 1 else "num_nodes - 1"
        raise InputError(
            f"{who} found an edge to a node that its graph does not have: "
            f"set num_nodes so that no node of edge_index is outside 0..{last}"
        )
    rows = GraphRows(node_ptr, row_ptr, neighbours, loops)
    if not _symmetric(rows):
        raise InputError(
            f"{who} needs an undirected graph, but edge_index has edges without their opposite: "
            "apply torch_geometric.transforms.ToUndirected() first"
        )
    return rows


LEAVES_GRAPH, UNSORTED, SORTED = -1, 0, 1


@compiled
def _read(edges: _Edges, graph_start: Int64) -> tuple[int, Int64, Int32, Bool]:
    """The rows, neighbours and loops, provided that edges arrive in ascending order, each once.

    ``graph_start`` is the place of the first node of each node's graph. The first result
    is SORTED, or UNSORTED or LEAVES_GRAPH, where the others mean nothing.
    Together with :func:`_symmetric` it is 4 times faster than scipy's conversion from COO to CSR
    and the comparison with the transpose, on small and on large graphs.
    """
    num_nodes = len(graph_start)
    row_ptr, loops = np.zeros(num_nodes + 1, np.int64), np.zeros(num_nodes, np.bool_)
    num_entries = 0
    for segment in range(len(edges.begin)):
        num_entries += edges.end[segment] - edges.begin[segment]
    neighbours = np.empty(num_entries, np.int32)
    state = SORTED
    written = 0
    last_row, last_column = np.int64(-1), np.int64(-1)
    for segment in range(len(edges.begin)):
        limit, shift = edges.limit[segment], edges.shift[segment]
        for entry in range(edges.begin[segment], edges.end[segment]):
            row, column = edges.edge_index[0, entry], edges.edge_index[1, entry]
            if min(row, column) < 0 or max(row, column) >= limit:
                return LEAVES_GRAPH, row_ptr, neighbours, loops
            row += shift
            column += shift
            if graph_start[row] != graph_start[column]:
                return LEAVES_GRAPH, row_ptr, neighbours, loops
            if row < last_row or (row == last_row and column <= last_column):
                state = UNSORTED
            last_row, last_column = row, column
            if row == column:
                loops[row] = True
            else:
                row_ptr[row + 1] += 1
                neighbours[written] = column - graph_start[row]
                written += 1
    for node in range(num_nodes):
        row_ptr[node + 1] += row_ptr[node]
    return state, row_ptr, neighbours[:written], loops


@compiled
def _symmetric(graphs: GraphRows) -> bool:
    """Whether a walk over the sorted rows meets, in every column, the entries of its row."""
    row_ptr, neighbours = graphs.row_ptr, graphs.neighbours
    place = row_ptr.copy()
    for graph in range(len(graphs.node_ptr) - 1):
        start = graphs.node_ptr[graph]
        for node in range(graphs.node_ptr[graph + 1] - start):
            for entry in range(row_ptr[start + node], row_ptr[start + node + 1]):
                column = start + neighbours[entry]
                mirror = place[column]
                if mirror >= row_ptr[column + 1] or neighbours[mirror] != node:
                    return False
                place[column] = mirror + 1
    return True
