"""Training steps and inference of the paper's two-layer GAT on the full and the sparse graph."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import fastgat as fg
from attention_sections import Options
from fastgat.nn import SortedArcs
from harness import take_turns
from peers import ours, pyg
from peers.agreement import require_equal, require_equal_gradients
from peers.dgl_client import DGL
from peers.node_data import NodeData, edge_index, load
from peers.training import make_inference, make_step, turn

DATASETS = ("photo", "computers", "cs", "physics", "github")
EPSILON = 0.5
WARM_UP = 2
SPARSE = f"eps={EPSILON}"
# Nodes numbered once so that neighbours lie close, as `fastgat.fit` does it.
ORDERED = "fastgat ordered"
RATIOS = {
    "fastgat over PyG": ("PyG", "fastgat"),
    "fastgat over PyG compiled": ("PyG compiled", "fastgat"),
    "fastgat over DGL": ("DGL", "fastgat"),
    f"fastgat {SPARSE} over PyG": ("PyG", f"fastgat {SPARSE}"),
    f"fastgat {SPARSE} over PyG {SPARSE}": (f"PyG {SPARSE}", f"fastgat {SPARSE}"),
    f"fastgat {SPARSE} over fastgat": ("fastgat", f"fastgat {SPARSE}"),
    f"{ORDERED} over PyG": ("PyG", ORDERED),
    f"{ORDERED} over DGL": ("DGL", ORDERED),
    f"{ORDERED} {SPARSE} over PyG": ("PyG", f"{ORDERED} {SPARSE}"),
    f"{ORDERED} {SPARSE} over {ORDERED}": (ORDERED, f"{ORDERED} {SPARSE}"),
}


class Cases:
    """Steps and inferences by name, each ready to be timed."""

    def __init__(self, data: NodeData) -> None:
        self.data = data
        self.measures: dict[str, dict[str, Callable[[], float]]] = {"step": {}, "inference": {}}

    def add(
        self, name: str, model: nn.Module, inputs: tuple[Any, ...], data: NodeData | None = None
    ) -> None:
        data = self.data if data is None else data
        step = make_step(model, inputs, data.label, data.train)
        infer = make_inference(model, inputs)
        for run in (step, infer):
            for _ in range(WARM_UP):
                run()
        self.measures["step"][name] = partial(turn, step)
        self.measures["inference"][name] = partial(turn, infer)

    def add_dgl(self, dgl: DGL) -> None:
        for what, measures in self.measures.items():
            for _ in range(WARM_UP):
                dgl.turn(what)
            measures["DGL"] = partial(dgl.turn, what)


def loss_without_dropout(model: nn.Module, inputs: Any, data: NodeData) -> tuple[Tensor, Tensor]:
    model.eval()
    model.zero_grad()
    out = model(*inputs)
    loss = cross_entropy(out[data.train], data.label[data.train])
    loss.backward()
    return out.detach(), loss.detach()


def require_same(what: str, a: Any, b: Any, data: NodeData) -> Tensor:
    """The same outputs, losses and gradients without dropout; returns the outputs."""
    (out_a, loss_a), (out_b, loss_b) = (loss_without_dropout(*pair, data) for pair in (a, b))
    require_equal(f"{data.name}, {what}: outputs", out_a, out_b)
    require_equal(f"{data.name}, {what}: losses", loss_a, loss_b)
    require_equal_gradients(f"{data.name}, {what}", a[0], b[0])
    return out_b


def measure(name: str, options: Options) -> dict[str, Any]:
    data = load(name)
    sparse_graph = fg.EffectiveResistanceSparsifier(epsilon=EPSILON).sparsify(data.graph, seed=0)
    sizes = data.features.shape[1], data.num_classes
    row: dict[str, Any] = {
        "dataset": name,
        "nodes": data.graph.num_nodes,
        "edges": data.graph.num_edges,
        f"edges at {SPARSE}": sparse_graph.num_edges,
        "features": sizes[0],
        "classes": sizes[1],
        "optimizer": "Adam, fused",
        "threads": torch.get_num_threads(),
        "repeats": options.repeats,
    }
    sparse_x, dense_x = data.sparse(), data.dense()
    torch.manual_seed(13)
    initial = pyg.TwoLayerGAT(*sizes)
    cases = Cases(data)
    outputs: dict[str, Tensor] = {}

    def fresh(model: nn.Module) -> nn.Module:
        model.load_state_dict(initial.state_dict())
        return model

    for suffix, graph in (("", data.graph), (f" {SPARSE}", sparse_graph)):
        ours_in = (sparse_x, SortedArcs.from_graph(graph))
        pyg_in = (dense_x, edge_index(graph))
        mine, peer = fresh(ours.TwoLayerGAT(*sizes)), fresh(pyg.TwoLayerGAT(*sizes))
        pair = ((mine, ours_in), (peer, pyg_in))
        outputs[suffix] = require_same(f"fastgat and PyG{suffix}", *pair, data)
        cases.add(f"fastgat{suffix}", mine, ours_in)
        cases.add(f"PyG{suffix}", peer, pyg_in)
        ordered = data.on(graph).ordered()
        inputs = (ordered.sparse(), SortedArcs.from_graph(ordered.graph))
        cases.add(f"{ORDERED}{suffix}", fresh(ours.TwoLayerGAT(*sizes)), inputs, ordered)
    try:
        torch.compiler.reset()  # after several datasets it would recompile no more, and run plain
        model = fresh(pyg.TwoLayerGAT(*sizes, add_loops=False))
        looped = pyg.with_loops(edge_index(data.graph), data.graph.num_nodes)
        compiled = torch.compile(model)
        found = make_inference(compiled, (dense_x, looped))()
        require_equal(f"{name}, PyG and PyG compiled: outputs", found, outputs[""])
        cases.add("PyG compiled", compiled, (dense_x, looped))
    except RuntimeError as error:  # torch.compile's own errors are all of this kind
        row["PyG compiled failed"] = str(error).splitlines()[0]
    with ExitStack() as stack:
        if options.dgl_python is not None:
            dgl = stack.enter_context(DGL.of_model(options.dgl_python, data, initial))
            require_equal(f"{name}, PyG and DGL: outputs", dgl.outputs(), outputs[""])
            row["DGL version"] = dgl.version()
            cases.add_dgl(dgl)
        for what, measures in cases.measures.items():
            seconds = take_turns(measures, options.repeats)
            row[what] = {
                "milliseconds": {case: 1e3 * value for case, value in seconds.items()},
                "ratios": {
                    title: seconds[peer] / seconds[mine]
                    for title, (peer, mine) in RATIOS.items()
                    if peer in seconds
                },
            }
    return row


def run(options: Options) -> list[dict[str, Any]]:
    rows = []
    for name in options.datasets or DATASETS:
        row = measure(name, options)
        rows.append(row)
        print(f"{name}: {row['nodes']} nodes, {row['edges']} edges, {row['features']} features")
        for what in ("step", "inference"):
            for case, milliseconds in row[what]["milliseconds"].items():
                print(f"  {what:10s} {case:34s} {milliseconds:10.2f} ms")
            for title, ratio in row[what]["ratios"].items():
                print(f"  {what:10s} {title:34s} {ratio:10.2f} x")
        if reason := row.get("PyG compiled failed"):
            print(f"  PyG under torch.compile: {reason}")
    return rows
