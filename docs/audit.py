"""Lists every installed package with its version and licence, then asks pip-audit for known flaws.

pip-audit is not installed with the extra ``dev``: ``pip install pip-audit`` where its data can be
reached. Without it the list alone is printed. Packages that it cannot look up are an error: without
``--strict`` it says that no flaw is known, even where it reached nothing.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib.metadata import Distribution, distributions


def licence(package: Distribution) -> str:
    """The licence as the package states it: an expression, else its classifiers, else a line."""
    metadata = package.metadata
    for expression in metadata.get_all("License-Expression") or ():
        return str(expression)
    classified = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License :: ") and not line.endswith("OSI Approved")
    ]
    terms = "".join(metadata.get_all("License") or ()).strip().partition("\n")[0]
    return ", ".join(classified) or terms[:60] or "not stated"


def main() -> int:
    """Print the list, and return pip-audit's exit code."""
    listed = {
        str(package.metadata["Name"]): (package.version, licence(package))
        for package in distributions()
    }
    for name in sorted(listed, key=str.lower):
        version, terms = listed[name]
        print(f"{name:45} {version:18} {terms}")
    if importlib.util.find_spec("pip_audit") is None:
        print("pip-audit is not installed: known flaws were not looked up", file=sys.stderr)
        return 0
    return subprocess.run([sys.executable, "-m", "pip_audit", "--strict"]).returncode


if __name__ == "__main__":
    sys.exit(main())
