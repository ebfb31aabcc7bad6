"""Whether every test module stands beside the module it tests: ``python -m tests.mirror``.

``tests/graph/test_rows.py`` tests ``panda_gnn/graph/rows.py``; a package is tested by a module with
its own name, ``tests/centrality/test_centrality.py``. Benchmarks, documents and the package as a
whole have test modules of their own, listed here.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Test modules of something that is no module of the package.
OTHERS = {
    "tests/test_docs.py": "the documents",
    "tests/test_docstrings.py": "the reference",
    "tests/test_panda_gnn.py": "the package as a whole",
}


def counterparts(test: Path) -> list[Path]:
    """The modules that a test module may stand for."""
    inside = test.relative_to(ROOT / "tests")
    name = inside.stem.removeprefix("test_")
    package = ROOT / "panda_gnn" / inside.parent
    return [package / f"{name}.py", package / name / "__init__.py", package.with_name(name)]


def orphans() -> list[str]:
    """The test modules without a counterpart."""
    found = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        path = test.relative_to(ROOT).as_posix()
        own_package = test.stem == f"test_{test.parent.name}"
        if path in OTHERS or own_package:
            continue
        if not any(module.is_file() for module in counterparts(test)):
            found.append(path)
    return found


if __name__ == "__main__":
    without = orphans()
    for path in without:
        print(f"{path} tests no module of this name: move it beside the module it tests")
    sys.exit(bool(without))
