from __future__ import annotations

import pytest

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.paper import (
    BestSettings,
    CommonSettings,
    SearchSpace,
    Value,
    best_on_the_papers_test_tables,
    best_settings,
    common_settings,
    notes,
    published,
    search_space,
    tables,
)

GRAPH_SETS = ["reddit-binary", "imdb-binary", "mutag", "enzymes", "proteins", "collab"]
NODE_SETS = ["texas", "cornell", "wisconsin", "squirrel", "cora", "citeseer"]
SIZES = {
    "main": 2 * 10 * 6,
    "relational": 2 * 8 * 6,
    "panda-vs-rgcn": 2 * 6,
    "centrality-gcn": 5 * 6,
    "centrality-gin": 5 * 6,
    "random": 2 * 6,
    "runtime-centrality": 6 * 6,
    "runtime-forward": 2 * 6,
    "node": 6 * 6,
    "lrgb": 5 * 3,
}


def test_every_cell_of_every_table_is_there() -> None:
    assert {name: len(table.cells) for name, table in tables().items()} == SIZES
    for table in tables().values():
        for value in table.cells.values():
            has_interval = not table.name.startswith("runtime") and not value.timed_out
            assert (value.interval is not None) == has_interval
            assert value.mean is None or 0 < value.mean < 1000


@pytest.mark.parametrize(
    ("table", "backbone", "method", "dataset", "printed"),
    [
        ("main", "gcn", "none", "reddit-binary", "68.255 ± 1.098"),
        ("main", "gcn", "ct-layer", "mutag", "75.899 ± 3.024"),
        ("main", "gcn", "panda", "collab", "68.400 ± 0.452"),
        ("main", "gin", "last-fa", "enzymes", "47.400 ± 1.387"),
        ("main", "gin", "panda", "collab", "75.110 ± 0.210"),
        ("relational", "rgcn", "gtr", "collab", "74.340 ± 0.410"),
        ("relational", "rgin", "every-fa", "enzymes", "54.950 ± 1.331"),
        ("panda-vs-rgcn", "rgcn", "none", "imdb-binary", "50.012 ± 0.917"),
        ("centrality-gcn", "gcn", "load", "enzymes", "28.167 ± 1.090"),
        ("centrality-gin", "gin", "degree", "mutag", "86.200 ± 2.263"),
        ("random", "gcn", "random", "collab", "54.435 ± 0.548"),
        ("runtime-centrality", "any", "betweenness", "reddit-binary", "965.31"),
        ("runtime-centrality", "any", "fosr", "collab", "6.55"),
        ("runtime-forward", "gcn", "panda", "mutag", "27.3"),
        ("node", "gcn", "borf", "cornell", "50.8 ± 1.1"),
        ("lrgb", "gcn", "panda", "peptides-func", "60.28 ± 0.31"),
        ("lrgb", "gcn", "fosr", "peptides-struct", "0.3473 ± 0.0007"),
    ],
)
def test_cells_as_printed(
    table: str, backbone: str, method: str, dataset: str, printed: str
) -> None:
    value = published(table, backbone, method, dataset)
    assert value is not None
    assert value.printed == printed
    assert value.mean == float(printed.split()[0])


def test_a_value_has_mean_and_interval() -> None:
    assert published("main", "gcn", "panda", "mutag") == Value(85.75, 1.396, "85.750 ± 1.396")


def test_time_outs_are_values_that_say_so() -> None:
    timed_out = {
        key for table in tables().values() for key, value in table.cells.items() if value.timed_out
    }
    assert timed_out == {
        (backbone, "borf", dataset)
        for backbone in ("gcn", "gin")
        for dataset in ("reddit-binary", "collab")
    }
    assert published("main", "gin", "borf", "collab") == Value(None, None, "Time-out")


def test_a_cell_the_paper_does_not_have_is_none_and_an_unknown_table_an_error() -> None:
    assert published("relational", "rgcn", "borf", "mutag") is None
    assert published("main", "gcn", "panda", "texas") is None
    with pytest.raises(InputError, match=r"unknown table 'mian': choose one of main, relational"):
        published("mian", "gcn", "panda", "mutag")


def test_datasets_have_the_names_that_load_knows() -> None:
    assert list(DATASETS)[:6] == GRAPH_SETS
    for table in tables().values():
        expected = {"node": NODE_SETS}.get(table.name, GRAPH_SETS)
        if table.name != "lrgb":
            assert list(table.datasets) == expected


def test_rows_that_the_paper_repeats_agree() -> None:
    for dataset in GRAPH_SETS:
        panda = published("main", "gcn", "panda", dataset)
        assert published("panda-vs-rgcn", "gcn", "panda", dataset) == panda
        assert published("random", "gcn", "centrality", dataset) == panda
        plain = published("relational", "rgcn", "none", dataset)
        assert published("panda-vs-rgcn", "rgcn", "none", dataset) == plain


def test_the_best_centrality_gives_the_main_result_except_where_the_notes_say() -> None:
    disagree = []
    for backbone in ("gcn", "gin"):
        for dataset in GRAPH_SETS:
            settings = best_settings(backbone, dataset)
            assert settings is not None
            best = published(f"centrality-{backbone}", backbone, settings.centrality, dataset)
            if best != published("main", backbone, "panda", dataset):
                disagree.append((backbone, dataset))
    assert disagree == [("gcn", "collab")]
    assert any(note.startswith("collab: ") for note in tables()["centrality-gcn"].notes)


def test_the_lrgb_column_that_repeats_texas_is_noted() -> None:
    for method in ("none", "sdrf", "fosr", "panda"):
        repeated = published("lrgb", "gcn", method, "peptides-func-nguyen")
        assert repeated == published("node", "gcn", method, "texas")
    assert "it is no target" in tables()["lrgb"].notes[0]


def test_best_settings() -> None:
    assert best_settings("gcn", "mutag") == BestSettings(10, 112, "betweenness")
    assert best_settings("rgin", "reddit-binary") == BestSettings(15, 96, "degree")
    assert best_settings("gcn", "squirrel") == BestSettings(25, 96, "degree")
    assert best_settings("gin", "squirrel") is None
    assert best_settings("gcn", "peptides-func") is None
    space = search_space()
    for backbone in ("gcn", "gin", "rgcn", "rgin"):
        for dataset in GRAPH_SETS:
            settings = best_settings(backbone, dataset)
            assert settings is not None
            assert settings.k in space.k
            assert settings.high_width in space.high_width
            assert settings.centrality in space.centrality


def test_search_space_and_common_settings() -> None:
    assert search_space() == SearchSpace(
        k=(1, 3, 5, 7, 10, 15, 20),
        high_width=(80, 96, 112, 128),
        centrality=("degree", "betweenness", "closeness", "pagerank", "load"),
    )
    assert common_settings() == CommonSettings(
        dropout=0.5, num_layers=4, width=64, learning_rate=0.001, patience=100
    )


def test_the_notes_are_sentences() -> None:
    every = [*notes(), *(note for table in tables().values() for note in table.notes)]
    assert len(notes()) >= 3
    assert all(note.endswith(".") for note in every)


def test_the_published_centrality_is_the_one_that_is_best_on_test_scores() -> None:
    """In all cells but GCN on COLLAB, where the paper itself says two things."""
    assert best_on_the_papers_test_tables() == (11, 12)
    table = published("centrality-gcn", "gcn", "closeness", "collab")
    assert table is not None
    settings = best_settings("gcn", "collab")
    assert settings is not None
    assert settings.centrality == "degree"
