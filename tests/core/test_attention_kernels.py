"""The attention kernels agree with their formulas, written down in NumPy arc by arc."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fastgat import _core

SEED = 0x1234_5678_9ABC_DEF1
LIMIT = {np.float32: 2e-4, np.float64: 2e-12}  # some thousand roundings
FAMILIES = ["additive", "dot", "gatv2"]
SLOPE, ATTR_SIZE = 0.2, 3


@dataclass(frozen=True)
class Layout:
    """How the kernels lay out a node's values; see csrc/attention/shape.hpp."""

    heads: int
    channels: int
    allows_half: bool = False

    @property
    def padded(self) -> int:
        return 1 << (self.heads - 1).bit_length()

    @property
    def size(self) -> int:
        used = self.padded * self.channels
        half = self.allows_half and self.heads == 1 and used <= 8
        return 8 if half else -(-used // 16) * 16

    def pack(self, values: np.ndarray) -> np.ndarray:
        """(rows, heads, channels) -> (rows, size)."""
        rows = np.zeros((len(values), self.size), values.dtype)
        self.unpack(rows)[...] = values
        return rows

    def unpack(self, rows: np.ndarray) -> np.ndarray:
        used = rows[:, : self.padded * self.channels]
        return used.reshape(-1, self.channels, self.padded)[:, :, : self.heads].transpose(0, 2, 1)

    def pad(self, values: np.ndarray) -> np.ndarray:
        """(rows, heads) -> (rows, padded)."""
        return np.pad(values, ((0, 0), (0, self.padded - self.heads)))


Side = tuple[np.ndarray, np.ndarray, np.ndarray | None]  # offset, other, id


@dataclass(frozen=True)
class Arcs:
    """Arcs as the kernels take them."""

    by_target: Side
    by_source: Side
    has_loops: bool
    is_symmetric: bool = False


@dataclass(frozen=True)
class Graph:
    source: np.ndarray
    target: np.ndarray
    num_sources: int
    num_targets: int
    add_loops: bool = False

    def arcs(self, with_ids: bool = True) -> Arcs:
        ends = (np.ascontiguousarray(end) for end in (self.source, self.target))
        sizes = (self.num_sources, self.num_targets)
        *sides, is_symmetric = _core.sort_arcs(*ends, *sizes, self.add_loops, with_ids)
        return Arcs(tuple(sides[:3]), tuple(sides[3:]), self.add_loops, is_symmetric)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Sources and targets in the order of values per arc."""
        if not self.add_loops:
            return self.source, self.target
        kept, loops = self.source != self.target, np.arange(self.num_targets)
        return np.append(self.source[kept], loops), np.append(self.target[kept], loops)

    def occurrences(self) -> np.ndarray:
        """How many arcs like it come before an arc; a loop that was added has none."""
        seen: dict[tuple[int, int], int] = {}
        count = []
        for arc in zip(*(end.tolist() for end in self.ends()), strict=True):
            count.append(seen.get(arc, 0))
            seen[arc] = count[-1] + 1
        return np.array(count)


def make_graph(kind: str) -> Graph:
    rng = np.random.default_rng(61)
    sources, targets = {"wide": (23, 11), "tall": (11, 23)}.get(kind, (17, 17))
    source, target = rng.integers(sources - 1, size=90), rng.integers(targets - 1, size=90)
    if kind == "repeats":
        source, target = np.tile(source[:30], 3), np.tile(target[:30], 3)
    if kind in ("distinct", "loops", "symmetric", "symmetric loops"):
        source, target = np.unique(np.stack([source, target]), axis=1)
    if kind.startswith("symmetric"):
        ends = np.concatenate([[source, target], [target, source]], axis=1)
        source, target = np.unique(ends, axis=1)[:, rng.permutation(len(np.unique(ends, axis=1).T))]
    if kind == "hub":  # rows of whole tiles, and one beyond
        target[:33], source[40:56] = 3, 5
    if kind == "empty":
        source, target = source[:0], target[:0]
    loops = kind in ("loops", "symmetric loops", "empty", "hub")
    return Graph(source, target, sources, targets, loops)


KINDS = [
    "distinct", "loops", "symmetric", "symmetric loops", "repeats", "hub", "wide", "tall", "empty",
]  # fmt: skip


def threefry(counter: np.ndarray, seed: int) -> np.ndarray:
    """Threefry-4x32-12 of Salmon et al. (2011), a column per counter."""
    rotation = [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)]
    low, high = seed % 2**32, seed // 2**32
    key = np.array([low, high, 0, 0, 0x1BD11BDA ^ low ^ high], np.uint32)
    x = counter.astype(np.uint32) + key[:4, None]
    for r in range(12):
        for a, b, by in zip((0, 2), (3, 1) if r % 2 else (1, 3), rotation[r % 8], strict=True):
            x[a] += x[b]
            x[b] = (x[b] << by | x[b] >> (32 - by)) ^ x[a]
        if r % 4 == 3:
            times = r // 4 + 1
            x += key[(times + np.arange(4)) % 5, None]
            x[3] += np.uint32(times)
    return x


def keep_factors(graph: Graph, heads: int, offset: int, dropout: float, seed: int) -> np.ndarray:
    """What coefficients are multiplied by, (arcs, heads)."""
    source, target = graph.ends()
    if dropout == 0:
        return np.ones((len(source), heads))
    threshold = round((1 - dropout) * 65536)
    count = graph.occurrences()
    words = {
        block: threefry(np.stack([target, source, np.full(len(source), block), count]), seed)
        for block in range(offset // 8, (offset + heads + 7) // 8)
    }
    places = [divmod(offset + head, 8) for head in range(heads)]
    bits = [words[block][k // 2] >> np.uint32(16 * (k % 2)) & 0xFFFF for block, k in places]
    scale = 65536 / threshold if threshold else 0.0
    return np.where(np.stack(bits, axis=1) < threshold, scale, 0.0)


def sum_at(index: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    sums = np.zeros((count, *values.shape[1:]))
    np.add.at(sums, index, values)
    return sums


def leaky(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, SLOPE * x)


def bend(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, 1.0, SLOPE)


def twin(
    family: str, graph: Graph, given: dict[str, np.ndarray], keep: np.ndarray, gradient: np.ndarray
) -> dict[str, np.ndarray]:
    """Output and all gradients, by argument name, in double precision."""
    given = {name: np.asarray(values, np.float64) for name, values in given.items()}
    (j, i), value = graph.ends(), given["value"]
    sources, targets = graph.num_sources, graph.num_targets
    if family == "additive":
        score = given["target_score"][i]
        if "att_target" in given:
            score = (value * given["att_target"]).sum(-1)[i]
        x = (value * given["att_source"]).sum(-1)[j] + score + given.get("term", 0.0)
        logit = leaky(x)
    elif family == "dot":
        logit = (given["query"][i] * given["key"][j]).sum(-1)
    else:
        x = value[j] + given["target"][i]
        if "attr" in given:
            x = x + np.einsum("ae,ehc->ahc", given["attr"], given["projection"])
        logit = (given["att"] * leaky(x)).sum(-1)
    weight = given.get("weight", np.ones(len(i)))[:, None]
    highest = np.full((targets, logit.shape[1]), -np.inf)
    np.maximum.at(highest, i, logit)
    mass = np.exp(logit - highest[i])
    share = mass / sum_at(i, weight * mass, targets)[i]
    alpha = weight * share
    out = sum_at(i, (keep * alpha)[..., None] * value[j], targets)

    toward = keep * (gradient[i] * value[j]).sum(-1)
    change = share * (toward - sum_at(i, alpha * toward, targets)[i])
    found = {"out": out, "weight": change.sum(-1)}
    change = weight * change
    of_value = sum_at(j, (keep * alpha)[..., None] * gradient[i], sources)
    if family == "additive":
        change = change * bend(x)
        found["term"], found["target_score"] = change, sum_at(i, change, targets)
        of_source = sum_at(j, change, sources)[..., None]
        found["att_source"] = (of_source * value).sum(0)
        of_value = of_value + of_source * given["att_source"]
        if "att_target" in given:
            of_target = found["target_score"][..., None]
            found["att_target"] = (of_target * value).sum(0)
            of_value = of_value + of_target * given["att_target"]
    elif family == "dot":
        found["query"] = sum_at(i, change[..., None] * given["key"][j], targets)
        found["key"] = sum_at(j, change[..., None] * given["query"][i], sources)
    else:
        found["att"] = (change[..., None] * leaky(x)).sum(0)
        inside = change[..., None] * given["att"] * bend(x)
        found["target"] = sum_at(i, inside, targets)
        of_value = of_value + sum_at(j, inside, sources)
        if "attr" in given:
            found["attr"] = np.einsum("ahc,ehc->ae", inside, given["projection"])
            found["projection"] = np.einsum("ahc,ae->ehc", inside, given["attr"])
    return found | {"value": of_value}


def kernel(
    family: str,
    arcs: Arcs,
    given: dict[str, np.ndarray],
    gradient: np.ndarray,
    offset: int = 0,
    dropout: float = 0.0,
    seed: int = SEED,
) -> dict[str, np.ndarray]:
    """The same from the core."""
    value, weight = given["value"], given.get("weight")
    heads, channels = value.shape[1:]
    layout = Layout(heads, channels, allows_half=family == "additive")
    rows, gradient = layout.pack(value), gradient.reshape(-1, heads * channels)
    noise = (dropout, seed)
    target_side, source_side = arcs.by_target, arcs.by_source
    both_sides = (*target_side, *source_side)
    if family == "additive":
        att_source = layout.pack(given["att_source"][None])[0]
        att_target = None
        source_score = _core.head_scores(rows, att_source, heads, channels)
        target_score = layout.pad(given["target_score"])
        if "att_target" in given:
            att_target = layout.pack(given["att_target"][None])[0]
            target_score = _core.head_scores(rows, att_target, heads, channels)
        term = layout.pad(given["term"]) if "term" in given else None
        sizes = (arcs.has_loops, heads, channels, offset)
        scores = (rows, source_score, target_score)
        options = (weight, term, None, SLOPE, *noise)
        out, *state = _core.additive_forward(*target_side, *sizes, *scores, *options, True)
        alone, *nothing = _core.additive_forward(*target_side, *sizes, *scores, *options, False)
        assert np.array_equal(alone, out, equal_nan=True)
        bias = np.linspace(-3, 5, heads * channels, dtype=value.dtype).reshape(heads, channels)
        options = (weight, term, layout.pack(bias[None])[0], SLOPE, *noise)
        raised, *same = _core.additive_forward(*target_side, *sizes, *scores, *options, True)
        np.testing.assert_allclose(raised, out + bias.reshape(-1), rtol=1e-5, atol=1e-5)
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(state, same, strict=True))
        assert not any(len(part) for part in nothing)
        of_value, of_att, of_target, of_weight, of_term, of_bias = _core.additive_backward(
            *source_side, *sizes, gradient, *scores, *state, att_source, att_target, weight, term,
            SLOPE, *noise,
        )  # fmt: skip
        np.testing.assert_allclose(
            layout.unpack(of_bias[None]).reshape(-1), gradient.sum(0), rtol=1e-4, atol=1e-4
        )
        found = dict(zip(["att_source", "att_target"], layout.unpack(of_att), strict=True))
        found |= {"target_score": of_target[:, :heads], "term": of_term[:, :heads]}
        if att_target is None:
            del found["att_target"]
    elif family == "dot":
        scores_layout = Layout(heads, given["key"].shape[2])
        sizes = (arcs.has_loops, heads, scores_layout.channels, channels, offset)
        ends = (scores_layout.pack(given["query"]), scores_layout.pack(given["key"]), rows)
        out, *state = _core.dot_forward(*target_side, *sizes, *ends, weight, *noise)
        of_query, of_key, of_value, of_weight = _core.dot_backward(
            *both_sides, *sizes, gradient, out, *ends, *state, weight, *noise
        )
        found = {"query": scores_layout.unpack(of_query), "key": scores_layout.unpack(of_key)}
    else:
        projection = layout.pack(given["projection"]) if "attr" in given else None
        sizes = (arcs.has_loops, heads, channels, offset)
        ends = (rows, layout.pack(given["target"]), layout.pack(given["att"][None])[0])
        options = (weight, given.get("attr"), projection, SLOPE, *noise)
        out, *state = _core.gatv2_forward(*target_side, *sizes, *ends, *options)
        of_value, of_target, of_att, of_weight, of_attr, of_projection = _core.gatv2_backward(
            *both_sides, *sizes, gradient, out, *ends, *state, *options
        )
        found = {"target": layout.unpack(of_target), "att": layout.unpack(of_att[None])[0]}
        found |= {"attr": of_attr, "projection": layout.unpack(of_projection)}
    found |= {"out": out.reshape(-1, heads, channels), "value": layout.unpack(of_value)}
    return found | {"weight": of_weight}


def make_inputs(
    family: str, graph: Graph, heads: int, channels: int, kind: Any, extras: set[str]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Random arguments for one call, and a gradient of its output."""
    rng = np.random.default_rng(67)
    sources, targets, arcs = graph.num_sources, graph.num_targets, len(graph.ends()[0])
    shapes: dict[str, tuple[int, ...]] = {"value": (sources, heads, channels)}
    if family == "additive":
        shapes |= {"att_source": (heads, channels), "target_score": (targets, heads)}
        if sources == targets and "given score" not in extras:
            shapes["att_target"] = (heads, channels)
        shapes |= {"term": (arcs, heads)} if "term" in extras else {}
    elif family == "dot":
        wide = channels + 3 if "other width" in extras else channels
        shapes |= {"query": (targets, heads, wide), "key": (sources, heads, wide)}
    else:
        shapes |= {"target": (targets, heads, channels), "att": (heads, channels)}
        if "term" in extras:
            shapes |= {"attr": (arcs, ATTR_SIZE), "projection": (ATTR_SIZE, heads, channels)}
    given = {name: rng.normal(size=shape).astype(kind) for name, shape in shapes.items()}
    for name in ("att_source", "att_target", "att", "query"):
        if name in given:  # scores of about one
            given[name] = (given[name] / np.sqrt(channels)).astype(kind)
    if "weight" in extras:
        given["weight"] = rng.uniform(0.2, 3.0, arcs).astype(kind)
    return given, rng.normal(size=(targets, heads, channels)).astype(kind)


def assert_close(
    found: dict[str, np.ndarray], expected: dict[str, np.ndarray], limit: float, what: object
) -> None:
    for name, values in found.items():
        if values.size and name in expected:
            scale = max(1.0, float(np.abs(expected[name]).max()))
            error = float(np.abs(values - expected[name]).max())
            assert error <= limit * scale, (name, error / scale, what)


EXTRAS: list[set[str]] = [
    set(), {"weight"}, {"term"}, {"weight", "term", "given score", "other width"},
]  # fmt: skip


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("heads", range(1, 17))
def test_every_shape(family: str, heads: int, kind: Any) -> None:
    """With graphs, values per arc and dropout in turn."""
    for channels in range(1, 41):
        turn = channels + 3 * heads
        graph, extras = make_graph(KINDS[turn % len(KINDS)]), EXTRAS[turn % len(EXTRAS)]
        given, gradient = make_inputs(family, graph, heads, channels, kind, extras)
        noise = {"dropout": [0.0, 0.4][turn // 2 % 2], "offset": 16 * (turn % 3)}
        with_ids = bool(extras) or turn % 2 == 0
        found = kernel(family, graph.arcs(with_ids), given, gradient, **noise)
        keep = keep_factors(graph, heads, noise["offset"], noise["dropout"], SEED)
        expected = twin(family, graph, given, keep, gradient)
        assert_close(found, expected, LIMIT[kind], (channels, noise, extras))


@pytest.mark.parametrize("graph_kind", KINDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_graph_with_all_there_is(family: str, graph_kind: str) -> None:
    graph = make_graph(graph_kind)
    for heads in (1, 3, 8, 16):
        for extras in EXTRAS:
            given, gradient = make_inputs(family, graph, heads, 8, np.float64, extras)
            for dropout in (0.0, 0.6, 1.0):
                found = kernel(family, graph.arcs(), given, gradient, dropout=dropout)
                keep = keep_factors(graph, heads, 0, dropout, SEED)
                expected = twin(family, graph, given, keep, gradient)
                assert_close(found, expected, LIMIT[np.float64], (heads, extras, dropout))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_twin_has_the_gradients_of_finite_differences(family: str) -> None:
    graph = make_graph("hub")
    given, gradient = make_inputs(family, graph, 3, 4, np.float64, {"weight", "term"})
    keep = keep_factors(graph, 3, 0, 0.3, SEED)
    found = twin(family, graph, given, keep, gradient)
    rng, step = np.random.default_rng(71), 1e-6
    for name, values in given.items():
        if family == "additive" and name == "target_score":
            continue  # att_target stands in its place
        direction = rng.normal(size=values.shape)
        ahead, behind = (
            twin(family, graph, given | {name: values + by * direction}, keep, gradient)["out"]
            for by in (step, -step)
        )
        slope = ((ahead - behind) * gradient).sum()
        assert slope / (2 * step) == pytest.approx((found[name] * direction).sum(), rel=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("graph_kind", KINDS)
def test_attention_rows_sum_to_one(family: str, graph_kind: str) -> None:
    """Values that are all one come out as one, wherever there is an arc."""
    graph = make_graph(graph_kind)
    given, gradient = make_inputs(family, graph, 5, 7, np.float64, {"weight"})
    given["value"] = np.ones_like(given["value"])
    out = kernel(family, graph.arcs(), given, gradient)["out"]
    has_arcs = np.isin(np.arange(graph.num_targets), graph.ends()[1])
    np.testing.assert_allclose(out, np.broadcast_to(has_arcs[:, None, None], out.shape), 1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_results_have_the_same_bits_on_any_number_of_threads(family: str, kind: Any) -> None:
    rng = np.random.default_rng(73)
    ends = rng.integers(4000, size=(2, 60_000))
    graph = Graph(ends[0].copy(), ends[1].copy(), 4000, 4000, add_loops=True)
    given, gradient = make_inputs(family, graph, 8, 8, kind, {"weight", "term"})
    before, results = _core.num_threads(), []
    for threads in (1, 2, 5):
        _core.set_num_threads(threads)
        results.append(kernel(family, graph.arcs(), given, gradient, dropout=0.5))
    _core.set_num_threads(before)
    for other in results[1:]:
        assert all(np.array_equal(other[name], values) for name, values in results[0].items())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("graph_kind", ["distinct", "loops", "symmetric", "wide"])
def test_the_order_of_arcs_does_not_matter(family: str, graph_kind: str) -> None:
    """Bit for bit, masks included, if no arc is repeated."""
    graph = make_graph(graph_kind)
    source, target = np.unique(np.stack([graph.source, graph.target]), axis=1)
    order = np.random.default_rng(79).permutation(len(source))
    sizes = (graph.num_sources, graph.num_targets, graph.add_loops)
    given, gradient = make_inputs(family, graph, 3, 5, np.float32, set())
    first, second = (
        kernel(family, Graph(*ends, *sizes).arcs(ids), given, gradient, dropout=0.4)
        for ends, ids in (((source, target), False), ((source[order], target[order]), True))
    )
    assert all(np.array_equal(first[name], values) for name, values in second.items())


def symmetric_arcs(offset: np.ndarray, other: np.ndarray, has_loops: bool) -> Arcs:
    """Rows of a symmetric graph, as they are."""
    return Arcs((offset, other, None), (offset, other, None), has_loops, True)


def ends_of(offset: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets of arcs by target."""
    return other.astype(np.int64), np.repeat(np.arange(len(offset) - 1), np.diff(offset))


@pytest.mark.parametrize("family", FAMILIES)
def test_an_adjacency_has_the_arcs_of_both_directions(family: str) -> None:
    graph = make_graph("symmetric loops")
    forward = graph.source < graph.target
    ends = [end[forward].astype(np.int32) for end in (graph.source, graph.target)]
    sorted_ends = _core.canonical_edges(graph.num_sources, *ends, None)[:2]
    adjacency = _core.Adjacency(graph.num_sources, *sorted_ends, None)
    rows = (adjacency.offset, adjacency.neighbor)
    graph = Graph(*ends_of(*rows), *[graph.num_targets] * 2, True)
    given, gradient = make_inputs(family, graph, 3, 5, np.float64, set())
    arcs = graph.arcs(with_ids=False)
    assert arcs.is_symmetric
    first, second = (
        kernel(family, each, given, gradient, dropout=0.4)
        for each in (symmetric_arcs(*rows, True), arcs)
    )
    assert all(np.array_equal(first[name], values) for name, values in second.items())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("probability", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("loops", [True, False])
def test_drawn_arcs_are_those_of_their_ends(family: str, probability: float, loops: bool) -> None:
    """Bit for bit, whether they are drawn as rows or sorted anew."""
    rng = np.random.default_rng(89)
    ends = rng.integers(150, size=(2, 4000), dtype=np.int32)
    ends[0, :600] = 3  # a row of more arcs than are summed at once
    source, target = _core.canonical_edges(
        700, ends[0], ends[1] + np.arange(4000, dtype=np.int32) % 500, None
    )[:2]
    adjacency = _core.Adjacency(700, source, target, None)
    drawn = _core.ArcDraws(adjacency).independently(np.full(len(source), probability), 97)
    kept = _core.draw_independently(source, target, None, np.full(len(source), probability), 97)
    graph = Graph(*ends_of(*drawn), 700, 700, loops)
    upper = graph.source > graph.target
    both = np.stack([graph.target[upper], graph.source[upper]])
    assert np.array_equal(both, kept[1:3])
    assert len(graph.source) == 2 * len(kept[0])
    given, gradient = make_inputs(family, graph, 3, 5, np.float32, set())
    first, second = (
        kernel(family, each, given, gradient, dropout=0.4)
        for each in (symmetric_arcs(*drawn, loops), graph.arcs(with_ids=False))
    )
    assert all(np.array_equal(first[name], values) for name, values in second.items())
    keep = keep_factors(graph, 3, 0, 0.4, SEED)
    assert_close(first, twin(family, graph, given, keep, gradient), LIMIT[np.float32], loops)


def test_draws_with_replacement_are_the_same_edges_as_arcs() -> None:
    rng = np.random.default_rng(101)
    ends = rng.integers(60, size=(2, 900), dtype=np.int32)
    source, target = _core.canonical_edges(60, *ends, None)[:2]
    score = rng.uniform(0.1, 2.0, len(source))
    always = (rng.random(len(source)) < 0.1).astype(np.uint8)
    draws = _core.ArcDraws(_core.Adjacency(60, source, target, None))
    for besides in (None, always):
        rows = draws.with_replacement(_core.AliasTable(score), besides, 200, 5)
        kept = _core.draw_with_replacement(
            source, target, None, _core.AliasTable(score), score, besides, 200, 5
        )
        other, row = ends_of(*rows)
        assert np.array_equal(np.stack([row, other])[:, row < other], kept[1:3])
        # Both directions, every row in order.
        assert np.array_equal(np.lexsort((other, row)), np.arange(len(row)))
        assert {*zip(row, other, strict=True)} == {*zip(other, row, strict=True)}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("heads", [1, 8, 16])
def test_repeated_arcs_get_masks_of_their_own(family: str, heads: int) -> None:
    graph = Graph(np.zeros(300, np.int64), np.ones(300, np.int64), 2, 2)
    given, gradient = make_inputs(family, graph, heads, 1, np.float64, set())
    given["value"] = np.ones_like(given["value"])
    kept = kernel(family, graph.arcs(), given, gradient, dropout=0.5)["out"][1, :, 0] / 2
    assert ((kept > 0.3) & (kept < 0.7)).all()  # 7 standard errors
    assert heads == 1 or len(np.unique(kept)) > 1


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("loops", [False, True])
def test_masks_of_repeats_are_the_same_from_both_ends(family: str, loops: bool) -> None:
    """Runs of equal arcs that begin, end and go on at the edges of windows of 512 arcs."""
    runs = [(3, 5), (1, 511), (2, 512), (4, 513), (7, 1), (7, 2), (2, 3), (8, 1600), (9, 40)]
    pairs = [(i, hub) for hub, shift in ((11, 0), (12, 4)) for i, _ in runs[shift:] + runs[:shift]]
    lengths = [count for _, count in runs] * 2
    near = np.repeat([pair[0] for pair in pairs], lengths)
    far = np.repeat([pair[1] for pair in pairs], lengths)
    order = np.random.default_rng(103).permutation(len(near))
    for ends in (near, far), (far, near):
        source, target = (end[order] for end in ends)
        graph = Graph(source, target, 14, 14, add_loops=loops)
        for heads in (1, 3, 8, 16):
            given, gradient = make_inputs(family, graph, heads, 2, np.float64, set())
            keep = keep_factors(graph, heads, 0, 0.5, SEED)
            expected = twin(family, graph, given, keep, gradient)
            for with_ids in (False, True):
                found = kernel(family, graph.arcs(with_ids), given, gradient, dropout=0.5)
                assert_close(found, expected, LIMIT[np.float64], (heads, loops))


def test_a_loop_beside_a_stored_one_has_the_same_mask_from_both_ends() -> None:
    """Arcs that were sorted with their loops, and loops besides: nobody forbids that."""
    source, target = np.array([0, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 1])
    *sides, _ = _core.sort_arcs(source, target, 2, 2, False, False)
    arcs = Arcs(tuple(sides[:3]), tuple(sides[3:]), has_loops=True)
    doubled = Graph(np.append(source, [0, 1]), np.append(target, [0, 1]), 2, 2)
    given, gradient = make_inputs("dot", doubled, 8, 2, np.float64, set())
    count = doubled.occurrences()
    assert count.tolist() == [0, 0, 0, 1, 0, 1, 2]
    masks = keep_factors(doubled, 8, 0, 0.5, SEED)
    masks[5:] = masks[[0, 2]]  # added loops count from 0
    expected = twin("dot", doubled, given, masks, gradient)
    found = kernel("dot", arcs, given, gradient, dropout=0.5)
    assert_close(found, expected, LIMIT[np.float64], "loops")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("drop_loops", [False, True])
def test_arcs_are_sorted_by_both_ends(kind: str, drop_loops: bool) -> None:
    graph = make_graph(kind)
    source, target = graph.source.copy(), graph.target.copy()
    sizes = (graph.num_sources, graph.num_targets)
    kept = source != target if drop_loops else np.full(len(source), True)
    source, target = source[kept], target[kept]
    for with_ids in (False, True):
        *sides, is_symmetric = _core.sort_arcs(
            graph.source.copy(), graph.target.copy(), *sizes, drop_loops, with_ids
        )
        assert is_symmetric == (kind.startswith("symmetric") or kind == "empty")
        for (offset, other, ids), near, far, rows in (
            (sides[:3], target, source, graph.num_targets),
            (sides[3:], source, target, graph.num_sources),
        ):
            assert [each.dtype for each in (offset, other)] == [np.int64, np.int32]
            order = np.lexsort((far, near))  # repeats stay in their order
            assert np.array_equal(offset, np.append(0, np.bincount(near, minlength=rows).cumsum()))
            assert np.array_equal(other, far[order])
            assert (ids is None) == (not with_ids)
            if ids is not None:
                assert ids.dtype == np.int32
                assert np.array_equal(ids, order)
        assert (sides[0] is sides[3] and sides[1] is sides[4]) == is_symmetric


def test_one_arc_less_is_not_symmetric() -> None:
    graph = make_graph("symmetric")
    away = np.flatnonzero(graph.source != graph.target)
    for k in away[:5]:
        source, target = (np.delete(end, k) for end in (graph.source, graph.target))
        arcs = Graph(source, target, graph.num_sources, graph.num_targets).arcs()
        assert not arcs.is_symmetric
    # As many arcs in and out of every node, yet none goes back.
    cycle = np.arange(5)
    assert not Graph(cycle, (cycle + 1) % 5, 5, 5).arcs().is_symmetric
    # Both directions, but one of them twice.
    assert not Graph(np.array([0, 1, 0]), np.array([1, 0, 1]), 2, 2).arcs().is_symmetric


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (5, 0), (1, 1), (3, 3)])
@pytest.mark.parametrize("loops", [False, True])
def test_graphs_without_arcs(family: str, sizes: tuple[int, int], loops: bool) -> None:
    none = np.zeros(0, np.int64)
    if loops and sizes[0] != sizes[1]:
        graph = Graph(none, none, *sizes, add_loops=True)
        given, gradient = make_inputs(family, Graph(none, none, *sizes), 1, 1, np.float32, set())
        with pytest.raises(ValueError, match="loops need as many sources as targets"):
            kernel(family, graph.arcs(), given, gradient)
        return
    graph = Graph(none, none, *sizes, add_loops=loops)
    for heads, channels, extras in ((1, 1, set()), (8, 8, {"weight", "term"}), (11, 3, {"term"})):
        for dropout in (0.0, 0.5):
            given, gradient = make_inputs(family, graph, heads, channels, np.float32, extras)
            found = kernel(family, graph.arcs(), given, gradient, dropout=dropout)
            keep = keep_factors(graph, heads, 0, dropout, SEED)
            expected = twin(family, graph, given, keep, gradient)
            assert_close(found, expected, LIMIT[np.float32], (heads, channels))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", [0, 2**63, 2**64 - 1])
def test_a_hub_with_many_arcs(family: str, seed: int) -> None:
    many = 100_000
    rng = np.random.default_rng(83)
    for hub_is_target in (True, False):
        ends = np.stack([rng.integers(40, size=many), np.full(many, 7)])
        graph = Graph(*(ends if hub_is_target else ends[::-1]), 40, 40, add_loops=True)
        given, gradient = make_inputs(family, graph, 2, 4, np.float64, {"weight", "term"})
        found = kernel(family, graph.arcs(), given, gradient, dropout=0.3, seed=seed)
        keep = keep_factors(graph, 2, 0, 0.3, seed)
        expected = twin(family, graph, given, keep, gradient)
        assert_close(found, expected, 1e-10, hub_is_target)


@pytest.mark.parametrize("weight", [np.nan, np.inf])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_bad_weight_stays_in_its_row(family: str, weight: float) -> None:
    """Rows are shorter than a tile: the lanes beyond their ends hold arcs of the next row."""
    graph = Graph(np.array([0, 1, 2, 0, 3, 4]), np.array([0, 0, 0, 1, 2, 2]), 5, 3)
    for heads in (1, 3, 8):
        given, gradient = make_inputs(family, graph, heads, 4, np.float32, {"weight"})
        before = kernel(family, graph.arcs(), given, gradient)
        given["weight"][4] = weight  # of an arc to 2
        after = kernel(family, graph.arcs(), given, gradient)
        assert np.array_equal(after["out"][:2], before["out"][:2])
        assert np.array_equal(after["value"][:3], before["value"][:3])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("loops", [False, True])
def test_rows_that_end_near_the_end_of_a_window(family: str, loops: bool) -> None:
    """Arcs are read 512 at a time, whole tiles of one row; rows end before, at and after that."""
    degrees = [495, 1, 16, 0, 511, 1, 0, 512, 513, 15, 17, *range(480, 530, 7), 1100, *range(40)]
    target = np.repeat(np.arange(len(degrees)), degrees)
    source = np.concatenate([np.arange(degree) for degree in degrees])
    for ends in (source, target), (target, source):
        graph = Graph(*ends, 1200, 1200, add_loops=loops)
        for heads in (1, 2, 4, 8, 16):
            given, gradient = make_inputs(family, graph, heads, 2, np.float64, set())
            found = kernel(family, graph.arcs(), given, gradient, dropout=0.5)
            expected = twin(
                family, graph, given, keep_factors(graph, heads, 0, 0.5, SEED), gradient
            )
            assert_close(found, expected, LIMIT[np.float64], (heads, loops))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_arcs_of_weight_zero_are_not_there(family: str, kind: Any) -> None:
    """Whatever their scores, also beside weights that are small."""
    graph = Graph(np.array([0, 1, 2, 3]), np.array([1, 1, 1, 1]), 4, 4)
    given, gradient = make_inputs(family, graph, 2, 4, kind, set())
    for name in ("value", "key"):
        if name in given:
            given[name][0] *= 1e4
    without = Graph(graph.source[1:], graph.target[1:], 4, 4)
    for scale in (1.0, 1e-20, 1e20):
        weight = np.array([0.0, 1.0, 2.0, 0.5], kind) * kind(scale)
        for sign in (1, -1):
            given["value"][0] *= sign
            found = kernel(family, graph.arcs(), given | {"weight": weight}, gradient)
            expected = kernel(family, without.arcs(), given | {"weight": weight[1:]}, gradient)
            del found["weight"], expected["weight"]
            for name, values in found.items():
                assert np.isfinite(values).all(), (name, scale)
            assert_close(found, expected, LIMIT[kind], scale)
