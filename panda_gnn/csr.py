"""Many undirected graphs side by side in compressed sparse rows.

Compiled kernels want the neighbours of a node in one piece of memory. A :class:`BlockCSR` is the
adjacency matrix of the disjoint union of some graphs: block-diagonal, one block per graph, with
column numbers that start at zero in every block. A dataset is read from its collated storage,
without one :class:`~torch_geometric.data.Data` object per graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from torch_geometric.data import Data, Dataset, InMemoryDataset

from panda_gnn.errors import InputError
from panda_gnn.graphs import directed

Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
Graphs: TypeAlias = "Data | Dataset | Sequence[Data]"


@dataclass(frozen=True)
class BlockCSR:
    """The simple undirected graphs ``0 .. num_graphs - 1``, block by block.

    Node ``v`` of graph ``g`` stands at ``p = node_ptr[g] + v``; its neighbours, as numbers inside
    the graph and in ascending order, are ``neighbours[row_ptr[p] : row_ptr[p + 1]]``. Repeated
    entries of ``edge_index`` count once; self-loops are kept apart, as a flag per node.
    """

    node_ptr: Int64
    row_ptr: Int64
    neighbours: Int32
    loops: npt.NDArray[np.bool_]

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

    def graphs(self, first: int, last: int) -> BlockCSR:
        """The graphs ``first .. last - 1`` alone; the neighbours are shared, not copied."""
        start, stop = self.node_ptr[first], self.node_ptr[last]
        rows = self.row_ptr[start : stop + 1]
        return BlockCSR(
            self.node_ptr[first : last + 1] - start,
            rows - rows[0],
            self.neighbours[rows[0] : rows[-1]],
            self.loops[start:stop],
        )

    def pieces(self, cost: npt.NDArray[np.float64], count: int) -> Iterator[tuple[int, int]]:
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


def block_csr(graphs: Graphs, who: str = "block_csr") -> BlockCSR:
    """Read a ``Data``, a ``Batch``, a dataset or a list of ``Data`` into one :class:`BlockCSR`.

    Graphs that are not undirected are refused in the name of ``who``. Edges that are sorted
    already, as PyG's datasets keep them, are read and checked in two passes.
    """
    from panda_gnn.centrality.compiled import compiled

    rows = compiled("rows")
    edges = _edges(graphs, who)
    node_ptr = pointer(edges.sizes)
    graph_start = np.repeat(node_ptr[:-1], edges.sizes)
    state = None
    while state != rows.SORTED:
        degree = np.zeros(len(graph_start), np.int64)
        neighbours = np.empty(int((edges.end - edges.begin).sum()), np.int32)
        loops = np.zeros(len(graph_start), np.bool_)
        state = rows.read(*edges.segments, graph_start, degree, neighbours, loops)
        if state == rows.LEAVES_GRAPH:
            raise InputError(
                f"{who} found an edge to a node that its graph does not have: "
                "edge_index must stay within 0..num_nodes - 1"
            )
        if state == rows.UNSORTED:
            edges = _sorted(edges)
    row_ptr = pointer(degree)
    csr = BlockCSR(node_ptr, row_ptr, neighbours[: row_ptr[-1]], loops)
    if not rows.symmetric(csr.node_ptr, csr.row_ptr, csr.neighbours):
        raise directed(who)
    return csr


def pointer(sizes: npt.ArrayLike) -> Int64:
    """Where each of some pieces begins when they stand one after the other, and where all end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@dataclass(frozen=True)
class _Edges:
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

    @property
    def segments(self) -> tuple[Int64, ...]:
        return self.edge_index, self.begin, self.end, self.shift, self.limit


def _edges(graphs: Graphs, who: str) -> _Edges:
    if isinstance(graphs, InMemoryDataset) and _is_plain(graphs):
        return _edges_of_storage(graphs)
    if isinstance(graphs, Data):
        return _edges_of_list([graphs], who)
    if isinstance(graphs, (Sequence, Dataset)):
        return _edges_of_list([graphs[index] for index in range(len(graphs))], who)
    raise InputError(
        f"{who} takes a Data, a Batch, a dataset or a list of Data, not {type(graphs).__name__}"
    )


def _edges_of_list(graphs: list[Any], who: str) -> _Edges:
    """The edges of some ``Data``, each of which may be a batch of graphs."""
    sizes, edges = [np.empty(0, np.int64)], [np.empty((2, 0), np.int64)]
    for data in graphs:
        if not isinstance(data, Data):
            raise InputError(f"{who} takes graphs of type Data, not {type(data).__name__}")
        if data.get("ptr") is not None:
            sizes.append(np.diff(data.ptr.cpu().numpy()))
        elif data.get("batch") is not None:
            batch = data.batch.cpu().numpy()
            if np.any(batch[1:] < batch[:-1]):
                raise InputError(f"{who} needs the nodes of a graph together: sort batch first")
            sizes.append(np.bincount(batch))
        else:
            sizes.append(np.array([data.num_nodes or 0], np.int64))
        if data.edge_index is not None:
            edges.append(data.edge_index.cpu().numpy().astype(np.int64, copy=False))
        elif "adj_t" in data:
            raise InputError(f"{who} reads edge_index, but this graph has only adj_t")
        else:
            edges.append(edges[0])
    limit = np.array([piece.sum() for piece in sizes[1:]], np.int64)
    edge_ptr = pointer([piece.shape[1] for piece in edges[1:]])
    edge_index = edges[1] if len(graphs) == 1 else np.concatenate(edges, axis=1)
    return _Edges(
        np.concatenate(sizes), edge_index, edge_ptr[:-1], edge_ptr[1:], pointer(limit)[:-1], limit
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


def _edges_of_storage(dataset: InMemoryDataset) -> _Edges:
    """The edges of a dataset, or of the chosen part of it, as they lie in its storage."""
    data, slices = dataset._data, dataset.slices
    if "_num_nodes" in data._store.__dict__:
        sizes = np.asarray(data._store._num_nodes, dtype=np.int64)
    else:
        sizes = np.diff(slices["x"].numpy())
    chosen = np.asarray(dataset.indices(), dtype=np.int64)
    sizes = sizes[chosen]
    edge_ptr = slices["edge_index"].numpy()
    begin, end = edge_ptr[:-1][chosen], edge_ptr[1:][chosen]
    return _Edges(sizes, data.edge_index.cpu().numpy(), begin, end, pointer(sizes)[:-1], sizes)


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
