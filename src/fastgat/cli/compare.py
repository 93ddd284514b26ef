"""`fastgat compare`: what sparsifying keeps of the accuracy, and what it saves."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastgat.check import InputError, check_count, check_seed
from fastgat.cli.arguments import (
    TaskFiles,
    command_line,
    given,
    load_task,
    parse_keep,
    resistance_cache,
)
from fastgat.cli.console import say, show_runs, training_bar
from fastgat.cli.exit import INCOMPLETE_REPORT
from fastgat.cli.needs import before_training
from fastgat.cli.options import (
    AttentionOption,
    DropoutOption,
    EpochsOption,
    FeaturesHeaderOption,
    FeaturesOption,
    HeaderOption,
    HeadsOption,
    HiddenOption,
    JsonOption,
    LabelColumnOption,
    LabelsHeaderOption,
    LabelsOption,
    LayersOption,
    LearningRateOption,
    NamesOption,
    NoCacheOption,
    NodeColumnOption,
    PatienceOption,
    PerNodeOption,
    SamplingOption,
    SeedOption,
    SeedsOption,
    SharesOption,
    SourceColumnOption,
    SplitOption,
    TargetColumnOption,
    TaskArgument,
    WeightColumnOption,
    WeightDecayOption,
)
from fastgat.sparsify import SPARSIFIERS

if TYPE_CHECKING:
    from fastgat.data import NodeTask
    from fastgat.train import Plan, RunRecord

EPSILONS = (0.5, 0.9)  # unless told
OTHERS = ("uniform", "degree")  # as `fastgat.train.plan` has them, which would load torch
RESISTANCE = "resistance"  # compared always
EXAMPLES = """\b
Examples:
  fastgat compare digits
  fastgat compare photo --epsilon 0.5 --epsilon 0.9 --seeds 3 --pyg
  fastgat compare photo --keep 0.5 --keep 0.2 --hidden 16 --heads 4
  fastgat compare photo --keep 0.1 --sparsifiers guided,similarity,degree
  fastgat compare roads.csv --features features.parquet --labels labels.csv
"""


def compare(
    task: TaskArgument,
    features: FeaturesOption = None,
    labels: LabelsOption = None,
    names: NamesOption = False,
    source_column: SourceColumnOption = None,
    target_column: TargetColumnOption = None,
    weight_column: WeightColumnOption = None,
    header: HeaderOption = None,
    node_column: NodeColumnOption = None,
    label_column: LabelColumnOption = None,
    features_header: FeaturesHeaderOption = None,
    labels_header: LabelsHeaderOption = None,
    shares: SharesOption = None,
    epsilon: Annotated[
        list[float] | None,
        typer.Option("--epsilon", help="A density to compare; give it again for more."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", metavar="SHARE|COUNT", help="A density as edges to keep: 0.3, or 20000."
        ),
    ] = None,
    sampling: SamplingOption = None,
    per_node: PerNodeOption = None,
    sparsifiers: Annotated[
        str,
        typer.Option(
            "--sparsifiers",
            metavar="NAME,...|all",
            help="Other ways to choose as many edges: names of --method of train, commas between, "
            "or all.",
        ),
    ] = ",".join(OTHERS),
    pyg: Annotated[
        bool, typer.Option("--pyg", help="Train PyG's own layers on the full graph as well, once.")
    ] = False,
    attention: AttentionOption = "gat",
    epochs: EpochsOption = 300,
    patience: PatienceOption = 0,
    learning_rate: LearningRateOption = None,
    weight_decay: WeightDecayOption = None,
    hidden: HiddenOption = None,
    heads: HeadsOption = None,
    layers: LayersOption = None,
    dropout: DropoutOption = None,
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

    All methods have the same network, seeds and number of epochs. Below them stand a logistic
    regression on the features alone and the majority class. Memory is that of a short run in a
    process of its own. Beside the table a report in one HTML page is written; where that fails, the
    exit code is 3.
    """
    check_seed(seed)
    check_count("seeds", seeds, 1)
    others = _others(sparsifiers)
    before_training("compare", task, features, labels, out, page=True)
    files = TaskFiles(
        names, source_column, target_column, weight_column, header, features, labels, node_column,
        label_column, features_header, labels_header, shares,
    )  # fmt: skip
    from fastgat.report import add_baselines, add_pictures, write_report
    from fastgat.sparsify import EffectiveResistanceSparsifier
    from fastgat.train.baselines import graph_free_baselines
    from fastgat.train.plan import comparison_plans, num_plans

    options: dict[str, Any] = {"epochs": epochs, "patience": patience or None}
    options |= given(learning_rate=learning_rate, weight_decay=weight_decay)
    sampled: dict[str, Any] = given(sampling=sampling, per_node=per_node)
    densities: list[dict[str, Any]] = [{"epsilon": one} for one in epsilon or ()]
    densities += [{"keep": parse_keep(one)} for one in keep or ()]
    densities = densities or [{"epsilon": one} for one in EPSILONS]
    compared = [EffectiveResistanceSparsifier(**one, **sampled) for one in densities]
    settings = given(
        hidden_channels=hidden, heads=heads, num_layers=layers, dropout=dropout,
        attention=attention,
    )  # fmt: skip
    records, folders, baselines, trouble = [], [], [], []
    counts: dict[str, int | float] = {}  # of the first seed, for all
    folder = out
    for number in range(seed, seed + seeds):
        loaded, source = load_task(task, files, split=split, split_seed=number, quiet=number > seed)
        folder = Path("runs") / f"{loaded.name}-compare" if out is None else out
        peers = _peers() if pyg and number == seed else {}  # slow: for its time, memory and score
        total = num_plans(len(compared), len(peers), others)
        with resistance_cache(no_cache=no_cache) as cache, _telling_what_is_kept(folder):
            plans = comparison_plans(
                loaded, compared, seed=number, settings=settings, options=options,
                peers=peers, others=others, counts=counts, cache=cache,
            )  # fmt: skip
            for method, plan in enumerate(plans, start=1):
                place = folder / _slug(plan.label or "") / f"seed-{number}"
                name = f"method {method} of {total}: {plan.label}, seed {number}"
                with training_bar(name, epochs, plain=True) as on_epoch:
                    record = plan.run(
                        loaded, folder=place, resume=resume, source=source, command=command_line(),
                        on_epoch=on_epoch, cache=cache,
                    )  # fmt: skip
                    if number == seed:
                        record = _with_memory(record, plan, loaded, place)
                        try:
                            record = add_pictures(place, loaded, cache=cache)
                        except Exception as error:
                            trouble.append(f"pictures of {plan.label}: {error}")
                records.append(record)
                folders.append(place)
            found = graph_free_baselines(loaded)
            baselines += found
            try:
                add_baselines(place, found)
            except Exception as error:
                trouble.append(f"baselines: {error}")
    assert folder is not None
    page = None
    try:
        with _telling_what_is_kept(folder):
            page = write_report(folders, folder / "report.html")
    except Exception as error:  # whatever it is, the runs are done and the table is to be seen
        trouble.append(f"the page: {error}")
    show_runs(records, as_json=as_json, folders=[folder], report=page, baselines=baselines)
    if trouble:
        say(f"the report is not complete, but the runs are: {'; '.join(trouble)}")
        raise typer.Exit(INCOMPLETE_REPORT)


@contextlib.contextmanager
def _telling_what_is_kept(folder: Path) -> Iterator[None]:
    """On Ctrl-C say that the runs which are finished are not lost."""
    from fastgat.train.record import runs_inside

    try:
        yield
    except KeyboardInterrupt as stopped:
        finished = len(runs_inside(folder))
        if finished == 0:
            raise
        said, runs = str(stopped) or "interrupted", "run is" if finished == 1 else "runs are"
        raise KeyboardInterrupt(
            f"{said}; {finished} finished {runs} kept in {folder}: the same command with --resume "
            "goes on"
        ) from None


def _with_memory(record: RunRecord, plan: Plan, task: NodeTask, folder: Path) -> RunRecord:
    """The record with the memory of the plan alone, whatever ran before in this process."""
    from fastgat.train.memory import measure_memory
    from fastgat.train.record import RECORD_FILE

    if record.measured_apart:  # in a comparison that was stopped
        return record
    peak, before = measure_memory(plan, task)
    record = dataclasses.replace(
        record, peak_bytes=peak, resident_bytes_before=before, measured_apart=True
    )
    record.write(folder / RECORD_FILE)
    return record


def _others(text: str) -> list[str]:
    """The names that were given; all of them but resistance, which is always there."""
    if text == "all":
        return [name for name in SPARSIFIERS if name != RESISTANCE]
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name == RESISTANCE or name not in SPARSIFIERS:
            known = ", ".join(one for one in SPARSIFIERS if one != RESISTANCE)
            raise InputError(f"--sparsifiers names {name!r}, but must be all, or some of {known}")
    return list(dict.fromkeys(names))


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
