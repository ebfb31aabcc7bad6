"""``panda predict``: what a saved model says about new graphs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panda_gnn.cli.options import add_data_arguments, add_json_argument
from panda_gnn.cli.own import add_plugin_argument

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.datasets import Resolved


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="a folder of panda train --save")
    parser.add_argument(
        "source", metavar="GRAPHS", help="a file, a folder, or anything that panda train takes"
    )
    add_json_argument(parser)
    add_plugin_argument(parser)
    add_data_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Predict and print."""
    from panda_gnn.datasets import resolve
    from panda_gnn.errors import InputError
    from panda_gnn.estimators import load_estimator

    model = load_estimator(options.model)
    found = resolve(options.source, labelled=False, root=options.root, mirror=options.mirror)
    model.features = features_to_read(model, found, options.source)
    graphs = list(found.graphs)
    if model.of_nodes and len(graphs) != 1:
        raise InputError(f"the model is for the nodes of one graph, got {len(graphs)} graphs")
    what, names = ("node", found.node_names) if model.of_nodes else ("graph", found.graph_names)
    rows = [
        {"number": number, what: names[number] if names else None, **row}
        for number, row in enumerate(predictions(model, graphs[0] if model.of_nodes else graphs))
    ]
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        name = row[what] or f"{what} {row['number']}"
        chance = f"  {row['probability']:.3f}" if "probability" in row else ""
        print(f"{name}: {row['prediction']}{chance}")


def features_to_read(model: Any, found: Resolved, source: str) -> str | None:
    """The features that the model was trained with; graphs that cannot have them are refused."""
    from panda_gnn.datasets.resolver import choices_in
    from panda_gnn.errors import InputError

    choices = choices_in(source)
    for name in ("task", "metric", "split"):
        if name in choices:
            raise InputError(f"'{source}' says {name}, which is for training: leave it out")
    chosen, trained = choices.get("features"), model.features_
    if chosen and trained and chosen != trained:
        raise InputError(
            f"'{source}' says features={chosen}, but the model was trained with {trained}: leave "
            "it out"
        )
    features: str | None = chosen or trained
    if found.is_bare and features is None:
        raise InputError(
            f"'{source}' has no features, and the model was saved before models knew theirs: add "
            "features=constant or features=degree after a question mark, as it was trained"
        )
    if found.is_bare and features == "x":
        raise InputError(
            f"'{source}' has no features of nodes, which the model was trained with: add them"
        )
    if not found.is_bare and features not in (None, "x"):
        print(
            f"{found.printed}: its features are not read, the model was trained with {features}",
            file=sys.stderr,
        )
    return features


def predictions(model: Any, graphs: Any) -> list[dict[str, Any]]:
    """The prediction for each graph or node, with the probabilities of all classes."""
    if not hasattr(model, "classes_"):
        return [{"prediction": value} for value in model.predict(graphs).tolist()]
    classes = model.classes_.tolist()
    probabilities = model.predict_proba(graphs).tolist()
    return [
        {
            "prediction": classes[row.index(max(row))],
            "probability": max(row),
            "probabilities": dict(zip(map(str, classes), row, strict=True)),
        }
        for row in probabilities
    ]
