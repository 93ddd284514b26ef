"""Every experiment: its rows, and one tiny run from end to end."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from experiments.catalogue import EXPERIMENTS, OPEN, find_experiment
from experiments.experiment import run_experiment
from experiments.options import PAPER_DATASETS, Options
from experiments.paper import (
    table_2,
    table_3,
    table_4,
)
from experiments.records import Records, StoredRow, plain
from experiments.reproduction_page import page_text, write_reproduction_page
from experiments.results_page import write_results_page
from experiments.training.method import (
    GAT,
)
from fastgat.check import InputError

NUM_ROWS = {  # full and quick: datasets x (methods x seeds, and times)
    "table-1": (11, 11),
    "table-2": (6 * (3 * 5 + 1) + 1, 4),  # and the stand-in
    "table-3": (6 * (6 * 5 + 3 * 3), 9),
    "table-4": (6 * 3 + 2, 7),
    "table-5": (6 * (6 * 5 + 1), 7),
    "small-graphs": (3 * (5 * 5 + 1), 6),
    "figure-1": (6, 1),
    "figure-2": (5 * 5, 1),
    "rate-of-learning": (6 * 3 * 5, 3),
    "adaptive": (3 * 4 * 5, 4),
    "dense-scaling": (5, 3),
    "theorems": (1, 1),
    "equal-edges": (6 * 10 * 5, 10),
    "few-edges": (8 * 19 * 5, 19),
    "choices": (3 * 2 * 6 * 5, 12),
    "open-settings": (3 * 6 * 3, 6),
    "attention-steps": (5, 1),
    "attention-layers": (2 * 5, 5),
    "attention-memory": (2, 2),
    "attention-scaling": (4, 2),
    "attention-reddit": (2, 2),
    "attention-draws": (2, 2),
    "training-speed": (4, 1),
    "training-reddit": (2, 2),
    "resistances": (5, 1),
    "smoothing": (3 + 3, 1 + 3),
    "solver": (3 + 1, 2),
    "reddit-size": (3, 1),
    "parquet-memory": (1, 1),
    "sparsifiers": (8 * 2 * 7, 2 * 7),
    "before-after": (5 + 2 + 1, 1 + 1 + 1),
}


@pytest.mark.parametrize("name", NUM_ROWS)
def test_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (table_2, table_4):
        monkeypatch.setattr(module, "obtain", lambda _: "a file")  # nothing is fetched here
    for quick in (False, True):
        rows = EXPERIMENTS[name].rows(Options(quick=quick))
        assert len(rows) == len({row.key for row in rows}) == NUM_ROWS[name][quick]
        for row in rows:
            assert plain(row.settings) == plain(plain(row.settings))


def test_the_paper_is_complete() -> None:
    assert set(EXPERIMENTS) == {*NUM_ROWS, "accuracy"}  # whose rows go by the files that are here
    assert len(table_3.METHODS) == 9
    drawn = {name for name, experiment in EXPERIMENTS.items() if experiment.draw}
    shown = {"figure-1", "figure-2", "rate-of-learning", "adaptive", "dense-scaling", "theorems"}
    assert drawn == shown


def test_options_are_checked_at_once() -> None:
    assert Options(datasets=("Photo", "photo", "PPI_Rebuilt")).datasets == ("photo", "ppi-rebuilt")
    assert list(Options().numbers()) == [1, 2, 3, 4, 5]
    assert list(Options(quick=True).numbers()) == [1]
    assert Options().names(PAPER_DATASETS) == PAPER_DATASETS
    with pytest.raises(InputError, match="did you mean 'photo'"):
        Options(datasets=("foto",))
    with pytest.raises(InputError, match="seeds=0"):
        Options(seeds=0)
    with pytest.raises(InputError, match="device='gpu' must be one of"):
        Options(device="gpu")
    with pytest.raises(InputError, match="datasets is empty"):
        Options(datasets=())
    with pytest.raises(InputError, match="name='table-9' is no experiment; did you mean 'table-5'"):
        find_experiment("table-9")
    with pytest.raises(InputError, match="name='zzz' is no experiment; there are table-1"):
        find_experiment("zzz")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="device='cuda' needs a GPU"):
        Options(device="cuda")


@pytest.mark.parametrize(
    "name", [
        "table-1", "table-3", "figure-1", "figure-2", "adaptive", "equal-edges", "choices",
    ],
)  # fmt: skip
def test_end_to_end_on_a_made_dataset(name: str, tmp_path: Path) -> None:
    options = Options(seeds=1, datasets=("synthetic",), epochs=3, quick=True)
    experiment, records = EXPERIMENTS[name], Records(tmp_path)
    results = run_experiment(experiment, options, records)
    assert all(row.is_done for row in results.values())
    assert results == records.read(name)
    assert any("synthetic" in table.markdown() for table in experiment.tables(results))
    assert all(finding.verdict == "not judged" for finding in experiment.findings(results))
    if experiment.draw is not None:
        files = experiment.draw(results, tmp_path / "figures")
        assert [file.suffix for file in files] == [".png", ".pdf"]
        assert all(file.stat().st_size > 5000 for file in files)
    write = write_results_page if experiment in OPEN else write_reproduction_page
    page = write(records, tmp_path / "page.md").read_text()
    assert experiment.title in page
    assert ("figures/" in page) == (experiment.draw is not None)


def test_the_page_opens_with_the_verdict_and_the_misses(
    tmp_path: Path, stored: Callable[..., StoredRow]
) -> None:
    records = Records(tmp_path)
    with pytest.raises(InputError, match="has no records; run python -m experiments all"):
        page_text(records, tmp_path)
    row = stored("physics", GAT, 1, test_f1=0.5, edges=3, edges_before=3, paper_edges=6)
    records.write("table-2", {"physics/GAT/seed-1": row})
    (tmp_path / "reproduction_log.md").write_text("2026-01-02: it did not work.\n")
    page = page_text(records, tmp_path)
    assert "[reproduction_log.md](reproduction_log.md)" in page
    assert "| table-2/GAT/physics/F1 | 0.500 | 0.94 ± 0.001 | not known |" in page
    places = [page.index(part) for part in ("1 missed (0 of them with", "## Misses", "## Table 2")]
    assert places == sorted(places)
