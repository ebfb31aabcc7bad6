"""Builds the package as it would be released and tries it: ``make release-check``.

Builds sdist and wheel, checks their metadata with twine, installs the wheel into a new environment
and runs the demo from there, away from the sources. For every other Python that is found, the wheel
is installed without its dependencies, all of it is compiled and the version is asked for. For every
Python of the list, there or not, the pinned versions of all extras must go together, as wheels.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command, and end with what it said if it fails."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        raise SystemExit(f"failed: {' '.join(str(word) for word in command)}")
    return done.stdout


def environment(python: str | Path, folder: Path) -> Path:
    """The Python of a new environment."""
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def main() -> None:
    """Check everything, one line for each step."""
    with tempfile.TemporaryDirectory() as name:
        away = Path(name)
        run(sys.executable, "-m", "build", "--outdir", away / "dist", ROOT)
        files = sorted((away / "dist").iterdir())
        run(sys.executable, "-m", "twine", "check", "--strict", *files)
        for file in files:
            print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB, metadata in order")
        wheel = next(file for file in files if file.suffix == ".whl")
        own = environment(sys.executable, away / "own")
        run(own, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel)
        demo = run(
            own.with_name("panda"), "compare", "--dataset", "mutag", "--backbone", "gcn", cwd=away
        )
        print("\n".join(line for line in demo.splitlines() if line.startswith(" ")))
        for version in PYTHONS:
            python = found(version)
            if version == f"{sys.version_info.major}.{sys.version_info.minor}":
                print(f"Python {version}: the demo ran from the wheel")
            elif python is None:
                print(f"Python {version}: not found, not tried")
            else:
                print(f"Python {version}: {tried(python, wheel, away / version)}")
            print(f"Python {version}: {resolved(version)}")


def found(version: str) -> str | None:
    """A Python of that version that runs: on the path, or one that pyenv keeps."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    kept = sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    for python in (shutil.which(f"python{version}"), *map(str, kept)):
        if python and not subprocess.run([python, "--version"], capture_output=True).returncode:
            return python
    return None


def resolved(version: str) -> str:
    """Whether the pins of every extra can be installed together on a Python that may be absent."""
    extras = tuple(word for name in ("dev", "docs", "release") for word in ("--extra", name))
    command = ("-m", "uv", "pip", "compile", "--quiet", "--only-binary", ":all:", *extras)
    pins = ("--constraint", ROOT / "constraints.txt", ROOT / "pyproject.toml")
    python = ("--python-version", f"{version}.9")  # some packages ask for later patches of 3.11
    text = run(sys.executable, *command, "--no-annotate", *python, *pins)
    return f"{text.count('==')} pinned packages go together"


def tried(python: str, wheel: Path, folder: Path) -> str:
    """What a wheel does on another Python, without its dependencies."""
    other = environment(python, folder)
    run(other, "-m", "pip", "install", "--quiet", "--no-deps", wheel)
    (package,) = folder.glob("lib/python*/site-packages/panda_gnn")
    run(other, "-W", "error", "-m", "compileall", "-q", "-f", package)
    said = run(other, "-c", "import panda_gnn; print(panda_gnn.__version__)").strip()
    return f"installs without its dependencies, compiles, says {said}"


if __name__ == "__main__":
    main()
