"""Help is quick, complete and shows examples."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import fastgat

VERBS = (
    "datasets",
    "resistances",
    "sparsify",
    "certify",
    "train",
    "compare",
    "predict",
    "report",
)


def test_help_takes_less_than_a_second(start: Callable[..., Any]) -> None:
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        process = start("--help")
        out, err = process.communicate(timeout=20)
        seconds.append(time.perf_counter() - begin)
        assert (process.returncode, err) == (0, "")
        assert all(verb in out for verb in VERBS)
    assert min(seconds) < 1


@pytest.mark.parametrize("heavy", ["scipy", "pyarrow", "torch", "sklearn"])
def test_help_loads_nothing_heavy(heavy: str) -> None:
    code = (
        f"import fastgat.cli, sys; fastgat.cli.run(['--help']); sys.exit({heavy!r} in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, timeout=20)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_examples(verb: str, cli: Callable[..., Any]) -> None:
    ended = cli(verb, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"Usage: fastgat {verb}" in ended.out
    examples = ended.out.split("Examples:")[1].strip().splitlines()
    assert len(examples) >= 2
    assert all(line.strip().startswith(f"fastgat {verb} ") for line in examples)


def test_the_first_examples_are_of_verbs_that_exist(cli: Callable[..., Any]) -> None:
    examples = cli("--help").out.split("Examples:")[1].strip().splitlines()
    assert [line.split()[:2] for line in examples] == [["fastgat", verb] for verb in VERBS]


def test_examples_are_of_options_that_exist(cli: Callable[..., Any]) -> None:
    for verb in VERBS:
        usage, examples = cli(verb, "--help").out.split("Examples:")
        options = {word for word in examples.split() if word.startswith("--")}
        assert not {option for option in options if option not in usage}


def test_version(cli: Callable[..., Any]) -> None:
    ended = cli("--version")
    assert (ended.code, ended.out) == (0, f"fastgat {fastgat.__version__}\n")


def test_without_a_verb_there_is_help(cli: Callable[..., Any]) -> None:
    ended = cli()
    assert ended.code == 0
    assert "Examples:" in ended.out
