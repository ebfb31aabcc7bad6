"""Write requirements.lock, the pinned versions with the hashes of their files: ``make lock``.

The hashes are of the files that pip takes for the Python and the system it runs on, so a lock is
made where it is used: for an image, or for the machines of a cluster. torch is left out, because
its builds for processors and graphics cards share one version: install the one you want first, and

    pip install --require-hashes --no-deps --requirement requirements.lock
    pip install --no-deps panda-gnn

refuses every file that is not the one that was locked.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from panda_gnn.progress import track

FOLDER = Path(__file__).resolve().parent.parent
PIN = re.compile(r"([A-Za-z0-9_.-]+)==([^\s;]+)(?:\s*;.*)?")
LEFT_OUT = {"torch"}

#: Packages that pip is asked for at once.
BATCH = 8


def pins(text: str) -> list[str]:
    """The lines of a file of constraints that are locked."""
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    found = [match for line in lines if (match := PIN.fullmatch(line))]
    return [match[0] for match in found if match[1].lower() not in LEFT_OUT]


def locked(batch: Sequence[str]) -> list[str]:
    """The packages with the hashes of the files that pip would install."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet"]
        command += ["--ignore-installed", "--report", str(report), *batch]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"pip found no files for {', '.join(batch)}: {done.stderr.strip()}")
        content = json.loads(report.read_text("utf-8"))
    lines = []
    for package in content["install"]:
        name, version = package["metadata"]["name"], package["metadata"]["version"]
        digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{name}=={version} --hash=sha256:{digest}")
    return lines


def main(constraints: Path, target: Path) -> None:
    """Lock the pins of ``constraints`` in ``target``."""
    wanted = pins(constraints.read_text("utf-8"))
    batches = [wanted[begin : begin + BATCH] for begin in range(0, len(wanted), BATCH)]
    lines = [line for batch in track(batches, "asking pip") for line in locked(batch)]
    target.write_text("\n".join(sorted(lines, key=str.lower)) + "\n", "utf-8")
    print(f"{target.name}: {len(lines)} of {len(wanted)} packages have a file for this system")


if __name__ == "__main__":
    main(FOLDER / "constraints.txt", FOLDER / "requirements.lock")
