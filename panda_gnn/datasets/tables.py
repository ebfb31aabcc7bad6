"""Text files with columns: edge lists, tables of nodes, tables of labels.

The mark between columns is found: a comma, a semicolon, or tabs and spaces, the same in all lines.
Whatever stands between quotation marks is one field; a doubled one in it is a quotation mark. ``#``
and ``%`` begin a comment at the start of a line or after white space; comments and empty lines are
skipped. Files are UTF-8, with or without a byte order mark; lines end in any of the usual ways.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from panda_gnn.errors import InputError

#: What the columns of sources and targets are called.
ENDS = (
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


MISSING = ("na", "n/a", "null", "none")
"""What stands in columns of numbers where there is none, beside ``nan`` and ``inf``."""

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_COMMENT = re.compile(r"(?:^|(?<=\s))[#%]")


class Line(NamedTuple):
    """The fields of a line and its number in the file, from 1."""

    number: int
    fields: list[str]


class EdgeList(NamedTuple):
    """What an edge list says: names of nodes in their order, edges by names, and their weights."""

    names: list[str]
    edges: list[tuple[str, str]]
    weights: list[float] | None


def read_lines(path: Path) -> list[Line]:
    """The lines of a file that hold something, all with the same mark between columns."""
    found: list[Line] = []
    first: tuple[int, str] | None = None
    for number, line in enumerate(text_lines(path), start=1):
        outside = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), line) if '"' in line else line
        outside = _COMMENT.split(outside, maxsplit=1)[0].rstrip()
        text, outside = line[: len(outside)].strip(), outside.strip()
        if not text:
            continue
        mark = next((mark for mark in (",", ";") if mark in outside), "")
        if not mark and len(outside.split()) == 1:  # one name stands in any file
            found.append(Line(number, [_field(path, number, text)]))
            continue
        if first is None:
            first = number, mark
        elif mark != first[1]:
            refuse(
                path,
                number,
                f"expected columns separated by {_in_words(first[1])}, as in line {first[0]}, "
                f"got '{cut(text)}'",
            )
        between = mark or ("\t" if "\t" in outside else r"\s+")
        found.append(
            Line(number, [_field(path, number, f) for f in _cut_at(between, text, outside)])
        )
    return found


def _cut_at(between: str, text: str, outside: str) -> list[str]:
    """The parts of a line that ``between`` separates outside of quotation marks."""
    if text == outside:
        return re.split(between, text)
    marks = [mark.span() for mark in re.finditer(between, outside)]
    starts = [0, *(end for _, end in marks)]
    ends = [*(start for start, _ in marks), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _field(path: Path, number: int, text: str) -> str:
    """What a field says, without its quotation marks."""
    text = text.strip()
    if not text.startswith('"'):
        return text
    if not _QUOTED.fullmatch(text):
        refuse(path, number, f"a quotation mark is not closed where the field ends: '{cut(text)}'")
    return text[1:-1].replace('""', '"')


def read_edges(
    path: Path, source: str | None = None, target: str | None = None, weight: str | None = None
) -> EdgeList:
    """Read a text file with one edge, two names of nodes, in each line.

    A line with one name is a node without edges. A third column is the weight of the edge, and must
    be a number. A first line with names of columns (``source,target``, or words above numbers) is
    no edge, and says in which of several columns the nodes are. If all names are whole numbers,
    nodes stand in their order; otherwise in the order of the file.

    Args:
        path: The file.
        source: The column of the edges' first ends, by name or by number from 1.
        target: That of their second ends.
        weight: That of their weights.
    """
    lines = read_lines(path)
    chosen = {"source": source, "target": target, "weight": weight}
    columns, has_header = _columns(
        path, lines, {name: column for name, column in chosen.items() if column is not None}
    )
    header: Line | None = None
    if has_header:
        header, *lines = lines
        if not lines:
            refuse(path, header.number, "the file has a line with names of columns and no edge")
    edges: list[tuple[str, str]] = []
    weights: list[float] = []
    names: dict[str, None] = {}
    for number, all_fields in lines:
        fields = all_fields
        if columns is not None and len(fields) > 1:
            expected = len(header.fields) if header else max(columns) + 1
            if len(fields) != expected and (header or len(fields) < expected):
                refuse(path, number, f"expected {expected} columns, got {len(fields)}")
            fields = [fields[column] for column in columns]
        if len(fields) > 3 or "" in fields or (len(fields) == 3 and not is_number(fields[2])):
            line = cut(" ".join(all_fields) if "" not in all_fields else ",".join(all_fields))
            refuse(path, number, f"expected 'node node' or 'node node weight', got '{line}'")
        names.update(dict.fromkeys(fields[:2]))
        if len(fields) > 1:
            edges.append((fields[0], fields[1]))
        if len(fields) == 3:
            weights.append(float(fields[2]))
            if weights[-1] < 0:
                refuse(path, number, f"the weight {fields[2]} is negative")
        if weights and len(fields) > 1 and len(weights) != len(edges):
            refuse(path, number, "some edges have a weight and some have none")
    if not names:
        refuse(path, 1, "the file names no node")
    ordered = list(names)
    if all(name.isdecimal() for name in ordered):
        ordered.sort(key=lambda name: (int(name), name))
    return EdgeList(ordered, edges, weights or None)


def _columns(
    path: Path, lines: Sequence[Line], chosen: dict[str, str]
) -> tuple[list[int] | None, bool]:
    """Where source, target and weight are, and whether the first line has names of columns."""
    if not lines:
        return None, False
    first = [field.lower() for field in lines[0].fields]
    named = next((ends for ends in ENDS if set(ends) <= set(first)), None)
    below = [fields for _, fields in lines[1:] if len(fields) > 1]
    words_above_numbers = (
        len(first) > 1
        and bool(below)
        and not any(is_number(field) for field in first)
        and all(is_number(field) for fields in below for field in fields[:2])
    )
    if chosen:
        by_name = any(not column.isdecimal() for column in chosen.values())
        columns = _chosen_columns(path, lines[0], chosen)
        return columns, by_name or named is not None or words_above_numbers
    if named is not None:
        weight = [first.index("weight")] if "weight" in first else []
        return [first.index(named[0]), first.index(named[1]), *weight], True
    if words_above_numbers and len(first) < 4:
        return list(range(len(first))), True
    return None, False


def _chosen_columns(path: Path, first: Line, chosen: dict[str, str]) -> list[int]:
    wanted = [chosen.get("source", "1"), chosen.get("target", "2")]
    wanted += [chosen["weight"]] if "weight" in chosen else []
    columns = []
    for column in wanted:
        if column.isdecimal() and 1 <= int(column) <= len(first.fields):
            columns.append(int(column) - 1)
        elif column in first.fields:
            columns.append(first.fields.index(column))
        else:
            known = ", ".join(first.fields)
            refuse(path, first.number, f"there is no column '{cut(column)}' among {known}")
    return columns


def read_columns(path: Path) -> tuple[Line, list[Line]]:
    """A table with names of columns in its first line, and rows that have all of them."""
    lines = read_lines(path)
    if len(lines) < 2:
        number = lines[0].number if lines else 1
        refuse(path, number, "expected a line with names of columns and at least one row below it")
    header, *rows = lines
    for name in header.fields:
        if not name or is_number(name):
            refuse(path, header.number, f"expected names of columns, got '{cut(name)}'")
    if len(set(header.fields)) < len(header.fields):
        refuse(path, header.number, "two columns have the same name")
    for row in rows:
        if len(row.fields) != len(header.fields):
            refuse(
                path, row.number, f"expected {len(header.fields)} columns, got {len(row.fields)}"
            )
    return header, rows


def text_lines(path: Path) -> list[str]:
    """The lines of a text in UTF-8."""
    content = path.read_bytes()
    try:
        text = content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        refuse(path, line, "expected text in UTF-8, got other bytes")
    if "\0" in text:
        refuse(path, text[: text.index("\0")].count("\n") + 1, "expected text, got a zero byte")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def as_number(text: str) -> float:
    """The number that a text is, exact where it is a whole one."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def says_no_number(text: str) -> bool:
    """Whether a text is what programs write where a number is missing or not finite."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return text.casefold() in MISSING


def cut(text: str) -> str:
    """A text short enough for a sentence, on one line."""
    text = "".join(
        letter if letter.isprintable() else "\ufffd" for letter in " ".join(text.split())
    )
    return text if len(text) <= 40 else f"{text[:37]}..."


def refuse(path: Path, line: int, problem: str) -> NoReturn:
    """Raise the sentence that says what is wrong in which line."""
    raise InputError(f"'{path}', line {line}: {problem}")


def _in_words(mark: str) -> str:
    return {",": "commas", ";": "semicolons"}.get(mark, "tabs or spaces")
