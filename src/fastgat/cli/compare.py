"""`fastgat compare`: what sparsifying keeps of the accuracy, and what it saves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastgat.check import check_count, check_seed
from fastgat.cli.options import JsonOption, NamesOption, SeedOption
from fastgat.cli.progress import command_line, training_progress
from fastgat.cli.run_table import show_runs
from fastgat.cli.sparsify_methods import SamplingOption
from fastgat.cli.tasks import FeaturesOption, LabelsOption, SplitOption, TaskArgument, load_task
from fastgat.cli.training_options import (
    Attention,
    AttentionOption,
    EpochsOption,
    LearningRateOption,
    PatienceOption,
    SeedsOption,
    WeightDecayOption,
    given,
)

if TYPE_CHECKING:
    from fastgat.train import Plan, RunRecord

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
    attention: AttentionOption = Attention.gat,
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
    as_json: JsonOption = False,
) -> None:
    """Train on the full graph, on sparse graphs, and on as many edges chosen otherwise.

    All methods have the same network, seeds and number of epochs. Beside the table a report in one
    HTML page is written.
    """
    check_seed(seed)
    check_count("seeds", seeds, 1)
    from fastgat.cli.comparison_plans import comparison_plans
    from fastgat.report import write_report
    from fastgat.sparsify import EffectiveResistanceSparsifier

    shared: dict[str, Any] = {"epochs": epochs, "patience": patience or None}
    told: dict[str, Any] = given(sampling=None if sampling is None else sampling.value)
    sparsifiers = [
        EffectiveResistanceSparsifier(epsilon=one, **told) for one in epsilon or (0.5, 0.9)
    ]
    shared |= given(learning_rate=learning_rate, weight_decay=weight_decay)
    records, folders = [], []
    folder = out
    for number in range(seed, seed + seeds):
        loaded, source = load_task(
            task, features, labels, names=names, split=split, split_seed=number
        )
        folder = Path("runs") / f"{loaded.name}-compare" if out is None else out
        plans = comparison_plans(loaded, sparsifiers, str(attention), number, shared, with_pyg=pyg)
        for plan in plans:
            place = folder / _slug(plan) / f"seed-{number}"
            name = f"{plan.label}, seed {number}"
            with training_progress(name, epochs) as on_epoch:
                record: RunRecord = plan.run(
                    loaded, folder=place, resume=resume, source=source, command=command_line(),
                    on_epoch=on_epoch, with_pictures=number == seed,
                )  # fmt: skip
            records.append(record)
            folders.append(place)
    assert folder is not None
    page = write_report(folders, folder / "report.html")
    show_runs(records, as_json=as_json, folders=[folder], report=page)


def _slug(plan: Plan) -> str:
    """A label as the name of a folder."""
    kept = "".join(char if char.isalnum() or char in ".=" else "-" for char in plan.label or "")
    return "-".join(part for part in kept.lower().split("-") if part)
