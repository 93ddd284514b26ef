"""The two-layer GAT on a Reddit-size graph with 602 dense features, full and at eps = 0.5."""

from __future__ import annotations

import statistics
import time
from dataclasses import astuple
from functools import partial

import numpy as np
import torch
from torch import Tensor

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers import ours
from experiments.peers.steps import make_step
from experiments.records import Result
from experiments.table import BLANK, Table
from experiments.timing import peak_of
from experiments.training.times import PYG_BYTES_PER_ARC
from fastgat.data.reddit import REDDIT
from fastgat.graph.generators import block_model
from fastgat.machine import peak_bytes

NAME = "attention-reddit"
NODES, EDGES, FEATURES, CLASSES = astuple(REDDIT.sizes)
QUICK_NODES, QUICK_EDGES = 20_000, 500_000
NEED = "PyG's need, 8 x 8 layer"
TRAINING_SHARE = 0.1
STEPS, QUICK_STEPS = 20, 2
GRAPHS: dict[str, float | None] = {"full": None, "eps=0.5": 0.5}


def rows(options: Options) -> list[Row]:
    """The full graph and the sparse one, each in a process of its own."""
    nodes, edges, steps = NODES, EDGES, STEPS
    if options.quick:
        nodes, edges, steps = QUICK_NODES, QUICK_EDGES, QUICK_STEPS
    return [
        Row(
            name,
            {
                "quick": options.quick,
                "graph": name,
                "nodes": nodes,
                "features": FEATURES,
                "steps": steps,
            },
            partial(_in_own_process, nodes, edges, epsilon, steps),
        )
        for name, epsilon in GRAPHS.items()
    ]


def _in_own_process(nodes: int, edges: int, epsilon: float | None, steps: int) -> Result:
    result, peak = peak_of(train, nodes, edges, epsilon, steps)
    arcs = 2 * result["edges"] + nodes
    # PyG is not tried: its need follows from its bytes per arc.
    return {**result, "peak": peak, NEED: PYG_BYTES_PER_ARC * arcs}


def train(num_nodes: int, num_edges: int, epsilon: float | None, num_steps: int) -> Result:
    """Seconds of making the graph ready and of training steps, with losses and memory.

    Args:
        num_nodes: of the block model.
        num_edges: of it, before sparsifying.
        epsilon: density of the sparse graph; None trains on every edge.
        num_steps: how many are timed.
    """
    torch.manual_seed(7)
    graph, community = block_model(num_nodes, num_edges, CLASSES, seed=7)
    result: Result = {}
    if epsilon is not None:
        start = time.perf_counter()
        graph = fg.EffectiveResistanceSparsifier(epsilon=epsilon).sparsify(graph, seed=0)
        result["sparsifying seconds"] = time.perf_counter() - start
    result["edges"] = graph.num_edges
    start = time.perf_counter()
    arcs = ours.make_ready(ours.Arcs.from_graph(graph))
    result["structure seconds"] = time.perf_counter() - start
    result["peak before training"] = peak_bytes()
    label = torch.from_numpy(community.astype(np.int64))
    order = torch.randperm(label.numel(), generator=torch.Generator().manual_seed(11))
    training = order[: round(TRAINING_SHARE * label.numel())].sort().values
    model = ours.TwoLayerGAT(FEATURES, CLASSES)
    step = make_step(model, (make_features(label), arcs), label, training)
    losses, seconds = [], []
    for _ in range(num_steps):
        start = time.perf_counter()
        losses.append(float(step()))
        seconds.append(time.perf_counter() - start)
    return result | {
        "first loss": losses[0],
        "last loss": losses[-1],
        "seconds per step": statistics.median(seconds),
    }


def make_features(label: Tensor) -> Tensor:
    """Noise around a centre per class, of variance 1 in all, made without a second matrix."""
    generator = torch.Generator().manual_seed(19)
    centre = torch.randn(CLASSES, FEATURES, generator=generator)
    x = torch.empty(label.numel(), FEATURES)
    for rows, classes in zip(torch.split(x, 10_000), torch.split(label, 10_000), strict=True):
        rows.normal_(generator=generator).add_(centre[classes]).mul_(0.5**0.5)
    return x


def tables(results: Results) -> list[Table]:
    """Seconds and memory of both graphs."""
    done = {name: row.result for name, row in results.items() if row.is_done}
    full = done.get("full", {}).get("seconds per step")
    lines = []
    for name, result in done.items():
        lines.append(
            [
                name,
                f"{2 * result['edges']:,}",
                f"{result['seconds per step']:.2f}",
                BLANK if full is None else f"{full / result['seconds per step']:.1f}x",
                f"{result['peak'] / 1e9:.1f}",
                f"{result[NEED] / 1e9:.0f}",
            ]
        )
    columns = [
        "graph",
        "arcs",
        "seconds per step",
        "faster than full",
        "peak, GB",
        "PyG's first layer alone would need, GB",
    ]
    return [Table("Training steps on a Reddit-size graph", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Training steps on a Reddit-size graph",
    f"A block model of {NODES:,} nodes and {EDGES:,} edges with {FEATURES} dense features. The "
    "peak includes making the graph. PyG is not tried: its need follows from its bytes per arc.",
    rows,
    tables,
    takes=(),
)
