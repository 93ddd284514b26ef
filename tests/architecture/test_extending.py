"""A score family, a sparsifier, a dataset and a verb from outside: a file and a line each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "toy_layer": '''
"""Attention by distance, without a kernel: logit_ij = -|z_i - z_j|^2."""
from dataclasses import dataclass
from typing import ClassVar
from torch import Tensor
from fastgat.nn.attention import Scores
from fastgat.nn import ProjectedConv


@dataclass(frozen=True)
class DistanceScores(Scores):
    value: Tensor
    head_axis: ClassVar = {"value": 1}

    def logits(self, source, target):
        return -(self.value[source] - self.value[target]).square().sum(-1)


class DistanceConv(ProjectedConv):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.reset_parameters()

    def score_inputs(self, x, value):
        return DistanceScores(value)
''',
    "toy_sparsifier": '''
"""Heavy edges first."""
from dataclasses import dataclass
from fastgat.sparsify import ScoreSparsifier


@dataclass(frozen=True)
class HeavySparsifier(ScoreSparsifier):
    def score(self, graph, **options):
        return graph.weight
''',
    "toy_dataset": '''
"""A ring whose halves are told apart by their features."""
import numpy as np
from fastgat.data import GeneratedDataset, NodeTask, Sizes
from fastgat.graph.gallery import cycle


def make(sizes, seed=0):
    labels = np.arange(sizes.num_nodes) * 2 // sizes.num_nodes
    return NodeTask(cycle(sizes.num_nodes), np.eye(2)[labels], labels, 2)


RING = GeneratedDataset(title="Ring", sizes=Sizes(80, 80, 2, 2), make=make)
''',
    "toy_verb": '''
"""The sum of a dataset's weights."""
from fastgat.cli.options import GraphArgument
from fastgat.data import load_graph


def weigh(graph: GraphArgument) -> None:
    """Weigh a graph."""
    print("weighs", load_graph(graph).weight.sum())
''',
    "mine": '''
"""fastgat with four things more; a command per line of stdin."""
import shlex, sys
import toy_dataset, toy_layer, toy_sparsifier
from fastgat.cli import run
from fastgat.cli.app import VERBS
from fastgat.data import CATALOGUE
from fastgat.nn.fastgat import ATTENTIONS
from fastgat.sparsify import SPARSIFIERS

ATTENTIONS["distance"] = toy_layer.DistanceConv
SPARSIFIERS["heavy"] = toy_sparsifier.HeavySparsifier
CATALOGUE["ring"] = toy_dataset.RING
VERBS["weigh"] = "toy_verb:weigh"

if __name__ == "__main__":
    for command in sys.stdin:
        if code := run(shlex.split(command)):
            sys.exit(code)
''',
}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Where the files are, none of them known to fastgat."""
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def test_four_strangers_on_the_command_line(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(mine / "cache"))
    commands = [
        "weigh ring",
        "sparsify ring sparse.npz --method heavy --keep 0.5",
        "certify ring sparse.npz",
        "train ring --attention distance --method heavy --keep 0.5 --epochs 30 --out run",
        "train ring --attention distance --method heavy --keep 0.5 --epochs 30 --out run --resume",
        "predict run --out predictions.csv",
    ]
    ended = subprocess.run(
        [sys.executable, "mine.py"],
        cwd=mine, input="\n".join(commands), text=True, capture_output=True, timeout=100,
    )  # fmt: skip
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr
    assert "weighs 80.0" in ended.stdout
    record = json.loads((mine / "run" / "record.json").read_text())
    assert record["task"]["name"] == "ring"
    assert record["config"]["sparsifier"]["kind"] == "HeavySparsifier"
    assert record["model"]["settings"]["attention"] == "distance"
    assert record["edges"]["trained_on"] == pytest.approx(40, abs=20)
    assert len((mine / "predictions.csv").read_text().splitlines()) == 81
