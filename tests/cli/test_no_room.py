"""No room for what a command writes: one sentence, its exit code, and nothing half-written."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

COMMANDS = {
    "sparsify": ("sparsify", "graph.csv", "out.csv", "--keep", "0.9"),
    "resistances": ("resistances", "graph.csv", "--out", "out.csv", "--no-cache"),
    "train": ("train", "synthetic", "--epochs", "2", "--out", "out"),
    "compare": ("compare", "synthetic", "--epochs", "2", "--epsilon", "0.5", "--out", "out"),
    "predict": ("predict", "run", "--out", "out.csv"),
    "report": ("report", "run", "--out", "out.html"),
}
LARGEST = 2000  # bytes of a file; a record or a table is larger


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    rng = np.random.default_rng(7)
    pairs = "\n".join(f"{u},{v}" for u, v in rng.integers(100, size=(900, 2)))
    (folder / "graph.csv").write_text(f"source,target\n{pairs}\n")
    made = call(folder, "train", "synthetic", "--epochs", "2", "--out", "run")
    assert made.returncode == 0, made.stderr
    return folder


def call(
    folder: Path, *args: str, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", "fastgat", *args],
        capture_output=True, text=True, cwd=folder, env=environment, timeout=120, preexec_fn=before,
    )  # fmt: skip


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("verb", COMMANDS)
def test_no_room(verb: str, folder: Path) -> None:
    before = files(folder)
    ended = call(folder, *COMMANDS[verb], before=limit)
    last = ended.stderr.strip().splitlines()[-1]
    assert ended.returncode == 2 and "Traceback" not in ended.stderr, ended.stderr
    assert last.startswith("fastgat: cannot write out") and "file too large" in last.lower()
    left = files(folder) - before
    assert not any(name.startswith("out.") or ".tmp" in name for name in left), left


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_place_that_cannot_be_written(verb: str, folder: Path) -> None:
    command = [f"/proc/{word}" if word.startswith("out") else word for word in COMMANDS[verb]]
    ended = call(folder, *command)
    assert ended.returncode != 0 and "Traceback" not in ended.stderr
    assert "/proc" in ended.stderr and ended.stderr.startswith("fastgat: ")
