import os
import stat
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.gallery import cycle, wheel
from fastgat.spectral import (
    ResistanceEstimate,
    cache,
    effective_resistances,
    estimate_effective_resistances,
)
from fastgat.spectral import resistance as resistance_module
from fastgat.spectral.cache import ResistanceCache, content_key, open_cache, user_folder

GRAPH = wheel(12)


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for every estimate that was computed."""
    calls: list[object] = []
    original = resistance_module.SketchSolver

    def counted(*arguments: object, **options: object) -> object:
        calls.append(options)
        return original(*arguments, **options)

    monkeypatch.setattr(resistance_module, "SketchSolver", counted)
    return calls


@pytest.fixture(autouse=True)
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    cache._warn_once.cache_clear()


def same(a: ResistanceEstimate, b: ResistanceEstimate) -> bool:
    first, second = asdict(a), asdict(b)
    equal = first.pop("resistance").tobytes() == second.pop("resistance").tobytes()
    return bool(equal) and first == second


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_found_again_whole(tmp_path: Path, solves: list[object]) -> None:
    fresh = estimate_effective_resistances(GRAPH, cache=tmp_path)
    found = estimate_effective_resistances(GRAPH, cache=str(tmp_path))
    assert len(solves) == 1
    assert same(fresh, found)
    assert found.resistance.flags.writeable
    assert same(fresh, estimate_effective_resistances(GRAPH))


def test_no_cache_touches_nothing(tmp_path: Path) -> None:
    for nothing in (None, False):
        effective_resistances(GRAPH, cache=nothing)
    assert not list(tmp_path.iterdir())


def test_user_folder(tmp_path: Path, solves: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    first = effective_resistances(GRAPH, cache=True)
    folder = tmp_path / "xdg" / "fastgat" / "resistances"
    assert only_file(folder)
    assert (effective_resistances(GRAPH, cache=True) == first).all()
    assert len(solves) == 1
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_folder() == tmp_path / ".cache" / "fastgat" / "resistances"


def test_files_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "cache"
    effective_resistances(GRAPH, cache=folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "options",
    [
        {"relative_error": 0.03},
        {"sketch_columns": 32},
        {"seed": 1},
        {"smoothing_steps": 2},
        {"tolerance": 0.5},
    ],
    ids=lambda options: next(iter(options)),
)
def test_every_option_counts(options: dict, tmp_path: Path, solves: list[object]) -> None:
    effective_resistances(GRAPH, cache=tmp_path)
    effective_resistances(GRAPH, cache=tmp_path, **options)
    assert len(solves) == 2


def test_graph_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    base = cycle(4)
    graphs = [
        base,
        Graph.from_edges(base.source, base.target, num_nodes=5),
        Graph.from_edges(base.source, base.target, np.ones(4)),
        Graph.from_edges(base.source, base.target, [1, 1, 1, 1 + 1e-15]),
        Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3]),
        Graph.from_edges([0, 0, 1, 1], [1, 3, 2, 3]),
    ]
    keys = {content_key(graph, {}) for graph in graphs}
    assert len(keys) == len(graphs)
    assert content_key(base, {}) == content_key(cycle(4), {})
    assert content_key(base, {"seed": 1}) != content_key(base, {"seed": 2})
    before = content_key(base, {})
    monkeypatch.setattr(cache, "ALGORITHM_VERSION", -1)
    assert content_key(base, {}) != before


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data[:70] + bytes([data[70] ^ 1]) + data[71:],
        lambda data: b"0" * 64 + data[64:],
        lambda data: data.replace(b"\n", b" "),
        lambda data: bytes(len(data)),
    ],
)
def test_damaged_files_are_replaced(damage: object, tmp_path: Path, solves: list[object]) -> None:
    fresh = estimate_effective_resistances(GRAPH, cache=tmp_path)
    path = only_file(tmp_path)
    good = path.read_bytes()
    path.write_bytes(damage(good))
    assert same(estimate_effective_resistances(GRAPH, cache=tmp_path), fresh)
    assert len(solves) == 2
    assert path.read_bytes() == good


def test_a_folder_in_the_place_of_a_file_does_no_harm(tmp_path: Path) -> None:
    fresh = effective_resistances(GRAPH, cache=tmp_path)
    path = only_file(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.warns(RuntimeWarning, match="resistances were not cached: .* it is a folder"):
        assert (effective_resistances(GRAPH, cache=tmp_path) == fresh).all()


def test_least_recently_used_go_first(tmp_path: Path) -> None:
    store = ResistanceCache(tmp_path, max_bytes=3 * 1000)
    values = np.arange(100.0)  # 800 bytes and a header
    for age, key in enumerate(["a", "b", "c"]):
        store.save(key, values, {})
        os.utime(tmp_path / f"{key}{cache.SUFFIX}", (1000 + age, 1000 + age))
    assert store.load("a", 100) is not None  # now the latest
    (tmp_path / "notes.txt").write_text("x" * 5000)  # not ours: neither counted nor removed
    store.save("d", values, {})
    names = sorted(path.stem for path in tmp_path.glob(f"*{cache.SUFFIX}"))
    assert names == ["a", "c", "d"]
    assert (tmp_path / "notes.txt").exists()
    store.save("e", np.zeros(10_000), {})  # larger than all the room there is
    assert store.load("e", 10_000) is None
    assert store.load("d", 100) is not None


def test_an_open_cache_serves_as_it_is(tmp_path: Path, solves: list[object]) -> None:
    store = ResistanceCache(tmp_path)
    first = effective_resistances(GRAPH, cache=store)
    assert (effective_resistances(GRAPH, cache=store) == first).all()
    assert (effective_resistances(GRAPH, cache=tmp_path) == first).all()
    assert len(solves) == 1


def test_size_is_checked(tmp_path: Path) -> None:
    store = ResistanceCache(tmp_path)
    store.save("key", np.arange(5.0), {"columns": 3})
    assert store.load("key", 4) is None
    store.save("key", np.arange(5.0), {"columns": 3})
    found = store.load("key", 5)
    assert found is not None
    assert found[0].tolist() == [0, 1, 2, 3, 4]
    assert found[1] == {"columns": 3}


def test_named_folder_must_be_usable(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match=r"cannot use cache='.*file': file exists"):
        effective_resistances(GRAPH, cache=file)
    with pytest.raises(InputError, match=r"cannot use cache='.*below': not a directory"):
        effective_resistances(GRAPH, cache=file / "below")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="the folder is not writable"):
            effective_resistances(GRAPH, cache=tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_without_a_user_folder_there_is_one_warning(tmp_path: Path) -> None:
    (tmp_path / "xdg").write_text("in the way")
    with pytest.warns(RuntimeWarning, match="resistances are not cached: cannot use"):
        assert open_cache(True) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert effective_resistances(GRAPH, cache=True).shape == (24,)


def test_full_disk_keeps_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: object) -> None:
        raise InputError(f"cannot write {path}: no space left on device")

    monkeypatch.setattr(cache, "write_atomically", full)
    with pytest.warns(RuntimeWarning, match="were not cached: .* no space left"):
        assert effective_resistances(GRAPH, cache=tmp_path).shape == (24,)


def test_progress_is_told_on_a_hit(tmp_path: Path) -> None:
    effective_resistances(GRAPH, cache=tmp_path)
    seen: list[float] = []
    effective_resistances(GRAPH, cache=tmp_path, progress=seen.append)
    assert seen == [1.0]
