"""What arguments stand for: graphs and tasks to read, sparsifiers, files to write."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastgat.check import InputError
from fastgat.cli.console import Phases, say
from fastgat.files import write_atomically
from fastgat.graph import Graph, read_graph
from fastgat.sparsify import SPARSIFIERS
from fastgat.spectral import Cache

if TYPE_CHECKING:
    from fastgat.data import NodeTask


@dataclass(frozen=True)
class EdgeFile:
    """What options say of a file of edges; None: find out."""

    names: bool = False
    source_column: str | None = None
    target_column: str | None = None
    weight_column: str | None = None
    header: bool | None = None

    def options(self) -> dict[str, Any]:
        """Those that were given."""
        unset = {field.name: field.default for field in fields(self)}
        return {name: value for name, value in vars(self).items() if value != unset[name]}

    def refuse(self, why: str) -> None:
        """Refuse options that are for files, where there is none."""
        for key in self.options():
            raise InputError(f"{why}; leave out --{key.replace('_', '-')}")


@dataclass(frozen=True)
class TaskFiles(EdgeFile):
    """What options say of a task of the user's."""

    features: Path | None = None
    labels: Path | None = None
    node_column: str | None = None
    label_column: str | None = None
    features_header: bool | None = None
    labels_header: bool | None = None
    shares: str | None = None


def load_graph_argument(text: str, phases: Phases, *, file: EdgeFile, phase: str = "read") -> Graph:
    """Read the graph that an argument names: a file, or else a dataset.

    Args:
        text: The argument.
        phases: Take down what reading costs.
        file: What options say of the file.
        phase: The name of this phase.
    """
    with phases.phase(phase) as progress:
        if _is_file(text):
            told: list[str] = []
            graph = read_graph(text, **file.options(), progress=progress, say=told.append)
            for sentence in filter(_may_surprise, told):
                say(f"{text}: {sentence}")
            return graph
        from fastgat.data import graph_names, load_graph

        if text.lower().replace("_", "-") in graph_names():
            file.refuse(f"{text} is a dataset, not a file")
            return load_graph(text)
        if not os.path.lexists(text):
            near = difflib.get_close_matches(text.lower(), graph_names(), n=1)
            known = f"datasets are {', '.join(graph_names())}"
            way_out = f"did you mean {near[0]!r}?" if near else known
            raise InputError(f"{text} is neither a file nor a dataset; {way_out}")
        return read_graph(text)  # refuses what is there, and says why


def _may_surprise(sentence: str) -> bool:
    """Whether columns were left out, or numbers without a name taken for weights."""
    return "left out" in sentence or ("no header" in sentence and "without weights" not in sentence)


def load_task(
    text: str,
    files: TaskFiles,
    *,
    split: str | None = None,
    split_seed: int = 0,
    num_classes: int | None = None,
    quiet: bool = False,
) -> tuple[NodeTask, dict[str, Any]]:
    """The task that arguments name, and how it can be loaded again, from any folder.

    Args:
        text: A dataset, a PyG file, or a graph file of the user's.
        files: What options say of the user's files.
        split: Of a dataset, or a file of masks.
        split_seed: Of a split at random.
        num_classes: Where there are no labels, since a model is there already.
        quiet: Leave out what was read.
    """
    from fastgat.data import load_dataset, parse_shares, read_task

    listen = None if quiet else say
    source: dict[str, Any] = {"task": text, "split_seed": split_seed}
    shares = None if files.shares is None else parse_shares(files.shares)
    if not _is_file(text):
        files.refuse(f"{text} is not a file")
        chosen = "paper" if split is None else split
        task = load_dataset(text, split=chosen, split_seed=split_seed)  # type: ignore[arg-type]
        return task, {**source, "split": chosen}
    source["task"] = str(Path(text).resolve())
    given_files = files.options()
    if Path(text).suffix == ".pt":
        allowed = given(shares=files.shares)
        if others := [key for key in given_files if key not in allowed]:
            option = others[0].replace("_", "-")
            raise InputError(f"a PyG file has features and labels; leave out --{option}")
        if split is not None:
            raise InputError(
                f"--split={split} is for datasets and graph files; masks lie in {text}"
            )
        from fastgat.data.splits import OWN_SHARES
        from fastgat.pyg import read_pyg

        chosen_shares = OWN_SHARES if shares is None else shares
        task = read_pyg(
            text, shares=chosen_shares, split_seed=split_seed, say=listen,
            unlabelled_classes=num_classes,
        )  # fmt: skip
        return task, {**source, **allowed}
    if files.features is None:
        raise InputError(
            f"{text} is a graph alone; give --features and --labels, or the name of a dataset"
        )
    if files.labels is None and num_classes is None:
        raise InputError("there is nothing to learn without labels; give --labels")
    options = {key: value for key, value in given_files.items() if key != "shares"}
    options.setdefault("labels", None)
    task = read_task(
        text, **options, split=split, shares=shares, split_seed=split_seed,
        num_classes=num_classes, say=listen,
    )  # fmt: skip
    stored = {
        key: str(value.resolve()) if isinstance(value, Path) else value
        for key, value in given_files.items()
    }
    return task, {**source, **given(split=_resolved(split)), "files": stored}


def load_again(source: dict[str, Any]) -> NodeTask:
    """The task of a run, from what `load_task` said of it."""
    stored = dict(source.get("files", {}))
    for key in ("features", "labels"):
        if key in stored:
            stored[key] = Path(stored[key])
    files = TaskFiles(**stored) if stored else TaskFiles(shares=source.get("shares"))
    return load_task(
        source["task"],
        files,
        split=source.get("split"),
        split_seed=source["split_seed"],
        quiet=True,
    )[0]


def _resolved(path: str | None) -> str | None:
    return None if path is None else str(Path(path).resolve())


def make_sparsifier(
    method: str,
    *,
    epsilon: float | None,
    keep: str | None,
    neighbors: int | None = None,
    sampling: str | None = None,
    spanning_forest: bool = False,
    per_node: bool | None = None,
    warm_up: int | None = None,
    refresh: int | None = None,
) -> Any:
    """The sparsifier that the options ask for; it checks their values itself.

    Args:
        method: Its name.
        epsilon: Density, by the paper's knob.
        keep: Density, as a share or a count of edges.
        neighbors: Density, as edges per node.
        sampling: How edges are drawn; None is the sparsifier's own way.
        spanning_forest: Whether to keep one.
        per_node: Whether every node keeps its share; None is the sparsifier's own way.
        warm_up: Epochs before a guided one chooses edges; None is its own number.
        refresh: Epochs from one choice to the next.
    """
    densities = {"--epsilon": epsilon, "--keep": keep, "--neighbors": neighbors}
    chosen = [option for option, value in densities.items() if value is not None]
    if not chosen and takes_density(method):
        raise InputError("give --epsilon, such as 0.5, or --keep, such as 0.3 or 20000")
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} exclude each other: give one of them")
    asked = {
        "epsilon": epsilon,
        "keep": parse_keep(keep),
        "neighbors": neighbors,
        "sampling": sampling,
        "spanning_forest": spanning_forest or None,
        "per_node": per_node,
        "warm_up": warm_up,
        "refresh": refresh,
    }
    options = {name: value for name, value in asked.items() if value is not None}
    for name in options:
        if not _takes(method, name):
            raise _unused(method, name)
    return SPARSIFIERS[method](**options)


def takes_density(method: str) -> bool:
    """Whether a sparsifier is told how many edges to keep; one of the user's may know itself."""
    return any(_takes(method, name) for name in ("epsilon", "keep", "neighbors"))


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


def given(**settings: object) -> dict[str, object]:
    """The options that were given: for the others, the library has its own defaults."""
    return {name: value for name, value in settings.items() if value is not None}


@contextlib.contextmanager
def resistance_cache(*, no_cache: bool) -> Iterator[Cache]:
    """The user's cache, or one that ends with the command: no graph is worked on twice in it."""
    if not no_cache:
        yield True
        return
    with tempfile.TemporaryDirectory(prefix="fastgat-") as folder:
        yield folder


def check_output(path: Path, inputs: Mapping[str, str | Path | None] | None = None) -> None:
    """Refuse a file that cannot be written, before anything is computed for it.

    `inputs`, files or datasets by what they are, are not to be written over.
    """
    with contextlib.suppress(_NothingToWriteError), write_atomically(path):
        raise _NothingToWriteError
    for what, file in (inputs or {}).items():
        if file is not None and is_same_file(path, file):
            raise InputError(f"{path} is {what}; write to another file")


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Whether two names are of one file; it need not be there yet."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    there = os.path.exists(one) and os.path.exists(other)  # noqa: PTH110 - refuses no name
    return there and os.path.samefile(one, other)  # noqa: PTH121


class _NothingToWriteError(Exception):
    """Leaves `write_atomically` without writing."""


def command_line() -> str:
    """The command that is running, as a shell takes it."""
    return shlex.join(["fastgat", *sys.argv[1:]])


def _is_file(text: str) -> bool:
    return os.path.isfile(text)  # noqa: PTH113 (Path.is_file raises on names too long)
