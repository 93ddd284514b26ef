"""The memory of a plan is its own: whatever ran before, and whatever happens to its process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import fastgat as fg
from fastgat.data import NodeTask
from fastgat.train import Plan, TrainConfig
from fastgat.train.memory import measure_memory

LARGE = Plan("large", TrainConfig(epochs=9), {"hidden_channels": 64})
SMALL = Plan("small", TrainConfig(epochs=9))
ASK = """
import fastgat as fg
from fastgat.train import Plan, TrainConfig
from fastgat.train import memory
memory.EPOCHS = 10**6
memory.measure_memory(Plan("long", TrainConfig()), fg.load_dataset("synthetic"))
"""


def taken(plan: Plan, task: NodeTask) -> int:
    peak, before = measure_memory(plan, task)
    assert peak is not None and before is not None
    return peak - before


def test_it_does_not_depend_on_what_ran_before() -> None:
    task = fg.load_dataset("synthetic", num_nodes=6000)
    orders = []
    for plans in ((SMALL, LARGE), (LARGE, SMALL)):
        measured = []
        for plan in plans:
            plan.run(task)
            measured.append((plan.label, taken(plan, task)))
        orders.append(dict(measured))
    one, other = orders
    assert one["large"] > 1.5 * one["small"]
    for label, memory in one.items():
        assert other[label] == pytest.approx(memory, rel=0.05)


def test_what_cannot_be_measured_is_not_known(blocks: NodeTask) -> None:
    here = Plan("here", TrainConfig(), network=lambda *_, **__: None)  # type: ignore[arg-type, return-value]
    with pytest.warns(UserWarning, match="the memory of here is not known: it cannot be sent"):
        assert measure_memory(here, blocks) == (None, None)
    wrong = Plan("wrong", TrainConfig(), {"no_such_setting": 1})
    with pytest.warns(UserWarning, match="the memory of wrong is not known: TypeError"):
        assert measure_memory(wrong, blocks) == (None, None)


def test_a_process_that_does_not_start(blocks: NodeTask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.spawn._python_exe", b"/nowhere/python")
    with pytest.warns(UserWarning, match="the memory of small is not known"):
        assert measure_memory(SMALL, blocks) == (None, None)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_other_process_ends_with_this_one(number: int) -> None:
    asking = subprocess.Popen(
        [sys.executable, "-c", ASK],
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    try:
        measured = wait_for_child(asking.pid)
        asking.send_signal(number)
        assert asking.wait(timeout=20) != 0
        assert has_ended(measured)
    finally:
        asking.kill()
        asking.wait()


def wait_for_child(parent: int) -> int:
    """The process that another has started, once it is at work."""
    file = Path(f"/proc/{parent}/task/{parent}/children")
    for _ in range(600):
        for child in file.read_text().split():  # multiprocessing has one of its own, of one thread
            if len(list(Path(f"/proc/{child}/task").iterdir())) > 1:
                return int(child)
        time.sleep(0.05)
    raise AssertionError("no process was started")


def has_ended(process: int) -> bool:
    for _ in range(1200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
