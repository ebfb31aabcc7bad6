"""The scores behind a cell of a table."""

from __future__ import annotations

from pathlib import Path

from panda_gnn.evaluation.bundled import stored_rows
from panda_gnn.evaluation.current import rows_to_show
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.cell_scores import cell_scores

RESULTS = Path(__file__).resolve().parents[2] / "results"


def test_times_share_no_data_and_scores_of_splits_do() -> None:
    """MUTAG is split into 150 graphs to train on, 18 and 20 to test on."""
    for name, ratio in (("runtime-forward", 0.0), ("main", 20 / 150)):
        study = load_study(name).select(["mutag"], ["gcn"])
        finished, _ = rows_to_show(study, stored_rows(RESULTS, name).read().rows)
        found = cell_scores(study, study.cells[0], finished, "best-val")
        assert found.config is not None
        assert found.ratio == ratio
