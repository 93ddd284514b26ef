"""`python -m experiments` on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.catalogue import EXPERIMENTS
from experiments.command import run
from experiments.experiment import Experiment
from experiments.options import Options
from experiments.records import Records, StoredRow
from experiments.training.method import GAT
from fastgat.check import InputError

Called = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Called:
    """Give `call(name, ...)`: exit code, stdout and stderr, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run_it(*args: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([*map(str, args)])
        return (code, *capsys.readouterr())

    return run_it


def test_list(call: Called) -> None:
    code, out, err = call("list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == list(EXPERIMENTS)


def test_run_check_and_page(call: Called, tmp_path: Path) -> None:
    options = ("--datasets", "digits,synthetic", "--quick", "--epochs", "2")
    code, out, err = call("rate-of-learning", *options)
    assert code == 0, err
    assert "rate-of-learning 6/6: synthetic/FastGAT-const-0.9/seed-1" in err
    record = tmp_path / "build" / "experiments-quick" / "rate-of-learning.json"
    assert len(json.loads(record.read_text())["rows"]) == 6
    assert (record.parent / "figures" / "rate-of-learning.pdf").exists()
    assert "(stored)" in call("rate-of-learning", *options)[2]
    code, out, _ = call("check", "--quick")
    assert code == 0 and "\nall: 0 within" in out
    assert "without a record: table-1, table-2" in out
    (tmp_path / "docs").mkdir()
    code, out, _ = call("page", "--quick")
    assert (code, out) == (0, "docs/reproduction.md\ndocs/results.md\n")
    shown = "(../build/experiments-quick/figures/rate-of-learning.png)"
    assert shown in (tmp_path / "docs" / "reproduction.md").read_text()


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=list(EXPERIMENTS))
def test_options_that_would_change_nothing_are_refused(experiment: Experiment) -> None:
    def settings(options: Options) -> list[tuple[str, object]]:
        return [(row.key, row.settings) for row in experiment.rows(options)]

    usual = settings(Options())
    for choice, value in {"seeds": 2, "datasets": ("digits",), "epochs": 7, "repeats": 4}.items():
        needed = dict.fromkeys(experiment.needs[:1], "a folder")
        options = Options(**{choice: value}, **needed)
        changes = settings(options) != usual
        assert changes == (choice in experiment.takes), choice
        if changes:
            experiment.check_options(options)
        else:
            with pytest.raises(InputError, match=f"^{choice}=.* would change nothing"):
                experiment.check_options(options)


def test_an_ignored_option_is_told_before_anything_runs(call: Called, tmp_path: Path) -> None:
    code, out, err = call("table-1", "--epochs", 5)
    assert (code, out) == (2, "")
    assert "epochs=5 would change nothing: table-1 takes datasets, so leave it out" in err
    assert not list(tmp_path.iterdir())


def test_an_unlisted_miss_ends_with_1(
    call: Called, tmp_path: Path, stored: Callable[..., StoredRow]
) -> None:
    row = stored("photo", GAT, 1, test_f1=0.5, edges=1, edges_before=1, paper_edges=1)
    Records(tmp_path).write("table-2", {"a": row})
    code, out, _ = call("check", "--records", tmp_path)
    assert code == 1
    assert "unlisted miss: table-2/GAT/photo/F1: 0.500, the paper 0.92 ± 0.001" in out
    better = stored("photo", GAT, 1, test_f1=0.99, edges=1, edges_before=1, paper_edges=1)
    Records(tmp_path).write("table-2", {"a": better})
    code, out, _ = call("check", "--records", tmp_path)
    assert code == 0
    assert "1 above" in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("table-9",), "name='table-9' is no experiment"),
        (("table2",), "name='table2' is no experiment; did you mean 'table-2'?"),
        (("bench",), "did you mean 'benchmarks'?"),
        (("pages",), "did you mean 'page'?"),
        (("xyz",), "name='xyz' is no experiment; there are table-1, table-2"),
        (("table-2", "--datasets", "foto"), "did you mean 'photo'"),
        (("table-2", "--datasets", ","), "datasets is empty"),
        (("table-2", "--seeds", "0"), "seeds=0 must be"),
        (("table-2", "--epochs", "-1"), "epochs=-1 must be"),
        (("table-2", "--device", "tpu"), "device='tpu' must be one of"),
        (("check",), "has no records; run python -m experiments all"),
        (("page", "--out", "nowhere"), "folder nowhere does not exist"),
        (("solver", "--repeats", "0"), "repeats=0 must be"),
        (("before-after",), "before-after needs --before or --before-python"),
        ((), "Missing argument"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    args: tuple[str, ...], words: str, call: Called
) -> None:
    code, out, err = call(*args)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_damaged_record_is_refused(call: Called, tmp_path: Path) -> None:
    (tmp_path / "table-2.json").write_text('{"format": 2, "rows": {"a": 3}}')
    for args in (("check",), ("page", "--out", "."), ("table-2", "--quick")):
        code, _, err = call(*args, "--records", tmp_path)
        assert code == 2
        assert "table-2.json is damaged" in err
