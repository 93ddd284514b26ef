"""What may go wrong while the command line loads: one sentence, no traceback.

Ctrl-C: exit code 130. A package that fastgat itself needs is not there: exit code 2.

Python raises KeyboardInterrupt wherever it is, here among hundreds of imports, some of which catch
it and go on. Nothing needs cleaning up while modules load, so the process may end on the spot. This
module comes before all others and imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec

# What fastgat always needs: module -> package that pip installs.
DEPENDENCIES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "pyarrow": "pyarrow",
    "threadpoolctl": "threadpoolctl",
    "typer": "typer",
    "rich": "rich",
}
BAD_INPUT = 2
INTERRUPTED = 128 + 2  # 2 is SIGINT
SENTENCE = b"fastgat: interrupted\n"


def starts_command() -> bool:
    """Whether this process is `fastgat ...` or `python -m fastgat ...`, not somebody's program."""
    if not hasattr(sys, "argv") or not sys.argv:
        return False
    if sys.argv[0] == "-m":  # Python is looking for the module that it is to run
        before = zip(sys.orig_argv, sys.orig_argv[1:], strict=False)
        return ("-m", "fastgat") in before or "-mfastgat" in sys.orig_argv
    return sys.argv[0].rpartition(os.sep)[2] == "fastgat"


def end_at_once() -> bool:
    """From here on Ctrl-C ends the process; False where it means something else already."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return False
    try:
        signal.signal(signal.SIGINT, _end)
    except ValueError:  # not the main thread
        return False
    return True


def raise_again() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt, as usual, so that files are cleaned up."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def is_installed(package: str) -> bool:
    """Whether a package is there; it is not loaded."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def end_without_dependencies() -> None:
    """End the process where a package is absent that fastgat always needs."""
    absent = [package for package in DEPENDENCIES if not is_installed(package)]
    if absent:
        pip = " ".join(DEPENDENCIES[package] for package in absent)
        them = "it" if len(absent) == 1 else "them"
        sentence = f"fastgat: {', '.join(absent)} not found: install {them} with pip install {pip}"
        print(sentence, file=sys.stderr)
        sys.exit(BAD_INPUT)


def _end(number: int, frame: object) -> None:
    try:
        os.write(2, SENTENCE)
    except OSError:  # stderr is closed
        pass
    finally:
        os._exit(INTERRUPTED)
