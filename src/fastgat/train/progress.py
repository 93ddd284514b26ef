"""How far training is, on stderr: a bar on a terminal, a few lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

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
    with show_epochs(epochs) as show:

        def both(epoch: Epoch) -> None:
            show(epoch)
            if on_epoch is not None:
                on_epoch(epoch)

        yield both


@contextlib.contextmanager
def show_epochs(epochs: int) -> Iterator[Callable[[Epoch], None]]:
    """Give a function to report every epoch of so many to."""
    if sys.stderr.isatty():
        with _bar(epochs) as report:
            yield report
        return
    every = max(1, epochs // LINES)

    def report_line(epoch: Epoch) -> None:
        if epoch.epoch % every == 0 or epoch.epoch in (1, epochs):
            print(f"epoch {epoch.epoch} of {epochs}: {_state(epoch)}", file=sys.stderr, flush=True)

    yield report_line


@contextlib.contextmanager
def _bar(epochs: int) -> Iterator[Callable[[Epoch], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True)) as bars:
        bar = bars.add_task("", total=epochs)
        yield lambda epoch: bars.update(bar, completed=epoch.epoch, description=_state(epoch))


def _state(epoch: Epoch) -> str:
    return (
        f"loss {epoch.loss:.3f}, validation F1 {epoch.validation_f1:.3f}, "
        f"{epoch.num_edges:,} edges, {epoch.seconds:.3f} s"
    )
