"""People, `help` and type checkers see every public name; none of them has to load torch first."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fastgat

ROOT = Path(__file__).parents[2]
WITH_TORCH = {"AdaptiveDensity", "RunRecord", "TrainConfig", "fit", "nn", "pyg", "train"}
PAGES = ["fastgat", "fastgat.graph", "fastgat.spectral", "fastgat.sparsify", "fastgat.data"]
PAGES += ["fastgat.pyg"]

USER_SCRIPT = """
from dataclasses import dataclass
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import fastgat as fg
from fastgat.sparsify import PreparedSparsifier, SparsifiedGraph, Sparsifier, subgraph

graph = fg.Graph.from_edges([0, 1, 2], [1, 2, 0], num_nodes=3)
assert_type(graph, fg.Graph)
assert_type(fg.effective_resistances(graph, cache=None), NDArray[np.float64])
assert_type(fg.exact_effective_resistances(graph), NDArray[np.float64])
assert_type(fg.LaplacianSolver(graph).solve([1.0, 0.0, -1.0]).converged, bool)
sparsifier = fg.EffectiveResistanceSparsifier(epsilon=0.5, sampling="replacement")
sparse = sparsifier.sparsify(graph, seed=3)
assert_type(sparse, SparsifiedGraph)
assert_type(sparsifier.prepare(graph).draw(3), SparsifiedGraph)
assert_type(fg.certify(graph, sparse), fg.Certificate)
task = fg.load_dataset("digits")
assert_type(task, fg.NodeTask)


@dataclass(frozen=True)
class First:
    count: int = 2

    def prepare(self, graph: fg.Graph, **options: Any) -> "Drawn":
        return Drawn(graph, self.count)


@dataclass(frozen=True)
class Drawn:
    graph: fg.Graph
    count: int

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        return subgraph(self.graph, np.arange(self.count))


mine: Sparsifier = First()
assert_type(mine.prepare(graph, seed=3), PreparedSparsifier)

kind: type[fg.nn.GATConv] = fg.nn.GATConv
model = fg.nn.FastGAT(task.num_features, 8, task.num_classes)
config = fg.TrainConfig(sparsifier=sparsifier, adaptive=fg.AdaptiveDensity(), epochs=3)
assert_type(config, fg.TrainConfig)
assert_type(fg.fit(model, task, config), fg.RunRecord)
assert_type(fg.train.TrainConfig.from_json({}), fg.TrainConfig)
transform = fg.pyg.Sparsify(epsilon=0.5)
back = fg.NodeTask.from_pyg(fg.pyg.to_data(task))
assert_type(back, fg.NodeTask)
"""


@pytest.fixture(scope="module")
def fresh() -> list[str]:
    """What a new process says: the names, and what was loaded for them."""
    code = "import fastgat, sys; print(*dir(fastgat)); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_dir_tells_every_name_without_torch(fresh: list[str]) -> None:
    names, loaded = fresh
    shown = {name for name in names.split() if not name.startswith("__")}
    assert shown == {name for name in fastgat.__all__ if not name.startswith("__")}
    assert shown >= WITH_TORCH
    assert loaded == "False"


def test_every_name_is_there() -> None:
    for name in fastgat.__all__:
        assert getattr(fastgat, name) is not None
    with pytest.raises(AttributeError, match="module 'fastgat' has no attribute 'fti'"):
        fastgat.fti  # noqa: B018


def test_help_shows_what_loads_torch() -> None:
    page = pydoc.plain(pydoc.render_doc(fastgat))
    for name in ("class TrainConfig", "class RunRecord", "fit(model", "effective_resistances("):
        assert name in page


def check_types(folder: Path, text: str) -> str:
    """What mypy says of a user's script."""
    script = folder / "script.py"
    script.write_text(text)
    options = ["--config-file", str(ROOT / "pyproject.toml")]
    options += ["--cache-dir", str(ROOT / ".mypy_cache")]  # the one that `make check` has filled
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return "\n".join(line for line in done.stdout.splitlines() if "script.py" in line)


@pytest.mark.slow
def test_type_checkers_see_what_users_write(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    assert check_types(tmp_path, USER_SCRIPT) == ""
    wrong = check_types(tmp_path, "import fastgat as fg\nfg.fti\nfg.fit(1, 2, 3)\nfg.nn.GATCon\n")
    assert 'Module has no attribute "fti"' in wrong
    assert 'Argument 3 to "fit" has incompatible type "int"' in wrong
    assert 'Module has no attribute "GATCon"' in wrong


def public_functions() -> dict[str, tuple[Any, str]]:
    """Functions and methods that the API pages offer, and what is said of them.

    Of a method that takes the place of another, what is said of the other counts too.
    """
    found: dict[str, tuple[Any, str]] = {}
    for page in PAGES:
        module = __import__(page, fromlist=["__all__"])
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                found[f"{page}.{name}"] = thing, inspect.getdoc(thing) or ""
            elif inspect.isclass(thing) and thing.__module__.startswith("fastgat"):
                for member, method in vars(thing).items():
                    plain = getattr(method, "__func__", method)
                    if inspect.isfunction(plain) and member[0] != "_":
                        said = [
                            getattr(vars(kind).get(member), "__doc__", None) or ""
                            for kind in thing.__mro__
                        ]
                        found[f"{page}.{name}.{member}"] = plain, "".join(said)
    return found


def test_public_functions_explain_their_arguments() -> None:
    """More than two arguments are listed under `Args:`, each by its name."""
    bad = []
    for name, (function, text) in public_functions().items():
        given = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
        if not text:
            bad.append(f"{name} has no docstring")
        elif len(given) > 2:
            listed = text.partition("Args:")[2]
            bad += [f"{name} does not explain {arg}" for arg in given if f"{arg}:" not in listed]
    assert not bad, "\n".join(bad)
