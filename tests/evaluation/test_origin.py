from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.evaluation.origin import Origin, origin_of, processor


def test_the_origin_of_a_row_is_its_code_its_parts_and_its_data() -> None:
    row = {"code": "2", "parts": {"task": "t-1", "method": "m-1"}, "data": "f"}
    assert origin_of(row) == Origin("2", (("method", "m-1"), ("task", "t-1")), "f")
    assert origin_of({"code": "2"}) == Origin("2")


@pytest.mark.parametrize(
    ("listed", "name"),
    [
        (
            "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon  W\nflags\t\t: avx avx2",
            "GenuineIntel Xeon W avx2",
        ),
        ("processor\t: 0\nFeatures\t: fp asimd", "asimd"),
    ],
)
def test_the_processor_is_named_by_vendor_model_and_vectors(
    listed: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *arguments: listed)
    assert processor.__wrapped__() == name


def test_where_there_is_no_list_of_processors_python_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*arguments: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)
    monkeypatch.setattr("platform.processor", lambda: "arm")
    assert processor.__wrapped__() == "arm"
