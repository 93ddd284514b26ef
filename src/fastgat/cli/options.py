"""Arguments and options that verbs share; the choices are the library's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fastgat.sparsify import SPARSIFIERS
from fastgat.sparsify.sampling import Sampling
from fastgat.train.config import EdgeWeight, EvaluateOn

# Those of FastGAT, whose module would load torch; a test keeps them equal.
ATTENTIONS = ("gat", "gatv2", "cosine", "gaan")
Resample = Literal["const", "layer", "head"]

if TYPE_CHECKING:
    Method = str
else:
    Method = Literal[tuple(SPARSIFIERS)]  # those registered from outside included

# What every verb has.
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed, the same result.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of tables.")
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor keep resistances computed before.")
]

# What it works on.
GraphArgument = Annotated[
    str, typer.Argument(metavar="GRAPH", help="A graph file, or the name of a dataset.")
]
NamesOption = Annotated[
    bool, typer.Option("--names", help="Nodes are names, any text, instead of numbers.")
]
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
    typer.Option(
        "--features", help="A row of numbers per node: .csv, .tsv, .txt, .parquet, .npy or .npz."
    ),
]
LabelsOption = Annotated[
    Path | None,
    typer.Option("--labels", help="A label per node, or columns of 0 and 1: the same formats."),
]
SourceColumnOption = Annotated[
    str | None,
    typer.Option("--source-column", help="Of the edges: its name, or its number from 0."),
]
TargetColumnOption = Annotated[
    str | None,
    typer.Option("--target-column", help="Of the edges: its name, or its number from 0."),
]
WeightColumnOption = Annotated[
    str | None,
    typer.Option("--weight-column", help="Of the edges: its name, or its number from 0."),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the edges begin with a line of names."),
]
NodeColumnOption = Annotated[
    str | None,
    typer.Option("--node-column", help="Of features and labels: says whose row it is."),
]
LabelColumnOption = Annotated[
    str | None, typer.Option("--label-column", help="Of the labels: the column to learn.")
]
FeaturesHeaderOption = Annotated[
    bool | None,
    typer.Option("--features-header/--no-features-header", help="As --header, of the features."),
]
LabelsHeaderOption = Annotated[
    bool | None,
    typer.Option("--labels-header/--no-labels-header", help="As --header, of the labels."),
]
SharesOption = Annotated[
    str | None,
    typer.Option(
        "--shares",
        metavar="TRAIN/VALIDATION/TEST",
        help="Percent of the labelled nodes of a graph file: 60/20/20 unless told.",
    ),
]
SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split",
        help="Of a dataset: paper, at random by seed, or public. Of a graph file: an .npz with "
        "train_mask, val_mask and test_mask.",
    ),
]
SplitSeedOption = Annotated[
    int | None,
    typer.Option("--split-seed", help="Split the nodes by this seed, not by --seed."),
]

# Which edges it keeps.
EpsilonOption = Annotated[
    float | None,
    typer.Option("--epsilon", help="The paper's density, in (0, 1): smaller keeps more."),
]
KeepOption = Annotated[
    str | None,
    typer.Option("--keep", metavar="SHARE|COUNT", help="Edges to keep: 0.3, or 20000."),
]
MethodOption = Annotated[Method, typer.Option("--method", help="What makes an edge worth keeping.")]
SamplingOption = Annotated[
    Sampling | None,
    typer.Option(
        "--sampling",
        help="Draw edges with replacement, as the paper does, each edge on its own, or keep the "
        "best; independent unless told (similarity: best).",
    ),
]
PerNodeOption = Annotated[
    bool | None,
    typer.Option("--per-node/--no-per-node", help="Every node keeps its share of its edges."),
]

WarmUpOption = Annotated[
    int | None,
    typer.Option("--warm-up", help="Of guided: epochs on all edges before edges are chosen."),
]
RefreshOption = Annotated[
    int | None,
    typer.Option("--refresh", help="Of guided: epochs from one choice of edges to the next."),
]

# How it trains. A name that only nn knows is passed on: attention may come from outside.
AttentionOption = Annotated[
    str,
    typer.Option(
        "--attention",
        metavar=f"<{'|'.join(ATTENTIONS)}>",
        help="How a pair of nodes is scored.",
    ),
]
ResampleOption = Annotated[
    Resample,
    typer.Option(
        "--resample",
        help="One sparse graph for good, or a fresh one per layer or per head at every step.",
    ),
]
EvaluateOnOption = Annotated[
    EvaluateOn,
    typer.Option(
        "--evaluate-on",
        help="The graph that scores are measured on; better: that of higher validation score.",
    ),
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
