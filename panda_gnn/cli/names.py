"""The names of what comes with panda-gnn, without importing torch.

They are in ``names.json``, which ``make tables`` writes anew from the registries; a test says when
that is due. So a mistyped name is told at once, and lists are printed at once. What plugins
register is looked up in the registries.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from panda_gnn.errors import choose
from panda_gnn.registry import OWNERS

KINDS = {
    "datasets": "dataset",
    "methods": "method",
    "backbones": "backbone",
    "centralities": "centrality",
}
"""What names that are checked ahead of everything are called; other kinds have one command each."""

#: The options that take names, and of what; those with "s" take several.
OPTIONS = {
    "--dataset": "datasets",
    "--datasets": "datasets",
    "--backbone": "backbones",
    "--backbones": "backbones",
    "--method": "methods",
    "--methods": "methods",
    "--centrality": "centralities",
}
#: The commands whose options these are.
COMMANDS = ("train", "compare", "search", "advise")

Names = dict[str, dict[str, str]]


def known_names() -> Names:
    """Every name that comes with panda-gnn with a line about it, by kind."""
    names: Names = json.loads((files("panda_gnn.cli") / "names.json").read_text("utf-8"))
    return names


def registered_names() -> Names:
    """Every name of this process, those of loaded plugins included; imports torch."""
    from panda_gnn.centrality import CENTRALITIES
    from panda_gnn.datasets import DATASETS
    from panda_gnn.datasets.resolver import SOURCES
    from panda_gnn.evaluation.methods import METHODS
    from panda_gnn.evaluation.search import SEARCH_SAMPLERS
    from panda_gnn.nn.models import PLAIN_LAYERS, backbone_names
    from panda_gnn.reports.figures import FIGURES
    from panda_gnn.reports.models import MODELS, printed_name
    from panda_gnn.reports.table_formats import FORMATS
    from panda_gnn.rewiring import REWIRINGS

    def about(kind: str, name: str, line: str) -> str:
        owner = OWNERS.get((kind, name))
        return line if owner is None else f"{line} (plugin {owner.name})"

    datasets = {
        name: f"{entry.task}, {entry.num_graphs} graph{'s' * (entry.num_graphs > 1)}, "
        f"{entry.num_classes} {'classes' if 'classification' in entry.task else 'targets'}"
        for name, entry in DATASETS.items()
    }
    centralities = _lines_of_table(sys.modules["panda_gnn.centrality"].__doc__ or "")
    return {
        "datasets": datasets | {name: about("dataset", name, "registered") for name in SOURCES},
        "methods": {
            name: about("method", name, method.summary) for name, method in METHODS.items()
        },
        "backbones": {
            name: about("backbone", name, getattr(PLAIN_LAYERS[name], "__name__", "registered"))
            for name in backbone_names()
        },
        "centralities": {
            name: about("centrality", name, centralities.get(name, "registered"))
            for name in CENTRALITIES
        },
        "rewirings": {
            name: about("method", name, kind.__name__) for name, kind in REWIRINGS.items()
        },
        "figures": {name: kind.summary for name, kind in FIGURES.items()},
        "samplers": dict(SEARCH_SAMPLERS),
        "models": {name: printed_name(name) for name in MODELS},
        "formats": {name: (form.__doc__ or "").splitlines()[0] for name, form in FORMATS.items()},
    }


def names_of(kind: str) -> dict[str, str]:
    """The names of a kind with a line about each; those of plugins are there once these are."""
    return (registered_names() if OWNERS else known_names())[kind]


def _lines_of_table(text: str) -> dict[str, str]:
    """The rows of a table in a docstring: a word, several spaces, a sentence."""
    rows = (line.partition("  ") for line in text.splitlines())
    return {name: rest.strip() for name, _, rest in rows if name and rest and "=" not in name}


def check_names(words: Sequence[str]) -> None:
    """Refuse a command line with a name that nobody has, before anything is imported.

    Names that say where data are, and all names where plugins are loaded, are left for later.
    """
    if any(word.startswith("--plugin") for word in words):
        return
    pairs = _options(words) if words and words[0] in COMMANDS else []
    if (
        words[:1] in (["centrality"], ["rewire"], ["advise"])
        and words[1:]
        and not words[1].startswith("-")
    ):
        pairs.append(("--dataset", words[1]))
    if not pairs or has_plugins():
        return
    names = known_names()
    for option, value in pairs:
        kind = OPTIONS[option]
        for name in value.split(",") if option.endswith("s") else [value]:
            if kind == "datasets" and says_where(name):
                continue
            choose(KINDS[kind], name.strip(), names[kind])


def _options(words: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        if option in OPTIONS and (equals or (following and not following.startswith("--"))):
            pairs.append((option, value if equals else following))
    return pairs


def says_where(name: str) -> bool:
    """Whether a name says where data are, instead of being known."""
    return any(mark in name for mark in ":/\\?.") or Path(name).exists()


def has_plugins() -> bool:
    """Whether an installed package has plugins."""
    from importlib.metadata import entry_points

    return bool(entry_points(group="panda_gnn.plugins"))


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the commands that list names."""
    from panda_gnn.cli.own import add_plugin_argument

    parser.add_argument("--json", action="store_true", help="print names and lines as JSON")
    add_plugin_argument(parser)


def print_names(kind: str, options: argparse.Namespace) -> None:
    """Print the names of a kind, one line each."""
    names = names_of(kind)
    if options.json:
        print(json.dumps(names, indent=1))
        return
    width = max(map(len, names))
    for name, line in names.items():
        print(f"{name:{width}}  {line}")


def write_names() -> None:
    """Write ``names.json`` anew."""
    text = json.dumps(registered_names(), indent=1) + "\n"
    Path(__file__).with_name("names.json").write_text(text, "utf-8")
