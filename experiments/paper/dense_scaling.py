"""Almost linear instead of quadratic: epoch time against nodes on dense graphs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Experiment, Results, Row
from experiments.figures import MARKERS, draw_panels
from experiments.options import FIRST_SEED, Options
from experiments.records import Result
from experiments.table import Table
from experiments.timing import in_turn
from experiments.training.method import GAT, const
from experiments.training.times import WARM_UP, TimedRun, timed_run
from experiments.verdict import Finding, claim
from fastgat.data import load_dataset
from fastgat.report.figures.axes import log_axis
from fastgat.report.figures.canvas import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "dense-scaling"
NODES, QUICK_NODES = (1000, 2000, 4000, 8000, 16000), (500, 1000, 2000)
DENSITY = 0.1  # of all pairs
EPOCHS, TIMED_RUNS = 5, 3
FULL, SPARSE = "full graph", "epsilon = 0.5"
METHODS = {FULL: GAT, SPARSE: const(0.5)}
# The paper says "almost linear" and "quadratic", without numbers: these are ours.
ALMOST_LINEAR, QUADRATIC = 1.25, 1.75


def rows(options: Options) -> list[Row]:
    """One row per size; both methods run in turn."""
    timed_runs = 1 if options.quick else TIMED_RUNS
    return [
        Row(
            f"{nodes} nodes@{options.device}",
            {
                "device": options.device,
                "quick": options.quick,
                "nodes": nodes,
                "density": DENSITY,
                "epochs": EPOCHS,
                "timed_runs": timed_runs,
                "warm_up": WARM_UP,
            },
            partial(_measure, nodes, timed_runs, options.device),
        )
        for nodes in (QUICK_NODES if options.quick else NODES)
    ]


def _measure(nodes: int, timed_runs: int, device: str) -> Result:
    edges = round(DENSITY * nodes * (nodes - 1) / 2)
    task = load_dataset("synthetic", num_nodes=nodes, num_edges=edges, seed=FIRST_SEED)
    cases: dict[str, Callable[[], TimedRun]] = {}
    for name, method in METHODS.items():
        plan = method.plan(task, FIRST_SEED, epochs=WARM_UP + EPOCHS, patience=None)
        cases[name] = partial(timed_run, plan, task, EPOCHS, device)
    found = in_turn(cases, timed_runs)
    times = {
        name: statistics.median(run.training_seconds for run in runs)
        for name, runs in found.items()
    }
    kept = {name: runs[-1].record.edges["trained_on"] for name, runs in found.items()}
    return {"training_seconds": times, "edges": kept}


def fitted_exponent(nodes: Sequence[float], values: Sequence[float]) -> float:
    """b of the power law a n^b that fits best on logarithmic axes.

    >>> round(fitted_exponent([10, 100, 1000], [3, 300, 30000]), 6)
    2.0
    """
    return float(np.polyfit(np.log(nodes), np.log(values), 1)[0])


def _series(results: Results, fact: str, name: str) -> tuple[list[int], list[float]]:
    done = [row for row in results.values() if row.is_done and row.settings["device"] == "cpu"]
    done = sorted(done, key=lambda row: int(row.settings["nodes"]))
    return [row.settings["nodes"] for row in done], [row.result[fact][name] for row in done]


def _exponents(results: Results) -> dict[tuple[str, str], float]:
    found = {}
    for fact in ("edges", "training_seconds"):
        for name in METHODS:
            nodes, values = _series(results, fact, name)
            if len(nodes) >= 2:
                # The larger half: in the smaller one the parts that do not grow take the time.
                half = len(nodes) // 2
                found[fact, name] = fitted_exponent(nodes[half:], values[half:])
    return found


def tables(results: Results) -> list[Table]:
    """Edges and times by size, and the exponents."""
    lines = []
    nodes, _ = _series(results, "edges", FULL)
    columns = [
        (fact, name, _series(results, fact, name)[1])
        for name in METHODS
        for fact in ("edges", "training_seconds")
    ]
    for place, number in enumerate(nodes):
        cells = [
            f"{values[place]:,}" if fact == "edges" else f"{1e3 * values[place]:.2f}"
            for fact, _, values in columns
        ]
        lines.append([f"{number:,}", *cells])
    exponents = _exponents(results)
    if exponents:
        lines.append(["exponent", *(f"{exponents[fact, name]:.2f}" for fact, name, _ in columns)])
    titles = [
        f"{name}: {'edges' if fact == 'edges' else 'ms per epoch'}" for fact, name, _ in columns
    ]
    remark = "Exponents are fitted to the larger half of the sizes, where overheads count less."
    return [Table(f"Graphs with {DENSITY:.0%} of all pairs", ["nodes", *titles], lines, [remark])]


def findings(results: Results) -> list[Finding]:
    """Exponents of time against what the abstract claims."""
    exponents, quick = _exponents(results), any(row.is_quick for row in results.values())
    found = []
    for name, paper in ((SPARSE, "almost linear"), (FULL, "quadratic")):
        ours = exponents.get(("training_seconds", name))
        if ours is None:
            continue
        holds = ours <= ALMOST_LINEAR if name == SPARSE else ours >= QUADRATIC
        of = f"{NAME}/{name}/exponent of time"
        found.append(claim(of, f"{ours:.2f}", paper, holds, quick=quick))
    return found


def draw(results: Results, folder: Path) -> list[Path]:
    """Edges and time against nodes on logarithmic axes, with their exponents."""
    exponents = _exponents(results)
    if not exponents:
        return []
    facts = {"edges": "edges", "time": "training_seconds"}
    titles = {"edges": "undirected edges", "time": "training time per epoch, ms"}

    def panel(axes: Axes, title: str) -> None:
        fact = facts[title]
        scale = 1.0 if fact == "edges" else 1e3
        for place, name in enumerate(METHODS):
            nodes, values = _series(results, fact, name)
            shown = [scale * value for value in values]
            axes.plot(nodes, shown, color=PALETTE[place], marker=MARKERS[place], ms=4, label=name)
            power = f"{name}: nodes^{exponents[fact, name]:.2f}"
            axes.text(
                0.03, 0.98 - 0.09 * place, power, transform=axes.transAxes, va="top",
                color=PALETTE[place],
            )  # fmt: skip
        high = axes.get_ylim()[1]
        log_axis(axes.yaxis)
        axes.set_ylim(top=4 * high)  # room for the exponents
        log_axis(axes.xaxis)
        axes.set_xticks(nodes, [f"{n:,}" for n in nodes], fontsize=7)
        axes.set_xlabel("nodes")
        axes.set_ylabel(titles[title])

    return draw_panels(folder, NAME, list(titles), panel, columns=2, panel=(3.4, 2.8))


EXPERIMENT = Experiment(
    NAME,
    "Almost linear instead of quadratic",
    "Block models that hold a tenth of all pairs of nodes, 32 dense features, 2-layer GAT; the "
    "training part of an epoch. Almost linear is taken to be an exponent of at most "
    f"{ALMOST_LINEAR}, quadratic one of at least {QUADRATIC}: the paper gives none.",
    rows,
    tables,
    findings,
    draw,
    takes=("device",),
)
