"""What arguments stand for: graphs and tasks to read, sparsifiers, files to write."""

from __future__ import annotations

import contextlib
import inspect
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastgat.check import InputError
from fastgat.cli.console import Phases
from fastgat.files import write_atomically
from fastgat.graph import Graph, read_graph
from fastgat.sparsify import SPARSIFIERS

if TYPE_CHECKING:
    from fastgat.data import NodeTask


def load_argument(text: str, phases: Phases, *, names: bool, name: str = "read") -> Graph:
    """Read the graph that an argument names: a file, or else a dataset.

    Args:
        text: The argument.
        phases: Take down what reading costs.
        names: Whether nodes are names.
        name: Of the phase.
    """
    with phases.phase(name) as progress:
        if _is_file(text):
            return read_graph(text, names=names, progress=progress)
        from fastgat.data import graph_names, load_graph

        if text.lower().replace("_", "-") in graph_names():
            if names:
                raise InputError(f"--names is for files, but {text} is a dataset")
            return load_graph(text)
        if not os.path.lexists(text):
            known = ", ".join(graph_names())
            raise InputError(f"{text} is neither a file nor a dataset; datasets are {known}")
        return read_graph(text)  # refuses what is there, and says why


def load_task(
    text: str,
    features: Path | None,
    labels: Path | None,
    *,
    names: bool = False,
    split: str | None = None,
    split_seed: int = 0,
    num_classes: int | None = None,
) -> tuple[NodeTask, dict[str, Any]]:
    """The task that arguments name, and how it can be loaded again.

    Args:
        text: A dataset, a PyG file, or a graph file of the user's.
        features: File of the features, beside a graph file.
        labels: File of the labels, beside a graph file.
        names: Whether nodes are names.
        split: Of a dataset.
        split_seed: Of a split at random.
        num_classes: Where there are no labels, since a model is there already.
    """
    from fastgat.data import load_dataset, read_task

    is_file = _is_file(text)
    source: dict[str, Any] = {"task": text, "split_seed": split_seed}
    if is_file and split is not None:
        raise InputError(f"--split={split} is for datasets, but {text} is a file")
    if is_file and Path(text).suffix == ".pt":
        _refuse_options("a PyG file has features and labels", features, labels, names=names)
        from fastgat.pyg import read_pyg

        return read_pyg(text, split_seed=split_seed), source
    if is_file:
        if features is None:
            raise InputError(
                f"{text} is a graph alone; give --features and --labels, or the name of a dataset"
            )
        if labels is None and num_classes is None:
            raise InputError("there is nothing to learn without labels; give --labels")
        task = read_task(
            text, features, labels, names=names, split_seed=split_seed, num_classes=num_classes
        )
        files = {"features": str(features), "labels": None if labels is None else str(labels)}
        return task, {**source, **files, "names": names}
    _refuse_options(f"{text} is not a file", features, labels, names=names)
    chosen = "paper" if split is None else split
    task = load_dataset(text, split=chosen, split_seed=split_seed)  # type: ignore[arg-type]
    return task, {**source, "split": chosen}


def make_sparsifier(
    method: str,
    *,
    epsilon: float | None,
    keep: str | None,
    neighbors: int | None = None,
    sampling: str | None = None,
    spanning_forest: bool = False,
) -> Any:
    """The sparsifier that the options ask for; it checks their values itself.

    Args:
        method: Its name.
        epsilon: Density, by the paper's knob.
        keep: Density, as a share or a count of edges.
        neighbors: Density, as edges per node.
        sampling: How edges are drawn; None is the sparsifier's own way.
        spanning_forest: Whether to keep one.
    """
    densities = {"--epsilon": epsilon, "--keep": keep, "--neighbors": neighbors}
    chosen = [option for option, value in densities.items() if value is not None]
    if not chosen:
        raise InputError("give --epsilon, such as 0.5, or --keep, such as 0.3 or 20000")
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} exclude each other: give one of them")
    asked = {
        "epsilon": epsilon,
        "keep": parse_keep(keep),
        "neighbors": neighbors,
        "sampling": sampling,
        "spanning_forest": spanning_forest or None,
    }
    options = {name: value for name, value in asked.items() if value is not None}
    for name in options:
        if not _takes(method, name):
            raise _unused(method, name)
    return SPARSIFIERS[method](**options)


def _takes(method: str, option: str) -> bool:
    return option in inspect.signature(SPARSIFIERS[method]).parameters


def _unused(method: str, name: str) -> InputError:
    option = f"--{name.replace('_', '-')}"
    if name == "neighbors":
        others = " or ".join(other for other in SPARSIFIERS if _takes(other, name))
        return InputError(f"{option} is for --method {others}, not {method}")
    return InputError(f"--method {method} has no use for {option}: leave it out")


def parse_keep(text: str | None) -> int | float | None:
    """A whole number is a number of edges, any other a share of them.

    >>> parse_keep("20000"), parse_keep("0.3")
    (20000, 0.3)
    """
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InputError(f"keep={text!r} must be a fraction such as 0.3 or a number of edges")


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    with contextlib.suppress(_NothingToWriteError), write_atomically(path):
        raise _NothingToWriteError


class _NothingToWriteError(Exception):
    """Leaves `write_atomically` without writing."""


def command_line() -> str:
    """The command that is running, as a shell takes it."""
    return shlex.join(["fastgat", *sys.argv[1:]])


def _is_file(text: str) -> bool:
    return os.path.isfile(text)  # noqa: PTH113 (Path.is_file raises on names too long)


def _refuse_options(why: str, features: Path | None, labels: Path | None, *, names: bool) -> None:
    for option, value in {"--features": features, "--labels": labels, "--names": names}.items():
        if value:
            raise InputError(f"{why}; leave out {option}")
