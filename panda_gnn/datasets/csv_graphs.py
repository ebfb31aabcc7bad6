"""Graphs in text files with columns: one graph with a table of its nodes, or a folder of graphs.

One graph is an edge list. A table of its nodes may stand beside it: for ``roads.csv`` that is
``roads.nodes.csv``, ``roads_nodes.csv`` or ``nodes.csv`` (or another ending of a text file). Its
first line names the columns: one with the nodes (``id``, ``node``, ``name``, or else the first),
one with targets (``y``, ``label``, ``class`` or ``target``), one called ``split`` with ``train``,
``val`` or ``test`` (or three called ``train_mask``, ``val_mask`` and ``test_mask`` with 0 and 1);
all others are features and hold numbers.

A folder of graphs has an edge list for each, with or without a table of nodes, and ``labels.csv``:
one column with the names of the graphs (``graph``, ``file``, ``name``, ``id``, or else the first),
and one with labels, or several with numbers. Graphs to predict need no labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.datasets.checked import MASKS
from panda_gnn.datasets.files import (
    LABELS,
    as_targets,
    graph_of_names,
    label_words,
    set_masks,
)
from panda_gnn.datasets.tables import Line, cut, is_number, read_columns, read_edges, refuse
from panda_gnn.errors import InputError

SUFFIXES = (".csv", ".tsv", ".txt", ".edges", ".edgelist")
LABEL_TABLES = tuple(f"{stem}{suffix}" for stem in ("labels", "graphs") for suffix in SUFFIXES[:3])
SPLIT_WORDS = {"train": 0, "val": 1, "valid": 1, "validation": 1, "test": 2}


def read_csv_graph(path: Path, columns: Mapping[str, str] | None = None) -> Data:
    """Read an edge list and the table of nodes beside it, if there is one.

    Args:
        path: The edge list.
        columns: Which columns are ``source``, ``target`` and ``weight``, by name or number from 1.
    """
    return _graph(path, columns or {}, table_of_nodes(path))


def table_of_nodes(path: Path) -> Path | None:
    """The table of nodes beside an edge list that is a dataset by itself."""
    nodes = _nodes_of(path)
    if nodes is None and path.stem != "nodes":
        nodes = _first(path.with_name(f"nodes{suffix}") for suffix in (path.suffix, *SUFFIXES))
    return nodes


def is_csv_folder(folder: Path) -> bool:
    """Whether a folder has a table of labels, as a folder of graphs does."""
    return any((folder / name).is_file() for name in LABEL_TABLES)


def read_csv_folder(folder: Path) -> list[Data]:
    """Read a folder of graphs, in the order of its table of labels."""
    table = next(folder / name for name in LABEL_TABLES if (folder / name).is_file())
    header, rows = read_columns(table)
    name_at = _column_of(header, ("graph", "file", "name", "id")) or 0
    label_at = _column_of(header, LABELS)
    others = [i for i in range(len(header.fields)) if i != name_at]
    if not others:
        refuse(table, header.number, "expected a column with labels beside the names of graphs")
    targets = _targets(table, header, rows, [label_at] if label_at is not None else others)
    files = [_file_of(folder, table, row, name_at) for row in rows]
    _refuse_twice(table, rows, [f"graph {file.name}" for file in files])
    listed = {*files, table, *(nodes for file in files if (nodes := _nodes_of(file)) is not None)}
    stray = sorted(set(_edge_lists(folder)) - listed)
    if stray:
        raise InputError(f"'{table}' has no label for the graph {stray[0].name}: add a line")
    words_at = others[0] if label_at is None else label_at
    graphs = []
    for file, y in zip(files, targets, strict=True):
        data = _of_folder(file)
        data.y = y.view(1, -1) if y.is_floating_point() else y.view(1)
        data.label_names = label_words([row.fields[words_at] for row in rows])
        graphs.append(data)
    return graphs


def read_unlabelled_folder(folder: Path) -> list[Data]:
    """Read a folder of graphs without a table of labels, in the order of their names."""
    files = sorted(_edge_lists(folder))
    tables = {_nodes_of(file) for file in files}
    graphs = [file for file in files if file not in tables]
    if not graphs:
        raise InputError(f"the folder '{folder}' holds no edge list: give one for each graph")
    for file in graphs:
        if re.search(r"(^|[._])nodes$", file.stem):
            raise InputError(
                f"'{file}' is a table of nodes of no edge list: call that of one.csv one.nodes.csv"
            )
    return [_of_folder(file) for file in graphs]


def _of_folder(file: Path) -> Data:
    data = _graph(file, {}, _nodes_of(file))
    data.graph_name = file.name
    return data


def _refuse_twice(
    path: Path, rows: Sequence[Line], printed: Sequence[str], names: Sequence[str] = ()
) -> None:
    """Reject a table in which a row has the name of an earlier one."""
    seen: set[str] = set()
    for row, name, what in zip(rows, names or printed, printed, strict=True):
        if name in seen:
            refuse(path, row.number, f"the {what} is there twice")
        seen.add(name)


def _edge_lists(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and path.suffix.lower() in SUFFIXES]


def _nodes_of(file: Path) -> Path | None:
    return _first(
        file.with_name(f"{file.stem}{mark}nodes{suffix}")
        for suffix in (file.suffix, *SUFFIXES)
        for mark in "._"
    )


def _first(files: Iterable[Path]) -> Path | None:
    return next((path for path in files if path.is_file()), None)


def _file_of(folder: Path, table: Path, row: Line, name_at: int) -> Path:
    name = row.fields[name_at]
    if Path(name).name != name or name in ("", ".", ".."):
        refuse(table, row.number, f"'{cut(name)}' is no name of a file in the same folder")
    candidates = [folder / name, *(folder / f"{name}{suffix}" for suffix in SUFFIXES)]
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        refuse(table, row.number, f"there is no file of the graph '{cut(name)}' in the folder")
    return found


def _graph(path: Path, columns: Mapping[str, str], nodes: Path | None) -> Data:
    listed = read_edges(path, **columns)
    if nodes is None:
        data = graph_of_names(listed.names, listed.edges, None, listed.weights)
        del data.x
        return data
    header, rows = read_columns(nodes)
    name_at = _column_of(header, ("id", "node", "node_id", "name")) or 0
    label_at = _column_of(header, LABELS)
    split_at = _column_of(header, ("split",))
    masks = {i: name for i, name in enumerate(header.fields) if name in MASKS}
    if masks and split_at is not None:
        refuse(
            nodes,
            header.number,
            f"expected split or masks, got split and {header.fields[min(masks)]}",
        )
    names = [row.fields[name_at] for row in rows]
    _refuse_twice(nodes, rows, [f"node '{cut(name)}'" for name in names], names)
    known = set(names)
    missing = next((name for name in listed.names if name not in known), None)
    if missing is not None:
        raise InputError(
            f"'{path}' has an edge of the node '{cut(missing)}', for which '{nodes}' has no line"
        )
    others = [i for i in range(len(header.fields)) if i not in (name_at, label_at, split_at)]
    features = [i for i in others if i not in masks]
    for row in rows:
        _numbers(nodes, header, row, others)
    x = None
    if features:
        x = torch.tensor([[float(row.fields[i]) for i in features] for row in rows])
    data = graph_of_names(names, listed.edges, x, listed.weights)
    if x is None:
        del data.x
    if label_at is not None:
        data.y = torch.stack(_targets(nodes, header, rows, [label_at])).view(len(rows), -1)
        data.y = data.y if data.y.is_floating_point() else data.y.view(-1)
        data.label_names = label_words([row.fields[label_at] for row in rows])
    if split_at is not None:
        parts = torch.tensor([_part(nodes, row, split_at) for row in rows])
        for number, mask in enumerate(MASKS):
            data[mask] = parts == number
    set_masks(data, {name: [float(row.fields[i]) for row in rows] for i, name in masks.items()})
    return data


def _part(path: Path, row: Line, column: int) -> int:
    word = row.fields[column].lower()
    if word not in SPLIT_WORDS:
        refuse(path, row.number, f"split is '{cut(word)}', it must be train, val or test")
    return SPLIT_WORDS[word]


def _column_of(header: Line, names: Sequence[str]) -> int | None:
    fields = [field.lower() for field in header.fields]
    return next((fields.index(name) for name in names if name in fields), None)


def _numbers(path: Path, header: Line, row: Line, columns: Sequence[int]) -> None:
    for column in columns:
        if not is_number(row.fields[column]):
            refuse(
                path,
                row.number,
                f"expected a number in the column '{cut(header.fields[column])}', "
                f"got '{cut(row.fields[column])}'",
            )


def _targets(path: Path, header: Line, rows: Sequence[Line], columns: list[int]) -> list[Tensor]:
    """The target of each row: a class or a number, or several numbers."""

    def refuse_row(place: int, problem: str) -> NoReturn:
        refuse(path, rows[place].number, problem)

    for row in rows:
        for column in columns:
            if not row.fields[column]:
                refuse(path, row.number, f"the column '{cut(header.fields[column])}' is empty")
    if len(columns) == 1:
        return list(as_targets([row.fields[columns[0]] for row in rows], refuse_row))
    for row in rows:
        _numbers(path, header, row, columns)
    return [torch.tensor([float(row.fields[i]) for i in columns]) for row in rows]
