"""The choices that the paper leaves open, each changed alone from FastGAT-const."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.table import BLANK, Table
from experiments.training.method import Method, const, independent, judged_on_all_edges, per_head
from experiments.training.rows import training_rows
from experiments.training.scores import (
    datasets_of,
    missing_files,
    rows_of,
    score_of,
    show_score,
)

NAME = "choices"
DATASETS = ("photo", "computers", "cs")
EPSILONS = (0.5, 0.9)


def changed(epsilon: float) -> dict[str, Method]:
    """What differs, in words, and the method."""
    usual = const(epsilon)

    def other(what: str, **fields: object) -> Method:
        return replace(usual, label=f"{usual.label}, {what}", **fields)  # type: ignore[arg-type]

    return {
        "as the paper": usual,
        "weights as a prior": other("log w", training={"edge_weight": "prior"}),
        "drawn independently": independent(epsilon),
        "a fresh draw per layer": other("layer", resample="layer"),
        "a fresh draw per head": per_head(epsilon),
        "judged on all edges": judged_on_all_edges(usual),
    }


def rows(options: Options) -> list[Row]:
    """Every dataset, density, choice and seed."""
    methods = [method for epsilon in EPSILONS for method in changed(epsilon).values()]
    return training_rows(options.names(DATASETS), methods, options)


def tables(results: Results) -> list[Table]:
    """Accuracy, and how it differs from FastGAT-const with the same seed."""
    lines = []
    for dataset in datasets_of(results):
        for epsilon in EPSILONS:
            for what, method in changed(epsilon).items():
                score = score_of(results, dataset, method.label)
                if score is not None:
                    by = difference(results, dataset, method.label, const(epsilon).label)
                    lines.append([dataset, str(epsilon), what, show_score(score), by])
    columns = ["dataset", "epsilon", "choice", "test F1", "difference ± standard error"]
    remark = "Differences are of runs with the same seed, hence with the same split."
    return [Table("One choice changed", columns, lines, [remark, *missing_files(results)])]


def difference(results: Results, dataset: str, label: str, usual: str) -> str:
    """The mean over the seeds that both have, and its standard error."""
    scores = [
        {row.settings["seed"]: row.result["test_f1"] for row in rows if row.is_done}
        for rows in (rows_of(results, dataset, name) for name in (label, usual))
    ]
    pairs = [scores[0][seed] - scores[1][seed] for seed in scores[0] if seed in scores[1]]
    if label == usual or len(pairs) < 2:
        return BLANK
    error = statistics.stdev(pairs) / math.sqrt(len(pairs))
    return f"{statistics.fmean(pairs):+.4f} ± {error:.4f}"


EXPERIMENT = Experiment(
    NAME,
    "Choices behind the defaults",
    "Beyond the paper, which does not say whether the weights of sampled edges enter the softmax. "
    "As the paper: one draw with replacement, weights ignored, training and inference on it. "
    "Methods with fresh draws infer on one draw.",
    rows,
    tables,
)
