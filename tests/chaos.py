"""Whether studies survive: ``python -m tests.chaos`` kills whatever runs them, 200 times at random.

Two studies run at the same time. In one of pretended trials two drivers share one store, one with
processes of this machine, one with Ray. Drivers, workers and raylets get SIGKILL in a seeded order,
the disk is filled, a row is altered and a line is cut off. What was killed is started again, as a
user would. In one of real trials all files of the cache and one row are damaged, and a driver gets
SIGTERM. In the end both must hold every trial exactly once and give the table of a study that
nobody disturbed, bit for bit.

Linux only: processes are found in /proc. A small disk is mounted where that is allowed; elsewhere
a limit on the size of files stands for the full disk.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from panda_gnn.interrupts import on_request_to_end
from tests.evaluation.pretend import pretend_origins, pretend_trial, slow_trial, small_study

if TYPE_CHECKING:  # workers start in a tenth of a second without torch
    from panda_gnn.evaluation.store import Contents
    from panda_gnn.evaluation.study import Study

ROOT = Path(__file__).resolve().parents[1]
METHODS = ["none", "panda", "fosr", "sdrf", "digl"]

#: How often each is killed, of two hundred.
SHARES = {"local worker": 146, "ray worker": 40, "driver": 10, "raylet": 4}

#: How Ray's own processes are called; without them its raylet ends, and a start fails after 30 s.
AGENTS = ("ray::Dashboard", "ray::RuntimeEnv")

#: Seconds after which nothing of a killed driver may be left.
ORPHANS_AFTER = 3.0

REAL_STUDY = """
title = "Real trials"
trials = 3
datasets = ["mutag"]
backbones = ["gcn"]
methods = ["none", "panda", "fosr"]

[training]
max_epochs = 4
"""


def study_of(trials: int) -> Study:
    return small_study(methods=METHODS, trials=trials)


def drive(kind: str, store: str, trials: int) -> int:
    """The driver of the pretended study: on processes, on Ray, or quickly and undisturbed."""
    from panda_gnn.errors import InputError
    from panda_gnn.evaluation.executors import LocalExecutor, RayExecutor
    from panda_gnn.evaluation.run import run_study
    from panda_gnn.evaluation.store import Store

    study = study_of(trials)
    try:
        with RayExecutor(2) if kind == "ray" else LocalExecutor(2) as executor:
            run_study(
                study,
                Store(Path(store)),
                executor,
                pretend_trial if kind == "calm" else slow_trial,
                origins=pretend_origins(study),
                trials=trials,
                retry_failed=True,
            )
    except InputError as error:
        print(f"stopped: {error}", file=sys.stderr)
        return 2
    return 0


@dataclass(frozen=True)
class Process:
    """A process, and when it started, because numbers are given again."""

    pid: int
    started: str

    @property
    def lives(self) -> bool:
        return any(one == self for one, *_ in processes())


def processes() -> Iterator[tuple[Process, int, str, str]]:
    """Every process that is no zombie, with its parent, its name and its command."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text("utf-8", "replace")
            command = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        head, _, rest = stat.rpartition(")")
        words = rest.split()
        if words[0] not in "ZX":
            yield (
                Process(int(folder.name), words[19]),
                int(words[1]),
                head.partition("(")[2],
                command,
            )


@dataclass
class Chaos:
    """The pretended study while it is disturbed."""

    folder: Path
    store: Path
    kills: int
    draw: random.Random
    on_small_disk: bool
    trials: int = 40
    started: Counter[str] = field(default_factory=Counter)
    killed: Counter[str] = field(default_factory=Counter)
    drivers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    seen: set[Process] = field(default_factory=set)
    to_check: list[tuple[float, str, list[Process]]] = field(default_factory=list)
    orphans: Counter[str] = field(default_factory=Counter)
    sentences: int = 0

    def run(self) -> None:
        """Until all kills are done and the study is finished."""
        plan = [kind for kind, share in SHARES.items() for _ in range(share * self.kills // 200)]
        self.draw.shuffle(plan)
        events = {0.3: self.fill_the_disk, 0.5: self.alter_a_row, 0.7: self.cut_a_line}
        last = time.monotonic()
        while True:
            rows = self.store.read_bytes().count(b"\n") if self.store.exists() else 0
            done = sum(self.killed.values())
            finished = rows >= len(METHODS) * self.trials
            if finished and plan:
                self.trials += 20
            if finished and not plan and not events and self.is_complete():
                break
            self.look_after_drivers(None if "local worker" in plan or not plan else "ray")
            share = done / max(1, self.kills)
            for when in [when for when in events if share >= when or not plan]:
                events.pop(when)()
            due = rows / (len(METHODS) * self.trials) >= share or time.monotonic() - last > 1
            if plan and due and (kind := self.kill(plan)) is not None:
                plan.remove(kind)
                last = time.monotonic()
                if len(plan) % 20 == 0:
                    print(f"{done + 1} kills, {rows} rows", file=sys.stderr, flush=True)
            self.check_for_orphans()
            time.sleep(0.2)
        for driver in self.drivers.values():
            driver.wait()
        time.sleep(ORPHANS_AFTER)
        self.check_for_orphans()

    def is_complete(self) -> bool:
        return len(contents(self.store).rows) == len(METHODS) * self.trials

    def look_after_drivers(self, only: str | None = None) -> None:
        """Start what has ended: both drivers, or one that would have nothing left to do else."""
        for kind in ("local", "ray") if only is None else (only,):
            driver = self.drivers.get(kind)
            if driver is None or driver.poll() is not None:
                self.started[kind] += 1
                log = (self.folder / f"{kind}-{self.started[kind]}.log").open("wb")
                command = [sys.executable, "-m", "tests.chaos", "--drive", kind, str(self.store)]
                self.drivers[kind] = subprocess.Popen(
                    [*command, "--trials", str(self.trials)],
                    cwd=ROOT,
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                    stdout=log,
                    stderr=log,
                )

    def descendants(self, pid: int) -> list[tuple[Process, str, str]]:
        found, parents = [], {pid}
        everything = list(processes())
        for _ in range(6):
            for process, parent, name, command in everything:
                if parent in parents and process.pid not in parents:
                    parents.add(process.pid)
                    found.append((process, name, command))
        self.seen.update(process for process, *_ in found)
        return found

    def victims(self) -> dict[str, list[int]]:
        """What could be killed now."""
        alive = {kind: one.pid for kind, one in self.drivers.items() if one.poll() is None}
        local = self.descendants(alive["local"]) if "local" in alive else []
        ray = self.descendants(alive["ray"]) if "ray" in alive else []
        workers = [
            one.pid
            for one, name, _ in ray
            if name.startswith("ray::") and not name.startswith(AGENTS)
        ]
        return {
            "local worker": [one.pid for one, _, command in local if "spawn_main" in command],
            "ray worker": workers,
            "raylet": [one.pid for one, name, _ in ray if name == "raylet" and workers],
            "driver": [
                alive[kind] for kind, at_work in (("local", local), ("ray", ray)) if at_work
            ],
        }

    def kill(self, plan: list[str]) -> str | None:
        """Kill the first that can be of those that are planned."""
        victims = self.victims()
        kind = next((kind for kind in plan if victims[kind]), None)
        if kind is None:
            return None
        pid = self.draw.choice(sorted(victims[kind]))
        whose = next((name for name, one in self.drivers.items() if one.pid == pid), None)
        if whose is not None:
            left = [process for process, *_ in self.descendants(pid)]
            self.to_check.append((time.monotonic() + ORPHANS_AFTER, whose, left))
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return None
        if whose is not None:
            self.drivers[whose].wait()
        self.killed[kind] += 1
        return kind

    def check_for_orphans(self) -> None:
        due = [check for check in self.to_check if time.monotonic() > check[0]]
        if due:
            alive = {process for process, *_ in processes()}
            for check in due:
                self.to_check.remove(check)
                self.orphans[check[1]] += len(alive.intersection(check[2]))

    def fill_the_disk(self) -> None:
        """Both drivers end with one sentence and a whole file; then there is room again."""
        self.look_after_drivers()
        ballast = self.store.with_name("ballast")
        if self.on_small_disk:
            with ballast.open("wb", buffering=0) as file:
                for size in (1 << 12, 1):
                    try:
                        while file.write(b"x" * size):
                            pass
                    except OSError:
                        continue
        for kind in self.drivers:
            self.limit_files()
            while not self.ended_with_a_sentence(kind):
                self.trials += 20
                self.look_after_drivers()
                self.limit_files()
            self.sentences += 1
        ballast.unlink(missing_ok=True)
        assert contents(self.store).problems == ()

    def limit_files(self) -> None:
        """Where no small disk could be mounted: let no file of the drivers grow."""
        size = self.store.stat().st_size if self.store.exists() else 0
        for driver in self.drivers.values() if not self.on_small_disk else ():
            if driver.poll() is None:
                resource.prlimit(driver.pid, resource.RLIMIT_FSIZE, (size, size))

    def ended_with_a_sentence(self, kind: str) -> bool:
        """Whether a driver noticed the full disk, and not that nothing is left to do."""
        code = self.drivers[kind].wait()
        log = (self.folder / f"{kind}-{self.started[kind]}.log").read_text("utf-8", "replace")
        assert code in (0, 2), log
        return code == 2 and log.count("cannot be written any more") == 1

    def alter_a_row(self) -> None:
        """Change a digit of a score in the middle of the file."""
        content = self.store.read_bytes()
        place = content.index(b'"test":0.', len(content) // 2) + len(b'"test":0.')
        with self.store.open("r+b") as file:
            file.seek(place)
            file.write(b"1" if content[place : place + 1] != b"1" else b"2")

    def cut_a_line(self) -> None:
        """Append half a line, as a machine that loses power would leave it."""
        with self.store.open("ab") as file:
            file.write(b'{"key":"0a1b","seed":0,"co')


def contents(store: Path) -> Contents:
    from panda_gnn.evaluation.store import Store

    return Store(store).read()


def table(study: Study, store: Path) -> str:
    """The table of the sound rows of a store."""
    from panda_gnn.evaluation.store import Contents
    from panda_gnn.reports.table_formats import markdown
    from panda_gnn.reports.tables import build_table

    return markdown(build_table(study, Contents(contents(store).rows, ())))


def bits(store: Path) -> list[str]:
    """The rows of a store but for times, in one order."""
    from panda_gnn.evaluation.store import INCIDENTAL

    rows = contents(store).rows
    return sorted(repr([(k, v) for k, v in row.items() if k not in INCIDENTAL]) for row in rows)


def compare(study: Study, disturbed: Path, calm: Path) -> None:
    """Every trial exactly once, the same bits, the same table."""
    from panda_gnn.evaluation.row_check import fault, parse_row

    lines = [parse_row(line) for line in disturbed.read_bytes().splitlines()]
    sound = Counter(
        (row["key"], row["seed"]) for row in lines if row is not None and fault(row) is None
    )
    assert set(sound.values()) == {1}, "a trial is there twice"
    assert len(sound) == len(study.cells) * study.trials, "a trial is missing"
    assert bits(disturbed) == bits(calm), "a row has other bits"
    assert table(study, disturbed) == table(study, calm), "the table is another"


@contextmanager
def small_disk(folder: Path) -> Iterator[tuple[Path, bool]]:
    """A disk of 4 MB where it can be mounted, else a folder."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield folder, mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def pretended(folder: Path, kills: int, seed: int) -> None:
    """The study of pretended trials, and its figures."""
    begin = time.monotonic()
    with small_disk(folder / "disk") as (disk, mounted):
        chaos = Chaos(folder, disk / "small.jsonl", kills, random.Random(seed), mounted)
        try:
            chaos.run()
        finally:
            for driver in chaos.drivers.values():
                driver.kill()
        calm = folder / "calm.jsonl"
        assert drive("calm", str(calm), chaos.trials) == 0
        compare(study_of(chaos.trials), chaos.store, calm)
        left_out = contents(chaos.store).problems
        set_aside = chaos.store.with_name("small.jsonl.damaged").read_bytes().count(b"\n")
    print(f"pretended trials: {len(METHODS) * chaos.trials}, each exactly once, the same table")
    print("killed: " + ", ".join(f"{count} x {kind}" for kind, count in chaos.killed.items()))
    print("drivers started: " + ", ".join(f"{n} x {kind}" for kind, n in chaos.started.items()))
    disk_kind = "a disk of 4 MB" if mounted else "a limit on the size of files"
    print(f"full disk ({disk_kind}): {chaos.sentences} drivers ended with one sentence")
    print(f"altered rows found and run again: {len(left_out)}; cut lines set aside: {set_aside}")
    print(
        f"processes left {ORPHANS_AFTER:g} seconds after the kill of a driver: "
        f"{chaos.orphans['local']} of ours, {chaos.orphans['ray']} of Ray's"
    )
    left = [process for process in chaos.seen if process.lives]
    print(f"processes left at the end: {len(left)}")
    print(f"seconds: {time.monotonic() - begin:.0f}", flush=True)
    assert sum(chaos.killed.values()) == sum(share * kills // 200 for share in SHARES.values())
    assert chaos.orphans["local"] == 0
    assert len(left_out) == set_aside == 1


def real(folder: Path) -> str:
    """The study of real trials, with damaged caches, a damaged row and a SIGTERM; its figures."""
    from panda_gnn.evaluation.study import load_study

    begin = time.monotonic()
    path = folder / "real.toml"
    path.write_text(REAL_STUDY)

    def panda(place: str, *options: str) -> subprocess.Popen[str]:
        code = "from panda_gnn.cli import main; raise SystemExit(main())"
        command = [sys.executable, "-c", code, "study", "run", str(path), "--workers", "1"]
        command += ["--results", str(folder / place), "--root", str(folder / place / "data")]
        return subprocess.Popen(
            [*command, *options],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )

    calm = panda("calm")
    store = folder / "chaos" / "real.jsonl"
    _, log = (first := panda("chaos", "--trials", "1")).communicate()
    assert first.returncode == 0, log
    caches = sorted((folder / "chaos" / "data").rglob("*.safetensors"))
    for number, cache in enumerate(caches):
        content = cache.read_bytes()
        cut = content[: len(content) // 2]
        cache.write_bytes(cut if number % 2 else cut + b"chaos" + content[len(cut) + 5 :])
    content = store.read_bytes()
    store.write_bytes(content.replace(b'"epochs":4', b'"epochs":3', 1))
    stopped = panda("chaos")
    while store.stat().st_size < 1.3 * len(content) and stopped.poll() is None:
        time.sleep(0.05)
    stopped.send_signal(signal.SIGTERM)
    _, log = stopped.communicate()
    assert stopped.returncode == 130, log
    assert "the same command continues" in log, log
    _, log = (last := panda("chaos")).communicate()
    assert last.returncode == 0, log
    _, log = calm.communicate()
    assert calm.returncode == 0, log
    compare(load_study(str(path)), store, folder / "calm" / "real.jsonl")
    assert caches
    return (
        f"real trials: {len(contents(store).rows)}, each exactly once, the same table\n"
        f"damaged caches computed again: {len(caches)}; runs ended by SIGTERM and continued: 1\n"
        f"seconds: {time.monotonic() - begin:.0f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill what runs studies, and see what they lose.")
    parser.add_argument("--kills", type=int, default=200, help="how many (200)")
    parser.add_argument("--seed", type=int, default=0, help="decides who is killed, and when (0)")
    parser.add_argument("--drive", nargs=2, metavar=("KIND", "STORE"), help=argparse.SUPPRESS)
    parser.add_argument("--trials", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive is not None:
        kind, store = options.drive
        return drive(kind, store, options.trials)
    with (
        on_request_to_end(signal.default_int_handler),
        tempfile.TemporaryDirectory(prefix="panda-chaos-") as name,
        ThreadPoolExecutor(1) as beside,
    ):
        figures = beside.submit(real, Path(name))
        pretended(Path(name), options.kills, options.seed)
        print(figures.result())
    return 0


if __name__ == "__main__":
    sys.exit(main())
