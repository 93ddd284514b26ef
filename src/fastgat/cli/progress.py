"""How training is shown while it runs, and how a command can be repeated."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from fastgat.cli.ending import StoppedError

if TYPE_CHECKING:
    from fastgat.train import Epoch


@contextlib.contextmanager
def training_progress(name: str, epochs: int) -> Iterator[Callable[[Epoch], None] | None]:
    """Give a function to report epochs to, or None where nobody would see it."""
    from fastgat.train.signals import Interrupted

    try:
        with _bar(name, epochs) as report:
            yield report
    except Interrupted as stopped:
        raise StoppedError(str(stopped)) from None


@contextlib.contextmanager
def _bar(name: str, epochs: int) -> Iterator[Callable[[Epoch], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn()
    tail = TextColumn("{task.fields[state]}")
    with Progress(
        *columns, TimeElapsedColumn(), tail, console=Console(stderr=True), transient=True
    ) as bars:
        bar = bars.add_task(escape(name), total=epochs, state="")

        def report(epoch: Epoch) -> None:
            state = (
                f"loss {epoch.loss:.3f}  validation F1 {epoch.validation_f1:.3f}  "
                f"{epoch.seconds:.3f} s  {epoch.num_edges:,} edges"
            )
            bars.update(bar, completed=epoch.epoch, state=state)

        yield report


def command_line() -> str:
    """The command that is running, as a shell takes it."""
    return shlex.join(["fastgat", *sys.argv[1:]])
