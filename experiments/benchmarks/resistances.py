"""From edge arrays to effective resistances: fastgat, NetworKit's two estimators, SciPy's CG."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg

import fastgat as fg
from experiments.benchmarks.reference import adjacency, reference_resistances
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers.optional import find_package
from experiments.records import Result
from experiments.table import BLANK, Table
from experiments.tasks import find_graph
from experiments.timing import calls_in_turn

NAME = "resistances"
DATASETS = ("photo", "computers", "cs", "physics", "github")
REPEATS = 5
ERROR = 0.0125  # asked for, the same on every graph: columns and steps follow from it
SPEED_UP, ERROR_RATIO = "speed-up over the faster NetworKit", "its error over ours"


def rows(options: Options) -> list[Row]:
    """One row per dataset; without NetworKit it has ours and SciPy alone."""
    repeats = options.rounds(REPEATS)
    return [
        Row(
            name,
            {"quick": options.quick, "dataset": name, "repeats": repeats},
            partial(measure, name, repeats),
        )
        for name in options.names(DATASETS, ("cora",))
    ]


def measure(name: str, repeats: int) -> Result:
    """Milliseconds and mean relative error of every estimator."""
    n, source, target = largest_component(find_graph(name))
    reference, kind = reference_resistances(n, source, target)

    def estimate(**options: Any) -> Any:
        graph = fg.Graph.from_edges(source, target, num_nodes=n)
        return fg.effective_resistances(graph, seed=7, **options)

    cases: dict[str, Callable[[], Any]] = {
        "fastgat": lambda: estimate(relative_error=ERROR, tolerance=0.01),
        "fastgat, 16 columns": lambda: estimate(sketch_columns=16),
        "fastgat, default": estimate,
        **networkit_cases(n, source, target),
        "SciPy CG, plain sketch": lambda: scipy_plain(n, source, target),
    }
    cases["fastgat"]()  # wakes the thread pool
    seconds, values = calls_in_turn(cases, repeats)
    result: Result = {"nodes": n, "edges": len(source), "reference": kind}
    for case, value in values.items():
        found = value() if callable(value) else value
        error = float(np.abs(found / reference - 1).mean())
        result[case] = {"milliseconds": 1e3 * seconds[case], "error": error}
    peers = [result[case] for case in cases if case.startswith("NetworKit")]
    if peers:
        peer = min(peers, key=lambda peer: peer["milliseconds"])
        result[SPEED_UP] = peer["milliseconds"] / result["fastgat"]["milliseconds"]
        result[ERROR_RATIO] = peer["error"] / result["fastgat"]["error"]
    return result


def largest_component(graph: fg.Graph) -> tuple[int, Any, Any]:
    """Its number of nodes, and its edges in a numbering of its own."""
    _, label = graph.components
    inside = label == np.bincount(label).argmax()
    number = np.cumsum(inside) - 1
    kept = inside[graph.source]
    return int(inside.sum()), number[graph.source[kept]], number[graph.target[kept]]


def networkit_cases(n: int, source: Any, target: Any) -> dict[str, Callable[[], Any]]:
    """Its two estimators, whose scores are read after the clock has stopped."""
    nk = find_package("networkit")
    if nk is None:
        return {}
    graph = nk.GraphFromCoo((np.ones(len(source)), (source, target)), n, weighted=False)
    graph.indexEdges()
    place = np.array([graph.edgeId(int(u), int(v)) for u, v in zip(source, target, strict=True)])

    def spanning() -> Any:
        estimator = nk.centrality.SpanningEdgeCentrality(graph, tol=0.5)
        estimator.runParallelApproximation()
        return lambda: np.array(estimator.scores())[place]

    def approximate() -> Any:
        estimator = nk.centrality.ApproxSpanningEdge(graph, eps=0.1)
        estimator.run()
        return lambda: np.array(estimator.scores())[place]

    return {
        "NetworKit SpanningEdgeCentrality": spanning,
        "NetworKit ApproxSpanningEdge": approximate,
    }


def scipy_plain(n: int, source: Any, target: Any) -> Any:
    """The paper's sketch: 4 ln N sign columns, one conjugate-gradient solve each."""
    matrix = adjacency(n, source, target)
    degree = matrix.sum(axis=1)
    laplacian = sp.csr_array(sp.diags_array(degree) - matrix)
    jacobi = LinearOperator((n, n), matvec=lambda x: x / degree)
    columns = round(4 * math.log(n))
    rng = np.random.default_rng(5)
    total = np.zeros(len(source))
    for _ in range(columns):
        sign = rng.choice([-1.0, 1.0], size=len(source))
        right = np.bincount(source, sign, n) - np.bincount(target, sign, n)
        z, _ = cg(laplacian, right, rtol=1e-2, M=jacobi)
        total += (z[source] - z[target]) ** 2
    return total / columns


def tables(results: Results) -> list[Table]:
    """Ours beside the faster of NetworKit's."""
    lines = []
    for row in results.values():
        if not row.is_done:
            continue
        result = row.result
        peers = [value for case, value in result.items() if case.startswith("NetworKit")]
        cells = [BLANK] * 3
        if peers:
            peer = min(peers, key=lambda value: value["milliseconds"])
            cells = [
                f"{peer['milliseconds']:.0f} ms, {peer['error']:.1%}",
                f"{result[SPEED_UP]:.0f}x",
                f"{result[ERROR_RATIO]:.1f}x",
            ]
        ours = result["fastgat"]
        own = f"{ours['milliseconds']:.1f} ms, {ours['error']:.2%}"
        lines.append([str(row.settings["dataset"]), f"{result['edges']:,}", own, *cells])
    columns = ["graph", "edges", "fastgat", "NetworKit", "faster by", "its error over ours"]
    return [Table("Time and mean relative error", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Effective resistances from edge arrays, beside NetworKit",
    "On the largest component, because NetworKit needs a connected graph; the faster of its two "
    "estimators. Our time starts from edge arrays, NetworKit's from its finished graph. Errors "
    "are against a reference computed without the library.",
    rows,
    tables,
    takes=("datasets", "repeats"),
)
