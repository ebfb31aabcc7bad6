"""Splits of graph sets: random ones, and ten folds as an option that changes no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.splits import fold_split, random_split
from panda_gnn.evaluation.tasks import load_data, task_of
from panda_gnn.evaluation.trial import run_trial


def test_the_usual_split_has_no_setting_and_the_usual_key() -> None:
    usual = complete(Config("mutag"))
    assert dict(usual.settings) == {}
    assert complete(Config("mutag", settings={"split": "random"})).key == usual.key
    folds = complete(Config("mutag", settings={"split": "ten-fold"}))
    assert dict(folds.settings) == {"split": "ten-fold"}
    with pytest.raises(InputError, match="unknown split 'half': choose one of random, ten-fold"):
        complete(Config("mutag", settings={"split": "half"}))
    with pytest.raises(InputError, match="unknown setting 'k' of method none: choose one of split"):
        complete(Config("mutag", settings={"k": 3}))


@pytest.mark.parametrize("method", ["none", "size", "panda", "probe"])
def test_a_trial_has_the_split_of_its_setting(method: str, shared_root: Path) -> None:
    data = load_data("mutag", str(shared_root))
    folds = Config("mutag", "gcn", method, {"split": "ten-fold"}, max_epochs=1)
    rows = [run_trial(folds, seed, root=str(shared_root)) for seed in (3, 13)]
    assert rows[0]["split"] == rows[1]["split"] == fold_split(data.graphs.y, 3).hash
    usual = run_trial(Config("mutag", "gcn", method, max_epochs=1), 3, root=str(shared_root))
    assert usual["split"] == random_split(188, 3).hash


def test_ratios_of_test_to_training_rows() -> None:
    task, entry = task_of("mutag"), DATASETS["mutag"]
    split = random_split(188, 0)
    assert task.test_ratio(entry, {}) == split.test.numel() / split.train.numel()
    assert task.test_ratio(entry, {"split": "ten-fold"}) == 1 / 9
    nodes = task_of("cora")
    assert nodes.test_ratio(DATASETS["cora"], {"split": "random"}) == pytest.approx(1 / 3, abs=2e-3)
    assert nodes.test_ratio(DATASETS["cora"], {"split": "public"}) == pytest.approx(0.2 / 0.48)
    assert task_of("peptides-func").test_ratio(DATASETS["peptides-func"], {}) == 0
