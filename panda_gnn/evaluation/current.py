"""Which rows count: those of the installed code and of one dataset's data, never of two at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.methods import parts
from panda_gnn.evaluation.origin import Origin, origin_of
from panda_gnn.evaluation.store import Row, by_config_and_seed, code_to_show
from panda_gnn.evaluation.study import Study


def origins(study: Study, data: Mapping[str, str] | None = None) -> dict[str, Origin]:
    """The origin that rows of every config of the study, by its key, have today.

    Args:
        study: The cells.
        data: The fingerprints of the datasets, where they are not the known ones.
    """
    measure = MEASURES[study.measure]
    content = {} if data is None else data
    return {
        key: Origin(measure.code)
        if measure.own_graphs
        else Origin(
            measure.code,
            tuple(sorted(parts(config).items())),
            content.get(config.dataset, DATASETS[config.dataset].fingerprint),
        )
        for key, config in study.configs.items()
    }


def rows_to_show(
    study: Study, rows: Sequence[Row], *, installed_only: bool = False
) -> tuple[dict[str, dict[int, Row]], list[str]]:
    """The rows that tables and figures of the study show, and sentences about the others.

    They are of the installed task and methods, and of the known data. A dataset of which there is
    no such row is shown with the data that were used last, and a sentence says so.

    Args:
        study: The cells.
        rows: The rows of its store.
        installed_only: Whether rows of an older version of the trial are never shown; else they
            are where there are no others.
    """
    code, remarks = code_to_show(rows, MEASURES[study.measure].code)
    if installed_only:
        code = MEASURES[study.measure].code
    expected = {key: origin._replace(code=code) for key, origin in origins(study).items()}
    of_study = [row for row in rows if row["key"] in expected and row["code"] == code]
    for dataset in study.datasets:
        keys = {key for key, config in study.configs.items() if config.dataset == dataset}
        known = expected[min(keys)].data
        used = [
            row["data"]
            for row in of_study
            if row["key"] in keys
            and row.get("data") is not None
            and origin_of(row).parts == expected[row["key"]].parts
        ]
        if used and known not in used:
            expected |= {key: expected[key]._replace(data=used[-1]) for key in keys}
            if known:
                remarks.append(
                    f"{dataset}: all rows shown are of other data (fingerprint {used[-1]}) than "
                    f"the known {DATASETS[dataset].printed} ({known})"
                )
    left_out = Counter(
        why
        for row in of_study
        for why in [_why_left_out(row, expected[row["key"]])]
        if why is not None
    )
    remarks += [f"{count} rows {why}" for why, count in left_out.items()]
    return by_config_and_seed(rows, expected), remarks


def _why_left_out(row: Row, expected: Origin) -> str | None:
    origin = origin_of(row)
    if origin == expected:
        return None
    if origin.data is None:
        return "do not name their data and are left out: panda study migrate gives them its name"
    if origin.data != expected.data:
        dataset = row["config"]["dataset"]
        return f"of other data of {dataset} (fingerprint {origin.data}) are left out"
    named, installed = (
        ", ".join(version for _, version in one.parts) for one in (origin, expected)
    )
    return f"of {named or 'unnamed parts'} are left out: they do not mix with {installed}"
