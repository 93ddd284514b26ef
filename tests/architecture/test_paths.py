"""A reader can follow a call: it passes few files of ours on its way to the core."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import fastgat as fg
from fastgat.graph.generators import block_model

PACKAGE = str(Path(fg.__file__).parent)


def files_of_call(call: Any) -> set[str]:
    """Files of ours in which something runs while `call` does."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            seen.add(frame.f_code.co_filename[len(PACKAGE) + 1 :])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return seen


def test_effective_resistances() -> None:
    graph = block_model(300, 3000, 5, seed=3)[0]
    passed = files_of_call(lambda: fg.effective_resistances(graph, 0.01))
    assert "spectral/resistance.py" in passed
    assert len(passed) <= 5, sorted(passed)
