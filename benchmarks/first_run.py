"""The first run on a new installation beside the second: what compiling the kernels costs a user.

Both are ``panda compare --dataset mutag`` in processes of their own, with two workers. For the
first one there are no compiled kernels and no dataset in the cache; the second one finds what the
first has left. The dataset's archive is taken from the mirror, if there is one. Fails where the
first run takes more than ten seconds longer.

With ``--load`` it is the first load of a dataset from its text files instead, in an empty folder,
beside PyG's reader of the same files.

    python benchmarks/first_run.py [--trials 10] [--workers 2] [--methods panda]
    python benchmarks/first_run.py --load collab [--mirror FOLDER]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

PANDA = "from panda_gnn.cli import main; raise SystemExit(main())"

#: Seconds that the first run may take longer than the second, and that a first load may take.
ALLOWED = 10.0


def run(options: argparse.Namespace, scratch: Path) -> tuple[float, list[str]]:
    """Seconds of a run, and what it says of compiling."""
    command = ["compare", "--dataset", "mutag", "--root", str(scratch / "data")]
    for name in ("trials", "workers", "methods"):
        command += [f"--{name}", str(getattr(options, name))]
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", PANDA, *command],
        env=os.environ | {"NUMBA_CACHE_DIR": str(scratch / "kernels")},
        check=True,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - begin
    return seconds, [line for line in done.stderr.splitlines() if "compil" in line]


def loading(name: str, mirror: str | None) -> int:
    """Print the seconds of a first and of a second load, and those of PyG's reader."""
    from torch_geometric.io import read_tu_data

    from panda_gnn.datasets import load

    seconds = []
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(2):
            begin = time.perf_counter()
            dataset: Any = load(name, root=scratch, mirror=mirror)
            seconds.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        read_tu_data(dataset.raw_dir, dataset.name)
        seconds.append(time.perf_counter() - begin)
    table = Table(title=f"loading {dataset.name}")
    table.add_column("")
    table.add_column("seconds", justify="right")
    for what, found in zip(
        ("first load", "second load", "PyG's reader of the raw files alone"), seconds, strict=True
    ):
        table.add_row(what, f"{found:.1f}")
    Console().print(table)
    return 0 if seconds[0] <= ALLOWED else 1


def main() -> int:
    """Print both times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--methods", default="panda")
    parser.add_argument("--load", metavar="DATASET", help="the first load of a dataset instead")
    parser.add_argument("--mirror", help="with --load: a folder with its archive")
    options = parser.parse_args()
    if options.load:
        return loading(options.load, options.mirror)
    table = Table(title=f"panda compare --dataset mutag, {options.workers} workers")
    for column in ("run", "seconds", "lines about compiling"):
        table.add_column(column, justify="left" if column == "run" else "right")
    with tempfile.TemporaryDirectory() as scratch:
        cold, said = run(options, Path(scratch))
        for line in said:
            print(line)
        warm, again = run(options, Path(scratch))
    table.add_row("first", f"{cold:.1f}", str(len(said)))
    table.add_row("second", f"{warm:.1f}", str(len(again)))
    table.add_row("difference", f"{cold - warm:.1f}", "")
    Console().print(table)
    return 0 if cold - warm <= ALLOWED else 1


if __name__ == "__main__":
    raise SystemExit(main())
