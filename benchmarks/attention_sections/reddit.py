"""The two-layer GAT on a Reddit-size graph with 602 dense features, full and at eps = 0.5.

Each graph in a process of its own, whose peak memory includes making the graph. PyG is not tried:
its need follows from its bytes per arc (results/attention_memory.json).
"""

from __future__ import annotations

import json
import os
import statistics
import time
from typing import Any

import numpy as np
import torch
from torch import Tensor

import fastgat as fg
from attention_sections import Options
from fastgat.graph.generators import reddit_size
from fastgat.nn import SortedArcs
from harness import RESULTS, peak_bytes, peak_of
from peers.ours import TwoLayerGAT
from peers.training import make_step

FEATURES, CLASSES = 602, 41
TRAINING_SHARE = 0.1
STEPS = 20
GRAPHS: dict[str, float | None] = {"full": None, "eps=0.5": 0.5}


def make_features(label: Tensor) -> Tensor:
    """Noise around a centre per class, of variance 1 in all, made without a second matrix."""
    generator = torch.Generator().manual_seed(19)
    centre = torch.randn(CLASSES, FEATURES, generator=generator)
    x = torch.empty(label.numel(), FEATURES)
    for rows, classes in zip(x.split(10_000), label.split(10_000), strict=True):
        rows.normal_(generator=generator).add_(centre[classes]).mul_(0.5**0.5)
    return x


def train(epsilon: float | None, num_steps: int) -> dict[str, Any]:
    torch.set_num_threads(os.cpu_count() or 1)
    torch.manual_seed(7)
    graph, community = reddit_size(7)
    row: dict[str, Any] = {"nodes": graph.num_nodes, "features": FEATURES, "steps": num_steps}
    if epsilon is not None:
        start = time.perf_counter()
        graph = fg.EffectiveResistanceSparsifier(epsilon=epsilon).sparsify(graph, seed=0)
        row["sparsifying seconds"] = time.perf_counter() - start
    row["edges"] = graph.num_edges
    start = time.perf_counter()
    structure = SortedArcs.from_graph(graph)
    structure.edges(add_loops=True).arcs(with_ids=False)
    row["structure seconds"] = time.perf_counter() - start
    row["peak before training"] = peak_bytes()
    label = torch.from_numpy(community.astype(np.int64))
    order = torch.randperm(label.numel(), generator=torch.Generator().manual_seed(11))
    training = order[: round(TRAINING_SHARE * label.numel())].sort().values
    model = TwoLayerGAT(FEATURES, CLASSES)
    step = make_step(model, (make_features(label), structure), label, training)
    losses, seconds = [], []
    for _ in range(num_steps):
        start = time.perf_counter()
        losses.append(float(step()))
        seconds.append(time.perf_counter() - start)
    row |= {"first loss": losses[0], "last loss": losses[-1]}
    row["seconds per step"] = statistics.median(seconds)
    return row


def pyg_need(num_arcs: int) -> float | None:
    """Bytes of PyG's 8 x 8 layer alone."""
    path = RESULTS / "attention_memory.json"
    if not path.exists():
        return None
    return float(json.loads(path.read_text())["rows"]["PyG"]["bytes per arc"] * num_arcs)


def run(options: Options) -> list[dict[str, Any]]:
    rows = []
    for name, epsilon in GRAPHS.items():
        row, peak = peak_of(train, epsilon, max(STEPS, options.repeats))
        row |= {"graph": name, "peak": peak}
        row["PyG's need, 8 x 8 layer"] = pyg_need(2 * row["edges"] + row["nodes"])
        rows.append(row)
        print(
            f"{name}: {2 * row['edges']:,d} arcs, {row['seconds per step']:.2f} s per step, "
            f"{peak / 1e9:.2f} GB ({row['peak before training'] / 1e9:.2f} before training), "
            f"loss {row['first loss']:.3f} to {row['last loss']:.3f} in {row['steps']} steps",
            flush=True,
        )
        if need := row["PyG's need, 8 x 8 layer"]:
            print(f"  PyG's 8 x 8 layer alone would need {need / 1e9:.0f} GB")
    gain = rows[0]["seconds per step"] / rows[1]["seconds per step"]
    print(f"eps=0.5 over full: {gain:.2f}x")
    return rows
