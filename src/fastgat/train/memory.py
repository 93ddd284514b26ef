"""The memory of a plan: the peak of a short run in a process of its own.

Of its own: memory that one run gives back stays with the process, and would hide what the next
one takes, so that a figure would depend on what ran before. Resistances are computed anew, so that
it does not depend on what is cached either.
"""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastgat.data import NodeTask
from fastgat.sparsify import GuidedSparsifier

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from fastgat.train.plan import Plan

EPOCHS = 5  # the third still allocates; later ones use again what was given back
# glibc gives large blocks back at once: else which it keeps for later is a matter of chance.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_ARENA_MAX": "1"}


def measure_memory(plan: Plan, task: NodeTask) -> tuple[int | None, int | None]:
    """What a short run of a plan takes: `peak_bytes`, `resident_bytes_before` of a record.

    Both are None, with a warning, where they cannot be measured. The other process ends with this
    one.
    """
    sparsifier = plan.config.sparsifier
    if isinstance(sparsifier, GuidedSparsifier):  # edges are chosen within the short run too
        sparsifier = dataclasses.replace(sparsifier, warm_up=EPOCHS // 2)
    config = dataclasses.replace(plan.config, epochs=EPOCHS, patience=None, sparsifier=sparsifier)
    told = _ask(dataclasses.replace(plan, config=config), task)
    if isinstance(told, str):
        warnings.warn(f"the memory of {plan.label} is not known: {told}", stacklevel=2)
        return None, None
    peak, before = told
    return peak, before


def _ask(plan: Plan, task: NodeTask) -> Any:
    """Both numbers, or why there are none."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_measure, args=(theirs, plan, task), daemon=True)
    try:
        with _circumstances():
            child.start()
    except Exception as error:  # whatever cannot be sent has an exception of its own
        return f"it cannot be sent to another process: {error}"
    theirs.close()
    try:
        told = ours.recv()
        child.join()
    except EOFError:
        child.join()
        return f"its process ended with code {child.exitcode}, perhaps for want of memory"
    finally:
        child.kill()  # if this one is interrupted
        ours.close()
    return told


@contextlib.contextmanager
def _circumstances() -> Iterator[None]:
    """What the other process is born with: its allocator, and no ear for Ctrl-C."""
    before = {name: os.environ.get(name) for name in ALLOCATOR}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.environ.update(ALLOCATOR)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _measure(parent: Connection, plan: Plan, task: NodeTask) -> None:
    """Run the plan and tell what it took, in the other process."""
    warnings.simplefilter("ignore")  # the run itself says them
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        record = plan.run(task)
    except Exception as error:
        parent.send(f"{type(error).__name__}: {error}")
    else:
        parent.send((record.peak_bytes, record.resident_bytes_before))


def _end_with(parent: Connection) -> None:
    """Nothing comes from the process that asked but its end."""
    with contextlib.suppress(EOFError, OSError):
        parent.recv()
    os._exit(1)
