"""What a store's rows say under every rule, ready for a page: all numbers are those of tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from panda_gnn.datasets import DATASETS
from panda_gnn.datasets.resolver import is_own
from panda_gnn.errors import InputError, within
from panda_gnn.evaluation.bundled import RESULTS, stored_rows, study_names
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.current import origins, rows_to_show
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.failures import Failures
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.methods import METHODS, configure, plugins_of
from panda_gnn.evaluation.run import describe
from panda_gnn.evaluation.schedule import Trial
from panda_gnn.evaluation.store import COMPRESSED, Row, Store
from panda_gnn.evaluation.study import Cell, Line, Study, load_study
from panda_gnn.nn.models import backbone_names
from panda_gnn.reports.table_formats import (
    explanation,
    mean_and_interval,
    p_value,
)
from panda_gnn.reports.tables import Block, Entry, Table, build_table

#: Curves of at most so many trials of a line are in a page.
MOST_CURVES = 10


@dataclass(frozen=True)
class StudyReport:
    """A study with everything that its page shows.

    Attributes:
        study: Its cells.
        tables: Its table under every selection rule; one where no rule has a say.
        lines: A mapping for each line of the table: its texts and numbers under every rule.
        sentences: How to read the numbers, by rule.
        remarks: What to know when reading them.
        curves: The learning curves that were kept.
        failures: Trials that failed, and why.
        num_rows: Rows of the store.
    """

    study: Study
    tables: dict[str, Table]
    lines: list[dict[str, Any]]
    sentences: dict[str, list[str]]
    remarks: list[str]
    curves: list[dict[str, Any]]
    failures: list[tuple[str, str]]
    num_rows: int


def studies_in(results: Path) -> tuple[list[Study], dict[str, str]]:
    """The studies of the stores in a folder, and why the other stores have none that has a table.

    A store that belongs to no study of the package is one of its own: its cells are the configs of
    its rows, several of one method being candidates.
    """
    found: list[Study] = []
    left_out: dict[str, str] = {}
    for path in sorted((*results.glob("*.jsonl"), *results.glob(f"*.jsonl{COMPRESSED}"))):
        name = path.name.partition(".jsonl")[0]
        try:
            study = load_study(name) if name in study_names() else study_of_rows(path)
        except InputError as error:
            left_out[path.name] = str(error)
            continue
        if study.measure != "score" and MEASURES[study.measure].unit is None:
            left_out[path.name] = "measurements behind figures: panda figure draws them"
        else:
            found.append(study)
    return found, left_out


def study_of_rows(path: Path) -> Study:
    """The study that the rows of a store would have made."""
    rows = [row for row in Store(path).read().rows if "scores" in row]
    if not rows:
        raise InputError(f"{path} has no rows of trials")
    candidates: dict[tuple[Line, str], list[Config]] = {}
    for config in {row["key"]: Config.from_dict(row["config"]) for row in rows}.values():
        _refuse_unknown(config)
        line = Line(config.backbone, config.method)
        candidates.setdefault((line, config.dataset), []).append(config)
    cells = [Cell(dataset, line, tuple(of)) for (line, dataset), of in candidates.items()]
    trials = len({row["seed"] for row in rows})
    return Study(path.stem, f"The trials in {path.name}", tuple(cells), trials)


def _refuse_unknown(config: Config) -> None:
    """Reject a config of data that cannot be read here, or of code that is not registered."""
    place = config.dataset.partition("?")[0]
    for name, is_known in (
        (place, place in DATASETS or is_own(place)),
        (config.method, config.method in METHODS),
        (config.backbone, config.backbone in backbone_names()),
    ):
        if not is_known:
            raise InputError(
                f"its rows are of '{name}', which nobody registered here: name its plugin with "
                "--plugin"
            )
    with within("the data of its rows"):
        DATASETS.lookup(config.dataset)


def study_report(study: Study, results: Path) -> StudyReport:
    """Everything that the page of a study shows, from its store."""
    store = stored_rows(results, study.name)
    contents = store.read()
    rules = SELECTIONS if study.measure == "score" else ("value",)
    tables = {
        rule: build_table(study, contents, rule if study.measure == "score" else "best-val")
        for rule in rules
    }
    finished, _ = rows_to_show(study, contents.rows)
    first = next(iter(tables.values()))
    lines: list[dict[str, Any]] = []
    curves: list[dict[str, Any]] = []
    for place, block in enumerate(first.blocks):
        for row, entry in enumerate(block.entries):
            by_rule = {
                rule: _under(table, table.blocks[place], table.blocks[place].entries[row])
                for rule, table in tables.items()
            }
            number = len(lines)
            lines.append(
                {
                    "block": block.name,
                    "dataset": block.dataset,
                    "backbone": entry.line.backbone,
                    "line": first.label(entry.line),
                    "published": "" if entry.published is None else entry.published.printed,
                    "settings": entry.settings,
                    "command": _command(study, results, entry, block),
                    "rules": by_rule,
                }
            )
            if entry.config is not None:
                curves += _curves(number, finished.get(entry.config.key, {}).values())
    failures = [
        (describe(Trial(Config.from_dict(failure["config"]), failure["seed"])), failure["reason"])
        for failure in Failures(store, origins(study)).unfinished(finished)
    ]
    return StudyReport(
        study,
        tables,
        lines,
        {rule: explanation(table) for rule, table in tables.items()},
        list(first.remarks),
        curves,
        failures,
        len(contents.rows),
    )


def _under(table: Table, block: Block, entry: Entry) -> dict[str, Any]:
    """A line under one rule: texts for the table, numbers for the plot."""
    ours, difference = entry.ours, entry.difference
    found: dict[str, Any] = {
        "ours": "missing" if ours is None else mean_and_interval(ours, block.unit),
        "n": "" if ours is None else str(ours.n),
        "rank": "" if entry.rank is None else str(entry.rank),
        "difference": {},
        "p": {"corrected": p_value(entry.p), "naive": p_value(entry.naive_p)},
    }
    if difference is None:
        return found
    naive = replace(difference, interval=difference.naive_interval)
    for kind, one in (("corrected", difference), ("naive", naive)):
        found["difference"][kind] = mean_and_interval(one, block.unit, "+")
    found["plot"] = {
        "mean": difference.mean,
        "corrected": difference.interval,
        "naive": difference.naive_interval,
        "pairs": list(entry.pairs.items()),
    }
    return found


def _curves(line: int, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The curves of a line, of the first seeds that have them."""
    kept = [row for row in sorted(rows, key=lambda row: row["seed"]) if row.get("curves")]
    return [{"line": line, "seed": row["seed"], **row["curves"]} for row in kept[:MOST_CURVES]]


def _command(study: Study, results: Path, entry: Entry, block: Block) -> str:
    """The command line that runs the trials of a line again, or goes on with them."""
    line, config = entry.line, entry.config
    where = [] if results == RESULTS else ["--results", str(results)]
    if study.name in study_names():
        words = ["study", "run", study.name, "--datasets", block.dataset]
        words += ["--backbones", line.backbone, "--methods", line.method]
        words += ["--trials", str(study.trials if entry.ours is None else entry.ours.n)]
        return shlex.join(["panda", *words, *where])
    if config is None or entry.ours is None:
        return ""
    shown = {name: _word(value) for name, value in config.settings.items()}
    rebuilt = configure(
        config.dataset,
        config.backbone,
        config.method,
        dict(config.settings),
        width=config.width,
        max_epochs=config.max_epochs,
    )
    if rebuilt != config:
        return ""
    words = ["train", "--dataset", config.dataset, "--backbone", config.backbone]
    words += ["--method", config.method, "--width", str(config.width)]
    words += ["--max-epochs", str(config.max_epochs), "--trials", str(entry.ours.n)]
    words += [word for name, value in shown.items() for word in ("--set", f"{name}={value}")]
    sources = dict.fromkeys(plugin.source for plugin in plugins_of(config) if plugin.source)
    words += [word for source in sources for word in ("--plugin", source)]
    return shlex.join(["panda", *words])


def _word(value: object) -> str:
    """A setting as the command line reads it."""
    named: dict[object, str] = {True: "true", False: "false", None: "null"}
    return named[value] if value is None or isinstance(value, bool) else str(value)


def named_studies(names: Sequence[str], results: Path) -> list[Study]:
    """Studies by name, by the path of their TOML file, or by the name of their store."""
    found = []
    for name in names:
        path = results / f"{name}.jsonl"
        known = name.endswith(".toml") or name in study_names() or not path.is_file()
        found.append(load_study(name) if known else study_of_rows(path))
    return found
