"""What a fresh sparse graph costs beside one attention layer on it, of one head of 8 channels."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import torch

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers import ours
from experiments.peers.steps import make_pass
from experiments.records import Result
from experiments.table import Table
from experiments.tasks import load_task
from experiments.timing import medians_in_turn, timed_block
from fastgat.nn import GATConv

NAME = "attention-draws"
DATASETS, SAMPLINGS = ("physics",), ("replacement", "independent")
EPSILON = 0.5
CALL = "GATConv"  # what a draw is compared with; in older rows attention without projection
RATIO = "draw and structure over attention"


def rows(options: Options) -> list[Row]:
    """One row per dataset and way of sampling."""
    repeats = options.rounds()
    return [
        Row(
            f"{name}/{sampling}",
            {
                "quick": options.quick,
                "dataset": name,
                "sampling": sampling,
                "repeats": repeats,
                "call": CALL,
            },
            partial(measure, name, sampling, repeats),
        )
        for name in options.names(DATASETS)
        for sampling in SAMPLINGS
    ]


def measure(dataset: str, sampling: Any, repeats: int) -> Result:
    """Milliseconds of the layer, of a draw, and of a draw made ready for the kernels."""
    sparsifier = fg.EffectiveResistanceSparsifier(epsilon=EPSILON, sampling=sampling)
    prepared = sparsifier.prepare(load_task(dataset, 1).graph, seed=0)
    torch.manual_seed(7)
    seeds = itertools.count(1)

    def draw_arcs(seed: int) -> Any:
        return ours.make_ready(ours.Arcs.from_draw(prepared, seed))

    layer = GATConv(8, 8, heads=1, dropout=0.6)
    x = torch.randn(prepared.graph.num_nodes, 8, requires_grad=True)
    measures = {
        "attention": partial(timed_block, make_pass(layer, x, draw_arcs(0))),
        "draw as a graph": partial(timed_block, lambda: prepared.draw(next(seeds))),
        "draw and structure": partial(timed_block, lambda: draw_arcs(next(seeds))),
    }
    seconds = medians_in_turn(measures, repeats, warm_up=1)
    return {
        "edges": prepared.draw(0).num_edges,
        "milliseconds": {case: 1e3 * value for case, value in seconds.items()},
        RATIO: seconds["draw and structure"] / seconds["attention"],
    }


def tables(results: Results) -> list[Table]:
    """Milliseconds, and draws in units of attention."""
    lines = [
        [
            str(row.settings["dataset"]),
            str(row.settings["sampling"]),
            str(row.settings["call"]),
            *(f"{value:.2f}" for value in row.result["milliseconds"].values()),
            f"{row.result[RATIO]:.2f}",
        ]
        for row in results.values()
        if row.is_done
    ]
    columns = [
        "graph",
        "sampling",
        "attention call",
        "attention call, ms",
        "draw as a graph, ms",
        "draw as sorted arcs, ms",
        "sorted arcs over attention call",
    ]
    return [Table("A fresh sparse graph", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "A fresh sparse graph beside one attention call on it",
    f"Epsilon = {EPSILON}; drawn and made ready for the kernels, against one attention call of one "
    "head of 8 channels, forward and backward.",
    rows,
    tables,
    takes=("datasets", "repeats"),
)
