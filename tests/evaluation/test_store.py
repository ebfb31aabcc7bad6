from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.store import Store, line_of

WRITER = """
import sys
from pathlib import Path
from panda_gnn.evaluation.store import Store
store, seed = Store(Path(sys.argv[1])), int(sys.argv[2])
while True:
    store.append({"key": "k", "code": "1", "seed": seed, "padding": "x" * 2000})
    print(seed, flush=True)
    seed += 1
"""


def row(seed: int, **more: Any) -> dict[str, Any]:
    return {"key": "k", "code": "1", "seed": seed, **more}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "main.jsonl")


def seeds(store: Store) -> list[int]:
    return [int(row["seed"]) for row in store.read().rows]


def test_rows_come_back_as_they_were_written(store: Store) -> None:
    rows = [row(0, values={"last": 0.5}), row(1, note="± ü"), row(2, revision=None)]
    for one in rows:
        store.append(one)
    assert list(store.read().rows) == rows
    assert store.read().problems == ()
    assert len(store.path.read_bytes().splitlines()) == 3


def test_a_store_that_is_not_there_is_empty(store: Store) -> None:
    assert store.read().rows == ()
    assert not store.path.exists()


def test_a_row_that_cannot_be_written_leaves_nothing(store: Store) -> None:
    store.append(row(0))
    before = store.path.read_bytes()
    with pytest.raises(ValueError, match="seed"):
        store.append({"key": "k", "code": "1"})
    with pytest.raises(ValueError, match="JSON"):
        store.append(row(1, value=float("nan")))
    assert store.path.read_bytes() == before


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """How much every file or folder held when it was last written through to the disk."""
    sizes: dict[int, int] = {}
    write_through = os.fsync

    def fsync(file: int) -> None:
        write_through(file)
        status = os.fstat(file)
        in_folder = stat.S_ISDIR(status.st_mode)
        sizes[status.st_ino] = len(os.listdir(file)) if in_folder else status.st_size

    monkeypatch.setattr(os, "fsync", fsync)
    return sizes


def test_a_row_is_on_disk_when_it_is_acknowledged(store: Store, synced: dict[int, int]) -> None:
    store.append(row(0))
    assert synced[store.path.parent.stat().st_ino] == 2  # the rows and their lock
    for seed in (1, 2):
        store.append(row(seed))
        assert synced[store.path.stat().st_ino] == len(store.path.read_bytes())


def test_what_is_set_aside_is_on_disk(store: Store, synced: dict[int, int]) -> None:
    store.append(row(0))
    whole = store.path.read_bytes()
    store.path.write_bytes(whole + b"half a li")
    with pytest.warns(UserWarning, match="damaged"):
        store.prepare()
    assert synced[store.damaged_path.stat().st_ino] == len(b"half a li\n")
    assert synced[store.path.stat().st_ino] == len(whole)
    assert store.path.read_bytes() == whole


def test_a_full_disk_leaves_no_part_of_a_row(store: Store) -> None:
    store.append(row(0))
    before = store.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
    try:
        with pytest.raises(InputError, match=r"bytes written.*rows before are kept"):
            store.append(row(1, padding="x" * 100))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert store.path.read_bytes() == before
    store.append(row(1))
    assert seeds(store) == [0, 1]


@pytest.mark.parametrize(
    "damage",
    [
        *(b'{"key": "k", "co', b"\x00\x00\x00", b'{"key": "k"}\n', b"garbage\n"),
        *(b"x" * 200_000, b"x" * 200_000 + b"\n"),
    ],
    ids=range(6),
)
def test_a_damaged_last_line_is_set_aside_and_nothing_else_is_lost(
    store: Store, damage: bytes
) -> None:
    for seed in range(3):
        store.append(row(seed))
    with store.path.open("ab") as file:
        file.write(damage)
    contents = store.read()
    assert [one["seed"] for one in contents.rows] == [0, 1, 2]
    assert len(contents.problems) == 1
    assert "line 4: damaged" in contents.problems[0]
    with pytest.warns(UserWarning, match="damaged"):
        store.append(row(3))
    assert seeds(store) == [0, 1, 2, 3]
    assert store.read().problems == ()
    assert store.damaged_path.read_bytes() == damage.rstrip(b"\n") + b"\n"


def test_reading_changes_nothing(store: Store) -> None:
    store.append(row(0))
    with store.path.open("ab") as file:
        file.write(b"half a li")
    before = store.path.read_bytes()
    store.read()
    assert store.path.read_bytes() == before
    assert not store.damaged_path.exists()


def test_a_damaged_line_in_the_middle_is_reported_and_stays(store: Store) -> None:
    store.append(row(0))
    with store.path.open("ab") as file:
        file.write(b"<<<<<<< ours\n")
    with store.path.open("ab") as file:
        file.write(line_of(row(1)))
    store.append(row(2))
    assert seeds(store) == [0, 1, 2]
    assert "line 2: damaged" in store.read().problems[0]
    assert b"<<<<<<< ours" in store.path.read_bytes()


def test_a_last_line_without_its_newline_is_kept(store: Store) -> None:
    store.append(row(0))
    store.path.write_bytes(store.path.read_bytes().rstrip(b"\n"))
    store.append(row(1))
    assert seeds(store) == [0, 1]
    assert not store.damaged_path.exists()


def test_a_trial_written_twice_counts_once_and_a_contradiction_is_reported(store: Store) -> None:
    store.append(row(0, values={"a": 1}, seconds=1.0))
    store.append(row(0, values={"a": 1}, seconds=2.0))
    assert len(store.read().rows) == 1
    assert store.read().problems == ()
    store.append(row(0, values={"a": 2}))
    contents = store.read()
    assert [one["values"] for one in contents.rows] == [{"a": 1}]
    assert "another result" in contents.problems[0]


def _append_many(path: Path, first: int, count: int) -> None:
    store = Store(path)
    for seed in range(first, first + count):
        store.append(row(seed, padding="x" * 5000))


def test_many_writers_at_once_lose_nothing(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_append_many, args=(store.path, 100 * i, 100)) for i in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    contents = store.read()
    assert sorted(one["seed"] for one in contents.rows) == list(range(400))
    assert contents.problems == ()


@pytest.mark.filterwarnings("ignore:the last line:UserWarning")
def test_kill_9_in_the_middle_loses_no_row_that_was_acknowledged(store: Store) -> None:
    moment = random.Random(0)
    acknowledged: set[int] = set()
    for start in range(0, 5000, 1000):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(store.path), str(start)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        acknowledged.add(int(writer.stdout.readline()))
        time.sleep(moment.uniform(0, 0.05))
        writer.send_signal(signal.SIGKILL)
        acknowledged.update(int(line) for line in writer.stdout.read().split())
        writer.stdout.close()
        writer.wait()
        store.append(row(start + 999))
        assert acknowledged <= set(seeds(store))
    assert store.read().problems == ()


def test_folders_that_are_not_there_are_made(tmp_path: Path) -> None:
    store = Store(tmp_path / "of" / "mine" / "main.jsonl")
    for seed in range(2):
        store.prepare()
        store.append(row(seed))
    assert seeds(store) == [0, 1]


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    with pytest.raises(InputError, match=r"results folder .* cannot be written .*--results"):
        Store(blocker / "results" / "main.jsonl").prepare()
    assert list(tmp_path.iterdir()) == [blocker]
