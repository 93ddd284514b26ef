"""`fastgat predict`: what a trained model says of the nodes of its graph, or of another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastgat.check import InputError
from fastgat.cli.arguments import check_output, load_task
from fastgat.cli.options import FeaturesOption, NamesOption

if TYPE_CHECKING:
    from fastgat.data import NodeTask

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
    attention: Annotated[
        Path | None,
        typer.Option("--attention", help="Write every arc's attention too: .parquet or .csv."),
    ] = None,
) -> None:
    """Write every node's predicted class, and how probable each class is.

    A run that was judged on a sparse graph predicts on one too, drawn with the run's seed.
    """
    from fastgat.train import TrainedModel
    from fastgat.train.table import check_table, write_table

    for path in (out, attention):
        if path is not None:
            check_table(path)
            check_output(path)
    trained = TrainedModel.load(run)
    task = _load(trained.source, on, features, names=names, num_classes=trained.num_classes)
    prediction = trained.predict(task)
    write_table(out, prediction.columns())
    if attention is not None:
        write_table(attention, trained.attention(task).columns())
    print(out)


def _load(
    source: dict[str, Any] | None,
    on: str | None,
    features: Path | None,
    *,
    names: bool,
    num_classes: int,
) -> NodeTask:
    if on is not None:
        return load_task(on, features, None, names=names, num_classes=num_classes)[0]
    if features is not None or names:
        raise InputError("--features and --names belong to another graph; give it with --on")
    if source is None:
        raise InputError("the run does not say what it was trained on; give it with --on")
    return load_task(
        source["task"],
        None if source.get("features") is None else Path(source["features"]),
        None if source.get("labels") is None else Path(source["labels"]),
        names=bool(source.get("names")),
        split=source.get("split"),
        split_seed=source["split_seed"],
    )[0]
