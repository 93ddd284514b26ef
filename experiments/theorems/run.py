"""Every statement on its graphs, as the rows of one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from experiments.paper_sampling import paper_sparsifier
from experiments.theorems.attention import random_attention, sparsify_attention
from experiments.theorems.bound_check import Check
from experiments.theorems.counterexample import counterexample, similarity_norm
from experiments.theorems.equation_6 import from_eigenvalues_alone, keep_promise
from experiments.theorems.lemma_1 import lemma_1, lemma_1_in_the_proof, random_case
from experiments.theorems.matrices import reweight
from experiments.theorems.proposition_1 import layer_agreement, proposition_1
from experiments.theorems.theorem_1 import theorem_1
from experiments.theorems.theorem_2 import (
    const_error,
    theorem_2,
    theorem_2_as_printed,
    worst_values,
)
from fastgat.check import check_seed
from fastgat.data import load_graph, missing_file
from fastgat.graph import Graph
from fastgat.graph.block_model import block_model
from fastgat.graph.gallery import barbell, complete, path, star, wheel

REAL_GRAPHS = ("cora", "citeseer", "pubmed", "photo", "cs", "computers", "physics", "github")
QUICK_GRAPHS = ("photo",)
KEEP = (0.1, 0.3, 0.6, 0.9)  # from too few edges for the assumptions to enough

Checked = tuple[str, Check]  # a graph's name and what came out


@dataclass(frozen=True)
class CheckedRow:
    """One line of the table."""

    statement: str
    graph: str
    epsilon: float  # measured
    bound: float
    observed: float
    ratio: float
    assumptions_hold: bool
    verdict: str
    note: str

    def as_dict(self) -> dict[str, object]:
        """The row by column names."""
        return asdict(self)


def check_theorems(seed: int = 7, quick: bool = False) -> list[CheckedRow]:
    """Check every statement of the paper; `quick` takes smaller graphs and fewer of them.

    Equation 6 is measured on generated graphs, and on those of the paper that are on this machine.
    """
    from threadpoolctl import threadpool_limits

    check_seed(seed)
    # Threads of products this small wait for each other, on a busy machine most of the time.
    with threadpool_limits(1, user_api="blas"):
        return [_row(name, check) for name, check in _all_checks(seed, quick)]


def _all_checks(seed: int, quick: bool) -> Iterator[Checked]:
    graphs = _dense_graphs(seed, quick)
    yield from _equation_6(seed, quick, graphs)
    yield from _theorem_1(seed, graphs)
    yield from _theorem_2(seed, graphs)
    yield from _counterexample(quick)
    yield from _proposition_1(seed, graphs)
    yield from _lemma_1(seed, graphs)


def _row(graph: str, check: Check) -> CheckedRow:
    return CheckedRow(
        check.statement, graph, check.epsilon, check.bound, check.observed, check.ratio,
        check.assumptions_hold, check.verdict, check.note,
    )  # fmt: skip


def _dense_graphs(seed: int, quick: bool) -> dict[str, Graph]:
    """Graphs dense enough that a real sample has a small epsilon."""
    size = 120 if quick else 300
    # A steep power law: degrees nearly equal, as in the plain block model.
    block, _ = block_model(size, size**2 // 3, 4, seed=seed, mixing=0.5, degree_exponent=20.0)
    return {f"complete({size})": complete(size), f"block model({size})": block}


def _small_graphs() -> dict[str, Graph]:
    """Graphs on which no sample has a small epsilon, but reweighting does."""
    return {
        "path(12)": path(12),
        "star(40)": star(40),
        "wheel(20)": wheel(20),
        "barbell(8, 3)": barbell(8, 3),
    }


def _equation_6(seed: int, quick: bool, dense: dict[str, Graph]) -> Iterator[Checked]:
    yield "path(12)", from_eigenvalues_alone(path(12), seed=seed)
    names = [name for name in (QUICK_GRAPHS if quick else REAL_GRAPHS) if not missing_file(name)]
    real = {name: load_graph(name, download=False) for name in names}
    for name, graph in {**dense, **real}.items():
        for epsilon in (0.5, 0.9):
            for check in keep_promise(graph, epsilon, seed=seed).checks():
                yield name, check


def _theorem_1(seed: int, graphs: dict[str, Graph]) -> Iterator[Checked]:
    for name, graph in graphs.items():
        for keep in KEEP:
            sparse = _sample(graph, keep, seed)
            label = f"{name}, keep {keep}"
            yield label, theorem_1(graph, sparse, seed=seed, activation="elu")
            yield label, theorem_1(graph, sparse, features="worst", loop=1.0)
            yield label, theorem_1(graph, sparse, features="worst")
    for name, graph in _small_graphs().items():
        for epsilon in (0.1, 0.3):
            sparse = reweight(graph, epsilon, seed=seed)
            yield f"{name}, reweighted", theorem_1(graph, sparse, features="worst")


def _theorem_2(seed: int, graphs: dict[str, Graph]) -> Iterator[Checked]:
    for name, graph in graphs.items():
        attention = random_attention(graph, seed=seed)
        for keep in KEEP:
            label = f"{name}, keep {keep}"
            sparse = sparsify_attention(attention, keep, seed=seed)
            worst = worst_values(attention, sparse)
            error = theorem_2(attention, sparse)
            yield label, replace(error, note="elu, random features")
            for check in (theorem_2, theorem_2_as_printed):
                error = check(worst, sparse, activation="relu")
                yield label, replace(error, note="relu, worst features")
            yield label, const_error(attention, _sample(graph, keep, seed))
    for name, graph in _small_graphs().items():
        attention = random_attention(graph, seed=seed)
        for epsilon in (0.1, 0.6):
            sparse = reweight(attention.graph, epsilon, seed=seed)
            worst = worst_values(attention, sparse)
            error = theorem_2(worst, sparse, activation="relu")
            yield f"{name}, reweighted", replace(error, note="relu, worst features")


def _counterexample(quick: bool) -> Iterator[Checked]:
    for num_spokes in (250, 4000) if quick else (60, 250, 1000, 4000, 16000):
        for check in (counterexample(num_spokes), counterexample(num_spokes, weights="opposed")):
            yield f"spokes({num_spokes})", check
            yield f"spokes({num_spokes})", check.weighted()
    yield "spokes(100)", similarity_norm(100)


def _proposition_1(seed: int, graphs: dict[str, Graph]) -> Iterator[Checked]:
    for name, graph in graphs.items():
        attention = random_attention(graph, seed=seed)
        sparse = sparsify_attention(attention, 0.3, seed=seed)
        equivalence = proposition_1(attention)
        yield name, equivalence
        yield name, equivalence.as_printed()
        yield name, layer_agreement(attention)
        yield name, layer_agreement(attention, sparse)


def _lemma_1(seed: int, graphs: dict[str, Graph]) -> Iterator[Checked]:
    for spread in (0.01, 0.3, 3.0):
        name = f"normal matrix(60), spread {spread}"
        yield name, lemma_1(*random_case(60, spread, seed=seed))
    for name, graph in graphs.items():
        label = f"{name}, keep 0.9"
        yield label, lemma_1_in_the_proof(graph, _sample(graph, 0.9, seed))


def _sample(graph: Graph, keep: float, seed: int) -> Graph:
    return paper_sparsifier(keep=keep, estimator="exact").sparsify(graph, seed)
