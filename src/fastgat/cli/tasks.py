"""What a verb is to learn from: a dataset by name, a PyG file, or the user's own files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastgat.check import InputError

if TYPE_CHECKING:
    from fastgat.data import NodeTask

TaskArgument = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        help="The name of a dataset; a graph file, with --features and --labels; or a file (.pt) "
        "of a PyG Data.",
    ),
]
FeaturesOption = Annotated[
    Path | None,
    typer.Option("--features", help="A row of numbers per node: .npy, .npz, .csv or .parquet."),
]
LabelsOption = Annotated[
    Path | None,
    typer.Option("--labels", help="A label per node, or columns of 0 and 1: the same formats."),
]
SplitOption = Annotated[
    str | None,
    typer.Option("--split", help="paper: at random by seed, unless told; public: the published."),
]


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
    """The task, and how it can be loaded again."""
    from fastgat.data import load_dataset, read_task

    is_file = os.path.isfile(text)  # noqa: PTH113 (Path.is_file raises on names too long)
    source: dict[str, Any] = {"task": text, "split_seed": split_seed}
    if is_file and split is not None:
        raise InputError(f"--split={split} is for datasets, but {text} is a file")
    if is_file and Path(text).suffix == ".pt":
        _refuse_options("a PyG file has features and labels", features, labels, names=names)
        from fastgat.pyg.read import read_pyg

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
        given = {"features": str(features), "labels": None if labels is None else str(labels)}
        return task, {**source, **given, "names": names}
    _refuse_options(f"{text} is not a file", features, labels, names=names)
    chosen = "paper" if split is None else split
    task = load_dataset(text, split=chosen, split_seed=split_seed)  # type: ignore[arg-type]
    return task, {**source, "split": chosen}


def _refuse_options(why: str, features: Path | None, labels: Path | None, *, names: bool) -> None:
    given = {"--features": features, "--labels": labels, "--names": names}
    for option, value in given.items():
        if value:
            raise InputError(f"{why}; leave out {option}")
