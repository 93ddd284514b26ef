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
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers import ours, pyg
from experiments.peers.agreement import require_equal, require_equal_gradients
from experiments.peers.dgl import start_dgl
from experiments.peers.node_data import NodeData, edge_index, load, weight_arrays
from experiments.peers.steps import make_inference, make_step
from experiments.peers.worker import Worker
from experiments.records import Result, StoredRow, by_vectors
from experiments.table import BLANK, Table
from experiments.timing import medians_in_turn, timed_block

NAME = "attention-steps"
DATASETS = ("photo", "computers", "cs", "physics", "github")
EPSILON = 0.5
WARM_UP = 2
SPARSE = f"eps={EPSILON}"
ORDERED = "fastgat ordered"  # nodes numbered once so that neighbours lie close, as `fit` does
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


def rows(options: Options) -> list[Row]:
    """One row per dataset; quick ones leave torch.compile out, which takes a minute."""
    repeats = options.rounds()
    return [
        Row(
            by_vectors(name),
            {"quick": options.quick, "dataset": name, "repeats": repeats},
            partial(measure, name, repeats, options.dgl_python, not options.quick),
        )
        for name in options.names(DATASETS)
    ]


class Cases:
    """Steps and inferences by name, each ready to be timed."""

    def __init__(self, data: NodeData) -> None:
        self.data = data
        self.measures: dict[str, dict[str, Callable[[], float]]] = {"step": {}, "inference": {}}

    def add(
        self, name: str, model: nn.Module, inputs: tuple[Any, ...], data: NodeData | None = None
    ) -> None:
        """Add a model of this process; `data` if its nodes are numbered otherwise."""
        data = self.data if data is None else data
        step = make_step(model, inputs, data.label, data.train)
        infer = make_inference(model, inputs)
        for run in (step, infer):
            for _ in range(WARM_UP):
                run()
        self.measures["step"][name] = partial(timed_block, step)
        self.measures["inference"][name] = partial(timed_block, infer)

    def add_worker(self, name: str, worker: Worker) -> None:
        """Add what a peer's process has loaded under this name."""
        for what, measures in self.measures.items():
            for _ in range(WARM_UP):
                worker.seconds(name, what)
            measures[name] = partial(worker.seconds, name, what)


def measure(name: str, repeats: int, dgl_python: str | None, with_compiled: bool) -> Result:
    """Milliseconds and ratios, once outputs and gradients without dropout agree.

    Args:
        name: a dataset.
        repeats: blocks of every case.
        dgl_python: interpreter that has DGL, if there is one.
        with_compiled: whether PyG under torch.compile is a peer.
    """
    data = load(name)
    sparse_graph = fg.EffectiveResistanceSparsifier(epsilon=EPSILON).sparsify(data.graph, seed=0)
    sizes = data.features.shape[1], data.num_classes
    result: Result = {
        "nodes": data.graph.num_nodes,
        "edges": data.graph.num_edges,
        f"edges at {SPARSE}": sparse_graph.num_edges,
        "features": sizes[0],
        "classes": sizes[1],
        "optimizer": "Adam, fused",
        "threads": torch.get_num_threads(),
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
        ours_in = (sparse_x, ours.Arcs.from_graph(graph))
        pyg_in = (dense_x, edge_index(graph))
        mine, peer = fresh(ours.TwoLayerGAT(*sizes)), fresh(pyg.TwoLayerGAT(*sizes))
        pair = ((mine, ours_in), (peer, pyg_in))
        outputs[suffix] = _require_same(f"fastgat and PyG{suffix}", *pair, data)
        cases.add(f"fastgat{suffix}", mine, ours_in)
        cases.add(f"PyG{suffix}", peer, pyg_in)
        ordered = data.on(graph).ordered()
        inputs = (ordered.sparse(), ours.Arcs.from_graph(ordered.graph))
        cases.add(f"{ORDERED}{suffix}", fresh(ours.TwoLayerGAT(*sizes)), inputs, ordered)
    if with_compiled:
        try:
            torch.compiler.reset()  # after several datasets it would recompile no more
            model = fresh(pyg.TwoLayerGAT(*sizes, add_loops=False))
            looped = pyg.with_loops(edge_index(data.graph), data.graph.num_nodes)
            compiled: Any = torch.compile(model)
            found = make_inference(compiled, (dense_x, looped))()
            require_equal(f"{name}, PyG and PyG compiled: outputs", found, outputs[""])
            cases.add("PyG compiled", compiled, (dense_x, looped))
        except RuntimeError as error:  # torch.compile's own errors are all of this kind
            result["PyG compiled failed"] = str(error).splitlines()[0]
    with ExitStack() as stack:
        if dgl_python is not None:
            dgl = stack.enter_context(start_dgl(dgl_python))
            dgl.load("DGL", data.arrays() | weight_arrays(initial))
            theirs = torch.from_numpy(dgl.outputs("DGL"))
            require_equal(f"{name}, PyG and DGL: outputs", theirs, outputs[""])
            result["DGL version"] = dgl.ask(do="version")
            cases.add_worker("DGL", dgl)
        for what, measures in cases.measures.items():
            seconds = medians_in_turn(measures, repeats)
            result[what] = {
                "milliseconds": {case: 1e3 * value for case, value in seconds.items()},
                "ratios": {
                    title: seconds[peer] / seconds[mine]
                    for title, (peer, mine) in RATIOS.items()
                    if peer in seconds
                },
            }
    return result


def _require_same(what: str, a: Any, b: Any, data: NodeData) -> Tensor:
    """The same outputs, losses and gradients without dropout; returns the outputs."""
    (out_a, loss_a), (out_b, loss_b) = (_loss_without_dropout(data, *pair) for pair in (a, b))
    require_equal(f"{data.name}, {what}: outputs", out_a, out_b)
    require_equal(f"{data.name}, {what}: losses", loss_a, loss_b)
    require_equal_gradients(f"{data.name}, {what}", a[0], b[0])
    return out_b


def _loss_without_dropout(data: NodeData, model: nn.Module, inputs: Any) -> tuple[Tensor, Tensor]:
    model.eval()
    model.zero_grad()
    out = model(*inputs)
    loss = cross_entropy(out[data.train], data.label[data.train])
    loss.backward()  # type: ignore[no-untyped-call]
    return out.detach(), loss.detach()


def tables(results: Results) -> list[Table]:
    """One table per width of vectors: peers, ours, and how many times faster."""
    found = []
    for vectors in dict.fromkeys(key.partition("@")[2] for key in results):
        own = [
            row for key, row in results.items() if key.partition("@")[2] == vectors and row.is_done
        ]
        if own:
            found.append(_table(own, vectors))
    return found


def _table(rows: list[StoredRow], vectors: str) -> Table:
    best = ORDERED
    peers = [
        peer
        for peer in ("PyG", "PyG compiled", "DGL")
        if any(peer in row.result["step"]["milliseconds"] for row in rows)
    ]
    mine = ["fastgat", best, f"{best} {SPARSE}"]
    ratios = [
        title
        for title in (
            "fastgat over PyG",
            f"{best} over PyG",
            f"{best} over DGL",
            f"{best} {SPARSE} over PyG",
        )
        if any(title in row.result["step"]["ratios"] for row in rows)
    ]
    gain = f"{best} {SPARSE} over {best}"
    lines = []
    for row in rows:
        times, factors = row.result["step"]["milliseconds"], row.result["step"]["ratios"]
        cells = [f"{times[peer]:.0f}" if peer in times else BLANK for peer in peers]
        cells += [f"{times[case]:.1f}" for case in mine]
        cells += [f"{factors[title]:.0f}x" if title in factors else BLANK for title in ratios]
        lines.append([str(row.settings["dataset"]), *cells, f"{factors[gain]:.2f}x"])
    kind = "AVX2 only" if vectors else "AVX-512"
    return Table(
        f"Training step on a processor with {kind}: milliseconds, and how many times faster",
        ["graph", *peers, *mine, *ratios, "sparsifier speed-up"],
        lines,
    )


EXPERIMENT = Experiment(
    NAME,
    "Training steps of the two-layer GAT, beside PyG and DGL",
    "Full graph and epsilon = 0.5. Blocks of steps in turn, medians; no figures for peers whose "
    'outputs or gradients without dropout differ. "Ordered" has its nodes numbered once so that '
    "neighbours lie close, as `fit` does.",
    rows,
    tables,
    takes=("datasets", "repeats", "dgl_python"),
)
