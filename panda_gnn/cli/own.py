"""Options for data and code of one's own: what to load first, and what not to infer."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from panda_gnn.cli.names import has_plugins, says_where

CHOICES = {
    "task": "classification, regression or multi-label",
    "metric": "the metric's name",
    "split": "such as 80/10/10, cv10 or masks",
    "features": "x, constant or degree",
}


def add_plugin_argument(parser: argparse._ActionsContainer) -> None:
    """The option that names plugins."""
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file or module that registers things of yours; once for each",
    )


def add_own_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say what is not to be inferred from own data."""
    own = parser.add_argument_group("own data (inferred where nothing is said)")
    for name, meaning in CHOICES.items():
        own.add_argument(f"--{name}", metavar=name.upper(), help=meaning)


def load_plugins(words: Sequence[str]) -> None:
    """Load the plugins of a command line before it is read: it may name what they register."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--plugin", action="append", default=[])
    try:
        plugins = parser.parse_known_args(list(words))[0].plugin
    except argparse.ArgumentError:
        return
    if plugins or has_plugins():
        from panda_gnn.evaluation.plugins import load_entry_points, load_plugin

        load_entry_points()
        for plugin in plugins:
            load_plugin(plugin)


def prepare(options: argparse.Namespace) -> None:
    """Give own data a name with all choices in it, and say what was inferred."""
    if not hasattr(options, "features"):
        return
    chosen = [f"{name}={value}" for name in CHOICES if (value := getattr(options, name))]
    if chosen:
        options.dataset += ("&" if "?" in options.dataset else "?") + "&".join(chosen)
    if says_where(options.dataset) or options.plugin or has_plugins():
        from panda_gnn.datasets.resolver import is_own, resolve_once

        if is_own(options.dataset):
            found = resolve_once(options.dataset, options.root, options.mirror)
            print(found.summary, file=sys.stderr)
