"""Ctrl-C while foreign code runs: a factorisation, say, that returns to Python only at its end."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator

GRACE = 1.0  # seconds for the ordinary way to end
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


@contextlib.contextmanager
def end_promptly() -> Iterator[None]:
    """Inside, a signal ends the process after a moment, wherever it is.

    For work that writes no files, since nothing is cleaned up.
    """
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    finished = threading.Event()
    watcher = threading.Thread(target=_watch, args=(receiver, finished), daemon=True)
    before = signal.set_wakeup_fd(sender)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        signal.set_wakeup_fd(before)
        os.close(sender)  # the watcher reads the end
        watcher.join()
        os.close(receiver)


def _watch(receiver: int, finished: threading.Event) -> None:
    while number := os.read(receiver, 1):
        if number[0] in SIGNALS and not finished.wait(GRACE):
            if sys.stderr.isatty():
                sys.stderr.write("\x1b[?25h")  # a progress bar hides the cursor
            if number[0] == signal.SIGINT:
                sys.stderr.write("fastgat: interrupted\n")
            sys.stderr.flush()
            os._exit(128 + number[0])
