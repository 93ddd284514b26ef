"""The paper's figures are all there, as printed."""

from fnmatch import fnmatchcase

import pytest

from experiments.catalogue import EXPERIMENTS
from experiments.expected import (
    Figure,
    causes_above,
    expected,
    expected_tables,
    listed_misses,
)
from experiments.options import PAPER_DATASETS, SMALL_DATASETS
from experiments.paper import small_graphs, table_1, table_2, table_3, table_4, table_5

COMPLETE = [
    ("table-1", "count", table_1.FACTS, (*PAPER_DATASETS, "ppi")),
    ("table-2", "f1", table_2.LABELS, PAPER_DATASETS),
    ("table-2", "gpu-seconds", table_2.LABELS, PAPER_DATASETS),
    ("table-2", "cpu-seconds", table_2.LABELS, PAPER_DATASETS),
    ("table-2", "edge-reduction", table_2.SPARSE_LABELS, PAPER_DATASETS),
    ("table-3", "f1", table_3.LABELS, PAPER_DATASETS),
    ("table-4", "f1", table_4.LABELS, ("ppi",)),
    ("table-5", "f1", table_5.LABELS, PAPER_DATASETS),
    ("table-5", "seconds", table_5.LABELS, PAPER_DATASETS),
    *[
        ("small-graphs", metric, small_graphs.LABELS[:3], SMALL_DATASETS)
        for metric in ("f1", "gpu-seconds", "cpu-seconds")
    ],
    ("small-graphs", "edge-reduction", small_graphs.SPARSE_LABELS, SMALL_DATASETS),
]


@pytest.mark.parametrize(("table", "metric", "rows", "columns"), COMPLETE)
def test_every_row_of_the_paper_is_there(
    table: str, metric: str, rows: list[str], columns: list[str]
) -> None:
    assert set(expected_tables()[table][metric]) == set(rows)
    for row in rows:
        assert tuple(expected_tables()[table][metric][row]) == tuple(columns)


def test_every_figure_can_be_read() -> None:
    count = 0
    for name, table in expected_tables().items():
        for rows in table.values() if name not in ("miss", "above") else ():
            for row in rows.values():
                for printed in row.values():
                    figure = Figure.read(printed)
                    assert printed == "OOM" or figure.value is not None
                    count += 1
    assert count == 21 + 66 + 54 + 9 + 72 + 33 + 1  # tables 1 to 5, the appendix, a caption


@pytest.mark.parametrize(
    ("place", "printed"),
    [
        (("table-1", "count", "edges", "cs"), "163778"),
        (("table-2", "f1", "GAT", "physics"), "0.94 ± 0.001"),
        (("table-2", "cpu-seconds", "FastGAT-const-0.5", "reddit"), "178.79"),
        (("table-2", "edge-reduction", "FastGAT-const-0.9", "photo"), "91.86%"),
        (("table-3", "f1", "FastGCN-800", "computers"), "0.80 ± 0.009"),
        (("table-3", "f1", "sparseGAT", "reddit"), "OOM"),
        (("table-4", "f1", "FastGAT-const-0.5", "ppi"), "0.800 ± 0.005"),
        (("table-4", "seconds", "GAT", "ppi"), "45.8"),
        (("table-5", "f1", "GaAN, full graph", "cs"), "0.873 ± 0.001"),
        (("table-5", "seconds", "cosine, 0.9", "photo"), "0.435"),
        (("small-graphs", "f1", "FastGAT-0.9", "pubmed"), "0.722 ± 0.019"),
        (("adaptive", "count", "edges and loops at 0.5", "physics"), "163334"),
    ],
)
def test_spot_values(place: tuple[str, str, str, str], printed: str) -> None:
    figure = expected(*place)
    assert figure is not None
    assert figure.printed == printed


def test_what_the_paper_does_not_print_is_none() -> None:
    assert expected("table-2", "f1", "GAT", "digits") is None
    assert expected("figure-1", "f1", "GAT", "photo") is None


def test_listed_misses_have_a_cause() -> None:
    for of, cause in listed_misses().items():
        assert of.split("/")[0] in EXPERIMENTS
        assert len(cause) > 20


def test_causes_of_scores_above_are_of_scores_that_the_paper_has() -> None:
    printed = [
        f"{name}/{label}/{dataset}/F1"
        for name, table in expected_tables().items()
        if isinstance(table, dict)
        for label, row in table.get("f1", {}).items()
        for dataset in row
    ]
    for pattern, cause in causes_above().items():
        assert any(fnmatchcase(name, pattern) for name in printed), pattern
        assert len(cause) > 20
