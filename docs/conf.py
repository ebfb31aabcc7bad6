"""How Sphinx builds the site: ``make docs``. Nothing in it asks the network."""

from __future__ import annotations

import sys
from functools import partialmethod
from importlib import import_module
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent)]

import reference  # noqa: E402

from panda_gnn import __version__  # noqa: E402

project = "panda-gnn"
author = "the panda-gnn authors"
copyright = "the panda-gnn authors, MIT license"
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "results/report"]
root_doc = "index"
nitpicky = False

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # the tables' headings jump one level

nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS / "_build" / ".jupyter_cache")
nb_execution_timeout = 600  # for cells that hang; on a busy machine a minute's work takes many
nb_execution_raise_on_error = True
nb_output_stderr = "remove"

#: A shell's output comes in pieces of 100 bytes, each of which would be a block of its own.
_client: Any = import_module("nbclient").NotebookClient
_client.__init__ = partialmethod(_client.__init__, coalesce_streams=True)

#: What scikit-learn writes into every estimator, in words of its own manual.
HIDDEN = "set_fit_request, set_predict_request, set_predict_proba_request, set_score_request"
autodoc_default_options = {"members": True, "member-order": "bysource", "exclude-members": HIDDEN}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_preserve_defaults = True
autodoc_inherit_docstrings = False
napoleon_custom_sections = ["Shapes"]
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"panda-gnn {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_search_summary = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {"svg": {"fontCache": "global"}}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True


def _write_reference(app: Any) -> None:
    reference.write(DOCS / "reference")


def _keep_intervals_whole(app: Any, name: str, source: list[str]) -> None:
    """No line ends between a number and its interval."""
    source[0] = source[0].replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")


def setup(app: Any) -> None:
    """Write the pages of the reference before Sphinx looks for pages."""
    app.connect("builder-inited", _write_reference)
    app.connect("source-read", _keep_intervals_whole)
