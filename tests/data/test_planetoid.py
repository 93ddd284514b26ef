"""Planetoid's pickles are read; hostile ones are refused before anything runs."""

import os
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from fastgat.check import InputError
from fastgat.data.planetoid import read_graph


class Call:
    """Pickles as a call of `function`."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def write(folder: Path, content: bytes) -> Path:
    file = folder / "ind.test.graph"
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_neighbour_lists_become_a_graph(tmp_path: Path, protocol: int) -> None:
    neighbors = defaultdict(list, {0: [1, 2], 1: [0], 2: [0, 2], 3: []})
    graph = read_graph(write(tmp_path, pickle.dumps(neighbors, protocol)))
    assert (graph.num_nodes, graph.num_edges, graph.repairs.self_loops) == (4, 2, 1)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("attack", ["os.system", "eval", "exec", "getattr", "inside"])
def test_hostile_pickles_do_not_run(tmp_path: Path, attack: str, protocol: int) -> None:
    marker = tmp_path / "ran"
    code = f"open({str(marker)!r}, 'w')"
    payload: Any = {
        "os.system": Call(os.system, f"touch {marker}"),
        "eval": Call(eval, code),
        "exec": Call(exec, code),
        "getattr": Call(getattr, list, "__class__"),
        "inside": {0: [Call(os.system, f"touch {marker}")]},
    }[attack]
    with pytest.raises(InputError, match=r"asks for .*, which no dataset needs"):
        read_graph(write(tmp_path, pickle.dumps(payload, protocol)))
    assert not marker.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"cbuiltins\nlist.__class__\n.", "asks for builtins.list.__class__"),
        (
            b"\x80\x04\x8c\x08builtins\x8c\x0elist.__class__\x93.",
            "asks for builtins.list.__class__",
        ),
        (b"cbuiltins.list\n__class__\n.", "asks for builtins.list.__class__"),
        (
            b"c__builtin__\ngetattr\n(c__builtin__\nlist\nS'append'\ntR.",
            "asks for __builtin__.getattr",
        ),
        (  # getattr(__import__("os"), "system")("true")
            b"c__builtin__\ngetattr\n(c__builtin__\n__import__\n(S'os'\ntRS'system'\ntR(S'true'\ntR.",
            "asks for __builtin__.getattr",
        ),
        (b"(S'true'\nios\nsystem\n.", "asks for os.system"),
        (b"ccollections\nOrderedDict\n)R.", "asks for collections.OrderedDict"),
        (b"cfastgat.check\nInputError\n.", "asks for fastgat.check.InputError"),
        (b"\x80\x02\x82\x01.", "not a whole pickle"),  # extension registry
        (b"\x80\x02Pid\n.", "not a whole pickle"),  # persistent id
        (b"c__builtin__\nlist\n}S'append'\nNsb.", "not a whole pickle"),  # state for a type
    ],
)
def test_hand_made_pickles_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_graph(write(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a whole pickle"),
        (b"\x80\x02}q\x00(K\x00]q", "not a whole pickle"),
        (b"no pickle at all", "not a whole pickle"),
        (pickle.dumps([1, 2]), "not a dictionary"),
        (pickle.dumps({0: 1}), "not a dictionary"),
        (pickle.dumps({0: ["1"]}), "not a whole number"),
        (pickle.dumps({0: [0.5]}), "not a whole number"),
        (pickle.dumps({0: [2**70]}), "beyond 64 bits"),
        (pickle.dumps({0: [7]}), "names node 7, but num_nodes=1"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_graph(write(tmp_path, content))
