"""Time per arc of one 8 x 8 attention layer, forward and backward, on ever denser graphs."""

from __future__ import annotations

from functools import partial

import torch

from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers import ours
from experiments.peers.steps import make_pass
from experiments.records import Result
from experiments.table import Table
from experiments.timing import medians_in_turn, peak_of, timed_block
from fastgat.data.reddit import REDDIT
from fastgat.graph.generators import block_model
from fastgat.nn import GATConv

NAME = "attention-scaling"
NODES, COMMUNITIES = REDDIT.sizes.num_nodes, REDDIT.sizes.num_classes
EDGES = (3_000_000, 8_000_000, 21_400_000, REDDIT.sizes.num_edges)
QUICK_EDGES = (500_000, 1_000_000)


def rows(options: Options) -> list[Row]:
    """One row per number of arcs."""
    repeats = options.rounds()
    return [
        Row(
            f"{2 * edges} arcs",
            {"quick": options.quick, "nodes": NODES, "arcs": 2 * edges, "repeats": repeats},
            partial(_in_own_process, edges, repeats),
        )
        for edges in (QUICK_EDGES if options.quick else EDGES)
    ]


def _in_own_process(num_edges: int, repeats: int) -> Result:
    result, peak = peak_of(measure, num_edges, repeats)
    return {**result, "peak": peak}


def measure(num_edges: int, repeats: int) -> Result:
    """Seconds of a forward and backward pass, in all and per arc."""
    torch.manual_seed(7)
    graph, _ = block_model(NODES, num_edges, COMMUNITIES, seed=7)
    layer = GATConv(64, 8, heads=8, dropout=0.6)
    x = torch.randn(NODES, 64, requires_grad=True)
    run = make_pass(layer, x, ours.Arcs.from_graph(graph))
    run()
    seconds = medians_in_turn({"layer": partial(timed_block, run)}, repeats)["layer"]
    return {"seconds": seconds, "nanoseconds per arc": 1e9 * seconds / (2 * num_edges)}


def tables(results: Results) -> list[Table]:
    """Nanoseconds per arc by size."""
    lines = [
        [
            f"{row.settings['arcs']:,}",
            f"{row.result['seconds']:.2f}",
            f"{row.result['nanoseconds per arc']:.1f}",
            f"{row.result['peak'] / 1e9:.1f}",
        ]
        for row in results.values()
        if row.is_done
    ]
    columns = ["arcs", "seconds", "nanoseconds per arc", "peak, GB"]
    return [Table("Time per arc", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Time per arc as graphs grow denser",
    f"One 8 x 8 layer, forward and backward, on degree-corrected block models of {NODES:,} nodes; "
    "each size in a process of its own.",
    rows,
    tables,
    takes=("repeats",),
)
