"""`fastgat compare`: what sparsifying keeps of the accuracy, and what it saves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fastgat.check import check_count, check_seed
from fastgat.cli.arguments import command_line, load_task
from fastgat.cli.console import show_runs, training_bar
from fastgat.cli.options import (
    AttentionOption,
    EpochsOption,
    FeaturesOption,
    JsonOption,
    LabelsOption,
    LearningRateOption,
    NamesOption,
    NoCacheOption,
    PatienceOption,
    SamplingOption,
    SeedOption,
    SeedsOption,
    SplitOption,
    TaskArgument,
    WeightDecayOption,
    given,
)

EXAMPLES = """\b
Examples:
  fastgat compare digits
  fastgat compare photo --epsilon 0.5 --epsilon 0.9 --seeds 3 --pyg
  fastgat compare roads.csv --features features.parquet --labels labels.csv
"""


def compare(
    task: TaskArgument,
    features: FeaturesOption = None,
    labels: LabelsOption = None,
    names: NamesOption = False,
    epsilon: Annotated[
        list[float] | None,
        typer.Option("--epsilon", help="A density to compare; give it again for more."),
    ] = None,
    sampling: SamplingOption = None,
    pyg: Annotated[
        bool, typer.Option("--pyg", help="Train PyG's own layers on the full graph as well.")
    ] = False,
    attention: AttentionOption = "gat",
    epochs: EpochsOption = 300,
    patience: PatienceOption = 0,
    learning_rate: LearningRateOption = None,
    weight_decay: WeightDecayOption = None,
    split: SplitOption = None,
    seed: SeedOption = 0,
    seeds: SeedsOption = 1,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the runs: runs/TASK-compare.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a comparison that was stopped.")
    ] = False,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train on the full graph, on sparse graphs, and on the same count of edges chosen otherwise.

    All methods have the same network, seeds and number of epochs. Beside the table a report in one
    HTML page is written.
    """
    check_seed(seed)
    check_count("seeds", seeds, 1)
    from fastgat.report import add_pictures, write_report
    from fastgat.sparsify import EffectiveResistanceSparsifier
    from fastgat.train.comparison import comparison_plans

    options: dict[str, Any] = {"epochs": epochs, "patience": patience or None}
    options |= given(learning_rate=learning_rate, weight_decay=weight_decay)
    sampled: dict[str, Any] = given(sampling=sampling)
    sparsifiers = [
        EffectiveResistanceSparsifier(epsilon=one, **sampled) for one in epsilon or (0.5, 0.9)
    ]
    cache = None if no_cache else True
    records, folders = [], []
    folder = out
    for number in range(seed, seed + seeds):
        loaded, source = load_task(
            task, features, labels, names=names, split=split, split_seed=number
        )
        folder = Path("runs") / f"{loaded.name}-compare" if out is None else out
        plans = comparison_plans(
            loaded, sparsifiers, seed=number, settings={"attention": attention}, options=options,
            peers=_peers() if pyg else None, cache=cache,
        )  # fmt: skip
        for plan in plans:
            place = folder / _slug(plan.label or "") / f"seed-{number}"
            with training_bar(f"{plan.label}, seed {number}", epochs) as on_epoch:
                record = plan.run(
                    loaded, folder=place, resume=resume, source=source, command=command_line(),
                    on_epoch=on_epoch, cache=cache,
                )  # fmt: skip
                if number == seed:
                    record = add_pictures(place, loaded, cache=cache)
            records.append(record)
            folders.append(place)
    assert folder is not None
    page = write_report(folders, folder / "report.html")
    show_runs(records, as_json=as_json, folders=[folder], report=page)


def _peers() -> dict[str, Any]:
    from fastgat.pyg import PyGGAT

    return {"PyG": PyGGAT}


def _slug(label: str) -> str:
    """A label as the name of a folder.

    >>> _slug("FastGAT, epsilon=0.5")
    'fastgat-epsilon=0.5'
    """
    kept = "".join(char if char.isalnum() or char in ".=" else "-" for char in label)
    return "-".join(part for part in kept.lower().split("-") if part)
