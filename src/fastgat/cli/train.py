"""`fastgat train`: a model for a dataset or for the user's own graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fastgat.check import InputError, check_count, check_seed
from fastgat.cli.arguments import (
    TaskFiles,
    command_line,
    given,
    load_task,
    make_sparsifier,
    resistance_cache,
    takes_density,
)
from fastgat.cli.console import show_runs, training_bar
from fastgat.cli.needs import before_training
from fastgat.cli.options import (
    AttentionOption,
    DropoutOption,
    EdgeWeightOption,
    EpochsOption,
    EpsilonOption,
    EvaluateOnOption,
    FeaturesHeaderOption,
    FeaturesOption,
    HeaderOption,
    HeadsOption,
    HiddenOption,
    JsonOption,
    KeepOption,
    LabelColumnOption,
    LabelsHeaderOption,
    LabelsOption,
    LayersOption,
    LearningRateOption,
    MethodOption,
    NamesOption,
    NoCacheOption,
    NodeColumnOption,
    PatienceOption,
    PerNodeOption,
    RefreshOption,
    ResampleOption,
    SamplingOption,
    SeedOption,
    SeedsOption,
    SharesOption,
    SourceColumnOption,
    SplitOption,
    SplitSeedOption,
    TargetColumnOption,
    TaskArgument,
    WarmUpOption,
    WeightColumnOption,
    WeightDecayOption,
)
from fastgat.sparsify import SPARSIFIERS, ScoreSparsifier

RESISTANCE = "resistance"  # the method unless told
EXAMPLES = """\b
Examples:
  fastgat train photo --epsilon 0.5 --out runs/photo
  fastgat train photo --epsilon 0.5 --out runs/photo --resume
  fastgat train photo --keep 0.1 --method guided --evaluate-on better
  fastgat train digits --seeds 5
  fastgat train roads.csv --features features.parquet --labels labels.csv --keep 0.3
"""


def train(
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
    epsilon: EpsilonOption = None,
    keep: KeepOption = None,
    adaptive: Annotated[
        bool,
        typer.Option("--adaptive", help="Start at epsilon 0.9; add edges as learning slows down."),
    ] = False,
    method: MethodOption = RESISTANCE,
    sampling: SamplingOption = None,
    per_node: PerNodeOption = None,
    warm_up: WarmUpOption = None,
    refresh: RefreshOption = None,
    attention: AttentionOption = "gat",
    resample: ResampleOption = "const",
    evaluate_on: EvaluateOnOption = "sparse",
    edge_weight: EdgeWeightOption = "ignore",
    epochs: EpochsOption = 1000,
    patience: PatienceOption = 100,
    learning_rate: LearningRateOption = None,
    weight_decay: WeightDecayOption = None,
    hidden: HiddenOption = None,
    heads: HeadsOption = None,
    layers: LayersOption = None,
    dropout: DropoutOption = None,
    split: SplitOption = None,
    seed: SeedOption = 0,
    seeds: SeedsOption = 1,
    split_seed: SplitSeedOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of the run: runs/TASK unless told."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was stopped.")
    ] = False,
    checkpoint_every: Annotated[
        int, typer.Option("--checkpoint-every", help="Epochs from one checkpoint to the next.")
    ] = 25,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train attention on a graph, or on the few edges that carry its spectrum.

    Without --epsilon, --keep or --adaptive every edge is kept. The folder of the run receives the
    config, the record of what came of it, the weights and a log; with several seeds, one folder
    each. Ctrl-C saves the epoch, and --resume goes on.
    """
    check_seed(seed)
    check_count("seeds", seeds, 1)
    files = TaskFiles(
        names, source_column, target_column, weight_column, header, features, labels, node_column,
        label_column, features_header, labels_header, shares,
    )  # fmt: skip
    sparsifier = _choose_sparsifier(
        method, epsilon, keep, adaptive=adaptive, sampling=sampling, per_node=per_node,
        warm_up=warm_up, refresh=refresh,
    )  # fmt: skip
    before_training("train", task, features, labels, out)

    from fastgat.report.pictures import add_pictures
    from fastgat.train import AdaptiveDensity, TrainConfig
    from fastgat.train.plan import Plan, recommended_training

    settings = given(
        hidden_channels=hidden, heads=heads, num_layers=layers, dropout=dropout,
        attention=attention, resample=resample,
    )  # fmt: skip
    folders, records = [], []
    for number in range(seed, seed + seeds):
        loaded, source = load_task(
            task, files, split=split,
            split_seed=number if split_seed is None else split_seed, quiet=number > seed,
        )  # fmt: skip
        chosen = given(learning_rate=learning_rate, weight_decay=weight_decay)
        config = TrainConfig(
            epochs=epochs,
            patience=patience or None,
            sparsifier=sparsifier,
            adaptive=AdaptiveDensity() if adaptive else None,
            evaluate_on=evaluate_on,
            edge_weight=edge_weight,
            seed=number,
            **{**recommended_training(loaded), **chosen},
        )
        folder = Path("runs") / loaded.name if out is None else out
        folder = folder / f"seed-{number}" if seeds > 1 else folder
        bar = training_bar(f"{loaded.name}, seed {number}", epochs)
        with bar as on_epoch, resistance_cache(no_cache=no_cache) as cache:
            Plan(None, config, settings).run(
                loaded, folder=folder, resume=resume, checkpoint_every=checkpoint_every,
                source=source, command=command_line(), on_epoch=on_epoch, cache=cache,
            )  # fmt: skip
            record = add_pictures(folder, loaded, cache=cache)
        folders.append(folder)
        records.append(record)
    show_runs(records, as_json=as_json, folders=folders, report=None)


def _choose_sparsifier(
    method: str,
    epsilon: float | None,
    keep: str | None,
    *,
    adaptive: bool,
    **options: Any,
) -> Any:
    """The sparsifier that the options ask for; None keeps every edge.

    Args:
        method: Its name.
        epsilon: Density, by the paper's knob.
        keep: Density, as a share or a count of edges.
        adaptive: Whether the number of edges changes while training.
        options: Further ones of `make_sparsifier`, None where they were not given.
    """
    if adaptive:
        if epsilon is not None or keep is not None:
            raise InputError(
                "--adaptive chooses the number of edges itself; leave out --epsilon and --keep"
            )
        if not issubclass(SPARSIFIERS[method], ScoreSparsifier):
            raise InputError(
                f"--adaptive needs a method with a score per edge, such as {RESISTANCE}, but "
                f"--method {method} has none"
            )
        from fastgat.sparsify.density import DEFAULT_EPSILON

        epsilon = DEFAULT_EPSILON  # of no effect: the schedule has its own two
    if epsilon is None and keep is None and takes_density(method):
        if given(**options) or method != RESISTANCE:
            raise InputError(
                "--method and its options (--sampling, --per-node, --warm-up, --refresh) choose "
                "edges: give --epsilon or --keep too"
            )
        return None
    return make_sparsifier(method, epsilon=epsilon, keep=keep, **options)
