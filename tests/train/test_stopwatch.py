"""Seconds by phase: nothing is counted twice."""

import time

import pytest

from fastgat import UniformSparsifier
from fastgat.graph.gallery import complete
from fastgat.train.stopwatch import PHASES, Stopwatch, TimedDraws


def test_phases_add_up_to_the_time_inside_them() -> None:
    watch = Stopwatch()
    begin = time.perf_counter()
    with watch.phase("forward"):
        time.sleep(0.01)
        with watch.phase("sampling"):
            time.sleep(0.02)
            with watch.phase("resistances"):
                time.sleep(0.01)
        with watch.phase("sampling"):
            time.sleep(0.01)
    whole = time.perf_counter() - begin
    assert sum(watch.seconds.values()) <= whole
    assert watch.seconds["forward"] >= 0.01
    assert watch.seconds["sampling"] >= 0.03
    assert watch.seconds["resistances"] >= 0.01
    assert watch.seconds["forward"] <= whole - 0.04


def test_a_phase_inside_itself_counts_once() -> None:
    watch = Stopwatch()
    begin = time.perf_counter()
    with watch.phase("sampling"), watch.phase("sampling"):
        time.sleep(0.01)
    assert 0.01 <= watch.seconds["sampling"] <= time.perf_counter() - begin


def test_a_phase_that_fails_is_closed() -> None:
    watch = Stopwatch()
    with pytest.raises(ZeroDivisionError), watch.phase("forward"):
        raise ZeroDivisionError
    with watch.phase("backward"):
        pass
    assert watch.seconds["backward"] < 0.01
    assert tuple(watch.seconds) == PHASES


def test_draws_count_as_sampling() -> None:
    watch = Stopwatch()
    graph = complete(30)
    prepared = UniformSparsifier(keep=0.5).prepare(graph)
    draws = TimedDraws(prepared, watch)
    assert draws.graph is graph
    assert (draws.draw(7).edge_id == prepared.draw(7).edge_id).all()
    draws.draw_arcs(7)
    assert watch.seconds["sampling"] > 0
    assert sum(watch.seconds.values()) == watch.seconds["sampling"]
