"""Graphs saved with ``torch.save``: one, a list, or what PyG writes into ``processed``.

Nothing in such a file is executed.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets.safe import load_tensors
from panda_gnn.errors import InputError

ACCEPTED = "a Data with edge_index, a list of them, or a processed file of PyG"


def read_saved_graphs(path: Path) -> list[Data]:
    """The graphs in a file of ``torch.save``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = load_tensors(path)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        raise InputError(
            f"'{path}' was not written by torch.save, or holds more than tensors and PyG's own "
            f"classes, which is not executed: it must hold {ACCEPTED} (of a Batch: "
            "batch.to_data_list())"
        ) from error
    graphs = _graphs(content)
    if not graphs or not all(isinstance(data, Data) and _has_edges(data) for data in graphs):
        raise InputError(f"'{path}' holds {_kind(content)}: it must hold {ACCEPTED}")
    return graphs


def _graphs(content: Any) -> list[Data]:
    if isinstance(content, Data):
        return [content]
    if isinstance(content, (list, tuple)) and len(content) > 0:
        if all(isinstance(data, Data) for data in content):
            return list(content)
        if len(content) in (2, 3, 4) and _is_storage(content[0], content[1]):
            return _processed(content[0], content[1])
    return []


def _is_storage(data: Any, slices: Any) -> bool:
    return isinstance(data, (Data, Mapping)) and (slices is None or isinstance(slices, Mapping))


def _processed(data: Any, slices: Any) -> list[Data]:
    """The graphs of PyG's collated form: all tensors in one piece, and where each graph's begin."""
    whole = data if isinstance(data, Data) else Data.from_dict(dict(data))
    if slices is None:
        return [whole]
    try:
        return separated(whole, slices)
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
        return []


def separated(data: Data, slices: Mapping[str, Any]) -> list[Data]:
    """The graphs of a collated ``Data``, one by one."""
    dataset = InMemoryDataset()
    dataset.data, dataset.slices = data, dict(slices)
    return [dataset.get(index).clone() for index in range(dataset.len())]


def _has_edges(data: Data) -> bool:
    return isinstance(data.get("edge_index"), Tensor)


def _kind(content: Any) -> str:
    if isinstance(content, (list, tuple)):
        kinds = sorted({type(item).__name__ for item in content})
        return f"a {type(content).__name__} of {', '.join(kinds) or 'nothing'}"
    return f"a {type(content).__name__}"
