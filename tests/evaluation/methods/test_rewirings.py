"""Rewirings as methods of the laboratory."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.methods import METHODS, configure, graphs_and_model, parts
from panda_gnn.evaluation.tasks import load_data
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.nn import GNN
from panda_gnn.rewiring import REWIRINGS, Cayley, VirtualNode
from tests.odd_graphs import ODD_GRAPHS


@pytest.mark.parametrize("method", ["sdrf", "ct-layer"])
def test_rows_from_before_a_correction_are_old(method: str) -> None:
    assert parts(configure("mutag", method=method))["method"] == f"{method}-2"


def test_every_rewiring_is_a_method() -> None:
    assert set(REWIRINGS) - {"fa"} <= set(METHODS)


def test_laser_has_a_relation_for_every_distance(shared_root: Path) -> None:
    config = configure("mutag", "rgcn", "laser", max_epochs=1, width=8)
    graphs, model = graphs_and_model(load_data("mutag", str(shared_root)), config, 0)
    assert int(graphs.edge_options["edge_type"].max()) == 2
    relations = [getattr(module, "num_relations", None) for module in model.modules()]
    assert set(relations) - {None} == {3}
    assert run_trial(config, 0, root=str(shared_root))["epochs"] == 1


@pytest.mark.parametrize(("method", "count"), [("none", 1), ("fosr", 2)])
def test_a_graph_has_one_relation_and_a_rewired_one_two(
    method: str, count: int, shared_root: Path
) -> None:
    config = configure("mutag", "rgcn", method, max_epochs=1, width=8)
    _, model = graphs_and_model(load_data("mutag", str(shared_root)), config, 0)
    relations = [getattr(module, "num_relations", None) for module in model.modules()]
    assert set(relations) - {None} == {count}


@pytest.mark.parametrize("transform", [VirtualNode(2), Cayley()], ids=repr)
def test_virtual_nodes_are_in_no_read_out(transform: VirtualNode | Cayley) -> None:
    graphs = []
    for number, name in enumerate(("path", "grid", "star", "barbell")):
        data = transform(ODD_GRAPHS[name])
        data.y = torch.tensor([number % 2])
        data.edge_type = torch.zeros(data.num_edges, dtype=torch.long)
        graphs.append(data)
    table = GraphTable.collate(graphs).take(torch.tensor([2, 0, 3]))
    model = GNN(3, 2, width=4).double().eval()
    by_node = GNN(3, 2, width=4, readout=None).double().eval()
    by_node.load_state_dict(model.state_dict())
    scores = table.scores(model)
    for row, number in enumerate((2, 0, 3)):
        data = graphs[number]
        other = data.get("expander_edge_index")
        out = by_node(data.x, data.edge_index, expander_edge_index=other)
        assert torch.allclose(scores[row], out[~data.virtual].mean(dim=0), rtol=0, atol=1e-12)
