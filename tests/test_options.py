"""Options that are no numbers, or out of range, get a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import TypeAdapter, ValidationError

from panda_gnn import diagnostics
from panda_gnn.centrality import centrality, sampled_centrality
from panda_gnn.errors import InputError
from panda_gnn.options import Finite, flag, real_number, whole_number
from panda_gnn.rewiring import AFRC, BORF, DIGL, GTR, LASER, SDRF, Expander, FoSR, rewire_dataset
from panda_gnn.transforms import ExpandWidth
from tests.odd_graphs import ODD_GRAPHS

PATH = ODD_GRAPHS["path"]
STAR = ODD_GRAPHS["star"]


def test_numbers_pass() -> None:
    numbers: Any = np.int64(3), np.float32(0.5), np.bool_(True)
    assert whole_number("k", numbers[0]) == 3
    assert whole_number("k", 2**63 - 1) == 2**63 - 1
    with pytest.raises(InputError, match="k must be a whole number"):
        whole_number("k", 2**63)
    assert real_number("eps", 1, least=0) == 1.0
    assert real_number("tau", math.inf, least=0, infinite=True) == math.inf
    assert real_number("bound", -math.inf, infinite=True) == -math.inf
    assert real_number("rho", numbers[1], above=0, most=1) == 0.5
    assert flag("residual", numbers[2]) is True


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_finite_number_is_finite(value: float) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Finite).validate_python(value)


BAD: list[tuple[Callable[[Any], Any], list[Any], str]] = [
    (lambda v: ExpandWidth("degree", v), [1.5, True, -1, "3"], "k must be a whole number"),
    (
        lambda v: ExpandWidth("degree", ratio=v),
        [-0.1, 1.1, math.nan, True, "x"],
        "ratio must be between 0 and 1",
    ),
    (lambda v: ExpandWidth("degree", 1, seed=v), [0.5, -1, True], "seed must be a whole number"),
    (lambda v: ExpandWidth("load", 1, samples=v), [1, 2.5, True], "samples must be a whole number"),
    (lambda v: centrality("random", PATH, seed=v), [0.5, -1, True], "seed must be a whole number"),
    (
        lambda v: sampled_centrality("load", PATH, samples=v),
        [1, 2.5, True, -3],
        "samples must be a whole number, 2 or more",
    ),
    (
        lambda v: sampled_centrality("load", PATH, samples=2, seed=v),
        [0.5, -1, True],
        "seed must be a whole number",
    ),
    (lambda v: centrality("load", PATH, threads=v), [0, 1.5, True], "threads must be a whole"),
    (lambda v: rewire_dataset([PATH], GTR(1), threads=v), [0, 1.5], "threads must be a whole"),
    (lambda v: DIGL(alpha=v), [0, 1.1, -1, math.nan, math.inf, True, "x"], "alpha must be above 0"),
    (lambda v: DIGL(eps=v), [-0.1, math.nan, math.inf, True, "x"], "eps must be zero or more"),
    (lambda v: DIGL(self_loops=v), [1, 0, None, "no"], "self_loops must be True or False"),
    (lambda v: SDRF(tau=v), [-1, math.nan, True, "x"], "tau must be zero or more"),
    (
        lambda v: SDRF(removal_bound=v),
        [math.inf, math.nan, True, "x"],
        "removal_bound must be a finite number or None",
    ),
    (lambda v: SDRF(v), [1.5, -1, True], "iterations must be a whole number"),
    (lambda v: FoSR(v), [1.5, -1, True], "iterations must be a whole number"),
    (lambda v: FoSR(warmup=v), [1.5, -1, True], "warmup must be a whole number"),
    (lambda v: GTR(v), [1.5, -1, True], "iterations must be a whole number"),
    (lambda v: BORF(v), [1.5, -1, True], "batches must be a whole number"),
    (lambda v: LASER(rho=v), [0, 1.5, math.nan, True, "x"], "rho must be a fraction above 0"),
    (lambda v: LASER(v), [0, 1.5, True], "snapshots must be a whole number, 1 or more"),
    (lambda v: LASER(walk_length=v), [-1, 1.5, True], "walk_length must be a whole number"),
    (lambda v: AFRC(lower_bound=v), [math.nan, True, "x"], "lower_bound must be a number or None"),
    (lambda v: AFRC(upper_bound=v), [math.nan, True, "x"], "upper_bound must be a number or None"),
    (lambda v: AFRC(v), [1.5, -1, True], "rounds must be a whole number"),
    (lambda v: Expander(v), [1, 0, None], "interleaved must be True or False"),
    (
        lambda v: diagnostics.resistance_sketch(PATH, probes=v),
        [1, 2.5, True],
        "probes must be a whole number, 2 or more",
    ),
    (
        lambda v: diagnostics.bottleneck_nodes(PATH, count=v),
        [0, 1.5, True],
        "count must be a whole number, 1 or more",
    ),
    (
        lambda v: diagnostics.signal_propagation(lambda x, data: x, PATH, in_channels=v, sources=2),
        [0, 1.5, True],
        "in_channels must be a whole number, 1 or more",
    ),
    (
        lambda v: diagnostics.signal_propagation(lambda x, data: x, PATH, in_channels=3, sources=v),
        [0, 1.5, True],
        "sources must be a whole number, 1 or more",
    ),
]


@pytest.mark.parametrize(
    ("call", "value", "sentence"),
    [(call, value, sentence) for call, values, sentence in BAD for value in values],
    ids=lambda part: str(part) if not callable(part) else "",
)
def test_bad_options_get_a_sentence(call: Callable[[Any], Any], value: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"{sentence}.*, not {value!r}"):
        call(value)


def test_sources_may_be_a_tensor() -> None:
    found = diagnostics.signal_propagation(
        lambda x, data: x, STAR, in_channels=3, sources=torch.tensor([0, 0])
    )
    assert found.sources.tolist() == [0, 0]
