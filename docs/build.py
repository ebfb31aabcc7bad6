"""Builds the site and says what it took: ``make docs``.

Warnings are errors, tutorials are run (what has not changed comes from a cache), every link is
checked, and no page may load anything from the network. Where there is a command ``panda report``,
its pages become part of the site.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import links

from panda_gnn.cli import COMMANDS

DOCS = Path(__file__).resolve().parent
SITE = DOCS / "_build" / "html"


def main() -> int:
    """Build everything; the exit code."""
    start = time.monotonic()
    environment = {
        **os.environ,
        "COLUMNS": "100",
        "TTY_COMPATIBLE": "0",  # kernels ask for colours, whose codes may come in two pieces
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONPATH": os.pathsep.join([str(DOCS), str(DOCS.parent)]),
    }
    has_report = "report" in COMMANDS
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    command += ["--tag", "report"] if has_report else []
    if subprocess.run([*command, str(DOCS), str(SITE)], env=environment).returncode:
        return 1
    if has_report:
        folder = (SITE / "results" / "report").relative_to(DOCS.parent)  # the pages name it
        report = ["panda", "report", "--output", str(folder)]
        if subprocess.run(report, env=environment, cwd=DOCS.parent).returncode:
            return 1
    status = links.main(SITE)
    print(f"built in {time.monotonic() - start:.0f} s: {SITE / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
