"""The table of all statements, and its figures."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from experiments.theorems import run
from experiments.theorems.bound_check import Check
from experiments.theorems.figures import draw_bounds, draw_counterexample
from experiments.theorems.run import CheckedRow, check_theorems
from fastgat.check import InputError

TRUE = ("Theorem 1", "Theorem 2 (D norm)", "Proposition 1", "Lemma 1")
FALSE = ("Theorem 1 from eq. 6 alone", "Proposition 1 as printed", "|D^-1/2 X D^1/2| <= |X|")


@pytest.fixture(scope="module")
def rows() -> list[CheckedRow]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "missing_file", lambda name: "a file")  # no data: generated graphs alone
        return check_theorems(seed=7, quick=True)


def test_every_statement_is_there(rows: list[CheckedRow]) -> None:
    found = {row.statement for row in rows}
    assert found >= {*TRUE, *FALSE, "Theorem 2 as printed", "eq. 6, quadratic form"}
    assert {row.graph for row in rows if row.statement.startswith("eq. 6")} == {
        "complete(120)",
        "block model(120)",
    }


def test_what_holds_and_what_does_not(rows: list[CheckedRow]) -> None:
    for row in rows:
        if row.statement in TRUE and row.assumptions_hold:
            assert row.verdict == "holds", row
        if row.statement in FALSE or row.statement.startswith("eq. 6"):
            assert row.verdict == "fails", row
    printed = {row.graph: row.verdict for row in rows if row.statement == "Theorem 2 as printed"}
    assert printed["spokes(4000)"] == "fails"


def test_assumptions_hold_on_some_and_not_on_others(rows: list[CheckedRow]) -> None:
    for statement in ("Theorem 1", "Theorem 2 (D norm)"):
        assert {row.assumptions_hold for row in rows if row.statement == statement} == {True, False}


def test_rows_are_plain(rows: list[CheckedRow]) -> None:
    first = rows[0].as_dict()
    assert list(first)[:5] == ["statement", "graph", "epsilon", "bound", "observed"]
    assert all(isinstance(value, str | float | bool) for value in first.values())


def test_figures(rows: list[CheckedRow], tmp_path: Path) -> None:
    files = draw_bounds(rows, tmp_path / "bounds") + draw_counterexample(
        tmp_path / "spokes", spokes=(16, 64)
    )
    assert sorted(file.name for file in files) == sorted(f.name for f in tmp_path.iterdir())
    assert {file.read_bytes()[:4] for file in files} == {b"\x89PNG", b"%PDF"}


def test_equal_rows_give_equal_figures(rows: list[CheckedRow], tmp_path: Path) -> None:
    first, second = (draw_bounds(rows, tmp_path / name) for name in ("a", "b"))
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]


def test_verdicts() -> None:
    assert Check("s", 0.1, bound=0.0, observed=0.0, assumptions_hold=True).verdict == "holds"
    assert Check("s", 0.1, bound=0.0, observed=1.0, assumptions_hold=True).ratio == math.inf
    assert Check("s", 0.1, 1.0, 2.0, False).verdict == "fails outside its assumptions"


def test_without_matplotlib(rows: list[CheckedRow], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match="a figure needs matplotlib: install it"):
        draw_bounds(rows, tmp_path / "bounds")


def test_messages(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rows has no statement with a bound to draw"):
        draw_bounds([], tmp_path / "bounds")
    with pytest.raises(InputError, match="spokes is empty"):
        draw_counterexample(tmp_path / "spokes", spokes=())
    with pytest.raises(InputError, match="seed=-1"):
        check_theorems(seed=-1)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        draw_counterexample(tmp_path / "file" / "spokes", spokes=(16,))
