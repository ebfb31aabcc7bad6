from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from panda_gnn.evaluation.claims import BELIEVED, Claims
from panda_gnn.evaluation.origin import Origin

TRIAL = ("k", Origin("1"), 0)
OTHER = ("k", Origin("1"), 1)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "main.jsonl"


def change_owners(claims: Claims, **changes: Any) -> None:
    owners = json.loads(claims.path.read_text())
    changed = {name: {**owner, **changes} for name, owner in owners.items()}
    claims.path.write_text(json.dumps(changed))


def test_a_trial_belongs_to_whoever_claims_it_first(store: Path) -> None:
    first, second = Claims(store), Claims(store)
    assert first.take(TRIAL)
    assert first.take(TRIAL)
    assert not second.take(TRIAL)
    assert second.take(OTHER)
    first.release(TRIAL)
    assert second.take(TRIAL)
    second.close()
    first.close()
    assert not second.path.exists()


def test_other_data_are_another_trial(store: Path) -> None:
    assert Claims(store).take(TRIAL)
    assert Claims(store).take(("k", Origin("1", (), "reversed"), 0))


def test_the_claim_of_a_dead_process_is_taken_over(store: Path) -> None:
    first, second = Claims(store), Claims(store)
    first.take(TRIAL)
    change_owners(first, pid=2**22 + 1)
    assert second.take(TRIAL)


def test_a_process_with_the_number_of_a_dead_one_is_another(store: Path) -> None:
    first, second = Claims(store), Claims(store)
    first.take(TRIAL)
    change_owners(first, started="1")
    assert second.take(TRIAL)


def wait_long(monkeypatch: pytest.MonkeyPatch) -> None:
    later = time.monotonic() + BELIEVED + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)


def test_a_driver_on_another_machine_is_believed_for_a_while(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Claims(store), Claims(store)
    first.take(TRIAL)
    change_owners(first, host="elsewhere")
    assert not second.take(TRIAL)
    wait_long(monkeypatch)
    assert second.take(TRIAL)


def test_a_driver_on_another_machine_that_reports_is_believed_on(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Claims(store), Claims(store)
    first.take(TRIAL)
    change_owners(first, host="elsewhere")
    assert not second.take(TRIAL)
    wait_long(monkeypatch)
    change_owners(first, reported=time.time() + 15)
    assert not second.take(TRIAL)


@pytest.mark.parametrize("hours", [-24, 24])
def test_a_clock_that_is_moved_changes_nothing(
    store: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    first, second = Claims(store), Claims(store)
    first.take(TRIAL)
    second.take(OTHER)
    moved = time.time() + hours * 3600
    monkeypatch.setattr(time, "time", lambda: moved)
    assert not second.take(TRIAL)
    change_owners(first, host="elsewhere")
    third = Claims(store)
    assert not third.take(TRIAL)
    assert not third.take(OTHER)


def test_reports_are_renewed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = Claims(store)
    claims.take(TRIAL)
    change_owners(claims, reported=0)
    claims.report()
    assert next(iter(json.loads(claims.path.read_text()).values()))["reported"] == 0
    monkeypatch.setattr("panda_gnn.evaluation.claims.REPORT_EVERY", 0.0)
    claims.report()
    assert next(iter(json.loads(claims.path.read_text()).values()))["reported"] > 0


@pytest.mark.parametrize("content", [b"", b"half a li", b"[1]", b'{"a": 1}', b"[" * 200_000])
def test_a_damaged_file_of_claims_stops_nobody(store: Path, content: bytes) -> None:
    claims = Claims(store)
    claims.path.write_bytes(content)
    assert claims.take(TRIAL)
    assert not Claims(store).take(TRIAL)
