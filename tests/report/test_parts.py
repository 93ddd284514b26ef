"""The parts of a page that are folded or that only some records have."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fastgat.check import InputError
from fastgat.report import text
from fastgat.report.comparison import task_rows
from fastgat.report.notes import notes, warnings
from fastgat.report.runs import group_records
from fastgat.report.settings import settings
from fastgat.train import RunRecord

Make = Callable[..., RunRecord]
Report = Callable[..., str]
FULL, RANDOM, PEER = "GAT, full graph", "random, same count as eps=0.5", "PyG GAT, full graph"
MAJORITY = {"label": "majority class", "test_f1": 0.3, "test_macro_f1": 0.1, "seconds": 0.01}


def split(page: str) -> tuple[str, str]:
    """What is seen at once, and what is folded."""
    folded = re.findall("<details>.*?</details>", page, re.DOTALL)
    return re.sub("<details>.*?</details>", "", page, flags=re.DOTALL), "".join(folded)


def row_of(label: str) -> str:
    return f"</span> {label}</th>"


def test_baselines_are_folded_and_fastgat_is_not(report: Report, record: Make) -> None:
    with_majority = record(pictures=False)
    with_majority = replace(with_majority, pictures={"baselines": [MAJORITY]})
    seen, folded = split(report(with_majority, *(record(name) for name in (FULL, RANDOM, PEER))))
    for label in ("FastGAT eps=0.5", FULL):
        assert row_of(label) in seen and row_of(label) not in folded
    for label in (RANDOM, PEER):
        assert row_of(label) in folded and row_of(label) not in seen
    assert "majority class</th>" in folded and "majority class: 0.300" in seen
    assert "3 baselines to compare with" in folded
    assert f"What sparsifying did: {RANDOM}" not in seen
    assert '<p class="conclusion">' in seen


def test_a_method_has_one_colour_in_tables_and_charts(report: Report, record: Make) -> None:
    page = report(record(), record(FULL), record(RANDOM))
    for label, colour in (("FastGAT eps=0.5", "--c0"), (FULL, "--ink"), (RANDOM, "--c3")):
        keys = re.findall(rf"border-top: [^\"]*var\((--\w+)\)[^>]*></span> {label}<", page)
        assert set(keys) == {colour}
    for name in ("epochs", "loss", "phases", "edges", "0-resist", "0-degrees"):
        (svg,) = re.findall(rf'<svg[^>]*labelledby="task-0-{name}-title".*?</svg>', page, re.DOTALL)
        assert "var(--c0)" in svg, name


def test_scores_of_classes_are_folded(report: Report, record: Make) -> None:
    _, folded = split(report(record(), record(FULL)))
    assert "Scores of the 8 classes, FastGAT eps=0.5" in folded
    assert "F1 of GAT, full graph" in folded
    names = re.findall(r'scope="row">(\w+)</th>', folded)
    assert names == ["Light", "Video", "Tripods", "Lenses", "Binoculars", "Digital", "Film", "Bags"]


def test_a_confusion_matrix_of_few_classes(report: Report, record: Make) -> None:
    page = report(record(), record(FULL))
    assert "predicted as" in page and "test nodes by true and predicted class" in page


def test_only_the_largest_confusions_of_many_classes(report: Report, record: Make) -> None:
    run = record()
    confused = [[n, n + 1, 40 - n] for n in range(30)]
    confusion = {"nodes": [50] * 58, "right": [20] * 58, "confused": confused}
    task = {**run.task, "num_classes": 58, "class_names": [f"kind {n}" for n in range(58)]}
    run = replace(run, task=task, class_scores=[], pictures={"confusion": confusion})
    page = report(run)
    assert "kind 0 as kind 1: 40 of 50" in page and "kind 9 as kind 10: 31 of 50" in page
    assert "kind 10 as kind 11" not in page
    assert "the 10 largest confusions of 58 classes" in page


def test_records_of_before_have_none_of_it(report: Report, record: Make) -> None:
    page = report(record(pictures=False), record(FULL, pictures=False))
    assert "Classes</h3>" not in page and "<details>" not in page


@pytest.mark.parametrize(("changes", "told"), [
    ({"pictures": {"confusion": {"nodes": [1]}}}, "confusion of the run"),
    ({"class_scores": [{"f1": 0.5}]}, "class_scores of the run"),
    ({"pictures": {"baselines": [{"label": "x"}]}}, "baselines of the runs"),
])  # fmt: skip
def test_parts_that_were_changed_by_hand(
    report: Report, record: Make, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        report(replace(record(), **changes))


def test_names_of_nodes_are_in_the_picture(report: Report, record: Make) -> None:
    run = record()
    around = run.pictures["neighbourhood"]
    nodes = [{**node, "name": f"lake <{node['id']}>"} for node in around["nodes"]]
    page = report(replace(run, pictures={"neighbourhood": {**around, "nodes": nodes}}))
    assert "Around node lake &lt;100&gt; with all edges" in page
    assert page.count(">lake &lt;101&gt;</text>") == 2, "before and after"


def test_equal_warnings_are_one(record: Make) -> None:
    (task,) = group_records([
        record(warnings=["12 nodes lost every edge", "weights were ignored"]),
        record(seed=3, warnings=["1,400 nodes lost every edge"]),
        record(FULL, warnings=["weights were ignored"]),
    ])  # fmt: skip
    assert warnings(task) == [
        "GAT, full graph and FastGAT eps=0.5: weights were ignored",
        "FastGAT eps=0.5: 12 nodes lost every edge (1 more like it, with other numbers)",
    ]


def test_equal_notes_are_one(record: Make) -> None:
    runs = [record(label, seed=s, epochs=5 + s) for label in (FULL, RANDOM) for s in (1, 3)]
    (task,) = group_records(runs)
    told = [note for note in notes(task, task_rows(task)) if "differ in more" in note]
    assert len(told) == 1 and f"The runs of {FULL} and {RANDOM} differ" in told[0]


def test_settings_are_told_once_where_methods_agree(record: Make) -> None:
    (task,) = group_records([record(), record(FULL), record(seed=3)])
    found = dict(settings(task))
    assert found["training nodes"] == text.count(765) and found["test nodes"] == "5,355"
    assert found["epochs"] == "100" and found["heads"] == "8" and found["seeds"] == "1, 3"
    assert found["density (epsilon)"] == "0.5"


def test_layers_of_another_width_are_not_compared(record: Make) -> None:
    """What a real record says of its network is nested."""

    def wide(run: RunRecord, hidden: int) -> RunRecord:
        return replace(run, model={"name": "FastGAT", "settings": {"hidden_channels": hidden}})

    (task,) = group_records([wide(record(), 8), wide(record(FULL), 64)])
    assert all(row.sparsifier_speed_up is None for row in task_rows(task))
    (task,) = group_records([wide(record(), 8), wide(record(FULL), 8)])
    assert any(row.sparsifier_speed_up for row in task_rows(task))
