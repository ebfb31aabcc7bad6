"""The pages of a report: one for each study, and one that leads to them."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from panda_gnn.reports.coverage import ENOUGH, Coverage
from panda_gnn.reports.pages.frame import items, make_page, table
from panda_gnn.reports.report.numbers import StudyReport
from panda_gnn.reports.table_formats import answers_grid, verdict_cells
from panda_gnn.reports.tables import RULES, Table
from panda_gnn.reports.verdicts import Verdict

CLAIM_COLUMNS = (
    "line",
    "dataset",
    "better than",
    "published by",
    "measured (best-val)",
    "n",
    "verdict",
    "the paper",
)


def study_page(report: StudyReport, verdicts: Sequence[Verdict], command: str) -> str:
    """The page of a study: its table under every rule, a plot, claims, curves and failures."""
    first = next(iter(report.tables.values()))
    scored = first.selection is not None
    columns = ["dataset", "backbone", "line", "published", "measured", "n"]
    if scored:
        columns += ["best", first.difference_name, "p (Holm)"]
    parts = [
        '<header class="top">',
        f"<h1>{html.escape(report.study.title)}</h1>",
        '<p class="lead"><a href="index.html">All studies</a> · '
        f"{report.num_rows} rows in the store</p>",
        f'<ul id="reading">{items(next(iter(report.sentences.values())))}</ul></header>',
        '<div id="switches" class="controls"></div>',
        "<section><h2>Published and measured</h2>",
        table(
            [*columns, "settings", "command"],
            [_cells(line, scored) for line in report.lines],
            label=f"{report.study.title}: published and measured",
            name="lines",
            filters=False,
        ),
        "</section>",
    ]
    if scored and any("plot" in rule for line in report.lines for rule in line["rules"].values()):
        parts.append(
            '<section id="plot"><h2>Paired differences</h2>'
            f"<p>{html.escape(first.difference_name)}, on shared splits: the mean with its 95 % "
            "interval, and one point for each seed. The table above has the same numbers.</p>"
            "</section>"
        )
    if any(answer.difference is not None for answer in first.answers):
        parts.append(_questions(first))
    if report.curves:
        parts.append(
            '<section id="curves"><h2>Learning curves</h2><p>One line for each seed; the numbers '
            "are in the table below the picture.</p></section>"
        )
    if verdicts:
        parts.append(f"<section><h2>The paper's claims</h2>{claims_table(verdicts)}</section>")
    parts.append("<section><h2>Failures</h2>")
    if report.failures:
        parts.append(table(("trial", "reason"), report.failures, label="Trials that failed"))
    else:
        parts.append("<p>No trial has failed.</p>")
    parts.append("</section>")
    if report.remarks:
        parts.append(f"<section><h2>Remarks</h2><ul>{items(report.remarks)}</ul></section>")
    data = {
        "kind": "study",
        "rules": {rule: RULES[rule] for rule in report.tables} if scored else {},
        "sentences": report.sentences,
        "difference": first.difference_name,
        "lines": report.lines,
        "curves": report.curves,
    }
    return make_page(report.study.title, "".join(parts), data, ("report.js",), command)


def index_page(
    reports: Sequence[StudyReport],
    left_out: Mapping[str, str],
    covered: Sequence[Coverage],
    verdicts: Sequence[Verdict],
    command: str,
) -> str:
    """The page that leads to all others: studies, what they cover and the paper's claims."""
    counts: dict[str, int] = {}
    for verdict in verdicts:
        counts[verdict.verdict] = counts.get(verdict.verdict, 0) + 1
    parts = ['<header class="top"><h1>Results</h1></header>', "<section><h2>Studies</h2>"]
    parts.append('<div class="scroll"><table class="sorts" id="studies"><caption class="unseen">')
    parts.append("Studies</caption><thead><tr>")
    names = ("study", "what", "lines", "with trials", "rows", "failures")
    parts += [f'<th scope="col">{name}</th>' for name in names]
    parts.append("</tr></thead><tbody>")
    for report in reports:
        name = report.study.name
        finished = sum(
            next(iter(line["rules"].values()))["ours"] != "missing" for line in report.lines
        )
        numbers = (len(report.lines), finished, report.num_rows, len(report.failures))
        parts.append(
            f'<tr><td><a href="{quote(name)}.html">{html.escape(name)}</a></td>'
            f'<td class="wrap">{html.escape(report.study.title)}</td>'
            + "".join(f"<td>{number}</td>" for number in numbers)
            + "</tr>"
        )
    parts.append("</tbody></table></div></section>")
    if verdicts:
        summary = ", ".join(f"{count} {name}" for name, count in counts.items())
        parts.append(
            f"<section><h2>The paper's claims</h2><p>{html.escape(summary)}.</p>"
            f"{claims_table(verdicts)}</section>"
        )
    if covered:
        rows = [
            [c.table, c.title, str(c.published), str(c.measured), str(c.complete)] for c in covered
        ]
        columns = ("table", "of the paper", "numbers", "measured", f"with {ENOUGH} trials")
        parts.append(
            "<section><h2>Numbers of the paper that have one of ours</h2>"
            f"{table(columns, rows, label='Coverage')}</section>"
        )
    if left_out:
        parts.append(
            "<section><h2>Stores without a page</h2>"
            f"{table(('store', 'why'), list(left_out.items()), label='Stores without a page')}"
            "</section>"
        )
    return make_page("Results", "".join(parts), {"kind": "index"}, ("report.js",), command)


def claims_table(verdicts: Sequence[Verdict]) -> str:
    """The claims with the published difference, ours, and what follows, open ones last."""
    ordered = sorted(verdicts, key=lambda found: found.verdict == "open")
    rows = [verdict_cells(found) for found in ordered]
    return table(CLAIM_COLUMNS, rows, label="The paper's claims", name="claims")


def _questions(first: Table) -> str:
    """The study's questions, with the answer of every dataset and backbone that has trials."""
    grid = answers_grid(first)
    measured = [column for column in zip(*grid, strict=True) if set(column[1:]) != {"missing"}]
    head, *rows = zip(*measured, strict=True)
    rule = "" if first.selection is None else f", selection {first.selection}"
    said = f"Mean paired differences on shared splits with their 95 % intervals{rule}."
    shown = table(head, rows, label="What the study asks", name="questions", filters=False)
    return f"<section><h2>What the study asks</h2><p>{said}</p>{shown}</section>"


def _cells(line: Mapping[str, object], scored: bool) -> list[str]:
    """The texts of a line under the first rule; scripts put in those of the others."""
    rules: Mapping[str, Mapping[str, Mapping[str, str]]] = line["rules"]  # type: ignore[assignment]
    rule = next(iter(rules.values()))
    cells = [str(line[name]) for name in ("dataset", "backbone", "line", "published")]
    cells += [str(rule["ours"]), str(rule["n"])]
    if scored:
        difference = rule["difference"].get("corrected", "")
        cells += [str(rule["rank"]), difference, rule["p"]["corrected"]]
    return [*cells, str(line["settings"]), str(line["command"])]
