"""``panda methods``: the names of all methods, one line each."""

from __future__ import annotations

import argparse
from functools import partial

from panda_gnn.cli.names import add_list_arguments, print_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_list_arguments(parser)


run = partial(print_names, "methods")
