"""Reading a graph of one's own: an edge list, GraphML, or a saved PyG ``Data``.

Every reader gives an undirected graph without self-loops and duplicates as PyG's ``Data``, with

- ``x``: the features of the file, or the feature 1 at every node where it has none;
- ``node_names``: what the file calls the nodes, in their order.

A file that cannot be read gets one sentence that names the line.
"""

from __future__ import annotations

import math
import os
import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn
from xml.parsers import expat

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops, to_undirected

from panda_gnn.datasets.safe import load_tensors
from panda_gnn.errors import InputError, choose

#: A file may claim so many nodes without a row of features for each.
GREATEST_BARE_SIZE = 10**7

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
    """Read a text file with one edge, two names of nodes, in each line.

    Names are separated by spaces, tabs, semicolons or commas, the same in all lines. A line with
    one name is a node without edges. A third column must be a number, the weight of the edge, and
    is not kept: the diagnostics count hops. Empty lines and what follows ``#`` or ``%`` are
    skipped, and so is a first line with names of columns (``source,target``, or words above
    numbers), which may also say in which of several columns the nodes are. If all names are whole
    numbers, nodes stand in their order; otherwise in the order of the file.
    """
    lines = _lines(path)
    rows = [
        (number, fields) for number, line in enumerate(lines, start=1) if (fields := _fields(line))
    ]
    columns = _columns(rows)
    if columns is not None:
        header, *rows = rows
        if not rows:
            _refuse(path, header[0], "the file has a line with names of columns and no edge")
    edges: list[tuple[str, str]] = []
    names: dict[str, None] = {}
    for number, all_fields in rows:
        fields = all_fields
        if columns is not None and len(fields) > 1:
            if len(fields) <= max(columns):
                _refuse(path, number, f"expected {len(header[1])} columns, got {len(fields)}")
            fields = [fields[column] for column in columns]
        if len(fields) > 3 or "" in fields or (len(fields) == 3 and not _is_number(fields[2])):
            line = _cut(lines[number - 1])
            _refuse(path, number, f"expected 'node node' or 'node node weight', got '{line}'")
        names.update(dict.fromkeys(fields[:2]))
        if len(fields) > 1:
            edges.append((fields[0], fields[1]))
    if not names:
        _refuse(path, 1, "the file names no node")
    ordered = list(names)
    if all(name.isdecimal() for name in ordered):
        ordered.sort(key=lambda name: (int(name), name))
    return _graph(ordered, edges, None)


#: What the columns of sources and targets are called.
_ENDS = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("u", "v"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id1", "id2"),
    ("id_1", "id_2"),
    ("fromnodeid", "tonodeid"),
)


def _fields(line: str) -> list[str]:
    """The fields of a line without its comment."""
    text = line.split("#")[0].split("%")[0].strip()
    for mark in (",", ";", "\t"):
        if mark in text:
            return [field.strip().strip('"') for field in text.split(mark)]
    return text.split()


def _columns(rows: Sequence[tuple[int, list[str]]]) -> list[int] | None:
    """Where source, target and weight are, if the first row has names of columns."""
    if not rows:
        return None
    first = [field.lower() for field in rows[0][1]]
    for source, target in _ENDS:
        if source in first and target in first:
            weight = [first.index("weight")] if "weight" in first else []
            return [first.index(source), first.index(target), *weight]
    below = [fields for _, fields in rows[1:] if len(fields) > 1]
    words_above_numbers = (
        1 < len(first) < 4
        and bool(below)
        and not any(_is_number(field) for field in first)
        and all(_is_number(field) for fields in below for field in fields[:2])
    )
    return list(range(len(first))) if words_above_numbers else None


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
        _refuse(path, error.lineno, f"not well-formed XML ({expat.ErrorString(error.code)})")
    return reader.graph()


def read_data(path: Path) -> Data:
    """Read a ``Data`` saved with ``torch.save``; nothing in the file is executed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = load_tensors(path)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        raise InputError(
            f"'{path}' is not a graph saved with torch.save(data, file), or holds more than "
            "tensors and PyG's own classes"
        ) from error
    if not isinstance(data, Data) or not isinstance(data.get("edge_index"), Tensor):
        raise InputError(
            f"'{path}' holds a {type(data).__name__}, not a Data of torch_geometric with edge_index"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyG would rather be told the number than count
        num_nodes, edge_index = int(data.num_nodes or 0), data.edge_index
    fits = edge_index.dim() == 2 and edge_index.size(0) == 2 and not edge_index.is_floating_point()
    if num_nodes == 0 or not fits:
        raise InputError(
            f"'{path}' holds a graph without nodes, or edge_index is not [2, num_edges]"
        )
    if edge_index.numel() and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < num_nodes:
        raise InputError(f"'{path}' has an edge to a node outside 0..{num_nodes - 1}")
    x = data.get("x")
    if x is not None and (not isinstance(x, Tensor) or x.size(0) != num_nodes):
        raise InputError(f"'{path}' has features x that are not one row for each node")
    if x is None and num_nodes > GREATEST_BARE_SIZE:
        raise InputError(
            f"'{path}' says num_nodes={num_nodes}, but has no features: without a row of x for "
            f"each node at most {GREATEST_BARE_SIZE} nodes are accepted"
        )
    names = [str(node) for node in range(num_nodes)]
    return _of_index(names, edge_index.long(), None if x is None else x.float().view(num_nodes, -1))


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
        self.nodes: dict[str, dict[str, float]] = {}
        self.edges: list[tuple[str, str, int]] = []
        self.node: str | None = None
        self.key: str | None = None
        self.value = ""

    def refuse(self, problem: str) -> NoReturn:
        _refuse(self.path, self.parser.CurrentLineNumber, problem)

    def doctype(self, *_: object) -> None:
        self.refuse("a document type definition is not accepted")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not self.keys and not self.nodes and name in ("html", "gexf", "svg"):
            self.refuse(f"expected GraphML, got <{name}>")
        if name == "key" and attributes.get("for") == "node":
            self.keys[attributes.get("id", "")] = attributes.get("attr.type", "string")
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
            self.key = None

    def number(self, value: str) -> float:
        if value.lower() in ("true", "false"):
            return float(value.lower() == "true")
        if not _is_number(value):
            self.refuse(f"expected a number, got '{_cut(value)}'")
        return float(value)

    def graph(self) -> Data:
        if not self.nodes:
            _refuse(self.path, self.parser.CurrentLineNumber, "the file has no node")
        for source, target, line in self.edges:
            for end in (source, target):
                if end not in self.nodes:
                    _refuse(self.path, line, f"the edge ends at '{end}', which is no node")
        everywhere = [key for key in self.keys if all(key in of for of in self.nodes.values())]
        rows = [[of[key] for key in everywhere] for of in self.nodes.values()]
        x = torch.tensor(rows) if everywhere else None
        return _graph(list(self.nodes), [(source, target) for source, target, _ in self.edges], x)


def _graph(names: list[str], edges: Sequence[tuple[str, str]], x: Tensor | None) -> Data:
    position = {name: node for node, name in enumerate(names)}
    pairs = [(position[source], position[target]) for source, target in edges]
    return _of_index(
        [printable(name) for name in names],
        torch.tensor(pairs, dtype=torch.long).view(-1, 2).t(),
        x,
    )


def printable(name: str) -> str:
    """``name`` with a replacement character for whatever a terminal or a page could obey."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)


def _of_index(names: list[str], edge_index: Tensor, x: Tensor | None) -> Data:
    num_nodes = len(names)
    edge_index, _ = remove_self_loops(edge_index)
    edge_index = to_undirected(edge_index.contiguous(), num_nodes=num_nodes)
    x = torch.ones(num_nodes, 1) if x is None or x.size(1) == 0 else x
    return Data(x=x, edge_index=edge_index, num_nodes=num_nodes, node_names=names)


def _lines(path: Path) -> list[str]:
    content = path.read_bytes()
    try:
        return content.decode().removeprefix("\ufeff").split("\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        _refuse(path, line, "expected text in UTF-8, got other bytes")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."


def _refuse(path: Path, line: int, problem: str) -> NoReturn:
    raise InputError(f"'{path}', line {line}: {problem}")
