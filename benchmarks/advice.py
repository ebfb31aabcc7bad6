"""How often ``panda advise`` says the right thing about graphs whose class has one known cause.

    python benchmarks/advice.py                       five seeds of each cause, about an hour
    python benchmarks/advice.py --causes few,size --seeds 7,8

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
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from panda_gnn import cli
from panda_gnn.datasets.causes import labelled_graphs, write_csv_folder
from panda_gnn.errors import InputError, choose

SEEDS = (1001, 1002, 1003, 1004, 1005)
SMALL = ("--trials", "5", "--epochs", "10")
BUDGET: Mapping[str, tuple[int, Sequence[str]]] = MappingProxyType(
    {
        "message": (400, ("--layers", "1", "--trials", "5", "--epochs", "40")),
        "size": (200, SMALL),
        "motif": (200, SMALL),
        "noise": (200, SMALL),
        "few": (30, ()),
    }
)
"""How many graphs of every cause there are, and the options of the command."""


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


def advise(cause: str, seed: int, workers: int) -> dict[str, Any]:
    """What the command says about fresh graphs of a cause."""
    num_graphs, budget = BUDGET[cause]
    drawn = "size" if cause == "few" else cause
    graphs = labelled_graphs(drawn, num_graphs=num_graphs, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        write_csv_folder(graphs, Path(folder) / cause)
        words = ["advise", str(Path(folder) / cause), *budget, "--json"]
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            code = cli.main([*words, "--workers", str(workers)])
    if code:
        raise InputError(f"panda advise ended with code {code} on {cause}, seed {seed}")
    said: dict[str, Any] = json.loads(written.getvalue())
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--causes", default=",".join(BUDGET), help="names with commas")
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)), help="with commas")
    parser.add_argument("--workers", type=int, default=1, help="processes that train (1)")
    options = parser.parse_args()
    causes = [choose("cause", cause, BUDGET) for cause in options.causes.split(",")]
    seeds = [int(seed) for seed in options.seeds.split(",")]
    lines = ["| cause | right | what it said first, and of distances |", "|---|---|---|"]
    for cause in causes:
        right, said_of_all = 0, []
        for seed in seeds:
            start = time.perf_counter()
            said = advise(cause, seed, options.workers)
            good = is_right(cause, said["findings"])
            first, last = said["findings"][0], said["findings"][-1]
            words = f"{first['kind']} {first['subject']}"
            if last is not first:
                words += f", {last['kind']} ({last['subject']})"
            right += good
            said_of_all.append(words)
            seconds = time.perf_counter() - start
            verdict = "right" if good else "wrong"
            print(f"{cause} {seed}: {verdict}: {words}; {seconds:.0f} s")
            for sentence in said["sentences"]:
                print(f"    {sentence}", flush=True)
        counted = {words: said_of_all.count(words) for words in sorted(set(said_of_all))}
        summary = "; ".join(f"{words}: {count}" for words, count in counted.items())
        lines.append(f"| {cause} | {right} of {len(seeds)} | {summary} |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
