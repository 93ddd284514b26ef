"""Imports point down the layers, and torch stays above the line."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "fastgat"

# Lowest first. A module belongs to the layer that names its first part below `fastgat`.
LAYERS = [
    {"_core", "_startup", "_threads", "_version"},
    {"check", "files", "machine", "text_table"},
    {"graph"},
    {"spectral"},
    {"sparsify"},
    {"data"},
    {"nn"},
    {"train"},
    {"distributed"},
    {"pyg"},
    {"report"},
    {"cli", "__main__", ""},  # "": the package itself, which offers what lies below
]
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
TORCH_LINE = HEIGHT["data"]  # torch may be imported above this height
OUTSIDE = {"experiments", "tests", "examples", "benchmarks"}  # live in a clone, not in the package

MODULES = sorted(PACKAGE.rglob("*.py"))


def dotted_name(file: Path) -> str:
    parts = ("fastgat", *file.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str:
    """The part of a dotted name that decides its layer: `fastgat.graph.graph` -> `graph`."""
    part = [*module.split("."), ""][1]
    return part if part in HEIGHT else ""


def imported(node: ast.AST, module: str, is_package: bool) -> list[str]:
    """Dotted names that an import statement asks for, relative ones resolved."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        above = module.split(".")
        above = above[: len(above) - node.level + is_package]
        base = ".".join([*above, *([base] if base else [])])
    return [f"{base}.{alias.name}" for alias in node.names]


def run_at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Statements that importing the module runs: not in functions, not for type checkers only."""
    for child in ast.iter_child_nodes(tree):
        lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if lazy or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            continue
        yield child
        yield from run_at_import(child)


def upward_imports(source: str, module: str, is_package: bool = False) -> list[str]:
    here = HEIGHT[layer_of(module)]
    names = (n for node in ast.walk(ast.parse(source)) for n in imported(node, module, is_package))
    return [
        name
        for name in names
        if name.split(".")[0] in OUTSIDE
        or (name.split(".")[0] == "fastgat" and HEIGHT[layer_of(name)] > here)
    ]


def torch_imports(source: str, module: str) -> list[str]:
    if module != "fastgat" and HEIGHT[layer_of(module)] > TORCH_LINE:
        return []
    nodes = run_at_import(ast.parse(source))
    names = [name for node in nodes for name in imported(node, module, False)]
    return [name for name in names if name.split(".")[0] in {"torch", "torch_geometric"}]


def test_every_module_has_its_layer() -> None:
    first = {file.relative_to(PACKAGE).parts[0].removesuffix(".py") for file in MODULES}
    unknown = first - HEIGHT.keys() - {"__init__"}
    assert not unknown, f"give {sorted(unknown)} a place in LAYERS"


def test_imports_point_down() -> None:
    found = {
        dotted_name(file): upward_imports(
            file.read_text(), dotted_name(file), file.name == "__init__.py"
        )
        for file in MODULES
    }
    upward = {module: names for module, names in found.items() if names}
    assert not upward, f"imports from above the module's layer: {upward}"


def test_torch_stays_above_data() -> None:
    found = {
        dotted_name(file): torch_imports(file.read_text(), dotted_name(file)) for file in MODULES
    }
    early = {module: names for module, names in found.items() if names}
    assert not early, f"to be imported inside the functions that need them: {early}"


def test_upward_imports_are_seen() -> None:
    assert upward_imports("import fastgat.spectral.solver", "fastgat.graph.graph")
    assert upward_imports("from fastgat import nn", "fastgat.data.catalogue")
    assert upward_imports("from fastgat import Graph", "fastgat.nn.conv")
    assert upward_imports("from ..spectral import solve", "fastgat.graph.graph")
    assert upward_imports("from ..sparsify import x", "fastgat.graph", is_package=True)
    assert upward_imports("from .. import sparsify", "fastgat.graph.graph")
    assert upward_imports("def f():\n  import fastgat.nn", "fastgat.sparsify.uniform")
    assert upward_imports("from experiments.records import Record", "fastgat.cli.train")
    assert upward_imports("from fastgat.train import fit", "fastgat.nn.conv")
    assert not upward_imports("from fastgat import _core", "fastgat.graph.graph")
    assert not upward_imports("from fastgat.graph import Graph", "fastgat.graph.convert")
    assert not upward_imports("from fastgat.nn import GATConv", "fastgat.cli.train")


def test_early_torch_is_seen() -> None:
    assert torch_imports("import torch", "fastgat.data.catalogue")
    assert torch_imports("try:\n  from torch.nn import Linear\nexcept E: pass", "fastgat")
    assert torch_imports("class A:\n  import torch_geometric.data", "fastgat.graph.graph")
    assert not torch_imports("def f():\n  import torch", "fastgat.graph.convert")
    assert not torch_imports("if TYPE_CHECKING:\n  import torch", "fastgat.graph.convert")
    assert not torch_imports("import torch", "fastgat.nn.conv")


@pytest.mark.parametrize("heavy", ["torch", "torch_geometric", "matplotlib"])
def test_import_fastgat_loads_nothing_heavy(heavy: str) -> None:
    code = f"import fastgat, sys; sys.exit({heavy!r} in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nn_is_loaded_when_asked_for() -> None:
    code = "import fastgat as fg, sys; assert 'torch' not in sys.modules; fg.nn.GATConv"
    subprocess.run([sys.executable, "-c", code], check=True)
