"""How a command ends: the exit code, one sentence on stderr, nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO

import typer

from fastgat.check import InputError
from fastgat.files import reason

BAD_INPUT = 2
INTERRUPTED = 128 + signal.SIGINT

# typer keeps its usage errors to itself, but for this one.
USAGE_ERROR: type[Exception] = typer.BadParameter.mro()[1]


class StoppedError(Exception):
    """Ctrl-C, with something to say; typer would make a bare number of a KeyboardInterrupt."""


def exit_code(command: Callable[[], object]) -> int:
    """Run a command; whatever stops it, files being written are cleaned up."""
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
        return _refuse("the memory does not suffice; use a smaller graph or a larger machine")
    except StoppedError as error:
        _say(str(error))
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except OSError as error:
        if error.filename is not None:  # not the output, which has no name
            raise
        _forget_stdout()
        if isinstance(error, BrokenPipeError):  # the reader has seen enough: `| head`
            return 1
        return _refuse(f"cannot write to stdout: {reason(error)}")
    if code == INTERRUPTED:
        _say("interrupted")
    return code if isinstance(code, int) else 0


def end_on_signals() -> None:
    """End by an exception, as Ctrl-C does; a signal that the parent ignores stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def open_closed_streams() -> None:
    """Where stdout or stderr was closed (`>&-`), what goes there goes nowhere."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115


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
    _say(message)
    return BAD_INPUT


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    _say(f"warning: {message}")


def _say(message: str) -> None:
    from fastgat.cli.output import printable

    print(f"fastgat: {printable(message)}", file=sys.stderr)
