"""Options that several commands share, and how their values are read.

Values are checked by :mod:`panda_gnn.options` while they are read, so that a command gets what it
can use.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from panda_gnn.cli.own import add_plugin_argument
from panda_gnn.errors import InputError, choose, shown
from panda_gnn.evaluation.bundled import RESULTS, bundled_folder, folder_to_read, study_names
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.options import real_number, whole_number

if TYPE_CHECKING:  # options are read, and explained, without torch
    from torch_geometric.data import InMemoryDataset

T = TypeVar("T")


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say where datasets are."""
    data = parser.add_argument_group("where the data is")
    data.add_argument("--root", metavar="FOLDER", help="keeps the datasets (PANDA_DATA_ROOT)")
    data.add_argument(
        "--mirror", metavar="FOLDER", help="has the archives (PANDA_DATA_MIRROR), else the network"
    )


def add_dataset_argument(parser: argparse.ArgumentParser) -> None:
    """The dataset of commands that look at one."""
    parser.add_argument(
        "dataset", metavar="DATASET", help="a name, a folder or a file, as panda train has"
    )


def add_drawing_arguments(parser: argparse.ArgumentParser, drawn: str) -> None:
    """The options of commands that look at all graphs of a dataset and draw one."""
    parser.add_argument("--plot", metavar="FILE", help=f"draw one graph{drawn}")
    add_whole(parser, "--graph", "which graph to draw", 0, least=0)
    add_json_argument(parser)
    add_plugin_argument(parser)
    add_data_arguments(parser)


def drawn_graphs(options: argparse.Namespace) -> tuple[InMemoryDataset, str]:
    """The graphs of the dataset and what it is called; there is one of the number to draw."""
    from panda_gnn.datasets import resolve

    found = resolve(options.dataset, root=options.root, mirror=options.mirror)
    if options.graph >= len(found.graphs):
        raise InputError(f"--graph is {options.graph}, it must be in 0..{len(found.graphs) - 1}")
    return found.graphs, found.printed


def add_names_arguments(parser: argparse.ArgumentParser, use: str, kinds: Iterable[str]) -> None:
    """Options that take names of several kinds, all of them where nothing is said."""
    for kind in kinds:
        parser.add_argument(f"--{kind}", type=names, metavar="NAMES", help=f"{use} {kind} (all)")


def add_method_argument(parser: argparse.ArgumentParser) -> None:
    """The option that names a method."""
    parser.add_argument("--method", default="panda", metavar="NAME", help="method (panda)")


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """The option for scripts."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def add_results_argument(parser: argparse.ArgumentParser, results: Path | None = RESULTS) -> None:
    """The folder that rows are written to; by default ``None`` for one that is deleted."""
    kept = "not kept" if results is None else str(results)
    parser.add_argument(
        "--results", type=Path, default=results, metavar="FOLDER", help=f"keeps the rows ({kept})"
    )


def add_rows_argument(parser: argparse.ArgumentParser) -> None:
    """The folder that rows are read from."""
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FOLDER",
        help=f"has the rows ({RESULTS}; where there is none, those that come with panda-gnn)",
    )


def rows_folder(command: str, results: Path | None, study: str | None = None) -> Path:
    """The folder that rows are read from; it is said where nobody named it.

    A study in a file of one's own has no rows that come with panda-gnn.
    """
    folder = RESULTS if results is None and _is_own(study) else folder_to_read(results)
    if results is None and folder != RESULTS:
        print(
            f"panda {command}: there is no folder {RESULTS} here, so these are the rows that come "
            "with panda-gnn",
            file=sys.stderr,
        )
    return folder


def _is_own(study: str | None) -> bool:
    return study is not None and study.endswith(".toml")


def check_own_folder(results: Path) -> None:
    """Refuse to write rows into an installed package."""
    bundled = bundled_folder("results")
    if bundled.parent.name == "panda_gnn" and results.resolve() == bundled.resolve():
        raise InputError(
            f"--results is '{results}', the rows that come with panda-gnn: name a folder of yours"
        )


def add_study_argument(parser: argparse.ArgumentParser, nargs: Literal["?"] | None = None) -> None:
    """The study that is meant; a mistyped name is told before torch is imported."""
    known = study_names()
    read = _reader(str, lambda name: name if _is_own(name) else choose("study", name, known))
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs=nargs,
        type=read,
        help=f"a TOML file, or one of {', '.join(known)}",
    )


def add_rule_argument(
    parser: argparse._ActionsContainer, use: str = "which epoch's test score counts"
) -> None:
    """The option that chooses an epoch."""
    add_choice(parser, "--selection", SELECTIONS, "best-val", use)


def add_cell_arguments(parser: argparse._ActionsContainer) -> None:
    """The options that name a dataset and a backbone."""
    parser.add_argument(
        "--dataset",
        default="mutag",
        metavar="NAME",
        help="a name (panda datasets), pyg:CLASS/NAME, module:object, a folder or a file (mutag)",
    )
    parser.add_argument(
        "--backbone", default="gcn", metavar="NAME", help="one of panda backbones (gcn)"
    )


def add_whole(
    parser: argparse._ActionsContainer,
    option: str,
    meaning: str,
    default: int | None = None,
    *,
    least: int = 1,
    dest: str | None = None,
) -> None:
    """An option that takes a whole number from ``least`` on."""
    if default is not None:
        meaning = f"{meaning} ({default})"
    dest = dest or option.removeprefix("--").replace("-", "_")
    parser.add_argument(
        option, dest=dest, type=whole(least), default=default, metavar="N", help=meaning
    )


def add_choice(
    parser: argparse._ActionsContainer,
    option: str,
    choices: Iterable[str],
    default: str,
    meaning: str = "",
    what: str | None = None,
) -> None:
    """An option that takes one of some names; ``what`` these are is what the option is called."""
    meaning = f"{meaning}: " if meaning else ""
    parser.add_argument(
        option,
        type=one_of(what or option.removeprefix("--"), choices),
        default=default,
        metavar="NAME",
        help=f"{meaning}{', '.join(choices)} ({default})",
    )


def flag_of(name: str) -> str:
    """What the option of a parameter is called."""
    return f"--{name.removeprefix('num_').replace('_', '-')}"


def command_line(
    command: str, options: argparse.Namespace, *words: str, **usual: object
) -> list[str]:
    """The command line that does the same again: words, and options that are not as usual."""
    chosen = [name for name in usual if getattr(options, name) != usual[name]]
    return [
        "panda",
        command,
        *words,
        *(word for name in chosen for word in (flag_of(name), str(getattr(options, name)))),
    ]


def whole(least: int = 1) -> Callable[[str], int]:
    """Reads a whole number from ``least`` on."""
    return _reader(int, lambda value: whole_number("", value, least))


def real(accepted: str, **bounds: float) -> Callable[[str], float]:
    """Reads a number within the bounds of :func:`panda_gnn.options.real_number`."""
    return _reader(float, lambda value: real_number("", value, accepted, **bounds))  # type: ignore[arg-type]


def one_of(what: str, choices: Iterable[str]) -> Callable[[str], str]:
    """Reads a name that is one of ``choices``."""
    return _reader(str, lambda name: choose(what, name, choices))


def _reader(parse: Callable[[str], Any], check: Callable[[Any], T]) -> Callable[[str], T]:
    def read(text: str) -> T:
        value: Any = text
        with suppress(ValueError):
            value = parse(text)
        try:
            return check(value)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error).strip()) from error

    return read


def names(text: str) -> list[str]:
    """A list of names separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def value(text: str) -> str | int | float | bool | None:
    """The value of a setting: a number, ``true``, ``false`` or ``null`` as in JSON, or the text."""
    try:
        read: str | int | float | bool | None = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return read


def seconds(text: str) -> float:
    """A time such as ``90s``, ``30m`` or ``1h30m``."""
    match = re.fullmatch(r"(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?", text)
    parts = [int(part or 0) for part in match.groups()] if match else []
    total = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    if total == 0:
        raise argparse.ArgumentTypeError(
            f"must be a time such as 90s, 30m or 1h30m, not {shown(text)}"
        )
    return float(total)
