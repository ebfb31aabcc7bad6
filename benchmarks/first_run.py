"""The first run on a new installation beside the second: what compiling the kernels costs a user.

Both are ``panda compare --dataset mutag`` in processes of their own, with two workers. For the
first one there are no compiled kernels and no dataset in the cache; the second one finds what the
first has left. The dataset's archive is taken from the mirror, if there is one. Fails where the
first run takes more than ten seconds longer.

    python benchmarks/first_run.py [--trials 10] [--workers 2] [--methods panda]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

PANDA = "from panda_gnn.cli import main; raise SystemExit(main())"

#: Seconds that the first run may take longer than the second.
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


def main() -> int:
    """Print both times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--methods", default="panda")
    options = parser.parse_args()
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
