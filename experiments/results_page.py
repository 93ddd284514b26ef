"""docs/results.md: what was measured beyond the paper; and the README's one small table."""

from __future__ import annotations

from pathlib import Path

from experiments.benchmarks import attention_steps
from experiments.catalogue import BENCHMARKS, OPEN
from experiments.open import equal_edges
from experiments.records import Records
from experiments.reproduction_page import FIGURES, paper_findings, section
from experiments.table import BLANK, Table
from experiments.training.method import GAT, independent
from experiments.training.scores import score_of
from experiments.verdict import Count
from fastgat.check import InputError
from fastgat.files import write_atomically

PARTS = {**BENCHMARKS, "Beyond the paper": OPEN}
INTRODUCTION = """\
# Results

Written by `python -m experiments page` from the records in `results/`. Absolute times vary on a
shared machine: read the ratios. Speed-ups of the kernels (our full graph over PyG's) and of the
sparsifier (few edges over our full graph) are never multiplied."""
README_BEGIN, README_END = "<!-- table: results -->", "<!-- end -->"


def write_results_page(records: Records, out: Path) -> Path:
    """Write the page."""
    text = page_text(records, out.parent)
    with write_atomically(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return out


def page_text(records: Records, folder: Path) -> str:
    """The page as it stands in `folder`; experiments without a record are left out."""
    parts = [INTRODUCTION]
    every = [finding for found in paper_findings(records).values() for finding in found]
    if every:
        parts.append(
            "The FastGAT paper, figure by figure, is in [reproduction.md](reproduction.md): "
            f"{Count.of(every).opening()}."
        )
    for title, experiments in PARTS.items():
        own: list[str] = []
        for experiment in experiments:
            results = records.read(experiment.name)
            if results:
                own += section(experiment, results, records.folder / FIGURES, folder, "###")
        parts += [f"## {title}", *own] if own else []
    return "\n\n".join(parts) + "\n"


def readme_table(records: Records) -> Table:
    """Per graph: a training step beside PyG's, and what few edges gain and keep."""
    scores = records.read(equal_edges.NAME)
    best, sparse = attention_steps.ORDERED, attention_steps.SPARSE
    lines = []
    for key, row in records.read(attention_steps.NAME).items():
        if not row.is_done or "@" in key:  # of another width of vectors
            continue
        dataset, ratios = str(row.settings["dataset"]), row.result["step"]["ratios"]
        spreads = [score_of(scores, dataset, method.label) for method in (GAT, independent(0.5))]
        lines.append(
            [
                dataset,
                f"{ratios[f'{best} over PyG']:.0f}x",
                f"{ratios[f'{best} {sparse} over {best}']:.2f}x",
                *(BLANK if spread is None else f"{spread.mean:.3f}" for spread in spreads),
            ]
        )
    columns = [
        "graph",
        "kernel speed-up: full graph, over PyG",
        "sparsifier speed-up: epsilon 0.5, over our full graph",
        "F1, full graph",
        "F1, epsilon 0.5",
    ]
    return Table("Training steps", columns, lines)


def fill_readme(records: Records, path: Path) -> Path | None:
    """Write the small table between the README's marks; None if it has no such place."""
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    before, mark, rest = text.partition(README_BEGIN)
    if not mark:
        return None
    _, end, after = rest.partition(README_END)
    if not end:
        raise InputError(f"{path} has {README_BEGIN}, but no {README_END} after it")
    table = readme_table(records).body()
    with write_atomically(path) as temporary:
        temporary.write_text(
            f"{before}{README_BEGIN}\n\n{table}\n\n{README_END}{after}", encoding="utf-8"
        )
    return path
