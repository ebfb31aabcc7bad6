"""A fitted estimator as a folder: tensors in a safetensors file, everything else as JSON.

Nothing in the folder is executed when it is read. ``model.json`` names the kind of the estimator,
its parameters, the plugins that these name with a hash of their source, and what was learned beside
the weights; the SHA-256 of ``weights.safetensors`` is in it, so that files of two models cannot be
mixed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load, save
from sklearn.utils.validation import check_is_fitted

from panda_gnn import __version__
from panda_gnn.datasets.safe import DAMAGED
from panda_gnn.errors import InputError, choose, reason
from panda_gnn.estimators.estimator import PandaEstimator
from panda_gnn.estimators.graphs import PandaClassifier, PandaRegressor
from panda_gnn.estimators.nodes import PandaNodeClassifier, PandaNodeRegressor
from panda_gnn.evaluation.methods import plugins_of
from panda_gnn.registry import OWNERS

FORMAT = 1
KINDS: dict[str, type[PandaEstimator]] = {
    kind.__name__: kind
    for kind in (PandaClassifier, PandaRegressor, PandaNodeClassifier, PandaNodeRegressor)
}
#: What is learned beside the weights: numbers and names, and arrays.
PLAIN = (
    "n_features_in_",
    "features_",
    "num_outputs_",
    "seed_",
    "edge_values_",
    "num_relations_",
    "num_edge_features_",
    "n_iter_",
    "single_",
)
ARRAYS = ("classes_", "mean_", "scale_")
#: What is taken for numbers and names that older files do not have.
MISSING = {"num_edge_features_": 0, "features_": None}


def save_estimator(estimator: PandaEstimator, folder: str | os.PathLike[str]) -> None:
    """Write a fitted estimator into a folder, which is new, empty or holds a saved one."""
    check_is_fitted(estimator)
    kind = choose("kind of estimator", type(estimator).__name__, KINDS)
    path = Path(folder)
    check_free(path, overwrite=True)
    parameters = estimator.get_params()
    parameters["random_state"] = estimator.seed_
    weights = save(
        {name: value.contiguous() for name, value in estimator.model_.state_dict().items()}
    )
    learned: dict[str, Any] = {name: getattr(estimator, name, None) for name in PLAIN}
    for name in ARRAYS:
        if hasattr(estimator, name):
            array = getattr(estimator, name)
            learned[name] = {"type": array.dtype.str, "values": array.tolist()}
    content = {
        "format": FORMAT,
        "kind": kind,
        "panda_gnn": __version__,
        "parameters": parameters,
        "plugins": {plugin.name: plugin.hash for plugin in plugins_of(estimator.config())},
        "learned": learned,
        "weights": hashlib.sha256(weights).hexdigest(),
    }
    try:
        text = json.dumps(content, indent=1, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"a parameter of the model cannot be written as JSON ({error})") from error
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / "weights.safetensors").write_bytes(weights)
        (path / "model.json").write_text(text + "\n", "utf-8")
    except OSError as error:
        raise InputError(f"the model cannot be written to '{path}' ({error.strerror})") from error


def check_free(path: Path, *, overwrite: bool) -> None:
    """A folder is new or empty, or holds a saved model that one may ``overwrite``."""
    saved = (path / "model.json").is_file()
    if saved and not overwrite:
        raise InputError(f"'{path}' holds a model: choose a new folder, or give --overwrite")
    if path.exists() and not saved and _holds_something(path):
        raise InputError(f"'{path}' holds something else: choose a new folder for the model")


def load_estimator(folder: str | os.PathLike[str]) -> PandaEstimator:
    """Read the estimator in a folder, whatever its kind; nothing in it is executed.

    Args:
        folder: What ``save`` wrote, or ``panda train --save``.

    Example:
        >>> import tempfile
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.estimators import PandaRegressor, load_estimator
        >>> graphs = [g for size in range(2, 12) for g in transfer("ring", size, num_graphs=2)]
        >>> model = PandaRegressor(max_epochs=2, width=8, random_state=0)
        >>> model = model.fit(graphs, [data.num_nodes for data in graphs])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(folder + "/model")
        ...     again = load_estimator(folder + "/model")
        >>> bool((again.predict(graphs) == model.predict(graphs)).all())
        True
    """
    path = Path(folder)
    try:
        content = json.loads((path / "model.json").read_text("utf-8"))
        weights = (path / "weights.safetensors").read_bytes()
    except OSError as error:
        raise InputError(
            f"'{path}' holds no saved model ({error.strerror}): give a folder written by save"
        ) from error
    except ValueError as error:
        raise InputError(f"'{path / 'model.json'}' is no JSON: save the model again") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"'{path / 'model.json'}' is no model of format {FORMAT}")
    if content.get("weights") != hashlib.sha256(weights).hexdigest():
        raise InputError(f"the weights in '{path}' are not those of its model.json: save it again")
    kind = KINDS[choose("kind of estimator", str(content.get("kind")), KINDS, f"in '{path}'")]
    try:
        _check_plugins(content.get("plugins", {}))
        estimator = kind(**content["parameters"])
        learned = {**MISSING, **content["learned"]}
        for name in PLAIN:
            setattr(estimator, name, learned[name])
        for name in ARRAYS:
            if name in learned:
                array = np.array(learned[name]["values"], dtype=_plain_type(learned[name]["type"]))
                setattr(estimator, name, array)
        model = estimator.blank_model()
        model.load_state_dict(load(weights))
    except InputError as error:
        raise InputError(f"the model in '{path}' cannot be made again: {error}") from error
    except (*DAMAGED, SafetensorError) as error:
        fault = f"{type(error).__name__}: {reason(error)}"
        raise InputError(f"'{path}' holds no sound model ({fault})") from error
    estimator.model_ = model.eval()
    return estimator


def _check_plugins(plugins: Mapping[str, str]) -> None:
    """Refuse a model if code that it was trained with is not loaded, or is other code by now."""
    for name, code in plugins.items():
        if code in {plugin.hash for plugin in OWNERS.values()}:
            continue
        if name in {plugin.name for plugin in OWNERS.values()}:
            raise InputError(
                f"the plugin '{name}' is not the one that it was trained with: give that one, or "
                "train it again"
            )
        raise InputError(
            f"it was trained with the plugin '{name}', which is not loaded: give it with --plugin, "
            "or import it"
        )


def _plain_type(text: str) -> np.dtype[Any]:
    kind = np.dtype(text)
    if kind.kind not in "biufUS":
        raise ValueError(f"labels of type {text} are no numbers or text")
    return kind


def _holds_something(path: Path) -> bool:
    return not path.is_dir() or any(path.iterdir())
