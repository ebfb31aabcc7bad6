"""Reading a graph of one's own: an edge list, GraphML, or a saved PyG ``Data``.

Every reader gives an undirected graph without self-loops and duplicates as PyG's ``Data``, with

- ``x``: the features of the file, or the feature 1 at every node where it has none;
- ``y``: the attribute ``y``, ``label``, ``class`` or ``target`` of the nodes of a GraphML file;
- ``node_names``: what the file calls the nodes, in their order.

A file that cannot be read gets one sentence that names the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn
from xml.parsers import expat

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.datasets.checked import MASKS, checked_graphs
from panda_gnn.datasets.saved_graphs import read_saved_graphs
from panda_gnn.datasets.tables import cut, is_number, read_edges, refuse
from panda_gnn.errors import InputError, choose, within

LABELS = ("y", "label", "class", "target")
"""What a column or an attribute with the target of a node or graph is called."""


_NUMBERS = ("int", "long", "float", "double", "boolean")


def read_graph(path: str | os.PathLike[str]) -> Data:
    """Read the graph in a file, by the ending of its name.

    ==========================================  ============================================
    ``.txt``, ``.edges``, ``.edgelist``,        :func:`read_edge_list`
    ``.csv``, ``.tsv``
    ``.graphml``, ``.xml``                      :func:`read_graphml`
    ``.pt``                                     :func:`read_data`
    ==========================================  ============================================
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file '{file}'")
    if file.suffix.lower() not in READERS:
        choose("kind of graph file", file.suffix or file.name, READERS)
    try:
        return READERS[file.suffix.lower()](file)
    except OSError as error:
        raise InputError(f"the file '{file}' cannot be read ({error.strerror})") from error


def read_edge_list(path: Path) -> Data:
    """Read a text file with one edge in each line, as :func:`~panda_gnn.datasets.tables.read_edges`
    does. Weights are not kept: the diagnostics count hops."""
    listed = read_edges(path)
    return graph_of_names(listed.names, listed.edges)


def read_graphml(path: Path) -> Data:
    """Read a GraphML file. Numbers and truth values that every node has become its features."""
    reader = _GraphML(path)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.doctype
    reader.parser = parser
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        refuse(path, error.lineno, f"not well-formed XML ({expat.ErrorString(error.code)})")
    return reader.graph()


def read_data(path: Path) -> Data:
    """Read a ``Data`` saved with ``torch.save``; nothing in the file is executed."""
    graphs = read_saved_graphs(path)
    if len(graphs) > 1:
        raise InputError(f"'{path}' holds {len(graphs)} graphs, not a single Data")
    x = graphs[0].get("x")
    if x is not None and not isinstance(x, Tensor):
        raise InputError(f"'{path}' has features x that are not one row for each node")
    if x is not None and x.dim() == 2 and x.size(1) == 0:
        graphs[0].x = None
    with within(f"'{path}'"):
        (data,) = checked_graphs(graphs)
    names = [str(node) for node in range(int(data.num_nodes or 0))]
    return _of_index(names, data.edge_index, data.x)


READERS: Mapping[str, Callable[[Path], Data]] = MappingProxyType(
    {
        ".txt": read_edge_list,
        ".edges": read_edge_list,
        ".edgelist": read_edge_list,
        ".csv": read_edge_list,
        ".tsv": read_edge_list,
        ".graphml": read_graphml,
        ".xml": read_graphml,
        ".pt": read_data,
    }
)
"""The reader of each ending."""


class _GraphML:
    """What has been read of a GraphML file so far."""

    parser: expat.XMLParserType

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.directed = False
        self.nodes: dict[str, dict[str, float | str]] = {}
        self.edges: list[tuple[str, str, int]] = []
        self.node: str | None = None
        self.key: str | None = None
        self.value = ""

    def refuse(self, problem: str) -> NoReturn:
        refuse(self.path, self.parser.CurrentLineNumber, problem)

    def doctype(self, *_: object) -> None:
        self.refuse("a document type definition is not accepted")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not self.keys and not self.nodes and name in ("html", "gexf", "svg"):
            self.refuse(f"expected GraphML, got <{name}>")
        if name == "key" and attributes.get("for") == "node":
            key = attributes.get("id", "")
            self.keys[key] = attributes.get("attr.type", "string")
            self.names[key] = attributes.get("attr.name", key)
        elif name == "graph":
            self.directed = attributes.get("edgedefault") == "directed"
        elif name == "node":
            self.node = attributes.get("id")
            if self.node is None or self.node in self.nodes:
                self.refuse(f"a node needs an id of its own, got {self.node!r}")
            self.nodes[self.node] = {}
        elif name == "edge":
            source, target = attributes.get("source"), attributes.get("target")
            if source is None or target is None:
                self.refuse("an edge needs a source and a target")
            self.edges.append((source, target, self.parser.CurrentLineNumber))
        elif name == "data" and self.node is not None:
            self.key, self.value = attributes.get("key", ""), ""

    def text(self, text: str) -> None:
        if self.key is not None:
            self.value += text

    def end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name == "node":
            self.node = None
        elif name == "data" and self.node is not None and self.key is not None:
            if self.keys.get(self.key, "string") in _NUMBERS:
                self.nodes[self.node][self.key] = self.number(self.value.strip())
            elif self.names.get(self.key, "").lower() in LABELS and self.value.strip():
                self.nodes[self.node][self.key] = self.value.strip()
            self.key = None

    def number(self, value: str) -> float:
        if value.lower() in ("true", "false"):
            return float(value.lower() == "true")
        if not is_number(value):
            self.refuse(f"expected a number, got '{cut(value)}'")
        return float(value)

    def graph(self) -> Data:
        if not self.nodes:
            refuse(self.path, self.parser.CurrentLineNumber, "the file has no node")
        for source, target, line in self.edges:
            for end in (source, target):
                if end not in self.nodes:
                    refuse(self.path, line, f"the edge ends at '{end}', which is no node")
        everywhere = [key for key in self.keys if all(key in of for of in self.nodes.values())]
        label = next((key for key in everywhere if self.names[key].lower() in LABELS), None)
        of_numbers = [key for key in everywhere if key != label and self.keys[key] in _NUMBERS]
        masks = [key for key in of_numbers if self.names[key] in MASKS]
        of_numbers = [key for key in of_numbers if key not in masks]
        rows = [[of[key] for key in of_numbers] for of in self.nodes.values()]
        x = torch.tensor(rows) if of_numbers else None
        edges = [(source, target) for source, target, _ in self.edges]
        data = graph_of_names(list(self.nodes), edges, x)
        if label is not None:
            set_targets(data, [str(of[label]) for of in self.nodes.values()])
        set_masks(data, {self.names[key]: [of[key] for of in self.nodes.values()] for key in masks})
        if x is None:
            data.was_bare = True
        if self.directed:
            data.was_directed = True
        return data


def graph_of_names(
    names: list[str],
    edges: Sequence[tuple[str, str]],
    x: Tensor | None = None,
    weights: Sequence[float] | None = None,
) -> Data:
    """The undirected graph with these nodes and edges, by their names."""
    position = {name: node for node, name in enumerate(names)}
    pairs = [(position[source], position[target]) for source, target in edges]
    return _of_index(
        [printable(name) for name in names],
        torch.tensor(pairs, dtype=torch.long).view(-1, 2).t(),
        x,
        None if weights is None else torch.tensor(weights),
    )


def printable(name: str) -> str:
    """``name`` with a replacement character for whatever a terminal or a page could obey."""
    if name.isprintable():
        return name
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)


def _of_index(
    names: list[str], edge_index: Tensor, x: Tensor | None, weights: Tensor | None = None
) -> Data:
    num_nodes = len(names)
    x = torch.ones(num_nodes, 1) if x is None or x.size(1) == 0 else x
    values = {} if weights is None else {"edge_weight": weights}
    edge_index, values = simple_edges(edge_index, values, num_nodes)
    return Data(x=x, edge_index=edge_index, num_nodes=num_nodes, node_names=names, **values)


def as_targets(values: Sequence[str]) -> Tensor:
    """Targets that are written as text: whole numbers, real numbers, or words as classes in
    alphabetical order."""
    if all(is_number(value) for value in values):
        numbers = torch.tensor([float(value) for value in values], dtype=torch.float64)
        return numbers.long() if bool((numbers == numbers.round()).all()) else numbers.float()
    classes = {word: number for number, word in enumerate(sorted(set(values)))}
    return torch.tensor([classes[value] for value in values])


def set_targets(data: Data, values: Sequence[str]) -> None:
    """Give a graph targets that are written as text; words are kept as ``label_names``."""
    data.y = as_targets(values)
    if (words := label_words(values)) is not None:
        data.label_names = words


def label_words(values: Sequence[str]) -> list[str] | None:
    """The different labels in alphabetical order, if they are words."""
    return None if all(is_number(value) for value in values) else sorted(set(values))


def set_masks(data: Data, masks: Mapping[str, Sequence[float | str]]) -> None:
    """Give a graph the masks that its nodes say, all three or none."""
    for name in MASKS if masks else ():
        if name not in masks:
            raise InputError(f"the nodes have {', '.join(masks)} and no {name}: give all or none")
        for node, value in enumerate(masks[name]):
            if value not in (0, 1):
                raise InputError(f"{name} of node {node} is {value}: it must be 0 or 1")
        data[name] = torch.tensor([value == 1 for value in masks[name]])


def simple_edges(
    edge_index: Tensor, values: Mapping[str, Tensor], num_nodes: int
) -> tuple[Tensor, dict[str, Tensor]]:
    """Both directions of every edge, once and without self-loops; an edge that is there several
    times has the mean of its weights and features."""
    proper = edge_index[0] != edge_index[1]
    edge_index, kept = to_undirected(
        edge_index[:, proper].contiguous(),
        [value[proper] for value in values.values()],
        num_nodes,
        reduce="mean",
    )
    return edge_index, dict(zip(values, kept, strict=True))
