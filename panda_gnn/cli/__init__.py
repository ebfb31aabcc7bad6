"""The command ``panda``: one module per subcommand, imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from panda_gnn import __version__
from panda_gnn.cli.names import check_names
from panda_gnn.cli.own import load_plugins, prepare
from panda_gnn.errors import InputError
from panda_gnn.interrupts import on_request_to_end

COMMANDS = {
    "train": "train one method on one dataset",
    "compare": "compare methods with a backbone on shared splits (the demo)",
    "study": "run the trials of a table of the paper, or say how far they are",
    "table": "print a table of the paper beside our own numbers",
    "report": "pages to look at: the tables of stored rows under every rule, plots and verdicts",
    "search": "search settings of a method by validation score",
    "centrality": "centralities of a whole dataset, with their times",
    "rewire": "rewire a dataset and show what changed",
    "diagnose": "see where a graph squashes, in the terminal and as a page",
    "advise": "say what is worth trying on your graphs, and what cannot be said",
    "figure": "make a figure of the paper",
    "warmup": "compile the kernels ahead of the first run",
    "predict": "what a saved model says about new graphs",
    "datasets": "list the datasets",
    "methods": "list the methods",
    "backbones": "list the backbones",
    "centralities": "list the centralities",
    "completion": "print what makes a shell complete commands, options and names",
}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        message = re.sub("^argument [^:]*: (?=unknown )", "", message)
        raise InputError(re.sub("^argument ([^:]*): (?=must )", r"\1 ", message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # nobody reads the output any more, as in `panda datasets | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes at its end
        return 141


def _run(arguments: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):  # what the terminal cannot show is no reason to fail
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    parser = Parser(
        prog="panda",
        description="Width-aware message passing against over-squashing.",
        epilog="'panda COMMAND --help' explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"panda-gnn {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    called = words[0] if words else None
    command = f"panda {called}" if called in COMMANDS else "panda"
    try:
        check_names(words)
        if called in COMMANDS:
            load_plugins(words)
        for name, summary in COMMANDS.items():
            subparser = commands.add_parser(name, help=summary, description=summary + ".")
            if name == called:
                module = importlib.import_module(f"panda_gnn.cli.{name}")
                module.add_arguments(subparser)
                subparser.set_defaults(run=module.run)
        options = parser.parse_args(words)
        if options.command is None:
            parser.print_help()
            return 0
        with on_request_to_end(signal.default_int_handler):
            prepare(options)
            return int(options.run(options) or 0)
    except InputError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{command}: stopped", file=sys.stderr)
        return 130
