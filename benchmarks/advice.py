"""How often ``panda advise`` says the right thing about graphs whose class has one known cause.

    python benchmarks/advice.py                       five seeds of each cause
    python benchmarks/advice.py --workers 2 --page docs/advise.md        and its table anew
    python benchmarks/advice.py --causes few,size --seeds 7,8
    python benchmarks/advice.py --causes message --trials 5          with fewer splits than BUDGET
    python benchmarks/advice.py --examples docs/advise.md         what its commands print, anew

Each run is one ``panda advise FOLDER`` on fresh graphs of :mod:`panda_gnn.datasets.causes`, written
as CSV files, with the small budgets of ``BUDGET``. ``message`` has one hidden layer, as in
docs/advise.md: its graphs are made so that one layer cannot tell. What counts as right was fixed
before the seeds were run:

==========  ======================================================================================
size        the cause is the size alone
motif       the cause is the local structure, and distances are not said to stand in the way
message     distances are said to stand in the way
noise       nothing beats the most frequent answer
few         too few graphs to tell
==========  ======================================================================================
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pages import write_between

from panda_gnn import cli
from panda_gnn.datasets.causes import labelled_graphs, write_csv_folder
from panda_gnn.errors import InputError, choose

SEEDS = (7001, 7002, 7003, 7004, 7005)
SMALL = ("--trials", "5", "--epochs", "10")
BUDGET: Mapping[str, tuple[int, Sequence[str]]] = MappingProxyType(
    {
        "message": (400, ("--layers", "1", "--trials", "10", "--epochs", "40")),
        "size": (200, SMALL),
        "motif": (200, SMALL),
        "noise": (200, SMALL),
        "few": (30, ()),
    }
)
"""How many graphs of every cause there are, and the options of the command."""

EXAMPLE = re.compile(r"(```console\n\$ (panda advise [^\n]+)\n```\n\n```text\n).*?\n```", re.DOTALL)
"""A command of a page, and what it prints."""


def is_right(cause: str, findings: Sequence[Mapping[str, Any]]) -> bool:
    """Whether what is said about graphs of a cause is what should be."""
    first = (findings[0]["kind"], findings[0]["subject"])
    kinds = [finding["kind"] for finding in findings]
    if cause == "size":
        return first == ("cause", "size alone")
    if cause == "motif":
        return first == ("cause", "local structure") and "far" not in kinds
    if cause == "message":
        return "far" in kinds
    return kinds == ["nothing" if cause == "noise" else "few"]


def advise(cause: str, seed: int, workers: int, options: Sequence[str]) -> dict[str, Any]:
    """What the command says about fresh graphs of a cause."""
    num_graphs, budget = BUDGET[cause]
    drawn = "size" if cause == "few" else cause
    graphs = labelled_graphs(drawn, num_graphs=num_graphs, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        write_csv_folder(graphs, Path(folder) / cause)
        words = ["advise", str(Path(folder) / cause), *budget, *options, "--json"]
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            code = cli.main([*words, "--workers", str(workers)])
    if code:
        raise InputError(f"panda advise ended with code {code} on {cause}, seed {seed}")
    said: dict[str, Any] = json.loads(written.getvalue())
    return said


def write_examples(page: Path, workers: int) -> None:
    """Run every ``panda advise`` of a page that has a block of text below it, on the graphs of
    seed 0 that the page makes, and put what it prints there."""
    text, origin = page.read_text("utf-8"), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for cause in ("size", "motif", "message", "noise"):
            write_csv_folder(labelled_graphs(cause, num_graphs=400), Path(folder) / cause)
        write_csv_folder(labelled_graphs("size", num_graphs=30), Path(folder) / "few")
        for found in EXAMPLE.finditer(text):
            written = io.StringIO()
            os.chdir(folder)
            with contextlib.redirect_stdout(written):
                status = cli.main([*shlex.split(found[2])[1:], "--workers", str(workers)])
            os.chdir(origin)
            if status:  # interrupted, say: half of what it prints is no example
                raise SystemExit(status)
            lines = (line.rstrip() for line in written.getvalue().strip().splitlines())
            text = text.replace(found[0], f"{found[1]}{chr(10).join(lines)}\n```")
            page.write_text(text, "utf-8")
            print(found[2], flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--causes", default=",".join(BUDGET), help="names with commas")
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)), help="with commas")
    parser.add_argument("--trials", help="splits of every network (those of BUDGET)")
    parser.add_argument("--workers", type=int, default=1, help="processes that train (1)")
    parser.add_argument("--page", type=Path, help="write the table between its comments here")
    parser.add_argument("--examples", type=Path, metavar="PAGE", help="write those of a page anew")
    options = parser.parse_args()
    if options.examples is not None:
        os.environ["COLUMNS"] = "100"
        write_examples(options.examples, options.workers)
        return
    causes = [choose("cause", cause, BUDGET) for cause in options.causes.split(",")]
    seeds = [int(seed) for seed in options.seeds.split(",")]
    splits = () if options.trials is None else ("--trials", options.trials)
    said: dict[str, list[tuple[bool, str]]] = {cause: [] for cause in causes}
    for seed in seeds:
        for cause in causes:
            start = time.perf_counter()
            advice = advise(cause, seed, options.workers, splits)
            good, words = is_right(cause, advice["findings"]), in_short(advice["findings"])
            said[cause].append((good, words))
            seconds = time.perf_counter() - start
            print(f"{cause} {seed}: {'right' if good else 'wrong'}: {words}; {seconds:.0f} s")
            for sentence in advice["sentences"]:
                print(f"    {sentence}", flush=True)
    lines = ["| cause | right | what it said first, and of distances |", "|---|---|---|"]
    for cause, found in said.items():
        right, words_of = sum(good for good, _ in found), Counter(text for _, text in found)
        each = "; ".join(f"{text}: {count}" for text, count in words_of.most_common())
        lines.append(f"| {cause} | {right} of {len(found)} | {each} |")
    table = "\n".join(lines)
    print(f"\n{table}")
    if options.page is not None:
        write_between(options.page, "fresh graphs", table)


def in_short(findings: Sequence[Mapping[str, Any]]) -> str:
    """The first finding, and the one about distances where there is one."""
    first, last = findings[0], findings[-1]
    text = f"{first['kind']} {first['subject']}"
    return text if last is first else f"{text}, {last['kind']} ({last['subject']})"


if __name__ == "__main__":
    main()
