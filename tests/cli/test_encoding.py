"""Output survives any encoding: what the terminal cannot show is escaped, and nothing is lost."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

PLAIN_C = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
ENVIRONMENTS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "C": PLAIN_C,
}
GRAPH = ("图.csv", "--names")
TASK = (*GRAPH, "--features", "f.csv", "--labels", "l.csv", "--epochs", "1")
COMMANDS = [
    ("train", *TASK, "--out", "跑"),
    ("train", *TASK, "--out", "跑-json", "--json"),
    ("compare", *TASK, "--out", "比较", "--epsilon", "0.5"),
    ("predict", "跑", "--out", "预测.csv"),
    ("report", "跑", "--out", "页.html"),
    ("sparsify", *GRAPH, "稀.csv", "--keep", "0.5"),
    ("certify", *GRAPH, "图.csv"),
    ("resistances", *GRAPH, "--out", "阻.csv"),
    ("datasets",),
]


FEW = COMMANDS[0], COMMANDS[3], COMMANDS[5]  # ways to write; ascii has them all


@pytest.fixture(scope="module", params=ENVIRONMENTS)
def run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run commands in one folder and one environment; nodes and classes have names to fear."""
    folder = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(7)
    names = [f"节点{number}😀" for number in range(60)]
    edges = [f"{names[i]},{names[(i + step) % 60]}" for i in range(60) for step in (1, 7)]
    rows = [f"{name},{rng.random() + (i >= 30)}" for i, name in enumerate(names)]
    labels = [f"{name},{'狗🐶' if i >= 30 else 'café'}" for i, name in enumerate(names)]
    for file, lines in {
        "图.csv": ["source,target", *edges],
        "f.csv": ["node,特征", *rows],
        "l.csv": ["node,label", *labels],
    }.items():
        (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), **ENVIRONMENTS[request.param]}

    def call(*args: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "fastgat", *args]
        return subprocess.run(
            command, capture_output=True, cwd=folder, env=environment, timeout=120
        )

    return call


def test_every_verb(
    run: Callable[..., subprocess.CompletedProcess[bytes]], request: pytest.FixtureRequest
) -> None:
    for command in COMMANDS if "ascii" in request.node.name else FEW:
        ended = run(*command)
        assert ended.returncode == 0, (command, ended.stderr)
        assert ended.stdout.strip() and b"Error" not in ended.stderr
        if "--json" in command:
            json.loads(ended.stdout)


def test_a_refusal(run: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    for command in (("train", "没有.csv"), ("certify", "没有.csv", "😀.csv")):
        ended = run(*command)
        assert ended.returncode == 2
        assert ended.stderr.startswith(b"fastgat: ") and ended.stderr.count(b"\n") == 1
