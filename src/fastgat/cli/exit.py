"""How a command ends: the exit code, one sentence on stderr, nothing left behind.

0 is success, 1 a reader who has closed the pipe, 2 bad input, 3 a report that is not complete,
130 Ctrl-C, 128 + n signal n.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn, TextIO

import typer

from fastgat.check import InputError
from fastgat.cli.console import say
from fastgat.files import reason

CLOSED_PIPE = 1
BAD_INPUT = 2
INCOMPLETE_REPORT = 3  # the runs are
BY_SIGNAL = 128  # plus the signal's number
INTERRUPTED = BY_SIGNAL + signal.SIGINT

TOO_LARGE = "the memory does not suffice; use a smaller graph or network, or a larger machine"

SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
GRACE = 1.0  # seconds for the ordinary way to end

# typer keeps its usage errors to itself, but for this one.
USAGE_ERROR: type[Exception] = typer.BadParameter.mro()[1]


class StoppedError(Exception):
    """Ctrl-C, with something to say."""


def exit_code(command: Callable[[], object]) -> int:
    """Run a command; whatever stops it, files being written are cleaned up."""
    try:
        return _ended(command)
    except KeyboardInterrupt:  # another one, while the first was answered
        return INTERRUPTED


def _ended(command: Callable[[], object]) -> int:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            warnings.simplefilter("ignore", DeprecationWarning)  # for programmers, not for users
            code = command()
        sys.stdout.flush()
    except InputError as error:
        return _refuse(str(error))
    except USAGE_ERROR as error:
        return _refuse(_usage(error))
    except MemoryError:
        return _refuse(TOO_LARGE)
    except RuntimeError as error:
        if "can't allocate memory" not in str(error):  # torch's own MemoryError
            raise
        return _refuse(TOO_LARGE)
    except StoppedError as error:
        say(str(error))
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except OSError as error:
        if error.filename is not None:  # not the output, which has no name
            raise
        _forget_stdout()
        if isinstance(error, BrokenPipeError):  # the reader has seen enough: `| head`
            return CLOSED_PIPE
        return _refuse(f"cannot write to stdout: {reason(error)}")
    if code == INTERRUPTED:
        say("interrupted")
    return code if isinstance(code, int) else 0


def say_why_stopped(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The verb, with what its Ctrl-C says; typer would make a bare number of it."""

    @functools.wraps(verb)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return verb(*args, **options)
        except KeyboardInterrupt as stopped:
            raise StoppedError(str(stopped) or "interrupted") from None

    return call


def end_on_signals() -> None:
    """End by an exception, as Ctrl-C does; a signal that the parent ignores stays ignored."""
    for number in SIGNALS - {signal.SIGINT}:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(BY_SIGNAL + number)


@contextlib.contextmanager
def end_promptly() -> Iterator[None]:
    """Inside, a signal ends the process after a moment, wherever it is.

    For foreign code that returns to Python only at its end, such as a factorisation, and that
    writes no files, since nothing is cleaned up.
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
                say("interrupted")
            sys.stderr.flush()
            os._exit(BY_SIGNAL + number[0])


def open_streams() -> None:
    """Take any text: what the terminal's encoding lacks is written as `\\u4e2d`.

    Where stdout or stderr was closed (`>&-`), what goes there goes nowhere.
    """
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def end_process(code: int) -> NoReturn:
    """End with this exit code; the command is over, so Ctrl-C has nothing to stop any more."""
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code in (INTERRUPTED, BAD_INPUT):
        # Python ends as if the signal had killed it, not with a code, if KeyboardInterrupt has
        # passed through exec(), which dataclasses use; and threads of Arrow that a refusal left
        # behind may abort the interpreter at its end. All has been cleaned up by exit_code.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _forget_stdout() -> None:
    """Throw away what stdout still holds, or the interpreter tries to write it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _usage(error: Any) -> str:
    message = error.format_message().rstrip(".")
    path = error.ctx.command_path if error.ctx is not None else "fastgat"
    return f"{message}; see {path} --help"


def _refuse(message: str) -> int:
    say(message)
    return BAD_INPUT


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    say(f"warning: {message}")
