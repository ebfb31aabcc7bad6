"""How long commands take that need no torch: processor time and memory."""

from __future__ import annotations

import os
import subprocess
import sys

COMMANDS = (
    ["--help"],
    ["train", "--dataset", "mutagg"],
    ["trian"],
    ["datasets"],
    ["methods", "--json"],
    ["train", "--help"],
)
REPEATS = 5


def cost(words: list[str]) -> tuple[float, float]:
    """Processor seconds and megabytes of one run of a command."""
    code = "import sys; from panda_gnn.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Print the least of some runs."""
    for words in COMMANDS:
        seconds, megabytes = min(cost(words) for _ in range(REPEATS))
        print(f"panda {' '.join(words):24} {seconds:6.2f} s {megabytes:6.0f} MB")


if __name__ == "__main__":
    main()
