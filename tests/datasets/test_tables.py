"""Text files with columns, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from panda_gnn.datasets.tables import (
    cut,
    is_number,
    read_columns,
    read_edges,
    read_lines,
    says_no_number,
    text_lines,
)
from panda_gnn.errors import InputError


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "file.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, '# all\n\na, "b" ,c\n% no\nd,e,f # last\nalone\n')
    assert [tuple(line) for line in read_lines(path)] == [
        (3, ["a", "b", "c"]),
        (5, ["d", "e", "f"]),
        (6, ["alone"]),
    ]


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("C#,C++", ["C#", "C++"]),
        ("C#N\t10% # C", ["C#N", "10%"]),
        ("a,#b", ["a", "#b"]),
        ("a,b  %c", ["a", "b"]),
        ("a;b\t#c", ["a", "b"]),
        ('"a # b",50%#', ["a # b", "50%#"]),
        ("a#b", ["a#b"]),
    ],
)
def test_comments_begin_a_line_or_follow_white_space(
    tmp_path: Path, line: str, fields: list[str]
) -> None:
    path = written(tmp_path, f"#{line}\n  %{line}\n{line}\n# {line}\n")
    assert [tuple(found) for found in read_lines(path)] == [(3, fields)]


@pytest.mark.parametrize("text", ["a\tb c\n", "a;b c\n", "a , b c\n"])
def test_marks_between_columns(tmp_path: Path, text: str) -> None:
    assert [line.fields for line in read_lines(written(tmp_path, text))] == [["a", "b c"]]


def test_lines_end_in_any_way(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbfa b\r\nc d\re f\ng h")
    assert text_lines(path) == ["a b", "c d", "e f", "g h"]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("1 2\n10 2\n", {}, (["1", "2", "10"], [("1", "2"), ("10", "2")], None)),
        ("b a\nc\n", {}, (["b", "a", "c"], [("b", "a")], None)),
        ("a,b,2\nb,c,0\n", {}, (["a", "b", "c"], [("a", "b"), ("b", "c")], [2.0, 0.0])),
        ("id,from,to\n7,a,b\n8,b,c\n", {}, (["a", "b", "c"], [("a", "b"), ("b", "c")], None)),
        ("weight,v,u\n3,a,b\n", {}, (["b", "a"], [("b", "a")], [3.0])),
        ("one,two\n1,2\n3\n", {}, (["1", "2", "3"], [("1", "2")], None)),
        ("one,two,w\n1,2,5\n", {}, (["1", "2"], [("1", "2")], [5.0])),
        ("x,y\na,b\n", {}, (["x", "y", "a", "b"], [("x", "y"), ("a", "b")], None)),
        (
            "p,q,r\na,b,c\n",
            {"source": "r", "target": "p"},
            (["c", "a"], [("c", "a")], None),
        ),
        (
            "a,b,c,4\nd,e,f,5\n",
            {"source": "3", "weight": "4"},
            (["c", "b", "f", "e"], [("c", "b"), ("f", "e")], [4.0, 5.0]),
        ),
    ],
)
def test_edges(tmp_path: Path, text: str, options: dict[str, str], expected: Any) -> None:
    assert tuple(read_edges(written(tmp_path, text), **options)) == expected


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("", {}, "line 1: the file names no node"),
        ("source,target\n", {}, "line 1: the file has a line with names of columns and no edge"),
        (
            "a,b\nc;d\n",
            {},
            "line 2: expected columns separated by commas, as in line 1, got",
        ),
        ("a;b\nc d\n", {}, "line 2: expected columns separated by semicolons, as in line 1"),
        ("a b\nc,d\n", {}, "line 2: expected columns separated by tabs or spaces, as in line 1"),
        ("a b c d\n", {}, "line 1: expected 'node node' or 'node node weight', got 'a b c d'"),
        ("a,b\na,,\n", {}, "line 2: expected 'node node' or 'node node weight', got 'a,,'"),
        ("a b c\n", {}, "line 1: expected 'node node' or 'node node weight', got 'a b c'"),
        ("a b 1\nb c -2\n", {}, "line 2: the weight -2 is negative"),
        ("a b 1\nb c\n", {}, "line 2: some edges have a weight and some have none"),
        ("a b\nb c 1\n", {}, "line 2: some edges have a weight and some have none"),
        ("source,target\na,b\na,b,c\n", {}, "line 3: expected 2 columns, got 3"),
        ("a,b,c\nd,e\n", {"target": "3"}, "line 2: expected 3 columns, got 2"),
        ("a,b\n", {"source": "3"}, "line 1: there is no column '3' among a, b"),
        ("a,b\n", {"source": "0"}, "line 1: there is no column '0' among a, b"),
    ],
)
def test_edges_that_are_none(tmp_path: Path, text: str, options: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_edges(written(tmp_path, text), **options)


def test_a_table_of_one_row(tmp_path: Path) -> None:
    header, rows = read_columns(written(tmp_path, "name,size\n\na,3\n"))
    assert (header.number, header.fields) == (1, ["name", "size"])
    assert [tuple(row) for row in rows] == [(3, ["a", "3"])]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: expected a line with names of columns and at least one row below it"),
        ("\nname,size\n", "line 2: expected a line with names of columns and at least one row"),
        ("name,3\na,3\n", "line 1: expected names of columns, got '3'"),
        ("name,\na,3\n", "line 1: expected names of columns, got ''"),
        ("name,name\na,3\n", "line 1: two columns have the same name"),
        ("name,size\na,3\nb\n", "line 3: expected 2 columns, got 1"),
        (b"a b\nc \xff\n", "line 2: expected text in UTF-8, got other bytes"),
        (b"a b\nc \x00\n", "line 2: expected text, got a zero byte"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str | bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_columns(written(tmp_path, text))


def test_words_for_sentences() -> None:
    assert cut("x" * 40) == "x" * 40
    assert cut("x" * 41) == "x" * 37 + "..."
    assert cut("a\n b\x1b") == "a b\ufffd"
    assert [text for text in ("1", "-2e3", "nan", "inf", "", "x") if is_number(text)] == [
        "1",
        "-2e3",
    ]
    assert [
        text for text in ("1", "NaN", "-inf", "N/A", "none", "", "no") if says_no_number(text)
    ] == [
        "NaN",
        "-inf",
        "N/A",
        "none",
    ]
