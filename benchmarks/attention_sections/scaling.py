"""Time per arc of one 8 x 8 attention layer, forward and backward, on ever denser graphs.

The nodes are Reddit's in number, from a degree-corrected block model; each size runs in a process
of its own.
"""

from __future__ import annotations

import os
from typing import Any

import torch

from attention_sections import Options
from fastgat.graph.generators import block_model
from fastgat.nn import GATConv, SortedArcs
from harness import peak_of, take_turns
from peers.training import make_pass, turn

NODES, COMMUNITIES = 232_965, 41
EDGES = (3_000_000, 8_000_000, 21_400_000, 57_307_946)


def measure(num_edges: int, repeats: int) -> dict[str, Any]:
    torch.set_num_threads(os.cpu_count() or 1)
    torch.manual_seed(7)
    graph, _ = block_model(NODES, num_edges, COMMUNITIES, seed=7)
    structure = SortedArcs.from_graph(graph)
    layer = GATConv(64, 8, heads=8, dropout=0.6)
    run = make_pass(layer, torch.randn(NODES, 64, requires_grad=True), structure)
    run()
    seconds = take_turns({"layer": lambda: turn(run)}, repeats)["layer"]
    arcs = 2 * num_edges
    return {"arcs": arcs, "seconds": seconds, "nanoseconds per arc": 1e9 * seconds / arcs}


def run(options: Options) -> list[dict[str, Any]]:
    rows = []
    for num_edges in EDGES:
        row, peak = peak_of(measure, num_edges, options.repeats)
        rows.append(row | {"nodes": NODES, "repeats": options.repeats, "peak": peak})
        print(
            f"{row['arcs']:12,d} arcs {row['seconds']:8.3f} s "
            f"{row['nanoseconds per arc']:8.2f} ns per arc, {peak / 1e9:.2f} GB",
            flush=True,
        )
    each = [row["nanoseconds per arc"] for row in rows]
    print(f"most over least: {max(each) / min(each):.2f}")
    return rows
