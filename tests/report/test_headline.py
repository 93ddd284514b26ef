from collections.abc import Callable
from dataclasses import replace

from fastgat.report.headline import chosen_runs, headline, headline_subject
from fastgat.report.runs import group_records
from fastgat.train import RunRecord

Make = Callable[..., RunRecord]


def statements(*records: RunRecord) -> dict[str, tuple[str, str]]:
    (task,) = group_records(records)
    return {found.title: (found.value, found.sentence) for found in headline(task)}


def scored(run: RunRecord, test: float, validation: float = 0.9) -> RunRecord:
    return replace(run, scores={"test": test, "validation": validation})


def test_accuracy_kept_is_of_the_full_graph(record: Make) -> None:
    full, sparse = scored(record("GAT, full graph"), 0.8), scored(record(), 0.76)
    value, sentence = statements(full, sparse)["Accuracy kept"]
    assert value == "95.0 %"
    assert "0.760" in sentence
    assert "0.800" in sentence
    assert "single runs" in sentence


def test_a_difference_within_the_deviation_is_called_so(record: Make) -> None:
    full = [scored(record("GAT, full graph", seed=s), f1) for s, f1 in ((1, 0.90), (3, 0.94))]
    sparse = [scored(record(seed=s), f1) for s, f1 in ((1, 0.90), (3, 0.92))]
    assert "no larger than between seeds" in statements(*full, *sparse)["Accuracy kept"][1]


def test_the_kernel_is_spoken_of_only_beside_a_peer(record: Make) -> None:
    full, sparse = record("GAT, full graph"), record()
    assert "Kernel speed-up" not in statements(full, sparse)
    assert "Kernel speed-up" in statements(full, sparse, record("PyG GAT, full graph"))
    assert "Kernel speed-up" in statements(full, record("PyG GAT, full graph"))


def test_nothing_is_compared_without_a_full_graph(record: Make) -> None:
    assert list(statements(record())) == ["Accuracy", "Time", "Memory"]
    assert list(statements(record("PyG GAT, full graph"))) == ["Accuracy", "Time", "Memory"]


def test_the_method_is_chosen_by_validation_and_never_a_baseline(record: Make) -> None:
    good = scored(record(), 0.7, validation=0.9)
    lucky = scored(record("eps=0.9", like="FastGAT eps=0.5"), 0.99, validation=0.8)
    random = scored(record("random, same count as eps=0.5"), 0.99, validation=0.99)
    (task,) = group_records([good, lucky, random])
    assert chosen_runs(task).label == good.label


def test_the_subject_names_both_sides(record: Make) -> None:
    (task,) = group_records([record(), record("GAT, full graph")])
    assert headline_subject(task) == "FastGAT eps=0.5 against GAT, full graph"
    (alone,) = group_records([record()])
    assert headline_subject(alone) == "FastGAT eps=0.5"


def test_missing_figures_are_left_out(record: Make) -> None:
    full, sparse = (
        record(label, scores={}, peak_bytes=None, epochs=0)
        for label in ("GAT, full graph", "FastGAT eps=0.5")
    )
    assert statements(full, sparse) == {}
