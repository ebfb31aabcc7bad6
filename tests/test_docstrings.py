"""The docstrings are the reference: whole, with examples that run; and the site has every page."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import runpy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from torch import nn

import panda_gnn
from tests.evaluation.test_plugins import forgotten

DOCS = Path(__file__).resolve().parents[1] / "docs"
REFERENCE = runpy.run_path(str(DOCS / "reference.py"))
PUBLIC = {f"{package}.{name}": thing for package, name, thing in REFERENCE["public"]()}


def gaps(thing: Any) -> list[str]:
    """What the docstring of a public object does not say."""
    text = inspect.getdoc(thing) or ""
    if not text:
        return ["a docstring"]
    missing = [] if ">>> " in text else ["an example"]
    parameters: list[inspect.Parameter] = []  # those of the class above, or of a named tuple
    if not inspect.isclass(thing) or "__init__" in vars(thing):
        signature = inspect.signature(thing)
        parameters = [each for each in signature.parameters.values() if each.name[0] != "_"]
    section = text.partition("Args:")[2] or text.partition("Attributes:")[2]
    described = set(re.findall(r"^\s+\**(\w+): ", section, re.MULTILINE))
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    missing += [
        f"the argument {each.name}"
        for each in parameters
        if each.name not in described and each.kind not in kinds and "options" not in described
    ]
    takes_tensors = any("Tensor" in str(each.annotation) for each in parameters)
    if (takes_tensors or _is_module(thing)) and not re.search("Shapes:|shape ``", text):
        missing.append("shapes")
    return missing


def _is_module(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, nn.Module)


@pytest.mark.parametrize(
    "name", [name for name, thing in PUBLIC.items() if not REFERENCE["is_value"](thing)]
)
def test_a_docstring_is_whole(name: str) -> None:
    assert gaps(PUBLIC[name]) == [], f"what the docstring of {name} lacks"


def test_the_check_notices_what_is_missing() -> None:
    class Layer(nn.Module):
        """A layer.

        Args:
            width: How wide.
        """

        def __init__(self, width: int, depth: int) -> None:
            super().__init__()

    assert gaps(Layer) == ["an example", "the argument depth", "shapes"]
    assert gaps(lambda: None) == ["a docstring"]


def test_values_say_what_they_are() -> None:
    for package in REFERENCE["PACKAGES"]:
        for name, text in REFERENCE["values_of"](importlib.import_module(package)).items():
            assert text, f"{package}.{name} has no docstring below it"


def modules() -> list[ModuleType]:
    found = pkgutil.walk_packages(panda_gnn.__path__, "panda_gnn.")
    return [panda_gnn, *(importlib.import_module(module.name) for module in found)]


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_root: Path) -> None:
    """All in one process, a few seconds with compiled kernels; none of them trains for long."""
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.chdir(tmp_path)
    tried = 0
    with forgotten():
        for module in modules():
            result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
            assert result.failed == 0, f"an example in {module.__name__} fails, see above"
            tried += result.attempted
    assert tried > 3 * len(PUBLIC)


def test_every_page_is_in_a_list_of_contents() -> None:
    pages = {path for path in DOCS.rglob("*.md") if "_build" not in path.parts}
    listed = {DOCS / "index.md"}
    for page in pages:
        text = page.read_text("utf-8")
        for contents in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            for line in contents.splitlines():
                if line and not line.startswith(":"):
                    listed.add((page.parent / f"{line.strip()}.md").resolve())
    assert pages - listed == set()
    generated = {DOCS / "reference" / f"{name}.md" for name in ("cli", "study-files")}
    generated |= {DOCS / "reference" / "api" / f"{name}.md" for name in REFERENCE["PACKAGES"]}
    assert listed - pages == generated


def test_roles_of_documents_lead_somewhere() -> None:
    """Links that are written as in ``{func}`name``` name something public."""
    for page in DOCS.rglob("*.md"):
        named = re.findall(r"\{(?:func|class)\}`~?([\w.]+)`", page.read_text("utf-8"))
        assert [name for name in named if name not in PUBLIC] == [], page.name


def test_no_property_says_its_type_before_a_colon() -> None:
    """Of a property the reference takes what stands before a colon for its type."""
    for name, thing in PUBLIC.items():
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            text = value.__doc__ if isinstance(value, property) else None
            assert ":" not in (text or "").partition("\n\n")[0].replace(":math:", ""), (
                name,
                member,
            )


def test_defaults_of_a_study_file_are_what_one_would_write() -> None:
    rows = {row[0]: row for row in REFERENCE["entries"](*REFERENCE["STUDY_TABLES"]["Entries"])}
    assert rows["``difference``"][1:3] == ("a text", "``line - none``")
    assert rows["``training``"][1:3] == ("a table", "see below")
    assert not any("{" in default for _, _, default, _ in rows.values())


def test_every_entry_of_a_study_file_has_a_meaning() -> None:
    for title, (table, described) in REFERENCE["STUDY_TABLES"].items():
        rows = REFERENCE["entries"](table, described)
        assert rows
        assert [name for name, _, _, meaning in rows if not meaning] == [], title


def test_pages_of_the_reference_are_written_once(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "panda_gnn.gone.rst").touch()
    REFERENCE["write"](tmp_path)
    pages = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.rst")}
    assert not (tmp_path / "api" / "panda_gnn.gone.rst").exists()
    train = (tmp_path / "cli" / "train.rst").read_text("utf-8")
    assert ".. option:: --dataset NAME" in train
    assert "panda study run" in (tmp_path / "cli" / "study.rst").read_text("utf-8")
    REFERENCE["write"](tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.rst")} == pages


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        ("PANDA-GCN, Eqs. (a) and (b). More.", "PANDA-GCN, Eqs. (a) and (b)."),
        ("One\nline. And\n\nanother", "One line."),
        ("Where trials run: processes.", "Where trials run: processes."),
    ],
)
def test_first_sentences(summary: str, sentence: str) -> None:
    assert REFERENCE["first_sentence"](summary) == sentence


def test_bad_links_are_found(tmp_path: Path) -> None:
    problems = runpy.run_path(str(DOCS / "links.py"))["problems"]
    (tmp_path / "b.html").write_text('<p id="here"></p>')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here"></a><a href="https://example.org"></a><a href="#"></a>'
        '<a href="gone.html"></a><a href="b.html#gone"></a>'
        '<script src="https://example.org/x.js"></script><img src="gone.png">'
    )
    assert problems(tmp_path) == [
        "a.html loads https://example.org/x.js from the network",
        "a.html loads gone.png, which is not there",
        "a.html links to gone.html, which is not there",
        "a.html links to b.html#gone, but there is no such place",
    ]


def test_versions_agree() -> None:
    root = DOCS.parent
    for name in ("pyproject.toml", "CITATION.cff"):
        text = (root / name).read_text("utf-8")
        found = re.search(r'^version(?: =|:) "?([^"\n]*)', text, re.MULTILINE)
        assert found is not None
        assert found[1] == panda_gnn.__version__
    assert f"## {panda_gnn.__version__}" in (root / "CHANGELOG.md").read_text("utf-8")
