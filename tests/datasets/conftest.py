"""A tiny dataset for the tests of loading."""

from __future__ import annotations

import dataclasses
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from panda_gnn.datasets import DATASETS, DatasetEntry

TINY_FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "-1\n1\n",
}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[DatasetEntry]:
    """A dataset of a path of three nodes and one edge, known to ``load`` as ``tiny``.

    It has no features, and its address on the network refuses every connection.
    """
    entry = dataclasses.replace(
        DATASETS["imdb-binary"],
        name="tiny",
        printed="TINY",
        archive="tudataset/TINY.zip",
        url="http://127.0.0.1:9/TINY.zip",
        raw_names=tuple(f"TINY_{part}.txt" for part in TINY_FILES),
        num_graphs=2,
        average_nodes=2.5,
        average_edges=3.0,
        fingerprint="",
    )
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with DATASETS.replaced({"tiny": entry}):
        yield entry


def make_mirror(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A mirror in ``folder`` that holds TINY, with ``files`` instead of its own where given."""
    archive = folder / "tudataset" / "TINY.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_LZMA) as file:
        for part, text in {**TINY_FILES, **(files or {})}.items():
            file.writestr(f"TINY/TINY_{part}.txt", text)
    return folder
