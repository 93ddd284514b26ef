"""What a verb needs is looked at before it begins: packages, files to read, a place to write."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastgat._startup import DEPENDENCIES
from fastgat.cli.needs import check_folder

# Run a command where some packages are not installed; say at the end what was loaded.
CHILD = """
import sys
hidden = set(filter(None, sys.argv[1].split(",")))

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
from fastgat.cli import run
code = run(sys.argv[2:])
print("torch" in sys.modules)
sys.exit(code)
"""


PIP = "pip install 'fastgat-er"


def run_without(hidden: str, *args: object, cwd: Path) -> tuple[int, bool, str]:
    """Exit code, whether torch was loaded, and what was said."""
    command = [sys.executable, "-c", CHILD, hidden, *map(str, args)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)
    return ended.returncode, ended.stdout.splitlines()[-1] == "True", ended.stderr


@pytest.mark.parametrize(
    ("hidden", "command", "said"),
    [
        ("torch", "train digits", "fastgat train needs torch: install it with PIP[torch]'"),
        ("torch,safetensors", "train digits --out r",
         "fastgat train needs torch and safetensors: install them with PIP[torch]'"),
        ("torch_geometric", "train digits",
         "fastgat train needs torch_geometric: install it with PIP[torch]'"),
        ("matplotlib", "compare digits --out r",
         "fastgat compare needs matplotlib: install it with PIP[report]'"),
        ("torch,jinja2,matplotlib", "compare digits",
         "fastgat compare needs torch, jinja2 and matplotlib: install them with "
         "PIP[torch,report]'"),
        ("safetensors", "predict run --out p.csv",
         "fastgat predict needs safetensors: install it with PIP[torch]'"),
        ("sklearn", "compare digits --out r",
         "fastgat compare needs sklearn: install it with pip install scikit-learn"),
        ("rich", "report run", "fastgat report needs rich: install it with pip install rich"),
        ("sklearn,rich,torch", "train digits",
         "fastgat train needs sklearn, rich and torch: install them with "
         "pip install scikit-learn rich 'fastgat-er[torch]'"),
        ("jinja2", "report run", "fastgat report needs jinja2: install it with PIP[report]'"),
    ],
)  # fmt: skip
def test_an_absent_package_is_one_sentence(
    hidden: str, command: str, said: str, tmp_path: Path
) -> None:
    code, loaded, err = run_without(hidden, *command.split(), cwd=tmp_path)
    assert (code, loaded) == (2, False)
    assert err == f"fastgat: {said.replace('PIP', PIP)}\n"
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["train", "compare", "predict", "report", "datasets", "--help"])
@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        (("pyarrow",), "pyarrow not found: install it with pip install pyarrow"),
        (("scipy",), "scipy not found: install it with pip install scipy"),
        (("rich",), "rich not found: install it with pip install rich"),
        (("numpy", "sklearn"),
         "numpy, sklearn not found: install them with pip install numpy scikit-learn"),
    ],
)  # fmt: skip
def test_nothing_begins_without_what_is_always_needed(
    verb: str, hidden: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    """As a command: these are loaded before any verb is."""
    begin = CHILD.partition("from fastgat.cli")[0]
    begin = begin.replace('sys.argv[1].split(",")', repr(hidden))
    (tmp_path / "sitecustomize.py").write_text(begin)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "fastgat", verb]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"fastgat: {said}\n")


def test_the_packages_always_needed_are_those_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    declared = {re.split("[<>=]", one)[0] for one in project["dependencies"]}
    assert set(DEPENDENCIES.values()) == declared


def test_a_run_needs_no_page_and_a_page_no_torch(tmp_path: Path) -> None:
    few = ("--epochs", "1", "--out", "run")
    code, _, err = run_without("matplotlib", "train", "digits", *few, cwd=tmp_path)
    assert (code, "matplotlib" in err) == (0, False)
    code, loaded, err = run_without(
        "torch,torch_geometric,safetensors", "report", "run", cwd=tmp_path
    )
    assert (code, loaded, err) == (0, False, "")
    assert (tmp_path / "report.html").exists()


def test_a_package_that_cannot_be_loaded_is_one_sentence(tmp_path: Path) -> None:
    code, _, err = run_without("jinja2", "train", "digits", "--out", "run", cwd=tmp_path)
    assert code == 2
    assert err == (
        "fastgat: torch_geometric is installed but cannot be loaded: No module named 'jinja2'; "
        f"mend it with {PIP}[torch]'\n"
    )
    assert not any(tmp_path.iterdir())


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,2\n")
    np.save(tmp_path / "x.npy", np.zeros((3, 2), np.float32))
    (tmp_path / "y.csv").write_text("label\na\nb\na\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("train nosuch.csv --features x.npy --labels y.csv", "nosuch.csv does not exist; give a"),
        ("compare no/such --features x.npy --labels y.csv", "no/such does not exist; give a"),
        ("train edges.csv --features nosuch.npy --labels y.csv", "nosuch.npy does not exist"),
        ("train edges.csv --features x.npy --labels nosuch.csv", "nosuch.csv does not exist"),
        ("train edges.csv --features x.npy --labels folder", "folder is a folder, but a file"),
        ("train digist", "did you mean 'digits'?"),
        ("compare digist", "did you mean 'digits'?"),
        ("train digits --out edges.csv/run", "cannot make the folder edges.csv/run: not a dir"),
        ("train digits --out /proc/no/run", "cannot make the folder /proc/no/run: no such file"),
        ("compare digits --out /proc/no/run", "cannot make the folder /proc/no/run: no such file"),
        ("predict nosuch --out p.csv", "nosuch does not exist; give the folder of a finished run"),
        ("predict folder --out p.csv", "folder holds no run"),
        ("report nosuch", "nosuch"),
    ],
)
def test_wrong_paths_are_found_before_torch_is_loaded(command: str, said: str, files: Path) -> None:
    before = sorted(files.rglob("*"))
    code, loaded, err = run_without("", *command.split(), cwd=files)
    assert (code, loaded) == (2, False)
    assert said in err and err.count("\n") == 1
    assert sorted(files.rglob("*")) == before


def test_looking_at_a_folder_leaves_nothing(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--heads", "0"), "heads=0 must be a whole number of at least 1"),
        (("--hidden", "0"), "hidden_channels=0 must be a whole number of at least 1"),
        (("--layers", "0"), "num_layers=0 must be a whole number of at least 1"),
        (("--heads", "-1"), "heads=-1 must be a whole number of at least 1"),
        (("--dropout", "2"), "dropout=2.0 must lie in [0, 1]"),
        (("--dropout", "nan"), "dropout=nan must lie in [0, 1]"),
        (("--weight-decay", "-1"), "weight_decay=-1.0 must lie in [0, inf)"),
        (("--checkpoint-every", "0"), "checkpoint_every=0 must be a whole number of at least 1"),
        (("--hidden", "10000000000"), "the memory does not suffice; use a smaller graph or net"),
    ],
)
def test_a_network_that_cannot_be_made(
    options: tuple[str, ...], said: str, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    ended = cli("train", "digits", "--epochs", "1", "--out", tmp_path / "run", *options)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"fastgat: {said}") and ended.err.count("\n") == 1
    assert not any(tmp_path.iterdir())
