"""Every example runs, and ends with what it promises."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PROMISES = {
    "move_a_pyg_model": r"without training anew: 9\d%",
    "sparsify": r"factor of \[0\.\d+, 1\.\d+\]",
    "sparsify_for_pyg": r"half of them: 6\d+ edges, accuracy 0\.9\d",
    "swap_a_layer": r"largest difference: [0-9.]+e-0[67]",
    "train_on_drawn_graphs": r"other nodes: (0\.9\d|1\.00)",
}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(path: Path) -> None:
    ended = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert re.search(PROMISES[path.stem], ended.stdout.splitlines()[-1])
