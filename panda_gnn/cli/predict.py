"""``panda predict``: what a saved model says about new graphs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from panda_gnn.cli.options import add_data_arguments, add_json_argument
from panda_gnn.cli.own import add_plugin_argument


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
