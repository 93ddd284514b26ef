"""Ctrl-C and SIGTERM while training: finish the epoch, save, then end."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """Training was asked to stop, and its state is saved."""


class StopRequest:
    """Inside, the first signal asks to stop after the epoch; the second acts as it always does."""

    def __init__(self) -> None:
        """Nobody has asked yet."""
        self.number: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        """Listen, if this is the main thread: the only one that may."""
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Listen no more; a request that came too late to be answered acts as it always does."""
        self._restore()
        if self.number is not None and kind is None:
            signal.raise_signal(self.number)

    def end(self, message: str) -> None:
        """End as the signal would have."""
        self._restore()
        if self.number == signal.SIGTERM:
            raise SystemExit(128 + signal.SIGTERM)
        raise Interrupted(message)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
