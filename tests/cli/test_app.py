"""Verbs by name: imported when they run, and added from outside with one line."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastgat.cli.app import VERBS

TOY = '''
"""A verb that nobody at fastgat has heard of."""
from typing import Annotated
import typer
from fastgat.check import InputError
from fastgat.cli.options import GraphArgument, JsonOption

EXAMPLES = """\\b
Examples:
  fastgat twice photo
  fastgat twice photo --times 3
"""


def twice(
    graph: GraphArgument,
    times: Annotated[int, typer.Option("--times", help="How often.")] = 2,
    as_json: JsonOption = False,
) -> None:
    """Say the name of a graph again and again."""
    if times == 0:
        raise KeyboardInterrupt("stopped, and nothing lost")
    if times < 0:
        raise InputError(f"times={times} must be at least 0; 2 unless told")
    print(" ".join([graph] * times))
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy_verb.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(VERBS, "twice", "toy_verb:twice")


@pytest.mark.usefixtures("toy")
def test_a_verb_from_outside_is_one_line(cli: Callable[..., Any]) -> None:
    ended = cli("twice", "photo", "--times", "3")
    assert (ended.code, ended.out, ended.err) == (0, "photo photo photo\n", "")
    shown = cli("--help").out
    assert "Say the name of a graph again and again." in shown and "sparsify" in shown
    shown = cli("twice", "--help").out
    assert "Usage: fastgat twice" in shown and "fastgat twice photo --times 3" in shown


@pytest.mark.usefixtures("toy")
def test_a_verb_from_outside_ends_as_ours_do(cli: Callable[..., Any]) -> None:
    ended = cli("twice", "photo", "--times", "-1")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "fastgat: times=-1 must be at least 0; 2 unless told\n"
    ended = cli("twice", "photo", "--times", "0")
    assert (ended.code, ended.err) == (130, "fastgat: stopped, and nothing lost\n")
    ended = cli("twice")
    assert ended.code == 2 and ended.err.endswith("; see fastgat twice --help\n")


def test_without_registering_there_is_no_such_verb(cli: Callable[..., Any]) -> None:
    ended = cli("twice", "photo")
    assert ended.code == 2 and "No such command 'twice'" in ended.err


def test_a_misspelt_verb_is_nearly_known(cli: Callable[..., Any]) -> None:
    ended = cli("sparsfy")
    assert ended.code == 2 and "Did you mean 'sparsify'?" in ended.err


def test_a_verb_imports_no_other() -> None:
    code = (
        "import fastgat.cli, sys; fastgat.cli.run(['datasets', '--help']); "
        "sys.exit(any(f'fastgat.cli.{verb}' in sys.modules for verb in ('train', 'report')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, timeout=20)
