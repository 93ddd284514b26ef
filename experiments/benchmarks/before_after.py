"""Two installations of fastgat in turn: steps, layers and start-up, each case's speed over before.

Both run in processes that are kept alive, in blocks of calls in turn, over several pairs of fresh
processes; before anything is timed, their outputs without dropout are compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
import torch

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers import ours
from experiments.peers.agreement import require_equal
from experiments.peers.node_data import NodeData, graph_arrays, load, weight_arrays
from experiments.peers.worker import Worker, child_environment
from experiments.records import Result
from experiments.table import Table
from experiments.timing import in_turn

NAME = "before-after"
STEP_DATASETS = ("photo", "computers", "cs", "physics", "github")
LAYER_DATASETS = ("photo", "physics")
SPARSE = "eps=0.5"
REPEATS, START_REPEATS = 20, 21
PAIRS = 4  # of processes: where memory happens to lie moves one process by several percent
START_UP = {
    "import fastgat": ["-c", "import fastgat"],
    "fastgat --help": ["-m", "fastgat", "--help"],
}
BEFORE, AFTER = "before", "after"


class Side:
    """One of the two installations: an interpreter, and folders it imports from first."""

    def __init__(self, python: str, path: tuple[str, ...] | None) -> None:
        self.python, self.path = python, path

    def worker(self) -> Worker:
        """Its process."""
        return Worker("experiments.peers.fastgat_worker", self.python, path=self.path)

    def run(self, arguments: list[str]) -> float:
        """Seconds of starting its interpreter once."""
        begin = time.perf_counter()
        subprocess.run(
            [self.python, *arguments],
            env=child_environment(self.path),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return time.perf_counter() - begin


def sides(options: Options) -> dict[str, Side]:
    """Before as the options say; after is what we run with."""
    before = () if options.before is None else (options.before,)
    return {
        BEFORE: Side(options.before_python or sys.executable, before),
        AFTER: Side(sys.executable, None),
    }


def rows(options: Options) -> list[Row]:
    """Steps by dataset, layers by dataset, and start-up."""
    repeats = options.rounds(REPEATS)
    both = sides(options)

    def row(key: str, dataset: str | None, run: Callable[[], Result]) -> Row:
        settings = {"quick": options.quick, "dataset": dataset, "repeats": repeats}
        return Row(key, settings, run)

    found = [
        row(f"steps/{name}", name, partial(time_steps, both, name, repeats))
        for name in options.names(STEP_DATASETS)
    ]
    found += [
        row(f"layers/{name}", name, partial(time_layers, both, name, repeats))
        for name in options.names(LAYER_DATASETS)
    ]
    starts = 1 if options.quick else START_REPEATS
    return [*found, row("start-up", None, partial(time_start_up, both, starts))]


def time_steps(both: dict[str, Side], name: str, repeats: int) -> Result:
    """Steps and inferences on the full and the sparse graph, nodes as numbered and ordered."""
    data = load(name)
    sparse = fg.EffectiveResistanceSparsifier(epsilon=0.5).sparsify(data.graph, seed=0)
    torch.manual_seed(13)
    weights = weight_arrays(ours.TwoLayerGAT(data.features.shape[1], data.num_classes))
    tasks: dict[str, dict[str, Any]] = {}

    def add(title: str, task: NodeData) -> None:
        tasks[title] = task.arrays() | weights
        tasks[f"{title}, ordered"] = task.ordered().arrays() | weights

    add("full", data)
    add(SPARSE, data.on(sparse))
    return _time(both, tasks, ("step", "inference"), repeats)


def time_layers(both: dict[str, Side], name: str, repeats: int) -> Result:
    """Every layer's forward and backward pass."""
    graph = load(name).graph
    x = torch.randn(graph.num_nodes, ours.WIDTH, generator=torch.Generator().manual_seed(3))
    torch.manual_seed(23)
    shared = {"x": x.numpy(), **graph_arrays(graph)}
    tasks = {
        layer: {**shared, "layer": layer, **weight_arrays(ours.make_layer(layer))}
        for layer in ours.LAYERS
    }
    return _time(both, tasks, ("pass",), repeats)


def _time(
    both: dict[str, Side], tasks: dict[str, dict[str, Any]], cases: tuple[str, ...], repeats: int
) -> Result:
    """Times of every task and case, over several pairs of fresh processes."""
    result: Result = {}
    seconds: dict[str, dict[str, list[float]]] = {}
    pairs = min(PAIRS, repeats)
    for number in range(pairs):
        # Who comes first gets other memory: they take turns.
        order = list(both.items())[:: 1 if number % 2 == 0 else -1]
        with ExitStack() as stack:
            workers = {name: stack.enter_context(side.worker()) for name, side in order}
            result["versions"] = {name: workers[name].ask(do="version") for name in both}
            for title, arrays in tasks.items():
                for worker in workers.values():
                    worker.load(title, arrays)
                outputs = [
                    torch.from_numpy(np.asarray(workers[name].outputs(title)))
                    for name in (BEFORE, AFTER)
                ]
                require_equal(f"{title}: outputs before and after", outputs[1], outputs[0])
                for case in cases:
                    measures = {
                        name: partial(worker.seconds, title, case)
                        for name, worker in workers.items()
                    }
                    in_turn(measures, 1)  # warms up
                    timed = in_turn(measures, -(-repeats // pairs))
                    kept = seconds.setdefault(f"{title}: {case}", {BEFORE: [], AFTER: []})
                    for name, values in timed.items():
                        kept[name] += values
    return result | {case: _beside(values) for case, values in seconds.items()}


def time_start_up(both: dict[str, Side], repeats: int) -> Result:
    """Seconds of new interpreters."""
    result: Result = {}
    for title, arguments in START_UP.items():
        cases = {name: partial(side.run, arguments) for name, side in both.items()}
        in_turn(cases, 1)  # fills the caches of the disk
        result[title] = _beside(in_turn(cases, repeats))
    return result


def _beside(seconds: dict[str, list[float]]) -> dict[str, Any]:
    """Medians, their ratio, and the quartiles of the ratios of single turns: how sure it is."""
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    by_turn = [b / a for b, a in zip(seconds[BEFORE], seconds[AFTER], strict=True)]
    return {
        **{f"{name}, ms": 1e3 * value for name, value in medians.items()},
        "ratio": medians[BEFORE] / medians[AFTER],
        "quartiles": [float(value) for value in np.quantile(by_turn, (0.25, 0.75))],
    }


def tables(results: Results) -> list[Table]:
    """Every case; a ratio above 1 is faster than before."""
    lines = [
        [
            key,
            case,
            *(f"{figures[f'{side}, ms']:.2f}" for side in (BEFORE, AFTER)),
            f"{figures['ratio']:.3f}",
            "{:.3f} to {:.3f}".format(*figures["quartiles"]),
        ]
        for key, row in results.items()
        if row.is_done
        for case, figures in row.result.items()
        if case != "versions"
    ]
    remarks = []
    if lines:
        least = min(lines, key=lambda line: float(line[4]))
        remarks = [f"Least ratio: {least[4]} ({least[0]}, {least[1]})."]
    columns = ["of", "case", "before, ms", "after, ms", "before over after", "quartiles by turn"]
    return [Table("Before and after", columns, lines, remarks)]


EXPERIMENT = Experiment(
    NAME,
    "Speed of two installations of fastgat in one run",
    "`--before PATH` names the folder of the other package, `--before-python PYTHON` an "
    "interpreter that finds it; after is the one that runs. Blocks of calls in turn, medians.",
    rows,
    tables,
    takes=("datasets", "repeats", "before", "before_python"),
    needs=("before", "before_python"),
    runs_again=True,
)
