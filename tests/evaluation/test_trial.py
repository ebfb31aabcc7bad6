"""A trial is a pure function of (config, seed)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import LocalExecutor
from panda_gnn.evaluation.methods import METHODS, complete
from panda_gnn.evaluation.store import Row
from panda_gnn.evaluation.trial import run_trial

#: What may differ between two runs of one trial.
CIRCUMSTANCES = ("seconds", "versions", "revision")


@pytest.fixture(autouse=True)
def _root(shared_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)


def facts(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in CIRCUMSTANCES}


@pytest.mark.parametrize("backbone", ["gcn", "rgin"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs(method: str, backbone: str) -> None:
    row = run_trial(Config("mutag", backbone, method, max_epochs=2), 0)
    assert json.loads(json.dumps(row)) == row
    assert row["epochs"] == (1 if method == "wl-svm" else 2)
    assert set(row["scores"]) == {"best-val", "last", "best-val-test-ties"}
    assert 0 <= row["scores"]["best-val"]["test"] <= 1


def test_the_same_bits_again_in_another_process_and_after_other_trials() -> None:
    config = Config("mutag", method="panda", max_epochs=3)
    first = facts(run_trial(config, 1))
    torch.rand(7)
    torch.set_num_threads(2)
    run_trial(Config("mutag", "gin", "flag", max_epochs=1), 0)
    assert facts(run_trial(config, 1)) == first
    torch.set_num_threads(1)
    with LocalExecutor(1) as executor:
        assert facts(executor.submit(run_trial, config, 1).result()) == first


def test_a_trial_leaves_the_callers_random_numbers_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    run_trial(Config("mutag", max_epochs=1), 0)
    assert torch.equal(torch.rand(4), expected)


def test_methods_share_the_split_of_a_seed() -> None:
    rows = [run_trial(Config("mutag", method=m, max_epochs=1), 5) for m in ("none", "panda", "mlp")]
    assert len({row["split"] for row in rows}) == 1
    assert run_trial(Config("mutag", max_epochs=1), 6)["split"] != rows[0]["split"]


def test_defaults_are_the_papers_best() -> None:
    config = complete(Config("mutag", method="panda"))
    assert dict(config.settings) == {
        "k": 10,
        "high_width": 112,
        "centrality": "betweenness",
        "selector": "topk",
        "variant": "paper",
    }
    assert complete(config) == config
    assert complete(Config("mutag", method="panda", settings={"k": 3})).key != config.key


def test_controls_take_one_thing_away() -> None:
    def parameters(method: str) -> dict[str, int]:
        found: dict[str, int] = run_trial(Config("mutag", method=method, max_epochs=1), 0)[
            "parameters"
        ]
        return found

    panda, matched = parameters("panda"), parameters("parameter-matched")
    assert abs(matched["trained"] - panda["trained"]) < 0.01 * panda["trained"]
    assert parameters("flag")["trained"] == parameters("none")["trained"] + 64
    assert parameters("equal-width")["never_trained"] == 0
    assert parameters("random-k") == panda


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (Config("mutug"), "unknown dataset"),
        (Config("mutag", "gat"), "unknown backbone"),
        (Config("mutag", method="luck"), "unknown method"),
        (Config("mutag", method="none", settings={"k": 1}), "method none has none"),
        (Config("mutag", method="panda", settings={"k": -1}), "k is -1"),
        (Config("mutag", method="panda", settings={"high_width": 8}), "high_width is 8"),
        (Config("mutag", method="panda", settings={"centrality": "x"}), "unknown centrality"),
        (Config("mutag", method="fosr", settings={"iterations": -3}), "iterations must be"),
    ],
)
def test_what_cannot_be_is_refused(config: Config, says: str) -> None:
    with pytest.raises(InputError, match=says):
        run_trial(config, 0)


def test_configs_survive_json() -> None:
    config = complete(Config("mutag", "gin", "panda", {"k": 4}))
    again = Config.from_dict(json.loads(json.dumps(config.to_dict())))
    assert again == config
    assert again.key == config.key
    with pytest.raises(InputError, match="unknown option 'depth'"):
        Config.from_dict({"dataset": "mutag", "depth": 3})
