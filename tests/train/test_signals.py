"""Ctrl-C and SIGTERM: the first asks, the second acts, and handlers come back."""

import signal
import threading
from collections.abc import Iterator

import pytest

from fastgat.train.signals import Interrupted, StopRequest


@pytest.fixture
def handlers() -> Iterator[list]:
    # In the background of a shell Ctrl-C is ignored from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield now()
    signal.signal(signal.SIGINT, before)


def now() -> list:
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


@pytest.mark.parametrize(
    ("number", "raised"), [(signal.SIGINT, Interrupted), (signal.SIGTERM, SystemExit)]
)
def test_the_first_signal_asks(number: int, raised: type, handlers: list) -> None:
    with pytest.raises(raised) as caught, StopRequest() as stop:
        assert stop.number is None
        signal.raise_signal(number)
        assert stop.number == number
        assert now() == handlers  # so that a second one acts
        stop.end("stopped after epoch 3")
    assert now() == handlers
    if number == signal.SIGTERM:
        assert caught.value.code == 143
    else:
        assert str(caught.value) == "stopped after epoch 3"
        assert isinstance(caught.value, KeyboardInterrupt)


def test_the_second_signal_acts_as_always(handlers: list) -> None:
    with pytest.raises(KeyboardInterrupt) as caught, StopRequest():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    assert not isinstance(caught.value, Interrupted)
    assert now() == handlers


def test_a_request_that_nobody_answered_is_not_forgotten(handlers: list) -> None:
    """It came after the last epoch: it acts as if nobody had listened."""
    with pytest.raises(KeyboardInterrupt), StopRequest():
        signal.raise_signal(signal.SIGINT)
    assert now() == handlers


def test_an_error_inside_is_what_is_raised(handlers: list) -> None:
    with pytest.raises(ZeroDivisionError), StopRequest():
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError
    assert now() == handlers


def test_without_a_signal_nothing_happens(handlers: list) -> None:
    with StopRequest() as stop:
        assert now() != handlers
    assert stop.number is None
    assert now() == handlers


def test_other_threads_do_not_listen(handlers: list) -> None:
    seen = []

    def listen() -> None:
        with StopRequest() as stop:
            seen.append((stop.number, now()))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert seen == [(None, handlers)]
