from collections.abc import Iterator

import numpy as np
import pytest

from fastgat import _core
from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.gallery import complete, known_resistances, path, star, two_components
from fastgat.graph.generators import grid
from fastgat.spectral import LaplacianSolver

GRAPHS = {name: known.graph for name, known in known_resistances().items()}


@pytest.fixture
def threads() -> Iterator[None]:
    before = _core.num_threads()
    yield
    _core.set_num_threads(before)


def random_graph(num_nodes: int, num_edges: int, seed: int, decades: float = 0) -> Graph:
    """A path and random edges, weights spread evenly over that many powers of ten."""
    rng = np.random.default_rng(seed)
    source = np.concatenate([np.arange(num_nodes - 1), rng.integers(num_nodes, size=num_edges)])
    target = np.concatenate([np.arange(1, num_nodes), rng.integers(num_nodes, size=num_edges)])
    weight = 10 ** (decades * (rng.random(source.size) - 0.5))
    return Graph.from_edges(source, target, weight, num_nodes=num_nodes)


def pseudo_inverse(graph: Graph) -> np.ndarray:
    return np.linalg.pinv(graph.laplacian().toarray(), hermitian=True)


@pytest.mark.parametrize("columns", [0, 1, 3, 4, 5, 16, 17, 21])
@pytest.mark.parametrize("preconditioner", ["diagonal", "cholesky"])
def test_solves_any_number_of_columns(columns: int, preconditioner: str) -> None:
    graph = random_graph(60, 100, seed=11, decades=2)
    b = np.random.default_rng(7).standard_normal((60, columns))
    solver = LaplacianSolver(graph, tolerance=1e-12, preconditioner=preconditioner)
    solution = solver.solve(b)
    assert solution.x.shape == b.shape
    assert solution.converged
    np.testing.assert_allclose(solution.x, pseudo_inverse(graph) @ b, atol=1e-9)


@pytest.mark.parametrize("name", GRAPHS)
def test_agrees_with_pseudo_inverse(name: str) -> None:
    graph = GRAPHS[name]
    b = np.random.default_rng(13).standard_normal(graph.num_nodes)
    solution = LaplacianSolver(graph, tolerance=1e-10).solve(b)
    assert solution.x.shape == b.shape
    assert solution.converged
    np.testing.assert_allclose(solution.x, pseudo_inverse(graph) @ b, atol=1e-8)


def test_solution_sums_to_zero_over_every_component() -> None:
    graph = two_components()
    x = LaplacianSolver(graph).solve([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]).x
    assert abs(x[:3].sum()) < 1e-9
    assert abs(x[3:].sum()) < 1e-9


@pytest.mark.parametrize("shape", [(0,), (0, 3), (0, 0)])
def test_no_nodes(shape: tuple[int, ...]) -> None:
    solution = LaplacianSolver(Graph.from_edges([], [], num_nodes=0)).solve(np.zeros(shape))
    assert solution.x.shape == shape
    assert (solution.converged, solution.residual) == (True, 0.0)


def test_isolated_nodes_get_zero() -> None:
    graph = Graph.from_edges([1], [3], num_nodes=5)
    solution = LaplacianSolver(graph).solve([5.0, 1.0, 7.0, -1.0, 9.0])
    np.testing.assert_allclose(solution.x, [0, 0.5, 0, -0.5, 0], atol=1e-12)
    assert solution.converged


@pytest.mark.parametrize("graph", [path(1), Graph.from_edges([], [], num_nodes=4)])
def test_no_edges(graph: Graph) -> None:
    solution = LaplacianSolver(graph).solve(np.ones(graph.num_nodes))
    assert solution.converged
    assert not solution.x.any()


def test_zero_right_side_takes_no_iteration() -> None:
    solution = LaplacianSolver(complete(5)).solve(np.full(5, 3.0))
    assert (solution.iterations, solution.residual, solution.converged) == (0, 0.0, True)


@pytest.mark.parametrize("preconditioner", ["auto", "diagonal", "cholesky"])
def test_wide_weights_converge(preconditioner: str) -> None:
    graph = random_graph(400, 1600, seed=5, decades=16)
    b = np.random.default_rng(3).standard_normal((400, 3))
    solution = LaplacianSolver(graph, preconditioner=preconditioner).solve(b)
    assert solution.converged
    assert solution.residual <= 1e-8


@pytest.mark.parametrize(
    ("graph", "drop"), [(path(3000), 2999.0), (grid(60, 60), None)], ids=["path", "grid"]
)
def test_auto_turns_to_the_factor_on_hard_graphs(graph: Graph, drop: float | None) -> None:
    b = np.zeros(graph.num_nodes)
    b[[0, -1]] = 1, -1
    solution = LaplacianSolver(graph).solve(b)
    assert solution.preconditioner == "cholesky"
    assert solution.converged
    assert 0 < solution.factor_iterations < solution.iterations < 120
    if drop is not None:
        assert solution.x[0] - solution.x[-1] == pytest.approx(drop, rel=1e-6)


def test_auto_stays_with_the_diagonal_on_easy_graphs() -> None:
    solution = LaplacianSolver(star(50)).solve(np.arange(50.0))
    assert solution.preconditioner == "diagonal"
    assert solution.factor_iterations == 0


def test_exhausted_iterations_are_told_with_the_true_residual() -> None:
    graph = grid(40, 40)
    b = np.zeros(1600)
    b[[0, -1]] = 1, -1
    solution = LaplacianSolver(graph, max_iterations=5).solve(b)
    assert not solution.converged
    assert solution.iterations == 5
    rest = b - graph.laplacian() @ solution.x
    true = np.sqrt((rest**2 / graph.degree).sum() / (b**2 / graph.degree).sum())
    assert solution.residual == pytest.approx(true, rel=1e-9)


def test_residual_is_the_true_one() -> None:
    graph = random_graph(200, 400, seed=17, decades=4)
    b = np.random.default_rng(19).standard_normal(200)
    b -= b.mean()
    solution = LaplacianSolver(graph, tolerance=1e-6).solve(b)
    rest = b - graph.laplacian() @ solution.x
    true = np.sqrt((rest**2 / graph.degree).sum() / (b**2 / graph.degree).sum())
    assert solution.residual == pytest.approx(true, rel=1e-3)
    assert solution.converged


def test_one_factor_serves_every_right_side() -> None:
    graph = grid(14, 14)
    solver = LaplacianSolver(graph, preconditioner="cholesky")
    inverse = pseudo_inverse(graph)
    for node in (0, 100):
        b = -np.ones(196) / 196
        b[node] += 1
        np.testing.assert_allclose(solver.solve(b).x, inverse @ b, atol=1e-6)


@pytest.mark.parametrize("preconditioner", ["diagonal", "cholesky"])
@pytest.mark.parametrize("columns", [1, 4, 16])
@pytest.mark.usefixtures("threads")
def test_bits_do_not_depend_on_threads(preconditioner: str, columns: int) -> None:
    graph = random_graph(20_000, 60_000, seed=23)
    b = np.random.default_rng(29).standard_normal((20_000, columns))
    found = []
    for count in (1, 2):
        _core.set_num_threads(count)
        solver = LaplacianSolver(graph, tolerance=1e-4, preconditioner=preconditioner)
        found.append(solver.solve(b))
    assert found[0].x.tobytes() == found[1].x.tobytes()
    assert found[0].iterations == found[1].iterations


def test_progress_is_called_and_may_stop_the_work() -> None:
    graph = grid(200, 200)
    b = np.random.default_rng(31).standard_normal((graph.num_nodes, 16))
    seen: list[float] = []
    # Long enough, whatever the machine, for the 50 ms between two calls of progress.
    options = {"preconditioner": "diagonal", "max_iterations": 3000, "tolerance": 1e-15}
    LaplacianSolver(graph, progress=seen.append, **options).solve(b)
    assert seen
    assert all(0 <= fraction <= 1 for fraction in seen)

    def interrupt(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LaplacianSolver(graph, progress=interrupt, **options).solve(b)


@pytest.mark.parametrize(
    ("b", "message"),
    [
        (np.ones(3), r"b has shape \(3,\), but needs one row for each of the 4 nodes"),
        (np.ones((4, 2, 2)), r"b has shape \(4, 2, 2\), but needs one row"),
        (np.float64(1), r"b has shape \(\), but needs one row"),
        ([1.0, np.nan, 0.0, 0.0], "b has entries that are not finite"),
        ([1.0, np.inf, 0.0, 0.0], "b has entries that are not finite"),
    ],
)
def test_bad_right_side_is_refused(b: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        LaplacianSolver(path(4)).solve(b)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0}, "tolerance=0 must lie in"),
        ({"max_iterations": -1}, "max_iterations=-1 must be a whole number"),
        ({"preconditioner": "amg"}, "preconditioner='amg' must be one of 'auto'"),
        ({"seed": -1}, "seed=-1 must be a whole number"),
    ],
)
def test_bad_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        LaplacianSolver(path(4), **options)
