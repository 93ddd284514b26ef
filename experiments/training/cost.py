"""What methods cost beside each other and beside the paper's: time by phase, and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from experiments.expected import expected
from experiments.experiment import Results
from experiments.records import StoredRow
from experiments.table import BLANK, Table
from experiments.training.rows import TRAINING
from experiments.training.scores import datasets_of
from experiments.training.times import ONCE, timing_key

PER_EPOCH = (*TRAINING, "evaluation")


def times_of(results: Results, dataset: str, device: str = "cpu") -> StoredRow | None:
    """The row of times, if it was run."""
    row = results.get(timing_key(dataset, device))
    return row if row is not None and row.is_done else None


def time_table(
    experiment: str, results: Results, labels: Sequence[str], device: str, metric: str
) -> Table | None:
    """Milliseconds of an epoch's training and of an inference, and the paper's seconds.

    Args:
        experiment: whose figures of the paper stand beside.
        results: its stored rows.
        labels: methods, in the order of the lines; those that were not measured are left out.
        device: whose times.
        metric: the name of the paper's seconds in expected.toml.
    """
    lines = []
    for dataset in datasets_of(results):
        row = times_of(results, dataset, device)
        for label in labels:
            times = {} if row is None else row.result.get(label, {})
            paper = expected(experiment, metric, label, dataset)
            if times:
                printed = BLANK if paper is None else paper.printed
                lines.append([dataset, label, *_time_cells(times), printed])
    if not lines:
        return None
    columns = ["dataset", "method", "training, ms", "inference, ms", "memory, MB", "the paper's s"]
    return _without_blank(Table(f"Time per epoch, {device}", columns, lines), columns[4:])


def _time_cells(times: dict[str, Any]) -> list[str]:
    seconds = [times.get(fact) for fact in ("training_seconds", "inference_seconds")]
    memory = times.get("memory_bytes")
    return [
        *(BLANK if value is None else f"{1e3 * value:.1f}" for value in seconds),
        BLANK if memory is None else f"{memory / 1e6:.0f}",
    ]


def ratio_table(
    experiment: str,
    results: Results,
    full: str,
    sparse: Sequence[str],
    metric: str,
    peer: str = "",
) -> Table | None:
    """How many times faster training is on the sparse graphs: kernels and sparsifier apart.

    Args:
        experiment: whose figures of the paper stand beside.
        results: its stored rows.
        full: the label of our own full graph.
        sparse: labels of the methods on few edges.
        metric: the name of the paper's seconds in expected.toml.
        peer: the label of PyG's full graph, if it was timed.
    """
    lines = []
    for dataset in datasets_of(results):
        row = times_of(results, dataset)
        if row is None:
            continue
        seconds = {label: times["training_seconds"] for label, times in row.result.items()}
        for label in sparse:
            paper = [expected(experiment, metric, name, dataset) for name in (full, label)]
            known = [figure.value for figure in paper if figure is not None and figure.value]
            lines.append(
                [
                    dataset,
                    label,
                    f"{seconds[full] / seconds[label]:.2f}",
                    f"{seconds[peer] / seconds[full]:.1f}" if peer in seconds else BLANK,
                    f"{seconds[peer] / seconds[label]:.1f}" if peer in seconds else BLANK,
                    f"{known[0] / known[1]:.2f}" if len(known) == 2 else BLANK,
                ]
            )
    if not lines:
        return None
    columns = [
        "dataset",
        "method",
        "sparsifier speed-up: over our full graph",
        "kernel speed-up: our full graph over PyG's",
        "over PyG's full graph",
        "the paper's",
    ]
    remarks = ["Times differ by machine, so they are shown and not judged."]
    table = Table("Times faster per epoch of training", columns, lines, remarks)
    return _without_blank(table, columns[3:])


def attention_table(results: Results, full: str, sparse: Sequence[str]) -> Table | None:
    """How much less the attention kernels take, beside how many fewer arcs there are."""
    lines = []
    for dataset in datasets_of(results):
        row = times_of(results, dataset)
        for label in sparse if row is not None else ():
            assert row is not None
            all_edges, kept = row.result[full], row.result[label]
            faster = all_edges["attention_seconds"] / kept["attention_seconds"]
            fewer = num_arcs(all_edges) / num_arcs(kept)
            milliseconds = (f"{1e3 * t['attention_seconds']:.2f}" for t in (all_edges, kept))
            numbers = f"{fewer:.2f}", f"{faster:.2f}", f"{faster / fewer:.2f}"
            lines.append([dataset, label, *milliseconds, *numbers])
    columns = [
        "dataset",
        "method",
        "all edges, ms",
        "sparse, ms",
        "times fewer arcs",
        "times faster",
        "faster / fewer",
    ]
    remark = "Kernels of training and evaluation, per epoch; arcs in both directions and loops."
    return Table("The attention's share of an epoch", columns, lines, [remark]) if lines else None


def num_arcs(times: dict[str, Any]) -> int:
    """Arcs in both directions, and a loop at every node."""
    return int(2 * times["edges"] + times["num_nodes"])


def phase_table(results: Results, labels: Sequence[str]) -> Table | None:
    """An epoch by phase, and what is done once."""
    lines = []
    for dataset in datasets_of(results):
        row = times_of(results, dataset)
        for label in labels if row is not None else ():
            assert row is not None
            if label in row.result:
                times = row.result[label]
                once, each = times["phases_once"], times["phases_per_epoch"]
                seconds = [*(once[name] for name in ONCE), *(each[name] for name in PER_EPOCH)]
                lines.append([dataset, label, *(f"{1e3 * value:.1f}" for value in seconds)])
    columns = ["dataset", "method", *(f"{name}, once" for name in ONCE), *PER_EPOCH]
    remark = "The draw of a constant graph is made once; those of fresh ones belong to the epochs."
    return Table("Milliseconds by phase", columns, lines, [remark]) if lines else None


def _without_blank(table: Table, optional: Sequence[str]) -> Table:
    """The table without those optional columns that say nothing."""
    places = [
        place
        for place, name in enumerate(table.columns)
        if name not in optional or any(line[place] for line in table.lines)
    ]
    lines = [[line[i] for i in places] for line in table.lines]
    return replace(table, columns=[table.columns[i] for i in places], lines=lines)
