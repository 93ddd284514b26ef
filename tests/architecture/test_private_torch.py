"""Nothing of ours touches what torch keeps for itself: `torch._C` and other underscored names.

A tensor's `_version` is excepted: torch has no public way to ask whether a tensor was written to.
"""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "fastgat"
ALLOWED = {"_version"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def torch_names(tree: ast.AST) -> dict[str, str]:
    """What the names that a module imports from torch stand for: `F` -> `torch.nn.functional`."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "torch":
                    found[alias.asname or "torch"] = alias.name if alias.asname else "torch"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


@cache
def tensor_privates() -> frozenset[str]:
    """Underscored attributes that tensors and modules of torch have, whatever a variable's name."""
    torch = importlib.import_module("torch")
    kinds = (torch.Tensor, torch.nn.Module(), torch.autograd.Function)
    return frozenset(name for kind in kinds for name in dir(kind) if is_private(name))


def private_uses(source: str) -> list[str]:
    """Underscored names of torch in a module, imported, reached through a dot or by getattr."""
    tree = ast.parse(source)
    ours = {node.attr for node in ast.walk(tree) if _is_own(node)}
    names = torch_names(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if _has_private_part(a.name)]
        elif isinstance(node, ast.ImportFrom):
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in full if _has_private_part(name)]
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            root = ast.unparse(node).split(".")[0]
            known = node.attr in tensor_privates() and node.attr not in ours
            if node.attr not in ALLOWED and (root in names or known):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "setattr"):
            asked = node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
            if asked in tensor_privates() - ALLOWED:
                found.append(f"{ast.unparse(node.func)} of {asked}")
    return found


def _has_private_part(name: str) -> bool:
    first, *rest = name.split(".")
    return first == "torch" and any(map(is_private, rest))


def _is_own(node: ast.AST) -> bool:
    """Whether the node sets an attribute of `self`: then the name is the class's own."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "self"
    )


def test_no_module_touches_what_torch_keeps_for_itself() -> None:
    found = {
        str(file.relative_to(PACKAGE)): uses
        for file in sorted(PACKAGE.rglob("*.py"))
        if (uses := private_uses(file.read_text()))
    }
    assert not found, f"underscored names of torch: {found}"


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch._C._nn.linear(x)",
        "import torch._C",
        "from torch import _C",
        "from torch._dynamo import disable",
        "from torch.utils import _pytree as tree",
        "import torch as t\nt._foreach_add_(a, b)",
        "from torch import Tensor\nTensor._make_subclass(A, b)",
        "def f(x):\n  return x._base",
        "getattr(x, '_base')",
        "layer._forward_hooks.clear()",
    ],
)
def test_private_names_are_seen(source: str) -> None:
    assert private_uses(source)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.__version__",
        "def f(x):\n  return x._version",
        "import torch.nn.functional as F\nF.elu(x)",
        "class A:\n  def f(self):\n    self._base = 3\n    return self._base",
        "from fastgat import _core\n_core.solve(x)",
        "x.add_(1)",
    ],
)
def test_public_names_pass(source: str) -> None:
    assert not private_uses(source)
