"""Each attention layer alone, 64 -> 8 x 8: forward and backward, with the features' gradient."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg_nn

from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers import ours, pyg
from experiments.peers.agreement import require_equal, require_equal_gradients
from experiments.peers.dgl import start_dgl
from experiments.peers.node_data import edge_index, graph_arrays, load, weight_arrays
from experiments.peers.ours import CHANNELS, DROPOUT, HEADS, LAYERS, WIDTH
from experiments.peers.steps import make_pass
from experiments.records import Result, by_vectors
from experiments.table import Table
from experiments.timing import medians_in_turn, timed_block

NAME = "attention-layers"
DATASETS = ("photo", "physics")
REPEATS = 15
PLAIN = "plain MessagePassing"  # what the peer is where PyG has no such layer


def rows(options: Options) -> list[Row]:
    """One row per dataset and layer."""
    repeats = options.rounds(REPEATS)
    return [
        Row(
            by_vectors(f"{name}/{layer}"),
            {"quick": options.quick, "dataset": name, "layer": layer, "repeats": repeats},
            partial(measure, name, layer, repeats, options.dgl_python),
        )
        for name in options.names(DATASETS)
        for layer in LAYERS
    ]


def make_peer(name: str) -> tuple[nn.Module, str]:
    """The same layer by a peer, and what the peer is."""
    if name == "AGNNConv":
        return pyg_nn.AGNNConv(), "PyG"
    if name in ("GATConv", "GATv2Conv"):
        return getattr(pyg_nn, name)(WIDTH, CHANNELS, heads=HEADS, dropout=DROPOUT), "PyG"
    kind = {"CosineConv": pyg.CosineMessages, "GaANConv": pyg.GaANMessages}[name]
    return kind(WIDTH, CHANNELS, HEADS, DROPOUT), PLAIN


def measure(dataset: str, name: str, repeats: int, dgl_python: str | None) -> Result:
    """Milliseconds and ratios, once outputs and gradients without dropout agree."""
    graph = load(dataset).graph
    start = torch.randn(graph.num_nodes, WIDTH, generator=torch.Generator().manual_seed(3))
    torch.manual_seed(23)
    mine, (peer, kind) = ours.make_layer(name), make_peer(name)
    peer.load_state_dict(mine.state_dict())
    ours_in = (mine, start.clone().requires_grad_(), ours.Arcs.from_graph(graph))
    peer_in = (peer, start.clone().requires_grad_(), edge_index(graph))
    expected = _require_same(f"{dataset}, {name}", ours_in, peer_in)
    measures = {
        "fastgat": partial(timed_block, make_pass(*ours_in)),
        kind: partial(timed_block, make_pass(*peer_in)),
    }
    with ExitStack() as stack:
        if dgl_python is not None and name == "GATConv":
            dgl = stack.enter_context(start_dgl(dgl_python))
            dgl.load("DGL", {"x": start.numpy(), **graph_arrays(graph), **weight_arrays(mine)})
            theirs = torch.from_numpy(dgl.outputs("DGL"))
            require_equal(f"{dataset}, PyG and DGL: outputs", theirs, expected)
            measures["DGL"] = partial(dgl.seconds, "DGL", "pass")
        seconds = medians_in_turn(measures, repeats, warm_up=1)
    return {
        "peer": kind,
        "milliseconds": {case: 1e3 * value for case, value in seconds.items()},
        "ratios": {
            f"fastgat over {case}": value / seconds["fastgat"]
            for case, value in seconds.items()
            if case != "fastgat"
        },
    }


def _require_same(what: str, a: Any, b: Any) -> Tensor:
    """The same outputs and gradients without dropout; returns the outputs."""
    found = []
    for layer, x, edges in (a, b):
        layer.eval()
        found.append((make_pass(layer, x, edges)(), x.grad))
        layer.train()
    (out_a, grad_a), (out_b, grad_b) = found
    require_equal(f"{what}: outputs", out_a, out_b)
    scale = grad_b.abs().max()
    require_equal(f"{what}: gradients of x", grad_a / scale, grad_b / scale)
    require_equal_gradients(what, a[0], b[0])
    return out_b


def tables(results: Results) -> list[Table]:
    """Milliseconds, and how many times faster."""
    lines = []
    for row in results.values():
        if row.is_done:
            times, peer = row.result["milliseconds"], row.result["peer"]
            ratio = row.result["ratios"][f"fastgat over {peer}"]
            lines.append(
                [
                    str(row.settings["dataset"]),
                    str(row.settings["layer"]),
                    f"{times['fastgat']:.1f}",
                    f"{times[peer]:.0f}",
                    f"{ratio:.0f}x",
                ]
            )
    columns = ["graph", "layer", "fastgat, ms", "PyG, ms", "faster by"]
    return [Table("One layer, forward and backward", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Single attention layers, beside PyG and DGL",
    "64 to 8 x 8, forward and backward with the features' gradient. PyG has no projected cosine "
    "and no GaAN: there the peer is the same attention as plain messages.",
    rows,
    tables,
    takes=("datasets", "repeats", "dgl_python"),
)
