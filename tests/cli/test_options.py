"""The choices that verbs offer are those that the library takes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from fastgat import InputError
from fastgat.cli.arguments import EdgeFile, TaskFiles
from fastgat.cli.options import ATTENTIONS, Resample
from fastgat.graph.gallery import complete
from fastgat.nn import FastGAT
from fastgat.train import TrainConfig
from fastgat.train.config import EdgeWeight, EvaluateOn

MAKERS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "attention": (ATTENTIONS, lambda **option: FastGAT(3, 4, 2, **option)),
    "resample": (get_args(Resample), lambda **option: FastGAT(3, 4, 2, **option)),
    "evaluate_on": (get_args(EvaluateOn), TrainConfig),
    "edge_weight": (get_args(EdgeWeight), TrainConfig),
}


@pytest.mark.parametrize("name", MAKERS)
def test_choices_are_the_library_s(name: str) -> None:
    choices, make = MAKERS[name]
    for choice in choices:
        make(**{name: choice})
    with pytest.raises(InputError) as refused:
        make(**{name: "other"})
    known = ", ".join(repr(choice) for choice in choices)
    assert str(refused.value) == f"{name}='other' must be one of {known}"


@pytest.mark.parametrize(
    ("option", "choices"),
    [
        (
            "--method",
            "<resistance|degree|uniform|k-neighbor|similarity|guided|jaccard|l-spar|local-similarity|scan"
            "|local-degree|rank-degree|forest-fire|spanner|spanning-forest>",
        ),
        ("--sampling", "<replacement|independent|best>"),
        ("--attention", "<gat|gatv2|cosine|gaan>"),
        ("--resample", "<const|layer|head>"),
        ("--evaluate-on", "<sparse|full|better>"),
        ("--edge-weight", "<ignore|prior>"),
    ],
)
def test_help_lists_the_choices(option: str, choices: str, cli: Callable[..., Any]) -> None:
    assert f"{option} {choices}" in cli("train", "--help").out


@pytest.mark.parametrize(
    "option", ["--method", "--sampling", "--attention", "--resample", "--evaluate-on"]
)
def test_other_choices_are_refused(option: str, tmp_path: Path, cli: Callable[..., Any]) -> None:
    out = tmp_path / "run"
    ended = cli("train", "digits", "--keep", "0.5", option, "other", "--out", out)
    assert (ended.code, ended.out) == (2, "")
    assert "'other'" in ended.err and ended.err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("verb", ["train", "compare", "predict", "sparsify", "report"])
def test_help_of_a_verb_loads_no_torch(verb: str) -> None:
    code = (
        f"import fastgat.cli, sys; fastgat.cli.run([{verb!r}, '--help']); "
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, timeout=20)


SPARSIFIER_FROM_OUTSIDE = """
import sys
from dataclasses import dataclass
import fastgat.cli
import numpy as np
from fastgat.sparsify import SPARSIFIERS
from fastgat.sparsify.sampling import ScoreSparsifier

@dataclass(frozen=True)
class Last(ScoreSparsifier):
    def score(self, graph, *, seed=0, cache=None, progress=None):
        return np.arange(1.0, graph.num_edges + 1)

SPARSIFIERS["last"] = Last
sys.exit(fastgat.cli.run(sys.argv[1:]))
"""


def test_a_sparsifier_from_outside_is_a_method(tmp_path: Path) -> None:
    graph, out = tmp_path / "g.npz", tmp_path / "s.npz"
    complete(30).write(graph)
    command = [sys.executable, "-c", SPARSIFIER_FROM_OUTSIDE, "sparsify", str(graph), str(out)]
    options = ["--method", "last", "--keep", "0.2", "--json"]
    ended = subprocess.run([*command, *options], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert '"method": "last"' in ended.stdout
    ended = subprocess.run(
        [*command, *options, "--neighbors", "3"], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 2


@pytest.mark.parametrize("kind", [EdgeFile, TaskFiles])
def test_options_are_those_that_were_given(kind: type[EdgeFile]) -> None:
    assert kind().options() == {}
    given = {"names": True, "weight_column": "2", "header": False}
    assert kind(**given).options() == given


def test_a_comparison_has_the_others_of_the_library() -> None:
    from fastgat.cli import compare
    from fastgat.train import plan

    assert compare.OTHERS == plan.OTHERS
