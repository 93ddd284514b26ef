"""`fastgat predict`: what a trained model says of the nodes of its graph, or of another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastgat.check import InputError
from fastgat.cli.arguments import (
    TaskFiles,
    check_output,
    is_same_file,
    load_again,
    load_task,
    resistance_cache,
)
from fastgat.cli.needs import before_predicting
from fastgat.cli.options import (
    FeaturesHeaderOption,
    FeaturesOption,
    HeaderOption,
    NamesOption,
    NoCacheOption,
    NodeColumnOption,
    SourceColumnOption,
    TargetColumnOption,
    WeightColumnOption,
)

if TYPE_CHECKING:
    from fastgat.data import NodeTask
    from fastgat.train.predict import TrainedModel

EXAMPLES = """\b
Examples:
  fastgat predict runs/photo --out predictions.parquet
  fastgat predict runs/photo --out predictions.csv --attention attention.parquet
  fastgat predict runs/mine --on new-edges.csv --features new-features.npz --out new.csv
"""


def predict(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a finished run.")],
    out: Annotated[
        Path, typer.Option("--out", help="Where to write the predictions: .parquet or .csv.")
    ],
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="TASK", help="Another dataset or graph than the run's."),
    ] = None,
    features: FeaturesOption = None,
    names: NamesOption = False,
    source_column: SourceColumnOption = None,
    target_column: TargetColumnOption = None,
    weight_column: WeightColumnOption = None,
    header: HeaderOption = None,
    node_column: NodeColumnOption = None,
    features_header: FeaturesHeaderOption = None,
    attention: Annotated[
        Path | None,
        typer.Option("--attention", help="Write every arc's attention too: .parquet or .csv."),
    ] = None,
    no_cache: NoCacheOption = False,
) -> None:
    """Write every node's predicted class, and how probable each class is.

    A run that was judged on a sparse graph predicts on one too, drawn with the run's seed.
    """
    before_predicting(run, on, features)
    from fastgat.train.predict import TrainedModel, check_table, write_table

    trained = TrainedModel.load(run)
    inputs = _inputs(trained.source or {}, on, features)
    for path in (out, attention):
        if path is not None:
            check_table(path)
            check_output(path, inputs)
    if attention is not None and is_same_file(out, attention):
        raise InputError(f"--out and --attention both name {out}; give each a file of its own")
    files = TaskFiles(
        names, source_column, target_column, weight_column, header, features, None, node_column,
        None, features_header,
    )  # fmt: skip
    task = _load(trained, on, files)
    with resistance_cache(no_cache=no_cache) as cache:
        write_table(out, trained.predict(task, cache=cache).columns())
        if attention is not None:
            write_table(attention, trained.attention(task, cache=cache).columns())
    print(out)


def _inputs(
    source: dict[str, Any], on: str | None, features: Path | None
) -> dict[str, str | Path | None]:
    """The files of the run and those that are given, by what they are."""
    files = source.get("files", {})
    return {
        "the graph itself": on,
        "the file of features": features,
        "the graph of the run": source.get("task"),
        "the file of the run's features": files.get("features"),
        "the file of the run's labels": files.get("labels"),
        "the file of the run's split": source.get("split"),
    }


def _load(trained: TrainedModel, on: str | None, files: TaskFiles) -> NodeTask:
    if on is not None:
        return load_task(on, files, num_classes=trained.num_classes)[0]
    files.refuse("the run's own graph is read again; for another one, give it with --on")
    if trained.source is None:
        raise InputError("the run does not say what it was trained on; give it with --on")
    task = load_again(trained.source)
    trained.check_unchanged(task)
    return task
