"""Reading a graph of one's own: an edge list, GraphML, or a saved PyG ``Data``.

Every reader gives an undirected graph without self-loops and duplicates as PyG's ``Data``, with

- ``x``: the features of the file, or the feature 1 at every node where it has none (which
  :func:`read_graphml` leaves to :func:`read_graph`);
- ``y``: the attribute ``y``, ``label``, ``class`` or ``target`` of the nodes of a GraphML file;
- ``edge_weight``: the attribute ``weight`` of its edges;
- ``node_names``: what the file calls the nodes, in their order.

A file that cannot be read gets one sentence that names the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, NoReturn
from xml.parsers import expat

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.datasets.checked import MASKS, checked_graphs
from panda_gnn.datasets.saved_graphs import read_saved_graphs
from panda_gnn.datasets.tables import (
    as_number,
    cut,
    is_number,
    read_edges,
    refuse,
    says_no_number,
)
from panda_gnn.errors import InputError, choose, within

LABELS = ("y", "label", "class", "target")
"""What a column or an attribute with the target of a node or graph is called."""


RefuseAt = Callable[[int, str], NoReturn]
"""Raises the sentence that says what is wrong at which place of a list."""

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
        data = READERS[file.suffix.lower()](file)
    except OSError as error:
        raise InputError(f"the file '{file}' cannot be read ({error.strerror})") from error
    if "x" not in data:
        data.x = torch.ones(int(data.num_nodes or 0), 1)
    return data


def read_edge_list(path: Path) -> Data:
    """Read a text file with one edge in each line, as :func:`~panda_gnn.datasets.tables.read_edges`
    does. Weights are not kept: the diagnostics count hops."""
    listed = read_edges(path)
    return graph_of_names(listed.names, listed.edges)


def read_graphml(path: Path) -> Data:
    """Read a GraphML file. Numbers and truth values that every node has, by default or of its own,
    become its features; where there are none, there is no ``x``."""
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


class _Key(NamedTuple):
    """What a GraphML file says of values: their name, type, and whether nodes or edges have them
    (``node``, ``edge`` or ``all``)."""

    name: str
    kind: str
    of: str


class _Edge(NamedTuple):
    source: str
    target: str
    line: int
    values: dict[str, float | str]


class _GraphML:
    """What has been read of a GraphML file so far."""

    parser: expat.XMLParserType

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys: dict[str, _Key] = {}
        self.defaults: dict[str, dict[str, float | str]] = {"node": {}, "edge": {}}
        self.directed = False
        self.nodes: dict[str, dict[str, float | str]] = {}
        self.lines: list[int] = []
        self.edges: list[_Edge] = []
        self.of = ""
        self.values: dict[str, float | str] = {}
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
        if name == "key":
            self.key, self.value = attributes.get("id", ""), ""
            self.keys[self.key] = _Key(
                attributes.get("attr.name", self.key),
                attributes.get("attr.type", "string"),
                attributes.get("for", "all"),
            )
        elif name == "default":
            self.value = ""
        elif name == "graph":
            self.directed = attributes.get("edgedefault") == "directed"
        elif name == "node":
            node = attributes.get("id")
            if node is None or node in self.nodes:
                self.refuse(f"a node needs an id of its own, got {node!r}")
            self.of, self.values = name, {}
            self.nodes[node] = self.values
            self.lines.append(self.parser.CurrentLineNumber)
        elif name == "edge":
            source, target = attributes.get("source"), attributes.get("target")
            if source is None or target is None:
                self.refuse("an edge needs a source and a target")
            self.of, self.values = name, {}
            self.edges.append(_Edge(source, target, self.parser.CurrentLineNumber, self.values))
        elif name == "data" and self.of:
            self.key, self.value = attributes.get("key", ""), ""

    def text(self, text: str) -> None:
        if self.key is not None:
            self.value += text

    def end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name == "default" and self.value.strip():
            for of, values in self.defaults.items():
                self.read(of, values)
        elif name == "data" and self.of:
            self.read(self.of, self.values)
        if name in ("node", "edge"):
            self.of = ""
        elif name in ("key", "data"):
            self.key = None

    def read(self, of: str, values: dict[str, float | str]) -> None:
        """Add the value that has just ended to those of a node or edge, if it is of use."""
        key, value = self.keys.get(self.key or ""), self.value.strip()
        if key is None or key.of not in (of, "all") or (of == "edge" and key.name != "weight"):
            return
        if key.kind in _NUMBERS:
            values[key.name] = self.number(value)
        elif key.name.lower() in LABELS and value:
            values[key.name] = value

    def number(self, value: str) -> float:
        if value.lower() in ("true", "false"):
            return float(value.lower() == "true")
        if not is_number(value):
            self.refuse(f"expected a number, got '{cut(value)}'")
        return as_number(value)

    def refuse_node(self, place: int, problem: str) -> NoReturn:
        refuse(self.path, self.lines[place], problem)

    def graph(self) -> Data:
        if not self.nodes:
            refuse(self.path, self.parser.CurrentLineNumber, "the file has no node")
        for edge in self.edges:
            for end in (edge.source, edge.target):
                if end not in self.nodes:
                    refuse(self.path, edge.line, f"the edge ends at '{end}', which is no node")
        nodes = [self.defaults["node"] | values for values in self.nodes.values()]
        names = dict.fromkeys(key.name for key in self.keys.values())
        everywhere = [name for name in names if all(name in values for values in nodes)]
        label = next((name for name in everywhere if name.lower() in LABELS), None)
        of_numbers = [
            name
            for name in everywhere
            if name != label and not any(isinstance(values[name], str) for values in nodes)
        ]
        masks = [name for name in of_numbers if name in MASKS]
        of_numbers = [name for name in of_numbers if name not in masks]
        x = torch.tensor([[float(values[name]) for name in of_numbers] for values in nodes])
        edges = [(edge.source, edge.target) for edge in self.edges]
        data = graph_of_names(list(self.nodes), edges, x, self.weights())
        if not of_numbers:
            del data.x
        if label is not None:
            set_targets(data, [str(values[label]) for values in nodes], self.refuse_node)
        set_masks(data, {name: [values[name] for values in nodes] for name in masks})
        if self.directed:
            data.was_directed = True
        return data

    def weights(self) -> list[float] | None:
        """The weights of the edges, if they have any."""
        usual = self.defaults["edge"].get("weight")
        values = [edge.values.get("weight", usual) for edge in self.edges]
        weights = [float(value) for value in values if value is not None]
        if weights and len(weights) < len(values):
            line = self.edges[values.index(None)].line
            refuse(self.path, line, "the edge has no weight and others have: give all of them one")
        return weights or None


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


def as_targets(values: Sequence[str], refuse_at: RefuseAt) -> Tensor:
    """Targets that are written as text: whole numbers, real numbers, or words as classes in
    alphabetical order.

    Args:
        values: The targets.
        refuse_at: Gets the place of a target that is refused, and why.
    """
    words = label_words(values)
    if words is None:
        return _as_numbers(values, refuse_at)
    if any(is_number(value) for value in values):
        for place, value in enumerate(values):
            if says_no_number(value):
                problem = f"the target is '{cut(value)}' and others are numbers: give a number"
                refuse_at(place, problem)
    classes = {word: number for number, word in enumerate(words)}
    return torch.tensor([classes[value] for value in values])


def _as_numbers(values: Sequence[str], refuse_at: RefuseAt) -> Tensor:
    numbers = [as_number(value) for value in values]
    if any(number != int(number) for number in numbers):
        return torch.tensor([float(number) for number in numbers], dtype=torch.float64).float()
    for place, number in enumerate(numbers):
        if not -(2**63) <= number < 2**63:
            problem = f"the target {cut(values[place])} does not fit into 64 bits"
            refuse_at(place, f"{problem}: give a smaller number or a word")
    return torch.tensor([int(number) for number in numbers])


def set_targets(data: Data, values: Sequence[str], refuse_at: RefuseAt) -> None:
    """Give a graph targets that are written as text; words are kept as ``label_names``."""
    data.y = as_targets(values, refuse_at)
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
