"""A table as text: for the terminal, in Markdown, in LaTeX, and as CSV.

Every format says with the numbers under which rule the epoch was selected.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table as TextTable
from rich.text import Text

from panda_gnn.evaluation.measure import Unit
from panda_gnn.evaluation.statistics import Difference, Summary, half_width
from panda_gnn.paper import tables
from panda_gnn.reports.answers import Answer
from panda_gnn.reports.tables import RULES, Block, Entry, Table
from panda_gnn.reports.verdicts import Verdict

#: How the best three are coloured, as in the paper.
COLOURS = {1: "red", 2: "blue", 3: "magenta"}
LATEX_COLOURS = {1: "red", 2: "blue", 3: "violet"}

#: What stands before the other line of a claim, by what the claim says of the two.
_BESIDE = {"above": "", "equals": "as ", "not-above": "not "}

#: Columns that a table for the terminal may take, even where the terminal has fewer.
WIDTH = 120

#: Columns of a table that fits everywhere, and what it does without.
NARROW = 80
LEFT_OUT = ("best", "naive ±, p", "parameters")

#: With fewer trials than this, a table says what so few cannot show.
FEW_TRIALS = 5


def text_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    title: str | None = None,
    caption: str | None = None,
    show_header: bool = True,
) -> TextTable:
    """A table for the terminal: the first column to the left, numbers to the right."""
    table = TextTable(
        title=title,
        caption=caption,
        title_justify="left",
        show_header=show_header,
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=place == 0)
    for row in rows:
        table.add_row(*row)
    return table


def headings(table: Table) -> list[str]:
    """The names of the columns."""
    names = ["line", "published", "ours" + _in_brackets(table.selection), "n"]
    if table.study.measure == "score":
        names += ["best", table.difference_name, "p (Holm)", "naive ±, p"]
    if table.parameters:
        names.append("parameters")
    return [*names, "settings"]


def explanation(table: Table) -> list[str]:
    """How to read the numbers, one sentence each."""
    sentences = [f"{table.unit}; ours: mean ± half of its 95 % interval over n trials"]
    if table.selection is not None:
        sentences.append(f"selection {table.selection}: {RULES[table.selection]}")
        if table.study.published is not None:
            sentences.append(f"published: {tables()[table.study.published.table].rule}")
    if table.comparisons:
        sentences.append(
            f"'{table.difference_name}': mean paired difference on shared splits; interval and p "
            "of the corrected resampled t-test (Nadeau and Bengio), which knows that re-splits "
            f"share their graphs, p Holm-corrected over {table.comparisons} comparisons"
        )
        sentences.append(NAIVE)
    tested = sum(answer.p is not None for answer in table.answers)
    if tested:
        sentences.append(
            f"p of the answers: by the same test, Holm-corrected over {tested} of them"
        )
    return sentences


NAIVE = "naive: the same by the paired t-test, which takes splits for independent"


def what_few_trials_hide(table: Table) -> list[str]:
    """How large a difference would have to be to be significant, where there are few trials."""
    found = [
        entry.difference
        for block in table.blocks
        for entry in block.entries
        if entry.difference is not None and entry.difference.n < FEW_TRIALS
    ]
    if not found:
        return []
    fewest = min(found, key=lambda difference: difference.n)
    if fewest.n < 2:
        return ["n = 1 shows no difference: a single pair says nothing about its spread"]
    times = half_width(1.0, fewest.n, fewest.ratio)
    return [
        f"n = {fewest.n} shows no difference under {times:.1f} standard deviations of the pairs: "
        "panda study power says how many trials it takes"
    ]


def answers(table: Table) -> list[str]:
    """The study's questions, each answered with a number per block."""
    sentences = []
    for question, found in groupby(table.answers, lambda answer: answer.question):
        sentences.append(f"{question.ask} ({' minus '.join(question.difference)})")
        sentences += [f"  {answer.place}: {_answer(answer)}" for answer in found]
    return sentences


def answers_grid(table: Table) -> list[list[str]]:
    """The same with a line for every question and a column for every block, the heading first."""
    places = list(dict.fromkeys(answer.place for answer in table.answers))
    lines = [["question", "difference", *places]]
    for question, found in groupby(table.answers, lambda answer: answer.question):
        by_place = {answer.place: _short_answer(answer) for answer in found}
        difference = " minus ".join(question.difference)
        lines.append([question.ask, difference, *(by_place.get(place, "") for place in places)])
    return lines


def cells(table: Table, block: Block, entry: Entry) -> list[str]:
    """The columns of a line, as text."""
    columns = [
        table.label(entry.line),
        "-" if entry.published is None else entry.published.printed,
        "missing" if entry.ours is None else mean_and_interval(entry.ours, block.unit),
        "" if entry.ours is None else str(entry.ours.n),
    ]
    if table.study.measure == "score":
        columns += [
            "" if entry.rank is None else str(entry.rank),
            ""
            if entry.difference is None
            else mean_and_interval(entry.difference, block.unit, "+"),
            p_value(entry.p),
            naive(block, entry),
        ]
    if table.parameters:
        columns.append("" if entry.parameters is None else f"{entry.parameters:,}")
    return [*columns, entry.settings]


def mean_and_interval(value: Summary | Difference, unit: Unit, sign: str = "") -> str:
    """A mean with its interval; small times keep their digits."""
    digits = unit.digits or (2 if abs(value.mean) >= 1 else 4)
    interval = "" if value.interval is None else f" ± {value.interval:.{digits}f}"
    mean = round(value.mean, digits) + 0.0  # no -0.00
    return f"{mean:{sign}.{digits}f}{interval}"


def naive(block: Block, entry: Entry) -> str:
    """Interval and p-value of the naive test, where the corrected one is another."""
    difference = entry.difference
    if difference is None or difference.naive_interval is None or not difference.ratio:
        return ""
    p = "" if entry.naive_p is None else f", {p_value(entry.naive_p)}"
    return f"± {difference.naive_interval:.{block.unit.digits or 2}f}{p}"


def verdict_cells(found: Verdict) -> list[str]:
    """A claim of the paper with both differences, ours on n shared splits, and the verdict."""
    claim, ours = found.claim, found.ours
    return [
        " ".join(claim.line),
        claim.dataset,
        _BESIDE[claim.relation] + " ".join(claim.reference),
        "" if found.published is None else f"{found.published:+.{found.unit.digits}f}",
        "" if ours is None else mean_and_interval(ours, found.unit, "+"),
        "" if ours is None else str(ours.n),
        found.verdict,
        claim.says,
    ]


def p_value(p: float | None) -> str:
    """A p-value with three digits."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def terminal(table: Table, colour: bool = False, *, narrow: bool = False) -> str:
    """Blocks with the best three in colour; without the settings, for which there is no room.

    A narrow table fits 80 columns and leaves out :data:`LEFT_OUT`.
    """
    stream = io.StringIO()
    width = NARROW if narrow else max(WIDTH, shutil.get_terminal_size().columns)
    console = Console(file=stream, width=width, force_terminal=colour, highlight=False)
    parts: list[RenderableType] = [Text(table.study.title, style="bold")]
    parts += [Text(text) for text in explanation(table) if not (narrow and text == NAIVE)]
    left_out = LEFT_OUT if narrow else ()
    parts += [_block(table, block, left_out) for block in table.blocks]
    few = what_few_trials_hide(table)
    parts += [Text(sentence) for sentence in (*answers(table), *few, *table.remarks)]
    console.print(Group(*parts))
    return stream.getvalue()


def markdown(table: Table) -> str:
    """One Markdown table per block, the best in bold."""
    lines = [f"## {table.study.title}", ""]
    lines += [f"- {sentence}" for sentence in explanation(table)]
    for block in table.blocks:
        names = headings(table)
        lines += ["", f"### {block.name}", "", pipes(names), pipes(["---"] * len(names))]
        for entry in block.entries:
            columns = cells(table, block, entry)
            if entry.rank == 1:
                columns[2] = f"**{columns[2]}**"
            lines.append(pipes(columns))
    for heading, sentences in (("Answers", answers(table)), ("Remarks", table.remarks)):
        if sentences:
            lines += ["", f"### {heading}", ""]
            lines += [
                f"  - {text.strip()}" if text.startswith("  ") else f"- {text}"
                for text in sentences
            ]
    return "\n".join(lines) + "\n"


def latex(table: Table) -> str:
    """One tabular for all blocks; it needs the packages booktabs and xcolor."""
    names = headings(table)[:-1]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape('. '.join((table.study.title, *explanation(table))))}.}}",
        rf"\begin{{tabular}}{{l{'r' * (len(names) - 1)}}}",
        r"\toprule",
        _row(names),
    ]
    for block in table.blocks:
        title = rf"\multicolumn{{{len(names)}}}{{l}}{{{_escape(block.name)}}} \\"
        lines += [r"\midrule", title, r"\midrule"]
        for entry in block.entries:
            columns = [_escape(text) for text in cells(table, block, entry)[:-1]]
            if entry.rank is not None:
                columns[2] = rf"\textcolor{{{LATEX_COLOURS[entry.rank]}}}{{{columns[2]}}}"
            lines.append(" & ".join(columns) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def comma_separated(table: Table) -> str:
    """One line per cell with full precision; what is missing is empty."""
    stream = io.StringIO()
    lines = _csv_lines(table)
    writer = csv.DictWriter(stream, list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return stream.getvalue()


def as_json(table: Table) -> str:
    """The cells of the comma-separated form as a list in JSON."""
    return json.dumps(_csv_lines(table), indent=1) + "\n"


def _csv_lines(table: Table) -> list[dict[str, object]]:
    return [_csv_cells(table, block, entry) for block in table.blocks for entry in block.entries]


def _csv_cells(table: Table, block: Block, entry: Entry) -> dict[str, object]:
    paper, ours, difference = entry.published, entry.ours, entry.difference
    return {
        "study": table.study.name,
        "dataset": block.dataset,
        "backbone": entry.line.backbone,
        "line": table.label(entry.line),
        "settings": entry.settings,
        "selection": table.selection,
        "published": paper and (paper.printed if paper.timed_out else paper.mean),
        "published_interval": paper and paper.interval,
        "mean": ours and ours.mean,
        "interval": ours and ours.interval,
        "n": ours and ours.n,
        "rank": entry.rank,
        "difference": difference and difference.mean,
        "difference_interval": difference and difference.interval,
        "difference_n": difference and difference.n,
        "p": difference and difference.p,
        "p_holm": entry.p,
        "naive_interval": difference and difference.naive_interval,
        "naive_p": difference and difference.naive_p,
        "naive_p_holm": entry.naive_p,
    }


#: The formats that need nothing but the table.
FORMATS: Mapping[str, Callable[[Table], str]] = {
    "terminal": terminal,
    "markdown": markdown,
    "latex": latex,
    "csv": comma_separated,
    "json": as_json,
}


def _answer(answer: Answer) -> str:
    if answer.difference is None:
        return "missing"
    p = "" if answer.p is None else f", p {p_value(answer.p)}"
    difference = mean_and_interval(answer.difference, answer.unit, "+")
    return f"{difference} on {answer.difference.n} shared splits{p}"


def _short_answer(answer: Answer) -> str:
    if answer.difference is None:
        return "missing"
    p = "" if answer.p is None else f", p {p_value(answer.p)}"
    return f"{mean_and_interval(answer.difference, answer.unit, '+')} (n {answer.difference.n}{p})"


def _block(table: Table, block: Block, left_out: Sequence[str] = ()) -> TextTable:
    rule = "" if table.selection is None else f", selection {table.selection}"
    rows = []
    for entry in block.entries:
        columns: list[str | Text] = list(cells(table, block, entry)[:-1])
        if entry.rank is not None:
            columns[2] = Text(str(columns[2]), style=COLOURS[entry.rank])
        rows.append(columns)
    names = headings(table)[:-1]
    names[2] = "ours"
    kept = [place for place, name in enumerate(names) if name not in left_out]
    lines = [[line[place] for place in kept] for line in rows]
    return text_table([names[place] for place in kept], lines, title=block.name + rule)


def _in_brackets(selection: str | None) -> str:
    return "" if selection is None else f" ({selection})"


def pipes(columns: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(columns)} |"


def _row(columns: list[str]) -> str:
    return " & ".join(_escape(text) for text in columns) + r" \\"


def _escape(text: str) -> str:
    for character in "%&_#":
        text = text.replace(character, f"\\{character}")
    return text.replace("±", r"$\pm$").replace("<", r"$<$")
