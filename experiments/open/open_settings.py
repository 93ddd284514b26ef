"""Settings that the paper does not give: how far do the scores depend on them?"""

from __future__ import annotations

from dataclasses import replace

from experiments.expected import expected
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.table import BLANK, Table
from experiments.training.method import FAST_GCN_400, GAT, Method, const
from experiments.training.rows import training_rows
from experiments.training.scores import METRIC, datasets_of, missing_files, score_of, show_score

NAME = "open-settings"
DATASETS = ("photo", "computers", "cs")
SEEDS = 3
# The learning rate is the paper's own; of epochs it says nothing.
SHORT = {"learning_rate": 0.001, "epochs": 200}
NARROW = "FastGCN-400, 16 wide"


def shortened(method: Method) -> Method:
    """Trained as long as many do, at the paper's learning rate."""
    training = {**method.training, **SHORT}
    return replace(method, label=f"{method.label}, 0.001 for 200 epochs", training=training)


# Every method with the method of the paper's tables that it is a form of, and the table.
FORMS = {
    GAT: (GAT, "table-2"),
    shortened(GAT): (GAT, "table-2"),
    const(0.5): (const(0.5), "table-2"),
    shortened(const(0.5)): (const(0.5), "table-2"),
    FAST_GCN_400: (FAST_GCN_400, "table-3"),
    Method(NARROW, network=NARROW): (FAST_GCN_400, "table-3"),
}


def rows(options: Options) -> list[Row]:
    """Every dataset, form and seed."""
    return training_rows(options.names(DATASETS), tuple(FORMS), options, seeds=SEEDS)


def tables(results: Results) -> list[Table]:
    """Our scores beside the one that the paper prints for the method."""
    lines = []
    for dataset in datasets_of(results):
        for form, (method, table) in FORMS.items():
            score = score_of(results, dataset, form.label)
            paper = expected(table, METRIC, method.label, dataset)
            if score is not None:
                printed = BLANK if paper is None else paper.printed
                lines.append([dataset, form.label, show_score(score), printed])
    columns = ["dataset", "method", "test F1", "the paper's"]
    return [Table("Other settings", columns, lines, missing_files(results))]


EXPERIMENT = Experiment(
    NAME,
    "Settings that the paper does not give",
    "The paper names a learning rate of 0.001 and no number of epochs; ours is GAT's 0.005 with "
    "early stopping after 100 epochs without progress. It does not say how wide its FastGCN is: "
    "FastGCN's own paper has 16 units for citation graphs and 128 for Reddit; ours has the latter.",
    rows,
    tables,
)
