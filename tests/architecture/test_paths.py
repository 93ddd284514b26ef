"""A reader can follow a call: it passes few files of ours on its way to the core."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import torch

import experiments
import fastgat as fg
from experiments.command import run as run_experiments
from fastgat.graph.generators import block_model
from fastgat.nn import GATConv

PACKAGE, EXPERIMENTS = (Path(module.__file__).parent for module in (fg, experiments))


def files_of_call(call: Callable[[], object], folder: Path = PACKAGE) -> set[str]:
    """Files in a folder in which something runs while `call` does, in any thread it starts."""
    seen: set[str] = set()
    prefix = f"{folder}/"

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(prefix):
            seen.add(frame.f_code.co_filename.removeprefix(prefix))

    before, before_in_threads = sys.getprofile(), threading.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
        threading.setprofile(before_in_threads)
    return seen


def test_effective_resistances() -> None:
    graph = block_model(300, 3000, 5, seed=3)[0]
    passed = files_of_call(lambda: fg.effective_resistances(graph, 0.01))
    assert "spectral/resistance.py" in passed
    assert len(passed) <= 5, sorted(passed)


def test_gat_conv_there_and_back() -> None:
    layer, x = GATConv(8, 4, heads=3), torch.randn(50, 8)
    edge_index = torch.randint(50, (2, 300))
    layer(x, edge_index).sum().backward()  # what is made once is made
    passed = files_of_call(lambda: layer(x, edge_index.clone()).sum().backward())
    assert {"nn/gat_conv.py", "nn/attention/additive.py"} <= passed
    assert len(passed) <= 7, sorted(passed)


def test_an_experiment(tmp_path: Path) -> None:
    def table_1(name: str) -> None:
        assert run_experiments(["table-1", "--quick", "--records", str(tmp_path / name)]) == 0

    table_1("first")  # imports run a file too
    passed = files_of_call(lambda: table_1("second"), EXPERIMENTS)
    assert "paper/table_1.py" in passed
    assert len(passed) <= 13, sorted(passed)
