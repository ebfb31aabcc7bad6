"""Whether the tests notice errors: ``python -m tests.mutants`` puts some into the code, one by one.

A *mutant* is the package with one small error: a comparison turned round, a sign changed, a number
off by one, a statement left out. It is *killed* if a test fails (or hangs), else it *survives*. A
seeded sample is taken from all packages; for each mutant those tests run that execute its line
when the suite runs, those of its module first, the quickest first.

Tools made for this (mutmut, cosmic-ray) rewrite functions or run the whole suite each time; neither
works with functions that numba compiles and keeps on disk by the time of their file. Here a mutant
lives in a copy of the checkout whose kernels are dropped from numba's cache where they depend on
the changed file, and a process that has loaded torch already is forked for every mutant.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import importlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "panda_gnn"

#: Mutants that compute what the package computes, with the reason.
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")

#: Errors that no test noticed once, some of a kind that is not made here.
PAST = Path(__file__).with_name("past_survivors.toml")

#: What the tests import besides the package, but for plugins of pytest: loaded once, before the
#: processes are forked in which a mutant and its tests are imported and run.
LIBRARIES = (
    "igraph",
    "matplotlib.pyplot",
    "networkx",
    "numba",
    "ot",
    "pytest",
    "rich.console",
    "scipy.sparse.csgraph",
    "scipy.stats",
    "sklearn.metrics",
    "torch_geometric.datasets",
    "torch_geometric.loader",
    "torch_geometric.nn",
)

#: Seconds that the tests of one mutant may take, those of its own file and the others, as measured
#: without it; times that until it counts as hanging, and what compiling kernels anew may take.
ENOUGH, PATIENCE, COMPILING = 30.0, 4.0, 180.0

#: Keywords, calls and constants that decide how something looks, or that say again what holds
#: anyway.
LOOKS = {
    *("alpha", "color", "edgecolors", "fontsize", "linestyle", "linewidth", "linewidths"),
    *("figsize", "labelpad", "legend_columns", "pad", "s", "zorder", "stacklevel", "strict"),
    *("fused", "padding", "set_axis_off", "transient", "STYLE", "_empty_picture"),
}

#: What a file says whose functions numba compiles, or runs while it compiles.
COMPILED = re.compile(r"^@(compiled|kernel|intrinsic)\b", re.MULTILINE)

#: A comparison with a tolerance, and what a checker of types wants: no graph is without nodes.
TOLERANCE = re.compile(r"\b\d+(\.\d+)?e-\d+|\b0\.00\d+|\bTIE\b")
NO_NODES = re.compile(r"\bnum_nodes or 0$")

#: Exit codes of what is neither killed nor survived: pytest did not run, or found no test.
BROKEN, NO_TESTS = 70, 5
#: That of pytest where it does not know a test of the given name.
NOT_FOUND = 4

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One error: at a line of a file, with its text, ``after`` stands instead of ``before``."""

    path: str
    line: int
    code: str
    begin: int
    before: str
    after: str

    @property
    def package(self) -> str:
        """The package of the file, or the package as a whole for its own modules."""
        parts = Path(self.path).parts
        return parts[1] if len(parts) > 2 else PACKAGE

    @property
    def change(self) -> str:
        """What changes, in short."""
        return f"`{_cut(self.before)}` -> `{_cut(self.after)}`"


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """What a node may be replaced with."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        if TOLERANCE.search(ast.unparse(node)):
            return  # rounding decides what holds at the limit
        other = copy.deepcopy(node)
        other.ops = [COMPARISONS[type(node.ops[0])]()]
        yield other
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        if not isinstance(node.left, ast.JoinedStr | ast.List):
            other_operation = copy.deepcopy(node)
            other_operation.op = OPERATORS[type(node.op)]()
            yield other_operation
    elif isinstance(node, ast.BoolOp):
        other_choice = copy.deepcopy(node)
        other_choice.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield other_choice
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.copy_location(ast.Constant(not node.value), node)
        elif isinstance(node.value, int | float):
            yield ast.copy_location(ast.Constant(node.value + 1), node)
    elif isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        other_step = copy.deepcopy(node)
        other_step.op = OPERATORS[type(node.op)]()
        yield other_step
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.copy_location(ast.Pass(), node)


def nodes(parent: ast.AST) -> Iterator[ast.AST]:
    """Every node below one that may change."""
    for field, value in ast.iter_fields(parent):
        if field in ("annotation", "returns", "decorator_list", "slice_annotation"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_passed_over(child):
                yield child
                yield from nodes(child)


def _is_passed_over(node: ast.AST) -> bool:
    """Whether no test should notice a change: text for people, types for a checker, looks of a
    picture, and what is true by construction or by the version of Python."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(node, ast.keyword):
        return node.arg in LOOKS
    if isinstance(node, ast.BoolOp):
        return NO_NODES.search(ast.unparse(node)) is not None
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in LOOKS
    if isinstance(node, ast.If):
        condition = ast.unparse(node.test)
        return condition == "TYPE_CHECKING" or condition.startswith(("sys.version", "sys.platform"))
    if isinstance(node, ast.FunctionDef):
        return node.name in ("__repr__", "extra_repr", "add_arguments")
    if isinstance(node, ast.Expr):
        if isinstance(node.value, ast.Constant):
            return True
        called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        return called == "print" or called.rpartition(".")[2] in LOOKS
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in LOOKS
    return False


def mutants_of(path: Path, root: Path = ROOT) -> Iterator[Mutant]:
    """All mutants of a file."""
    source = path.read_bytes()
    for node in nodes(ast.parse(source)):
        for variant in variants(node):
            if isinstance(node, ast.expr | ast.stmt):
                begin = _offset(source, node.lineno, node.col_offset)
                end = _offset(source, node.end_lineno or 0, node.end_col_offset or 0)
                after = ast.unparse(variant)
                if not isinstance(variant, ast.Constant | ast.stmt):
                    after = f"({after})"
                yield _mutant(path.relative_to(root).as_posix(), source, begin, end, after)


def _offset(source: bytes, line: int, column: int) -> int:
    return sum(map(len, source.splitlines(keepends=True)[: line - 1])) + column


def _mutant(path: str, source: bytes, begin: int, end: int, after: str) -> Mutant:
    line = source.count(b"\n", 0, begin)
    code = source.splitlines()[line].decode().strip()
    return Mutant(path, line + 1, code, begin, source[begin:end].decode(), after)


def text_of(mutant: Mutant, root: Path = ROOT) -> str:
    """The mutant's file with its error, and else as it is."""
    source = (root / mutant.path).read_bytes()
    end = mutant.begin + len(mutant.before.encode())
    return (source[: mutant.begin] + mutant.after.encode() + source[end:]).decode()


def past_survivors() -> list[Mutant]:
    """Errors that no test noticed once."""
    mutants = []
    for entry in _entries(PAST):
        source = (ROOT / entry["path"]).read_bytes()
        before = entry["before"].encode()
        if source.count(before) != 1:
            raise SystemExit(f"{entry['path']} has {source.count(before)} x `{entry['before']}`")
        begin = source.index(before)
        end = begin + len(before)
        mutants.append(_mutant(entry["path"], source, begin, end, entry["after"]))
    return mutants


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else f"{line[:87]}..."


def sample(size: int, seed: int, only: str | None = None) -> list[Mutant]:
    """So many mutants, spread over all packages: half evenly, half by their sizes.

    Chance is a digest of the seed and the change, so that a line that stays as it is stays in the
    sample, or out of it, whatever happens to others.
    """
    pools: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        if only is None or path.relative_to(ROOT).as_posix().startswith(only):
            for mutant in mutants_of(path):
                pools[mutant.package].append(mutant)

    seen: Counter[tuple[object, ...]] = Counter()
    digests = {}
    for mutant in (mutant for pool in pools.values() for mutant in pool):
        change = seed, mutant.path, mutant.code, mutant.before, mutant.after
        text = repr((*change, seen[change]) if seen[change] else change)
        digests[mutant] = hashlib.sha256(text.encode()).hexdigest()
        seen[change] += 1

    total = sum(map(len, pools.values()))
    shares = {
        name: size / 2 / len(pools) + size / 2 * len(pool) / total for name, pool in pools.items()
    }
    chosen = [
        mutant
        for name, pool in pools.items()
        for mutant in sorted(pool, key=digests.__getitem__)[: round(shares[name])]
    ]
    # In an order in which a run that was ended early has seen all packages.
    return sorted(chosen, key=digests.__getitem__)


def mutants_at(lines: Sequence[str]) -> list[Mutant]:
    """All mutants of lines that are named as ``panda_gnn/evaluation/run.py:99``."""
    named = [line.rpartition(":") for line in lines]
    return [
        mutant
        for path, _, number in named
        for mutant in mutants_of(ROOT / path)
        if mutant.line == int(number)
    ]


def measure_suite(
    folder: Path, workers: int, tests: Sequence[str] = ()
) -> tuple[dict[str, dict[int, set[str]]], dict[str, float]]:
    """Which tests execute each line, and how long every test takes that passes.

    Prints the coverage by branch and the slowest tests, as they are under tracing.

    Args:
        folder: Where the measurement is kept meanwhile.
        workers: So many processes run the tests.
        tests: Files and folders of tests; the whole suite if there are none.
    """
    report = folder / "durations.json"
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--dist", "loadfile"),
        *("-p", "no:cacheprovider", "-p", "tests.mutants", f"--durations-file={report}"),
        *("--cov", "--cov-report=term:skip-covered", "--cov-context=test", "--durations=10"),
        *tests,
    ]
    surroundings = os.environ | {"COVERAGE_FILE": str(folder / "coverage")}
    code = subprocess.run(command, cwd=ROOT, env=surroundings).returncode
    if code not in (0, 1):
        raise SystemExit(f"pytest ended with {code}")
    durations: dict[str, float] = json.loads(report.read_text())
    lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for data in folder.glob("coverage*"):
        _add_contexts(data, lines)
    return lines, durations


def _add_contexts(file: Path, lines: dict[str, dict[int, set[str]]]) -> None:
    from coverage import CoverageData

    data = CoverageData(basename=str(file))
    data.read()
    for path in data.measured_files():
        name = Path(path).relative_to(ROOT).as_posix()
        for line, contexts in data.contexts_by_lineno(path).items():
            lines[name][line] |= {context.split("|")[0] for context in contexts if context}


def tests_for(
    mutant: Mutant, lines: dict[str, dict[int, set[str]]], durations: dict[str, float]
) -> list[list[str]]:
    """The tests that execute the line. Where an import does, those of the file and its package; and
    where numba may, which nobody traces, also those of the files that import it.

    The first list has those of the module's own file of tests, the second the others of its
    package, the third the rest; each has the quickest first.
    """
    names = set(lines.get(mutant.path, {}).get(mutant.line, ()))
    is_compiled = COMPILED.search((ROOT / mutant.path).read_text()) is not None
    by_import = not names or not _is_in_function(mutant)
    users = importers(ROOT)
    reached = front = {mutant.path}
    rounds = 2 if is_compiled else 0
    while front and (not names or rounds > 0):
        names.update(*(tests for file in front for tests in lines.get(file, {}).values()))
        front = {user for file in front for user in users[file]} - reached
        reached |= front
        rounds -= 1
    path = Path(mutant.path)
    folder = Path("tests", *path.parts[1:-1]).as_posix() + "/"
    own = f"{folder}test_{path.stem.removesuffix('_kernel')}.py::"
    if is_compiled or by_import:
        start = folder if by_import else own
        names.update(name for name in durations if name.startswith(start))
    ordered = sorted((name for name in names if name in durations), key=durations.__getitem__)
    ranks = [0 if name.startswith(own) else 1 if name.startswith(folder) else 2 for name in ordered]
    return [
        _quickest(
            [name for name, rank in zip(ordered, ranks, strict=True) if rank == which], durations
        )
        for which in range(3)
    ]


def _is_in_function(mutant: Mutant) -> bool:
    """Whether a call executes the line, not the import of its file, such as a default's."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(
        isinstance(node, functions)
        and node.body[0].lineno <= mutant.line <= (node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse((ROOT / mutant.path).read_text()))
    )


def _quickest(ordered: list[str], durations: dict[str, float]) -> list[str]:
    chosen: list[str] = []
    seconds = 0.0
    for name in ordered:
        seconds += durations[name]
        if chosen and seconds > ENOUGH:
            break
        chosen.append(name)
    return chosen


@cache
def importers(root: Path) -> dict[str, set[str]]:
    """The files that import each file."""
    imports: dict[str, set[str]] = {}
    for file in (root / PACKAGE).rglob("*.py"):
        names: set[str] = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        imports[file.relative_to(root).as_posix()] = names
    result: dict[str, set[str]] = {}
    for path in imports:
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        result[path] = {other for other, names in imports.items() if module in names}
    return result


def dependents(root: Path) -> dict[str, set[str]]:
    """The files that use each file, itself included: their kernels may contain its code."""
    users = importers(root)
    result: dict[str, set[str]] = {}
    for path in users:
        reached, front = {path}, [path]
        while front:
            others = users[front.pop()] - reached
            reached |= others
            front += others
        result[path] = reached
    return result


class Copy:
    """A copy of the checkout in which one mutant lives at a time."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        ignored = shutil.ignore_patterns(".git", ".venv", ".mypy_cache", ".ruff_cache")
        shutil.copytree(ROOT, self.root, ignore=ignored)
        self.kept = folder / "kept"
        self.dependents = dependents(self.root)
        #: Whether tests that killed a mutant pass in this copy without one.
        self.passes: dict[str, bool] = {}

    def run(self, mutant: Mutant, tests: list[list[str]], seconds: float) -> str:
        """``killed``, ``hung`` or ``survived``; a test that fails without the mutant is no kill."""
        while True:
            outcome, killer = self._try(mutant, tests, seconds)
            if killer is None:
                return outcome
            if killer not in self.passes:
                self.passes[killer] = self._fork([[killer]], seconds)[0] == "survived"
            if self.passes[killer]:
                return outcome

    def _try(
        self, mutant: Mutant, tests: list[list[str]], seconds: float
    ) -> tuple[str, str | None]:
        path = self.root / mutant.path
        moved = list(self._kernels(mutant.path))
        self.kept.mkdir()
        shutil.copy2(path, self.kept / "source")
        for number, kernel in enumerate(moved):
            shutil.move(kernel, self.kept / str(number))
        try:
            path.write_text(text_of(mutant, self.root))
            return self._fork(tests, seconds)
        finally:
            shutil.copy2(self.kept / "source", path)
            for kernel in self._kernels(mutant.path):
                kernel.unlink()
            for number, kernel in enumerate(moved):
                shutil.move(self.kept / str(number), kernel)
            shutil.rmtree(self.kept)

    def _kernels(self, path: str) -> Iterator[Path]:
        """What numba keeps of a file and of those that use it."""
        for other in self.dependents[path]:
            module = self.root / other
            for pattern in (f"{module.stem}.*.nbi", f"{module.stem}.*.nbc"):
                yield from (module.parent / "__pycache__").glob(pattern)

    def _fork(self, tests: list[list[str]], seconds: float) -> tuple[str, str | None]:
        """The outcome, and the test that failed."""
        killer = self.root.with_name("killer")
        killer.write_text("")
        flawed = [name for name, passes in self.passes.items() if not passes]
        child = os.fork()
        if child == 0:
            os.setsid()
            try:
                _run_tests(self.root, tests, flawed, killer)
            finally:
                os._exit(BROKEN)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                if code in (BROKEN, NO_TESTS):
                    raise RuntimeError(f"pytest could not run {tests}")
                return "survived" if code == 0 else "killed", killer.read_text() or None
            time.sleep(0.05)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "hung", None


def _run_tests(root: Path, tests: list[list[str]], flawed: list[str], killer: Path) -> None:
    """Run the tests in this process, list by list, and end it with the exit code of a failure."""
    import pytest

    class Note:
        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                killer.write_text(report.nodeid)

    os.chdir(root)
    os.environ["PYTHONPATH"] = str(root)  # so that processes of the tests run the mutant, too
    sys.path[:] = [str(root), *(entry for entry in sys.path if Path(entry or ".") != ROOT)]
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for name in [name for name in sys.modules if name.split(".")[0] in (PACKAGE, "tests")]:
        del sys.modules[name]
    options = ["-x", "-q", "-p", "no:cacheprovider", *(f"--deselect={name}" for name in flawed)]
    code = 0
    for names in filter(None, tests):
        code = code or int(pytest.main([*options, *names], plugins=[Note()]))
        if code == NOT_FOUND:  # the mutant changes which cases a test has, which nobody may notice
            files = sorted({name.partition("::")[0] for name in names})
            code = int(pytest.main([*options, *files], plugins=[Note()]))
        code = 0 if code == NO_TESTS and flawed else code
    os._exit(code)


def _work(folder: str, queue: Any, results: Any) -> None:
    for name in LIBRARIES:
        importlib.import_module(name)
    place = Copy(Path(folder))
    while (item := queue.get()) is not None:
        mutant, tests, seconds = item
        begin = time.monotonic()
        outcome = place.run(mutant, tests, seconds) if any(tests) else "survived"
        results.put((mutant, sum(map(len, tests)), outcome, time.monotonic() - begin))


def run(
    mutants: list[Mutant],
    lines: dict[str, dict[int, set[str]]],
    durations: dict[str, float],
    workers: int,
    report: Callable[[Mutant, int, str, float], None],
) -> None:
    """Try all mutants on some processes, each with a copy of its own."""
    context = multiprocessing.get_context("spawn")
    queue, results = context.Queue(), context.Queue()
    for mutant in mutants:
        tests = tests_for(mutant, lines, durations)
        seconds = COMPILING + PATIENCE * sum(durations[name] for names in tests for name in names)
        queue.put((mutant, tests, seconds))
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for number in range(workers):
            queue.put(None)
            place = Path(folder, str(number))
            place.mkdir()
            process = context.Process(target=_work, args=(str(place), queue, results))
            process.start()
            processes.append(process)
        for _ in mutants:
            report(*results.get())
        for process in processes:
            process.join()


def equivalent() -> dict[tuple[str, str, str, str], str]:
    """The mutants that are no errors (file, text of the line, what changes), with the reasons."""
    found = {}
    for entry in _entries(EQUIVALENT):
        path, code = entry["path"], entry["code"]
        if code not in map(str.strip, (ROOT / path).read_text().splitlines()):
            raise SystemExit(f"{EQUIVALENT.name}: {path} has no line `{code}`")
        found[path, code, entry["before"], entry["after"]] = entry["reason"]
    return found


def _entries(file: Path) -> list[dict[str, str]]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    entries: list[dict[str, str]] = tomllib.loads(file.read_text())["mutant"]
    return entries


def table(outcomes: dict[Mutant, str]) -> str:
    """Killed and survived for each package, as Markdown."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, outcome in outcomes.items():
        for name in (mutant.package, "all"):
            counts[name]["survived" if outcome == "survived" else "killed"] += 1
    rows = ["| package | mutants | killed | survived | killed in % |", "|---|---|---|---|---|"]
    for name in sorted(counts, key=lambda name: (name == "all", name)):
        killed, survived = counts[name]["killed"], counts[name]["survived"]
        share = 100 * killed / (killed + survived)
        rows.append(f"| {name} | {killed + survived} | {killed} | {survived} | {share:.0f} |")
    return "\n".join(rows)


def _map(
    file: Path | None, workers: int, tests: Sequence[str]
) -> tuple[dict[str, dict[int, set[str]]], dict[str, float]]:
    """What :func:`measure_suite` found, now or when ``file`` was written; of ``tests`` anew."""
    lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    durations: dict[str, float] = {}
    is_known = file is not None and file.is_file()
    if file is not None and is_known:
        stored = json.loads(file.read_text())
        durations |= stored["durations"]
        for path, of_file in stored["lines"].items():
            lines[path] |= {int(line): set(names) for line, names in of_file.items()}
    if not is_known or tests:
        with tempfile.TemporaryDirectory() as folder:
            found, took = measure_suite(Path(folder), workers, tests)
        durations |= took
        for path, of_file in found.items():
            for line, names in of_file.items():
                lines[path][line] |= names
        if file is not None:
            plain = {
                path: {line: sorted(names) for line, names in of_file.items()}
                for path, of_file in lines.items()
            }
            file.write_text(json.dumps({"lines": plain, "durations": durations}))
    return lines, durations


def main() -> None:
    """Take a sample, try it, print the table and the survivors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=200, metavar="N", help="mutants (200)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which ones (0)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument("--only", metavar="PATH", help="files whose path begins so (all)")
    parser.add_argument(
        "--at", nargs="+", metavar="PATH:LINE", help="all mutants of these lines, no sample"
    )
    parser.add_argument(
        "--past", action="store_true", help="errors that no test noticed once, no sample"
    )
    parser.add_argument(
        "--tests", nargs="+", default=(), metavar="PATH", help="tests that are asked (the suite)"
    )
    parser.add_argument(
        "--map",
        type=Path,
        metavar="FILE",
        help="keeps which test runs which line; with --tests, these are added to what it has",
    )
    options = parser.parse_args()
    begin = time.monotonic()
    lines, durations = _map(options.map, options.workers, options.tests)
    harmless = equivalent()
    if options.past:
        chosen = past_survivors()
    elif options.at:
        chosen = mutants_at(options.at)
    else:
        chosen = sample(options.sample, options.seed, options.only)
    mutants = [
        mutant
        for mutant in chosen
        if (mutant.path, mutant.code, mutant.before, mutant.after) not in harmless
    ]
    outcomes: dict[Mutant, str] = {}
    tried = time.monotonic()

    def report(mutant: Mutant, tests: int, outcome: str, seconds: float) -> None:
        outcomes[mutant] = outcome
        pace = (time.monotonic() - tried) / len(outcomes)
        print(
            f"{len(outcomes):4}/{len(mutants)} {outcome:9} {mutant.path}:{mutant.line} "
            f"{mutant.change} ({tests} tests, {seconds:.0f} s; "
            f"{pace * (len(mutants) - len(outcomes)) / 60:.0f} minutes left)",
            flush=True,
        )

    run(mutants, lines, durations, options.workers, report)
    print(f"\n{table(outcomes)}\n")
    for mutant, outcome in outcomes.items():
        if outcome == "survived":
            print(f"- {mutant.path}:{mutant.line}: {mutant.change}")
    minutes = (time.monotonic() - begin) / 60
    print(f"\nseed {options.seed}, {minutes:.0f} minutes on {options.workers} processes")


def pytest_addoption(parser: Any) -> None:
    """As a plugin of pytest: where to write how long every test takes."""
    parser.addoption("--durations-file", default=None)


_durations: dict[str, float] = {}
_failed: set[str] = set()


def pytest_runtest_logreport(report: Any) -> None:
    """Add up the phases of a test."""
    _durations[report.nodeid] = _durations.get(report.nodeid, 0.0) + report.duration
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish(session: Any) -> None:
    """Write what was measured, in the process that collects the reports.

    A test that fails without a mutant would kill every one, so it is left out.
    """
    path = session.config.getoption("--durations-file")
    if path and not hasattr(session.config, "workerinput"):
        passed = {name: time for name, time in _durations.items() if name not in _failed}
        Path(path).write_text(json.dumps(passed))


if __name__ == "__main__":
    main()
