"""The console: progress for a terminal alone, tables and JSON on stdout."""

import io
import json
import math
import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastgat.cli import console
from fastgat.cli.console import Phases, say, show_facts, show_json, show_table, training_bar
from fastgat.graph.gallery import complete
from fastgat.train import Epoch


def test_json_has_neither_infinity_nor_nan(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({"a": math.inf, "b": [math.nan, 1.5], "c": {"d": -math.inf}})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5], "c": {"d": None}}


def test_lines_for_programs_are_not_broken(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["name", "edges", "where"], [["x" * 200, "1", "y" * 200]], left=("where",))
    heading, row = capsys.readouterr().out.splitlines()
    assert heading.split() == ["name", "edges", "where"]
    assert row.split() == ["x" * 200, "1", "y" * 200]


def test_notes_stand_below(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["name"], [["a"]], notes=["first", "second"])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["name", "a", "", "first", "", "second"]


def test_nothing_that_a_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["name\x1b[31m"], [["two\nlines"]])
    show_facts({"graph": "\x1b[2J"}, Phases(), as_json=False)
    say("\x1b]0;title\x07")
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "two\\nlines" in shown.out


def test_facts_without_a_value_are_null_or_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    phases = Phases()
    with phases.phase("read") as progress:
        assert progress is None  # nobody would see it
    show_facts({"num_edges": 12340, "out": None}, phases, as_json=False)
    shown = capsys.readouterr().out
    assert "12,340" in shown and "out" not in shown and "read" in shown
    show_facts({"num_edges": 12340, "out": None}, phases, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said["out"] is None and [phase["name"] for phase in said["phases"]] == ["read"]


def test_progress_goes_to_a_terminal_only(tmp_path: Path, start: Callable[..., Any]) -> None:
    dense = tmp_path / "dense.npz"
    complete(40).write(dense)
    ours, theirs = pty.openpty()
    out = dense.with_name("s.npz")
    process = start("sparsify", dense, out, "--keep", "0.5", "--json", stderr=theirs)
    shown, _ = process.communicate(timeout=30)
    os.close(theirs)
    progress = os.read(ours, 100_000).decode()
    os.close(ours)
    assert process.returncode == 0
    assert json.loads(shown)["num_nodes"] == 40
    assert "prepare" in progress


def epoch(number: int) -> Epoch:
    return Epoch(number, 1.0, 0.5, 1.0, 0.625, 0.1, 7)


def test_training_is_silent_without_a_terminal_unless_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "LINE_SECONDS", 0.0)
    for plain in (False, True):
        with training_bar("photo", 9, plain=plain) as report:
            report(epoch(1))
        said = ["fastgat: photo", "fastgat: photo: epoch 1 of 9, validation F1 0.625"]
        assert capsys.readouterr().err.splitlines() == (said if plain else [])


def test_a_run_that_goes_on_says_from_where(capsys: pytest.CaptureFixture[str]) -> None:
    with training_bar("photo", 99) as report:
        report(epoch(26))
        report(epoch(27))
    assert capsys.readouterr().err == "fastgat: photo: goes on from epoch 26\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("plain", [True, False])
def test_a_terminal_has_a_bar(plain: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with training_bar("photo [1]", 99, plain=plain) as report:
        report(epoch(26))
    shown = terminal.getvalue()
    assert shown.count("photo [1]: goes on from epoch 26\n") == 1
    for part in ("photo [1]", "26/99", "loss 1.000, validation F1 0.625, 7 edges, 0.100 s"):
        assert part in shown.split("goes on")[1]
