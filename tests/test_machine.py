"""What the system says of memory and processor, and what is said where it does not."""

from pathlib import Path

import pytest

from fastgat import machine
from fastgat.check import available_memory


def test_the_peak_is_at_least_what_is_held() -> None:
    resident = machine.resident_bytes()
    if resident is None:
        pytest.skip("the system does not say")
    assert 0 < resident <= machine.peak_bytes()


def test_the_peak_can_begin_anew() -> None:
    held = bytearray(200_000_000)
    held[::4096] = b"1" * len(held[::4096])  # touched, or the system gives nothing
    before = machine.peak_bytes()
    del held
    if not machine.forget_peak():
        pytest.skip("the system cannot")
    assert machine.peak_bytes() < before


def test_where_the_system_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_STATUS", Path("/proc/of-nowhere"))
    assert machine.peak_bytes() > 0
    assert available_memory() > 0
    assert isinstance(machine.processor_name(), str)
