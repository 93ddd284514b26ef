"""Options that every verb which trains has."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Attention(StrEnum):
    """Where attention comes from."""

    gat = "gat"
    gatv2 = "gatv2"
    cosine = "cosine"
    gaan = "gaan"


class Resample(StrEnum):
    """When graphs are drawn."""

    const = "const"
    layer = "layer"
    head = "head"


class EvaluateOn(StrEnum):
    """Which graph the model is judged on."""

    sparse = "sparse"
    full = "full"


class EdgeWeight(StrEnum):
    """What the weights of a sparse graph are for."""

    ignore = "ignore"
    prior = "prior"


AttentionOption = Annotated[
    Attention, typer.Option("--attention", help="How a pair of nodes is scored.")
]
ResampleOption = Annotated[
    Resample,
    typer.Option(
        "--resample",
        help="One sparse graph for good, or a fresh one per layer or per head at every step.",
    ),
]
EvaluateOnOption = Annotated[
    EvaluateOn, typer.Option("--evaluate-on", help="The graph that scores are measured on.")
]
EdgeWeightOption = Annotated[
    EdgeWeight,
    typer.Option(
        "--edge-weight", help="Ignore the sparse graph's weights, or use them as a prior."
    ),
]
EpochsOption = Annotated[int, typer.Option("--epochs", help="The most epochs to train.")]
PatienceOption = Annotated[
    int,
    typer.Option("--patience", help="Epochs without progress after which to stop; 0: never."),
]
LearningRateOption = Annotated[
    float | None, typer.Option("--learning-rate", help="As recommended for the dataset.")
]
WeightDecayOption = Annotated[
    float | None, typer.Option("--weight-decay", help="As recommended for the dataset.")
]
HiddenOption = Annotated[int | None, typer.Option("--hidden", help="Channels of every head.")]
HeadsOption = Annotated[int | None, typer.Option("--heads", help="Heads of the hidden layers.")]
LayersOption = Annotated[int | None, typer.Option("--layers", help="Attention layers.")]
DropoutOption = Annotated[
    float | None, typer.Option("--dropout", help="Share of inputs and attention left out.")
]
SeedsOption = Annotated[
    int, typer.Option("--seeds", help="Repeat with so many seeds, from --seed on.")
]
SplitSeedOption = Annotated[
    int | None,
    typer.Option("--split-seed", help="Deal out the nodes by this seed, not by --seed."),
]


def given(**settings: object) -> dict[str, object]:
    """Those that were given."""
    return {name: value for name, value in settings.items() if value is not None}
