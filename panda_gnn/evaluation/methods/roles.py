"""Roles as methods: the plain backbone, whose layers treat nodes by their role.

Every method is one rung of :class:`~panda_gnn.nn.RoleGNN`, on the stack of the plain backbone.
Roles are assigned by the centrality that the task knows for PANDA, the same as PANDA has in that
cell, so that what differs is what is done with it:

* ``assign = "quantiles"``: each of r roles has an r-th of the nodes of every graph;
* ``assign = "bins"``: boundaries on the scale ``log`` of :mod:`panda_gnn.transforms.encoding`,
  between which there are about as many training nodes each, the same for all graphs;
* ``assign = "top-k"``: two roles, the k nodes that PANDA widens and all others.

With ``encoding`` the nodes have the features of the method ``centralities`` besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch

from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.features import centrality_features, training_nodes
from panda_gnn.evaluation.methods.method import Method
from panda_gnn.evaluation.methods.panda import panda_defaults
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.nn import RoleGNN
from panda_gnn.nn.role_gnn import RUNGS
from panda_gnn.transforms import AssignRoles

ASSIGNMENTS = ("quantiles", "bins", "top-k")
"""How roles are assigned."""


def _defaults(task: Task, config: Config, rung: str) -> dict[str, Setting]:
    by_k = config.settings.get("assign") == "top-k"
    names = ["centrality", *(["k"] if by_k else []), *(["high_width"] if rung == "widths" else [])]
    settings: dict[str, Setting] = {
        "assign": "quantiles",
        "num_roles": 2 if by_k else 3,
        "encoding": False,
        "readout_per_role": False,
        **panda_defaults(task, config, names),
    }
    if rung == "low-rank":
        settings["rank"] = 4
    elif rung == "widths":
        settings["selector"] = "topk"
    return settings


def _check(settings: Mapping[str, Any]) -> None:
    if settings["assign"] == "top-k" and settings["num_roles"] != 2:
        raise InputError(f"num_roles is {settings['num_roles']}, but top-k makes 2 roles")


def with_roles(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    """The graphs with the role of each node and, if the settings say so, with centralities."""
    num_roles = settings["num_roles"]
    scale = "log" if settings["assign"] == "bins" else "rank"
    k = settings["k"] if settings["assign"] == "top-k" else None
    assign = AssignRoles(settings["centrality"], num_roles, scale=scale, k=k, seed=seed)
    if settings["assign"] == "bins":
        values = assign.values(data.dataset)
        assign.fit_values(values[training_nodes(data, settings, seed)])
    table = data.graphs.with_nodes(role=assign.roles(data.dataset))
    if not settings["encoding"]:
        return table
    return table.with_columns(centrality_features(data, settings, seed))


def _model(task: Task, graphs: GraphTable, config: Config, rung: str) -> RoleGNN:
    settings = config.settings
    options: dict[str, Any] = {"num_roles": settings["num_roles"], "rung": rung}
    if settings["readout_per_role"]:
        if graphs.target_nodes is not None:
            raise InputError(
                f"readout_per_role is for targets of graphs, {config.dataset} has those of nodes"
            )
        options["readout"] = "role"
    if rung == "low-rank":
        options["rank"] = settings["rank"]
    elif rung == "widths":
        steps = torch.linspace(config.width, settings["high_width"], settings["num_roles"])
        options |= {"widths": steps.round().int().tolist(), "selector": settings["selector"]}
    return task.model(RoleGNN, graphs, config, **options)


def _method(summary: str, rung: str) -> Method:
    return Method(
        summary,
        partial(_defaults, rung=rung),
        with_roles,
        partial(_model, rung=rung),
        _check,
        backbones=RUNGS[rung],
    )


ROLE_METHODS = {
    "roles-gain": _method("the plain backbone with a gain and a bias for every role", "gain"),
    "roles-low-rank": _method(
        "the plain backbone with a low-rank change of its weights for every role", "low-rank"
    ),
    "roles-pairs": _method("GCN with weights of its own for every pair of roles", "pairs"),
    "roles-width": _method(
        "the plain backbone with a width for every role, from width to high_width", "widths"
    ),
}
