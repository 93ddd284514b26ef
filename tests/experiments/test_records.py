"""Experiments are run row by row; what is stored is kept, and what is damaged is refused."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from experiments.experiment import Experiment, MissingError, Row, run_experiment
from experiments.options import Options
from experiments.records import Records, Result
from fastgat.check import InputError


def experiment(
    runs: list[str], act: Callable[[str], Result], keys: Sequence[str] = "abc", name: str = "test"
) -> Experiment:
    """Rows a, b and c, which note in `runs` that they were run."""

    def row(key: str, options: Options) -> Row:
        def run() -> Result:
            runs.append(key)
            return act(key)

        return Row(key, {"epochs": options.epochs, "shape": (1, 2)}, run)

    return Experiment(
        name, "A test", "", lambda o: [row(key, o) for key in keys], lambda _: [], lambda _: []
    )


def test_a_stopped_run_goes_on_row_by_row(tmp_path: Path) -> None:
    runs: list[str] = []

    def stop_at_b(key: str) -> Result:
        if key == "b" and runs == ["a", "b"]:
            raise KeyboardInterrupt
        return {"value": key}

    case, records = experiment(runs, stop_at_b), Records(tmp_path / "new" / "folder")
    with pytest.raises(KeyboardInterrupt):
        run_experiment(case, Options(), records)
    assert list(records.read("test")) == ["a"]
    results = run_experiment(case, Options(), records)
    assert runs == ["a", "b", "b", "c"]
    assert [row.result["value"] for row in results.values()] == ["a", "b", "c"]
    run_experiment(case, Options(), records)
    assert len(runs) == 4


def test_changed_settings_are_run_again(tmp_path: Path) -> None:
    runs: list[str] = []
    case, records = experiment(runs, lambda key: {}), Records(tmp_path)
    run_experiment(case, Options(epochs=1), records)
    run_experiment(case, Options(epochs=2), records)
    assert runs == [*"abc", *"abc"]
    assert records.read("test")["a"].settings["epochs"] == 2


def test_rows_that_are_not_asked_for_stay(tmp_path: Path) -> None:
    records = Records(tmp_path)
    run_experiment(experiment([], lambda key: {}, "ab"), Options(), records)
    results = run_experiment(experiment([], lambda key: {}, "b"), Options(), records)
    assert list(results) == ["b"]
    assert list(records.read("test")) == ["a", "b"]


def test_a_row_of_another_experiment_is_taken_over(tmp_path: Path) -> None:
    runs: list[str] = []
    records = Records(tmp_path)
    run_experiment(experiment(runs, lambda key: {"value": key}), Options(), records)
    other = experiment(runs, lambda key: {}, "bx", name="other")
    results = run_experiment(other, Options(), records, others=("test", "other"))
    assert runs == ["a", "b", "c", "x"]
    assert results["b"].result == {"value": "b"}


def test_what_cannot_be_run_is_told_and_tried_again(tmp_path: Path) -> None:
    runs: list[str] = []

    def fail(key: str) -> Result:
        if key == "a":
            raise MissingError("Reddit/raw/reddit_graph.npz")
        if key == "b":
            raise InputError("the loss is nan in epoch 3")
        return {"value": float("nan")}

    told: list[str] = []
    case, records = experiment(runs, fail), Records(tmp_path)
    run_experiment(case, Options(), records, on_row=told.append)
    results = run_experiment(case, Options(), records)
    assert runs == [*"abc", *"ab"]
    assert results["a"].missing == "Reddit/raw/reddit_graph.npz"
    assert results["b"].failed == "the loss is nan in epoch 3"
    assert results["c"].result == {"value": None}
    assert "  not run: Reddit/raw/reddit_graph.npz is missing" in told


def test_a_want_of_memory_is_told_and_an_error_is_not_hidden(tmp_path: Path) -> None:
    def fail(key: str) -> Result:
        raise RuntimeError(f"DefaultCPUAllocator: can't allocate memory for {key}")

    results = run_experiment(experiment([], fail, "a"), Options(), Records(tmp_path))
    assert results["a"].failed == "the memory does not suffice"

    def err(key: str) -> Result:
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        run_experiment(experiment([], err, "b"), Options(), Records(tmp_path))


def test_a_quick_row_does_not_replace_a_full_one(tmp_path: Path) -> None:
    records = Records(tmp_path)

    def of(quick: bool) -> Experiment:
        row = Row("a", {"quick": quick}, lambda: {"value": quick})
        return Experiment("test", "", "", lambda options: [row], lambda results: [])

    for quick in (True, False, True):
        results = run_experiment(of(quick), Options(), records)
    assert results["a"].result == {"value": False}
    assert not records.read("test")["a"].is_quick


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    records = Records(tmp_path)
    with records.held(), pytest.raises(InputError, match="in use by another run of experiments"):
        run_experiment(experiment([], lambda key: {}), Options(), records)
    assert run_experiment(experiment([], lambda key: {}, "a"), Options(), records)["a"].is_done


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "is not an object in JSON"),
        ('{"format": 99}', "has format 99"),
        ('{"format": 2}', "is damaged"),
        ('{"format": 2, "rows": {"a": {"settings": {}}}}', "is damaged"),
        ('{"format": 2, "rows": []}', "is damaged"),
    ],
)
def test_a_damaged_record_is_refused_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "test.json").write_text(text)
    with pytest.raises(InputError, match=words) as refusal:
        run_experiment(experiment([], lambda key: {}), Options(), Records(tmp_path))
    assert "\n" not in str(refusal.value)
    assert (tmp_path / "test.json").read_text() == text


def test_records_are_plain_json(tmp_path: Path) -> None:
    records = Records(tmp_path)
    run_experiment(experiment([], lambda key: {"value": key}), Options(), records)
    facts = json.loads((tmp_path / "test.json").read_text())
    assert facts["experiment"] == "test"
    assert facts["rows"]["a"]["settings"]["shape"] == [1, 2]
    assert facts["rows"]["a"]["environment"]["torch"]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        Records(tmp_path / "file" / "below").write("test", {})
