"""How far training is, on stderr: a bar on a terminal, a few lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from fastgat.check import one_line
from fastgat.train.record import Epoch

LINES = 10  # about so many for all epochs


@contextlib.contextmanager
def reporting(
    on_epoch: Callable[[Epoch], object] | None, epochs: int, *, progress: bool
) -> Iterator[Callable[[Epoch], object] | None]:
    """Give what is to be called after every epoch.

    Args:
        on_epoch: What the caller wants called.
        epochs: How many there are at most.
        progress: Whether to show how far it is, too.
    """
    if not progress:
        yield on_epoch
        return
    with show_epochs(epochs, elsewhere=_some_lines(epochs)) as show:

        def both(epoch: Epoch) -> None:
            show(epoch)
            if on_epoch is not None:
                on_epoch(epoch)

        yield both


@contextlib.contextmanager
def show_epochs(
    epochs: int, name: str = "", *, elsewhere: Callable[[Epoch], None], stays: bool = True
) -> Iterator[Callable[[Epoch], None]]:
    """Give a function to report every epoch of so many to.

    Args:
        epochs: How many there are at most.
        name: What is trained, before the bar.
        elsewhere: To be called where there is no terminal for a bar.
        stays: Whether the bar is still to be seen when all is done.
    """
    if not sys.stderr.isatty():
        yield elsewhere
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    title = [TextColumn("{task.description}")] if name else []
    columns = BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
    state = TextColumn("{task.fields[state]}")
    console = Console(stderr=True)
    with Progress(*title, *columns, state, console=console, transient=not stays) as bars:
        bar = bars.add_task(escape(one_line(name)), total=epochs, state="")
        yield lambda epoch: bars.update(bar, completed=epoch.epoch, state=_state(epoch))


def _some_lines(epochs: int) -> Callable[[Epoch], None]:
    every = max(1, epochs // LINES)

    def report(epoch: Epoch) -> None:
        if epoch.epoch % every == 0 or epoch.epoch in (1, epochs):
            print(f"epoch {epoch.epoch} of {epochs}: {_state(epoch)}", file=sys.stderr, flush=True)

    return report


def _state(epoch: Epoch) -> str:
    return (
        f"loss {epoch.loss:.3f}, validation F1 {epoch.validation_f1:.3f}, "
        f"{epoch.num_edges:,} edges, {epoch.seconds:.3f} s"
    )
