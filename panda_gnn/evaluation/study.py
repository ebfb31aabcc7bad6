"""What a table needs: all of its cells, with the settings that may fill them, in one TOML file.

A study lists ``datasets``, ``backbones`` and ``methods`` (or, instead of the last two, ``pairs`` of
both), the number of ``trials``, and ``[settings]`` of the methods::

    [settings.fosr]                     # for every cell of the method
    iterations = [5, 10, 20, 40]        # a list: candidates, one is chosen on validation
    [settings.fosr.gcn]                 # for a backbone
    mutag = { iterations = 10 }         # and a dataset

The more specific wins, setting by setting: method, dataset, backbone, backbone and dataset. What is
not given is the method's default, which for PANDA is the paper's best setting of the cell; what
``[training]`` does not give is the default of the dataset's task. With
``rows = "k"`` every value of that setting is a line of the table, instead of a candidate. A setting
may also be a field of the config that ``[training]`` fixes for all cells, such as ``width``.

Of several candidates, each runs the first ``choose_on`` seeds; the one with the best mean
*validation* score on all seeds that the candidates share (the first of those that tie) runs the
rest and is what the table shows.
``plugins`` are Python files, relative to the study's, or modules that register things of one's own
(:mod:`panda_gnn.evaluation.plugins`).
``difference`` says what is compared in pairs: ``"line - none"`` or ``"panda - line"``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from panda_gnn.errors import InputError, choose, within
from panda_gnn.evaluation.bundled import bundled_folder, study_names
from panda_gnn.evaluation.config import TRAINING, Config, Setting, Training
from panda_gnn.evaluation.metrics import METRICS
from panda_gnn.evaluation.store import Finished, Row, validation_score
from panda_gnn.options import Count, Table, one_of, validate
from panda_gnn.paper import Value, published, tables

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Line:
    """A line of a table: a method on a backbone, at one value of the setting that makes lines."""

    backbone: str
    method: str
    variant: Setting = None

    def name(self, rows: str | None) -> str:
        """What it is called where lines are made by the setting ``rows``."""
        return self.method if self.variant is None else f"{self.method}, {rows} {self.variant}"


@dataclass(frozen=True)
class Cell:
    """A line on a dataset, and the configs that may fill it: one, or several to choose from."""

    dataset: str
    line: Line
    candidates: tuple[Config, ...]


@dataclass(frozen=True)
class Comparison:
    """What a line is compared with on shared seeds.

    Attributes:
        method: The method of the line that all others are compared with.
        backbone: Its backbone; ``None`` is the backbone of the line that is compared.
        reversed: Whether the line is taken from the reference, instead of the other way round.
    """

    method: str
    backbone: str | None = None
    reversed: bool = False

    @classmethod
    def parse(cls, text: object) -> Comparison:
        """Read ``"line - none"``, ``"line - rgcn/none"`` or ``"panda - line"``."""
        first, minus, second = text.partition(" - ") if isinstance(text, str) else ("", "", "")
        if not minus or (first == "line") == (second == "line"):
            raise PydanticCustomError("difference", "like 'line - none' or 'panda - line'")
        backbone, slash, method = (second if first == "line" else first).rpartition("/")
        return cls(method, backbone if slash else None, second == "line")


class Published(Table):
    """Where the paper's numbers of a study are: its table, and what it calls the lines.

    Attributes:
        table: The table of the paper.
        backbone: The backbone whose block of that table it is, where it is not that of the line.
        methods: What the paper calls methods that have another name here.
    """

    table: one_of("published table", tables())  # type: ignore[valid-type]
    backbone: str | None = None
    methods: Mapping[str, str] | None = None


def _pair_of_lines(text: object) -> tuple[str, str]:
    """Read ``"panda - size"`` or ``"roles-gain, encoding True - centralities"``."""
    first, minus, second = text.partition(" - ") if isinstance(text, str) else ("", "", "")
    if not (minus and first and second):
        raise PydanticCustomError("difference", "two lines, like 'panda - size'")
    return first, second


class Question(Table):
    """What a table answers in words: what one method adds to another.

    Attributes:
        ask: The question.
        difference: The two lines, such as ``panda - size``, on the same backbone and dataset: a
            method, or with the setting that makes its lines, as in ``roles-gain, encoding True``.
    """

    ask: str
    difference: Annotated[tuple[str, str], BeforeValidator(_pair_of_lines)]


class StudyFile(Table):
    """The TOML file of a study.

    Attributes:
        title: What the table is called.
        trials: Seeds of each cell.
        plugins: Python files, relative to the study's, or modules that register things.
        datasets: Names of datasets, or own data.
        backbones: Names of backbones; every method is tried on each.
        methods: Names of methods.
        pairs: Backbones and methods as pairs, instead of the two lists.
        rows: The setting of which every value is a line of the table.
        choose_on: How many seeds all candidates of a cell run before one is chosen.
        measure: What is measured: ``score`` for trials, or the name of a measurement.
        difference: What is compared in pairs, such as ``line - none`` or ``panda - line``.
        questions: What the table answers in words.
        published: Where the paper has these numbers.
        training: How models are trained, where it is not the default of the dataset's task.
        settings: Settings of the methods, as above.
    """

    title: str
    trials: Count
    plugins: tuple[str, ...] = ()
    datasets: tuple[str, ...]
    backbones: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    rows: str | None = None
    choose_on: Count = 10
    measure: str = "score"
    difference: Annotated[Comparison, BeforeValidator(Comparison.parse)] = Comparison("none")
    questions: tuple[Question, ...] = ()
    published: Published | None = None
    training: Training = Training()
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """All cells of a table and how often each is tried."""

    name: str
    title: str
    cells: tuple[Cell, ...]
    trials: int
    choose_on: int = 10
    measure: str = "score"
    rows: str | None = None
    difference: Comparison = Comparison("none")
    questions: tuple[Question, ...] = ()
    published: Published | None = None

    def paper_cell(self, cell: Cell) -> tuple[str, str, str]:
        """Backbone, method and dataset under which the published table has this cell."""
        line = cell.line
        name = str(line.variant) if line.variant is not None else line.method
        if self.published is None:
            return line.backbone, name, cell.dataset
        backbone = self.published.backbone or line.backbone
        return backbone, (self.published.methods or {}).get(name, name), cell.dataset

    def published_value(self, cell: Cell) -> Value | None:
        """The paper's number in this cell, if it has one."""
        if self.published is None:
            return None
        return published(self.published.table, *self.paper_cell(cell))

    @property
    def configs(self) -> dict[str, Config]:
        """All configs that may fill a cell, by their keys."""
        return {config.key: config for cell in self.cells for config in cell.candidates}

    @property
    def datasets(self) -> list[str]:
        """The datasets, in the study's order."""
        return list(dict.fromkeys(cell.dataset for cell in self.cells))

    @property
    def backbones(self) -> list[str]:
        """The backbones, in the study's order."""
        return list(dict.fromkeys(cell.line.backbone for cell in self.cells))

    @property
    def methods(self) -> list[str]:
        """The methods, in the study's order."""
        return list(dict.fromkeys(cell.line.method for cell in self.cells))

    def select(
        self,
        datasets: Sequence[str] | None = None,
        backbones: Sequence[str] | None = None,
        methods: Sequence[str] | None = None,
    ) -> Study:
        """The part of the study with these names; ``None`` is all of them."""
        selected = []
        for what, names, existing in (
            ("dataset", datasets, self.datasets),
            ("backbone", backbones, self.backbones),
            ("method", methods, self.methods),
        ):
            if names is not None and not names:
                raise InputError(f"no {what} is selected: choose one of {', '.join(existing)}")
            for name in names or ():
                choose(what, name, existing, f"of the study '{self.name}'")
            selected.append(existing if names is None else names)
        cells = tuple(
            cell
            for cell in self.cells
            if all(
                name in names
                for name, names in zip(
                    (cell.dataset, cell.line.backbone, cell.line.method), selected, strict=True
                )
            )
        )
        if not cells:
            raise InputError(f"the study '{self.name}' has no cell with all of these names at once")
        return replace(self, cells=cells)


@dataclass(frozen=True)
class Choice:
    """The candidate with the best mean validation score on the seeds that all candidates share.

    Attributes:
        config: The winner.
        seeds: How many seeds it was chosen on.
        settled: Whether all candidates took part with as many seeds as the study asks for.
    """

    config: Config
    seeds: int
    settled: bool


def merit(row: Row) -> float:
    """The validation score of a row, its sign turned where less is better."""
    return METRICS[row["metric"]].merit(validation_score(row))


def best_candidate(cell: Cell, finished: Finished, choose_on: int) -> Choice | None:
    """Which candidate fills the cell; ``None`` while there is nothing to choose by."""
    if len(cell.candidates) == 1:
        return Choice(cell.candidates[0], 0, True)
    tried = {
        config: {seed: merit(row) for seed, row in finished.get(config.key, {}).items()}
        for config in cell.candidates
    }
    tried = {config: values for config, values in tried.items() if values}
    if not tried:
        return None
    shared = set.intersection(*(set(values) for values in tried.values()))
    if not shared:
        return None
    winner = max(tried, key=lambda config: sum(tried[config][seed] for seed in sorted(shared)))
    everyone = len(tried) == len(cell.candidates)
    return Choice(winner, len(shared), everyone and len(shared) >= choose_on)


def load_study(name: str, **settings: Setting) -> Study:
    """A study by its name, if it comes with the package, or by a path that ends in ``.toml``.

    ``settings`` hold for every cell, whatever the file says.
    """
    from panda_gnn.evaluation.measurements import MEASURES
    from panda_gnn.evaluation.methods import configure
    from panda_gnn.evaluation.plugins import load_plugin

    path = Path(name)
    if path.suffix != ".toml":
        path = bundled_folder("studies") / f"{choose('study', name, study_names())}.toml"
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"the study '{name}' cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the study '{name}' is not UTF-8: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"the study '{name}' is not valid TOML: {error}") from error

    plugins = content.get("plugins")
    for plugin in plugins if isinstance(plugins, list) else ():
        load_plugin(str(plugin), path.parent)

    def measured(dataset: str, backbone: str, method: str, **values: Any) -> Config:
        measure = MEASURES.lookup(content.get("measure", "score"))
        return configure(dataset, backbone, method, measure=measure, **values)

    return parse_study(path.stem, content, measured, **settings)


def parse_study(
    name: str,
    content: Mapping[str, Any],
    configure: Callable[..., Config],
    **changes: Setting,
) -> Study:
    """The study that the content of a TOML file describes.

    Args:
        name: What it is called.
        content: What the file says.
        configure: Makes the config of a dataset, a backbone, a method, settings and fields of
            training, or says why no trial can run it.
        **changes: Settings of every cell, whatever the file says.
    """
    with within(f"the study '{name}'"):
        file: StudyFile = validate("", content, StudyFile)
        pairs = file.pairs or tuple(product(file.backbones, file.methods))
        if not file.datasets or not pairs:
            raise InputError("it is empty: it needs datasets, backbones and methods")
        backbones = {backbone: file.datasets for backbone, _ in pairs}
        known = sorted({method for _, method in pairs})
        for method, table in file.settings.items():
            choose("method", method, known, "under [settings]")
            _check_settings(
                f"settings.{method}", table, {**dict.fromkeys(file.datasets), **backbones}
            )
        cells = tuple(
            cell
            for dataset, (backbone, method) in product(file.datasets, pairs)
            for cell in _cells(
                dataset,
                Line(backbone, method),
                {**_settings(file.settings.get(method, {}), backbone, dataset), **changes},
                file.rows,
                partial(configure, dataset, backbone, method, **content.get("training", {})),
            )
        )
        lines = sorted({cell.line.name(file.rows) for cell in cells})
        for question in file.questions:
            for line in question.difference:
                choose("line", line, lines, "in a question")
        if file.rows is not None and all(cell.line.variant is None for cell in cells):
            raise InputError(f"rows is '{file.rows}', but no method has a list of it in [settings]")
    shared = [field.name for field in fields(Study) if field.name in StudyFile.model_fields]
    return Study(name=name, cells=cells, **{field: getattr(file, field) for field in shared})


def _check_settings(
    path: str, table: Mapping[str, Any], tables: Mapping[str, Iterable[str] | None]
) -> None:
    """Reject what is no value, no list of values and no table of a backbone or a dataset.

    Args:
        path: Where the table is.
        table: Its content.
        tables: The names that tables inside may have, with those of the tables inside of them.
    """
    for name, value in table.items():
        if isinstance(value, Mapping):
            choose("backbone or dataset", name, tables, f"under [{path}]")
            _check_settings(f"{path}.{name}", value, dict.fromkeys(tables[name] or ()))
            continue
        kind: Any = dict[str, Any] if name in tables else TRAINING.get(name, Setting)
        if isinstance(value, list) and name not in tables:
            kind = Annotated[list[kind], Field(min_length=1)]
        validate(f"{path}.{name}", value, kind)


def grid(space: Mapping[str, Any]) -> Iterable[dict[str, Setting]]:
    """Every combination of the listed values, the last setting changing fastest."""
    lists = [value if isinstance(value, list) else [value] for value in space.values()]
    return (dict(zip(space, values, strict=True)) for values in product(*lists))


def _settings(table: Mapping[str, Any], backbone: str, dataset: str) -> dict[str, Any]:
    by_backbone = table.get(backbone, {})
    merged: dict[str, Any] = {}
    for part in (table, table.get(dataset, {}), by_backbone, by_backbone.get(dataset, {})):
        merged |= {key: value for key, value in part.items() if not isinstance(value, dict)}
    return merged


def _cells(
    dataset: str,
    line: Line,
    settings: Mapping[str, Any],
    rows: str | None,
    configure: Callable[..., Config],
) -> Iterable[Cell]:
    listed = settings.get(rows) if rows is not None else None
    for variant in listed if isinstance(listed, list) else [None]:
        space = settings if rows is None or variant is None else {**settings, rows: variant}
        candidates = tuple(_configured(configure, values) for values in grid(space))
        yield Cell(dataset, replace(line, variant=variant), candidates)


def _configured(configure: Callable[..., Config], values: Mapping[str, Setting]) -> Config:
    training = {name: values[name] for name in TRAINING if name in values}
    settings = {name: value for name, value in values.items() if name not in TRAINING}
    return configure(settings=settings, **training)
