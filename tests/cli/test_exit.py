"""How commands end: Ctrl-C and its like, closed pipes, full disks; nothing left behind."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastgat._startup import starts_command
from fastgat.graph import read_graph
from fastgat.graph.gallery import complete
from fastgat.graph.generators import grid

SIDE = 1000  # a million nodes: any of these commands would take many seconds


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "grid.npz"
    grid(SIDE, SIDE).write(path)
    return path


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (signal.SIGINT, 130, "fastgat: interrupted\n"),
        (signal.SIGTERM, 143, ""),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("resistances", "GRAPH", "--out", "OUT", "--relative-error", "0.001"),
        ("resistances", "GRAPH", "--out", "OUT", "--method", "exact"),
        ("sparsify", "GRAPH", "OUT", "--epsilon", "0.5"),
    ],
    ids=["smoothed", "exact", "sparsify"],
)
def test_interrupted(
    command: tuple[str, ...],
    number: signal.Signals,
    code: int,
    message: str,
    large: Path,
    tmp_path: Path,
    cache_folder: Path,
    start: Callable[..., Any],
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("as it was")
    process = start(*({"GRAPH": large, "OUT": out}.get(word, word) for word in command))
    time.sleep(1.5)
    assert process.poll() is None
    begin = time.perf_counter()
    process.send_signal(number)
    shown, said = process.communicate(timeout=30)
    assert time.perf_counter() - begin < 3
    assert (process.returncode, shown, said) == (code, "", message)
    assert out.read_text() == "as it was"
    assert leftovers(tmp_path) == [out]
    assert leftovers(cache_folder) == []


def test_interrupted_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    grid(3, 3).write(tmp_path / "g.npz")
    monkeypatch.setattr("fastgat.graph.formats.edge_list.edge_tables", interrupted)
    ended = cli("sparsify", tmp_path / "g.npz", tmp_path / "s.csv", "--epsilon", "0.5")
    assert (ended.code, ended.out, ended.err) == (130, "", "fastgat: interrupted\n")
    assert leftovers(tmp_path) == [tmp_path / "g.npz"]


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    path = tmp_path / "dense.npz"
    complete(40).write(path)
    return path


def test_a_closed_pipe_is_quiet(dense: Path, start: Callable[..., Any]) -> None:
    process = start("sparsify", dense, dense.with_name("s.npz"), "--keep", "0.5")
    process.stdout.close()
    process.stdout = None
    _, said = process.communicate(timeout=30)
    assert said == ""
    assert read_graph(dense.with_name("s.npz")).num_nodes == 40


def test_a_full_disk_behind_stdout_is_one_sentence(dense: Path, start: Callable[..., Any]) -> None:
    with Path("/dev/full").open("w") as full:
        for arguments in (
            ["sparsify", dense, dense.with_name("s.npz"), "--keep", "0.5"],
            ["--help"],
        ):
            process = start(*arguments, stdout=full)
            _, said = process.communicate(timeout=30)
            assert process.returncode == 2
            assert said == "fastgat: cannot write to stdout: no space left on device\n"


@pytest.mark.parametrize("delay", [0.1, 0.15, 0.25, 0.4, 0.7, 1.0, 1.5, 2.0, 2.5])
def test_interrupted_at_any_moment(delay: float, tmp_path: Path, start: Callable[..., Any]) -> None:
    out = tmp_path / "run"
    process = start("train", "digits", "--epochs", "100000", "--patience", "0", "--out", out)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=60)
    assert (process.returncode, shown) == (130, "")
    assert said == "fastgat: interrupted\n" or "which is saved: resume to go on" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "orig_argv", "starts"),
    [
        (["/usr/bin/fastgat", "train"], ["python", "/usr/bin/fastgat", "train"], True),
        (["-m", "train"], ["python", "-m", "fastgat", "train"], True),
        (["-m"], ["python", "-mfastgat"], True),
        (["-m", "fastgat"], ["python", "-m", "pytest", "fastgat"], False),
        (["mine.py", "fastgat"], ["python", "mine.py", "fastgat"], False),
        ([""], ["python"], False),
        ([], [], False),
    ],
)
def test_only_the_command_line_takes_ctrl_c_over(
    argv: list[str], orig_argv: list[str], starts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setattr(sys, "orig_argv", orig_argv)
    assert starts_command() is starts


def test_importing_the_library_leaves_ctrl_c_alone() -> None:
    # Compared with what was before: a shell lets its background ignore Ctrl-C.
    code = "import signal; before = signal.getsignal(2); import fastgat, fastgat.cli; "
    code += "print(signal.getsignal(2) is before)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout == "True\n"
