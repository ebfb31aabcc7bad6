from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.row_check import canonical_json, checksum, fault
from panda_gnn.evaluation.store import Store, line_of
from tests.evaluation.pretend import pretend_trial

ROW = pretend_trial(Config("mutag"), 0)


def sealed(**changes: Any) -> dict[str, Any]:
    row = json.loads(json.dumps({**ROW, **changes}))
    return {**row, "checksum": checksum(row)}


def with_score(part: str, score: object) -> dict[str, Any]:
    row = sealed()
    row["scores"]["last"][part] = score
    return {**row, "checksum": checksum(row)}


def test_a_sound_row_has_no_fault_in_any_order_of_its_names() -> None:
    assert fault(sealed()) is None
    assert fault(dict(reversed(sealed().items()))) is None


def test_what_is_no_number_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"score": math.nan})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**sealed(), "seed": 1}, "altered"),
        (ROW, "no checksum; panda study migrate"),
        (sealed(key=[1]), r"its key is \[1\], no text"),
        (sealed(seed="0"), "its seed is '0'"),
        (sealed(seed=-1), "its seed is -1"),
        (sealed(seed=True), "its seed is True"),
        (sealed(seed=10**4000), "its seed is a number of very many digits"),
        (sealed(code=2), "its code is 2"),
        (sealed(parts=[]), r"its parts are \[\]"),
        (sealed(parts={"task": 1}), "its parts are"),
        (sealed(data=3), "its data is 3"),
        (sealed(config={**ROW["config"], "width": 65}), "its config does not belong to its key"),
        (sealed(config=3), "its config does not belong to its key"),
        (sealed(metric="luck"), "its metric is 'luck'"),
        (sealed(metric=["accuracy"]), r"its metric is \['accuracy'\]"),
        (sealed(scores=1), "its scores are 1"),
        (sealed(scores={"best-val": 1}), "its scores of 'best-val' are 1"),
        (with_score("test", 1.01), "its test score is 1.01, out of range"),
        (with_score("validation", -0.1), "its validation score is -0.1, out of range"),
        (with_score("test", "0.5"), "its test score is '0.5', out of range"),
        (with_score("test", None), "its test score is None, out of range"),
        (with_score("test", 10**4000), "its test score is a number of very many digits"),
        (sealed(seconds="1"), "its seconds is '1'"),
        (sealed(value=-1), "its value is -1"),
        (sealed(values=3), "its values are 3"),
        (sealed(values={"a": [1, None]}), "its 'a' is"),
        (sealed(values={"a": []}), "its 'a' is"),
        (sealed(parameters={}), "its parameters are {}"),
    ],
)
def test_what_is_wrong_with_a_row_is_named(row: dict[str, Any], message: str) -> None:
    found = fault(row)
    assert found is not None
    assert re.search(message, found)


ODD_LINES = [
    b"[" * 200_000,
    b'{"key":' + b"[" * 200_000 + b"]" * 200_000 + b',"code":"1","seed":0}',
    b'{"key":[1],"code":"1","seed":0}',
    b'{"key":"k","code":"1","seed":' + b"9" * 5000 + b"}",
    b'{"key":"k","code":"1","seed":0,"value":NaN}',
    b'{"key":"k","code":"1","seed":0,"value":1e999}',
    b'{"key":"\xff","code":"1","seed":0}',
    b'{"key":"\\ud800","code":"1","seed":0,"checksum":"0"}',
    b"null",
    line_of(sealed(key=[1])).strip(),
    line_of(sealed(seed="0")).strip(),
    line_of(sealed(seed=-1)).strip(),
    line_of(sealed()).replace(b'"epochs":1', b'"epochs":2').strip(),
]


def test_no_row_however_odd_stops_a_reader(tmp_path: Path) -> None:
    store = Store(tmp_path / "odd.jsonl")
    store.append(pretend_trial(Config("mutag"), 1))
    with store.path.open("ab") as file:
        file.write(b"\n".join(ODD_LINES) + b"\n" + line_of(pretend_trial(Config("mutag"), 2)))
    contents = store.read()
    assert [row["seed"] for row in contents.rows] == [1, 2]
    lines = [problem.partition("line ")[2].partition(":")[0] for problem in contents.problems]
    assert lines == [str(number) for number in range(2, 2 + len(ODD_LINES))]
    assert all(problem.endswith("left out") and len(problem) < 250 for problem in contents.problems)
    store.append(pretend_trial(Config("mutag"), 3))
    assert len(store.read().rows) == 3
