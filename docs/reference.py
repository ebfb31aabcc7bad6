"""The pages of the reference, written from the package itself before the site is built.

Public is what ``__all__`` of a public package lists, and the reference has a page for each such
object. The command line is read from its parsers, the entries of a study file from their schema.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from panda_gnn.cli import COMMANDS, Parser
from panda_gnn.evaluation import config, study

#: The public packages, and what their pages are called.
PACKAGES = {
    "panda_gnn": "Registration and backend",
    "panda_gnn.nn": "Layers and models",
    "panda_gnn.transforms": "Choosing the high nodes",
    "panda_gnn.centrality": "Centralities",
    "panda_gnn.rewiring": "Rewirings",
    "panda_gnn.diagnostics": "Diagnostics",
    "panda_gnn.datasets": "Datasets",
    "panda_gnn.estimators": "Estimators",
    "panda_gnn.testing": "Property checks",
}

#: The tables of a study file: their headings, types, and the classes that say what entries mean.
STUDY_TABLES = {
    "Entries": (study.StudyFile, study.StudyFile),
    "[training]": (config.Training, config.Config),
    "[published]": (study.Published, study.Published),
    "[[questions]]": (study.Question, study.Question),
}


def public() -> Iterator[tuple[str, str, Any]]:
    """Package, name and object of everything public."""
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            yield package, name, getattr(module, name)


def is_value(thing: object) -> bool:
    """Whether an object is a value, such as a registry, that explains itself beside its name."""
    return not inspect.isclass(thing) and not inspect.isroutine(thing)


def first_sentence(text: str) -> str:
    """The first paragraph up to a full stop before a capital letter: 'Eqs. (a)' ends none."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s(?=[A-Z])", paragraph)[0].rstrip(":")


def write(folder: Path) -> None:
    """Write all pages below ``folder``; pages that stay the same are left alone."""
    pages = {"cli.rst": _cli_index(), "study-files.rst": _study_files()}
    for package, title in PACKAGES.items():
        pages[f"api/{package}.rst"] = _package_page(package, title)
    for package, name, thing in public():
        pages[f"api/{package}.{name}.rst"] = _object_page(package, name, thing)
    for name in COMMANDS:
        pages[f"cli/{name}.rst"] = _command_page(name)
    for path, text in pages.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_file() or place.read_text("utf-8") != text:
            place.write_text(text, "utf-8")
    for place in [*folder.glob("api/*.rst"), *folder.glob("cli/*.rst")]:
        if place.relative_to(folder).as_posix() not in pages:
            place.unlink()


def _title(text: str, mark: str = "=") -> str:
    return f"{text}\n{mark * len(text)}\n\n"


def _summary_of(package: ModuleType, name: str) -> str:
    """What stands in the list of a package: the first sentence of a docstring."""
    thing = getattr(package, name)
    if is_value(thing):
        return first_sentence(values_of(package).get(name, ""))
    return first_sentence(inspect.getdoc(thing) or "")


def values_of(package: ModuleType) -> dict[str, str]:
    """What stands below, or in a comment above, the values of a package where they are assigned."""
    names = [name for name in package.__all__ if is_value(getattr(package, name))]
    found = dict.fromkeys(names, "")
    for module in [package, *sys.modules.values()]:
        inside = f"{getattr(module, '__name__', '')}.".startswith(f"{package.__name__}.")
        if not inside or not any(name in vars(module) for name in names):
            continue
        source = inspect.getsource(module)
        body = ast.parse(source).body
        for node, below in itertools.zip_longest(body, body[1:]):
            target = _target(node)
            if target in found and not found[target]:
                found[target] = _explained(node, below, source.splitlines())
    return found


def _target(node: ast.stmt) -> str:
    """The name that is assigned to, if any."""
    target = getattr(node, "target", None) or (getattr(node, "targets", None) or [None])[0]
    return target.id if isinstance(target, ast.Name) else ""


def _explained(node: ast.stmt, below: ast.stmt | None, lines: list[str]) -> str:
    if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
        return inspect.cleandoc(str(below.value.value))
    comment: list[str] = []
    while lines[node.lineno - 2 - len(comment)].startswith("#:"):
        comment.insert(0, lines[node.lineno - 2 - len(comment)].removeprefix("#:").strip())
    return "\n".join(comment)


def _package_page(package: str, title: str) -> str:
    module = importlib.import_module(package)
    page = _title(title) + f".. automodule:: {package}\n   :no-members:\n\n"
    page += ".. list-table::\n   :widths: 35 65\n\n"
    for name in module.__all__:
        page += f"   * - :doc:`{name} <{package}.{name}>`\n     - {_summary_of(module, name)}\n"
    page += "\n.. toctree::\n   :hidden:\n\n"
    return page + "".join(f"   {name} <{package}.{name}>\n" for name in module.__all__)


def _object_page(package: str, name: str, thing: Any) -> str:
    page = _title(name) + f".. currentmodule:: {package}\n\n"
    if is_value(thing):
        text = values_of(importlib.import_module(package))[name]
        page += f".. data:: {name}\n\n" + textwrap.indent(text, "   ")
        return page + "\n\n   " + ", ".join(f"``{key}``" for key in thing) + "\n"
    if inspect.isclass(thing):
        return page + f".. autoclass:: {name}\n"
    return page + f".. autofunction:: {name}\n"


def _cli_index() -> str:
    page = _title("The command line")
    page += "``panda COMMAND --help`` prints what is here, and ``panda --version`` the version. A\n"
    page += "mistake is told in one sentence, with exit code 2; Ctrl-C ends with 130.\n\n"
    page += ".. list-table::\n   :widths: 25 75\n\n"
    for name, summary in COMMANDS.items():
        page += f"   * - :doc:`panda {name} <cli/{name}>`\n     - {_escaped(summary)}\n"
    page += "\n.. toctree::\n   :hidden:\n\n"
    return page + "".join(f"   panda {name} <cli/{name}>\n" for name in COMMANDS)


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of a command, with all of its options."""
    summary = COMMANDS[name]
    parser = Parser(prog=f"panda {name}", description=f"{summary[:1].upper()}{summary[1:]}.")
    importlib.import_module(f"panda_gnn.cli.{name}").add_arguments(parser)
    return parser


def _command_page(name: str) -> str:
    parser = command_parser(name)
    return _title(f"panda {name}") + _parser_text(parser)


def _parser_text(parser: argparse.ArgumentParser) -> str:
    usage = argparse.HelpFormatter(parser.prog, width=84)
    usage.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, "")
    text = f".. program:: {parser.prog}\n\n{_escaped(parser.description or '')}\n\n"
    text += ".. code-block:: text\n\n"
    text += "".join(f"   {line}\n" for line in usage.format_help().splitlines()) + "\n"
    below = ""
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):
            for name, subparser in action.choices.items():
                below += _title(f"{parser.prog} {name}", "-") + _parser_text(subparser)
            continue
        text += f".. option:: {_names(action)}\n\n   {_escaped(_help(parser, action))}\n\n"
    return text + below


def _names(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return value
    shown = "" if action.nargs == 0 else f" {value}"
    return ", ".join(f"{option}{shown}" for option in action.option_strings)


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return argparse.HelpFormatter(parser.prog)._expand_help(action) if action.help else ""


def _escaped(text: str) -> str:
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def _study_files() -> str:
    page = _title("Study files") + inspect.cleandoc(study.__doc__ or "") + "\n\n"
    for title, (table, described) in STUDY_TABLES.items():
        page += _title(title, "-") + f"{first_sentence(inspect.getdoc(described) or '')}\n\n"
        page += ".. list-table::\n   :header-rows: 1\n   :widths: 18 22 20 40\n\n"
        page += "   * - entry\n     - what\n     - default\n     - meaning\n"
        for entry in entries(table, described):
            page += "   * - " + "\n     - ".join(entry) + "\n"
        page += "\n"
    return page


def entries(table: Any, described: type) -> list[tuple[str, str, str, str]]:
    """Name, type, default and meaning of the entries of a table of a study file."""
    meaning = _attributes(described)
    rows = []
    for name, schema in table.model_json_schema()["properties"].items():
        field, kind = table.model_fields[name], _kind(schema)
        shown = "required" if field.is_required() else _shown(schema.get("default"))
        if isinstance(field.default, study.Comparison):
            kind, shown = "a text", f"``line - {field.default.method}``"
        elif f"[{name}]" in STUDY_TABLES:
            shown = "see below"
        rows.append((f"``{name}``", kind, shown, meaning.get(name, "")))
    return rows


def _attributes(table: type) -> dict[str, str]:
    """The entries of the section 'Attributes' of a docstring."""
    _, _, section = (inspect.getdoc(table) or "").partition("Attributes:\n")
    found: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        head = re.match(r"    (\w+): (.*)", line)
        if head:
            name, found[head[1]] = head[1], head[2]
        elif name and line.strip():
            found[name] += " " + line.strip()
    return found


def _shown(default: Any) -> str:
    if default in (None, "", [], {}) and not isinstance(default, bool):
        return "none"
    return f"``{str(default).lower() if isinstance(default, bool) else default}``"


def _kind(schema: dict[str, Any]) -> str:
    """A type of the schema in words."""
    if "anyOf" in schema:
        parts = [_kind(part) for part in schema["anyOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(parts))
    words = {"string": "a text", "integer": "a whole number", "number": "a number"}
    words |= {"boolean": "true or false", "object": "a table", "array": "a list"}
    kind = words.get(schema.get("type", "object"), "a text")
    if kind == "a list" and "items" in schema:
        kind = f"a list: {_kind(schema['items'])} each"
    for key, sign in (("minimum", "at least"), ("exclusiveMinimum", "above")):
        if key in schema:
            kind += f", {sign} {schema[key]}"
    return kind
