"""Write docs/api.md: every public name with its signature and docstring.

python scripts/api_reference.py [--check]
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import typing
from pathlib import Path
from typing import Any, Protocol

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
MODULES = {
    "fastgat": "Graphs, resistances, sparsifiers, tasks; loads no torch.",
    "fastgat.graph": "More of graphs.",
    "fastgat.graph.generators": "Graphs of any size.",
    "fastgat.graph.gallery": "Graphs with known answers.",
    "fastgat.spectral": "More of resistances and solves.",
    "fastgat.sparsify": "For sparsifiers of your own.",
    "fastgat.data": "Datasets, and how to add one.",
    "fastgat.nn": "Layers and the network.",
    "fastgat.train": "Training, and what came of it.",
    "fastgat.pyg": "For users of PyTorch Geometric.",
    "fastgat.report": "Run records as tables, pictures and a page.",
}
INTRODUCTION = """# API reference

Written by `python scripts/api_reference.py` from the docstrings.
"""


def main() -> None:
    """Write the page, or with --check tell whether it is up to date."""
    text = page()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else 1)
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(PAGE.parents[1])}")


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    shown: list[Any] = []
    for name, summary in MODULES.items():
        parts.append(f"## {name}\n\n{summary}\n")
        module = importlib.import_module(name)
        for public in public_names(module):
            thing = getattr(module, public)
            if has_docstring(thing) and not any(thing is other for other in shown):
                shown.append(thing)
                parts.append(entry(public, thing))
    return "\n".join(parts)


def has_docstring(thing: Any) -> bool:
    """Whether it has one of its own: a constant has none but its type's."""
    return inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isroutine(thing)


def public_names(module: Any) -> list[str]:
    """What the module offers itself, in its own order."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("__")]
    own = inspect.getmembers(module, inspect.isfunction)
    return [name for name, f in own if f.__module__ == module.__name__ and name[0] != "_"]


def entry(name: str, thing: Any) -> str:
    """One name: how it is called and what it gives."""
    lines = [f"### `{name}`", "", "```python", signature(name, thing), "```", ""]
    lines += [prose(inspect.getdoc(thing) or ""), ""]
    for method, function in methods(thing):
        first = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
        called = "" if isinstance(function, property) else arguments(function)
        lines.append(f"- `.{method}{called}`: {first}")
    return "\n".join([*lines, ""])


def signature(name: str, thing: Any) -> str:
    """The call, one argument per line where it is long."""
    if not callable(thing):
        return name
    if inspect.isclass(thing) and (typing.is_typeddict(thing) or Protocol in thing.__bases__):
        return name
    called = f"{name}{arguments(thing)}"
    if len(called) <= 88:
        return called
    inside = called[len(name) + 1 : -1].replace(", ", ",\n    ")
    return f"{name}(\n    {inside},\n)"


def arguments(function: Any) -> str:
    """Names and defaults, without types: the docstring says what they are."""
    try:
        shown = inspect.signature(function)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in shown.parameters.values()
        if p.name not in ("self", "cls")
    ]
    text = str(shown.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def prose(text: str) -> str:
    """A docstring in Markdown: its examples become code."""
    paragraphs = [
        f"```pycon\n{part}\n```" if part.startswith(">>>") else part for part in text.split("\n\n")
    ]
    return "\n\n".join(paragraphs)


def methods(thing: Any) -> list[tuple[str, Any]]:
    """Public methods and properties that a class of ours defines."""
    if not inspect.isclass(thing):
        return []
    found: dict[str, Any] = {}
    for base in reversed(thing.__mro__):
        if not base.__module__.startswith("fastgat"):
            continue
        for name, member in vars(base).items():
            plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if name[0] != "_" and (inspect.isfunction(plain) or isinstance(member, property)):
                found[name] = plain
    return [(name, member) for name, member in found.items() if inspect.getdoc(member)]


if __name__ == "__main__":
    main()
