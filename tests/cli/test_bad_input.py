"""Bad input: one sentence on stderr, exit code 2, no file made or changed, nothing computed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastgat.data import graph_names
from fastgat.graph.formats.arcs import NAMES_HINT
from fastgat.graph.gallery import complete

POSITIVE = (
    "must be positive and finite; "
    "leave out edges without weight, use the absolute value of negative ones"
)
BEYOND = (
    "is beyond 2147483646; number the nodes 0, 1, 2, ... "
    "or read them with names=True (--names on the command line)"
)
VERBS = {
    "resistances": ("resistances", "IN", "--out", "OUT"),
    "sparsify": ("sparsify", "IN", "OUT", "--epsilon", "0.5"),
}


@pytest.fixture
def refused(tmp_path: Path, cli: Callable[..., Any]) -> Callable[..., str]:
    """Run a command that must refuse; give its sentence, with FILE for the input."""

    def call(source: Path, *command: str, out: Path | None = None) -> str:
        out = out or tmp_path / "out.csv"
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        ended = cli(*({"IN": source, "OUT": out}.get(word, word) for word in command))
        after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        assert (ended.code, ended.out) == (2, "")
        assert after == before
        assert ended.err.startswith("fastgat: ")
        assert ended.err.count("\n") == 1
        return str(ended.err[9:-1].replace(str(source), "FILE").replace(str(out), "OUT"))

    return call


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.txt", b"0 1\n1 bob\n", f"FILE, line 2: 'bob' is not a node number; {NAMES_HINT}"),
        ("g.csv", b"0,1,1\n1,2,x\n", "FILE, line 2: weight 'x' is not a number"),
        ("g.txt", b"0 1 1\n1 2 -1\n", f"FILE, line 2: weight -1.0 {POSITIVE}"),
        ("g.txt", b"0 1 nan\n", f"FILE, line 1: weight nan {POSITIVE}"),
        ("g.txt", b"0 1 inf\n", f"FILE, line 1: weight inf {POSITIVE}"),
        ("g.txt", b"0 1 0\n", f"FILE, line 1: weight 0.0 {POSITIVE}"),
        ("g.txt", b"0 -3\n", "FILE, line 1: node -3 is negative, but nodes are numbered from 0"),
        ("g.txt", b"0 2147483647\n", f"FILE, line 1: node 2147483647 {BEYOND}"),
        ("g.txt", b"", "FILE is empty"),
        ("g.txt", b"# n\n", "FILE has no edges; give num_nodes to read a graph without edges"),
        ("g.csv", b"\x89PNG\0\0", "FILE is not text, but of another format"),
        ("g.npz", b"0 1\n", "FILE is not a whole .npz file: it is cut short or of another format"),
        ("g.dat", b"0 1\n", "FILE has suffix '.dat', but graphs are kept in .npz, .parquet, .mtx, "
                            ".csv, .tsv, .txt, .edges, .el (text also .gz)"),
    ],
)  # fmt: skip
def test_files(
    name: str,
    content: bytes,
    message: str,
    existing: bool,
    verb: str,
    tmp_path: Path,
    refused: Callable[..., str],
) -> None:
    (tmp_path / name).write_bytes(content)
    if existing:
        (tmp_path / "out.csv").write_text("as it was")
    assert refused(tmp_path / name, *VERBS[verb]) == message


@pytest.mark.parametrize(
    ("suffix", "message"),
    [
        (".npz", "FILE is not a whole .npz file: it is cut short or of another format"),
        (".parquet", "FILE is not a whole Parquet file: it is cut short or of another format"),
        (".csv.gz", "FILE is cut short or damaged"),
        (".mtx", "FILE is cut short: 1224 entries, but it says 1225"),
    ],
)
def test_cut_short(suffix: str, message: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / f"g{suffix}"
    complete(50).write(path)
    path.write_bytes(path.read_bytes()[: -len(b"50 49\n")])
    for verb in VERBS.values():
        assert refused(path, *verb) == message


def test_missing(tmp_path: Path, refused: Callable[..., str]) -> None:
    known = ", ".join(graph_names())
    message = f"FILE is neither a file nor a dataset; datasets are {known}"
    assert refused(tmp_path / "nowhere.csv", *VERBS["resistances"]) == message
    assert refused(tmp_path / "g.csv", "certify", "IN", "IN") == message
    assert refused(tmp_path, *VERBS["resistances"]) == "FILE is a folder, but a file is needed"


def test_a_dataset_that_was_meant(tmp_path: Path, refused: Callable[..., str]) -> None:
    for verb in (("resistances",), ("sparsify", "OUT", "--keep", "0.3"), ("certify", "IN")):
        said = refused(tmp_path, verb[0], "potho", *verb[1:])
        assert said == "potho is neither a file nor a dataset; did you mean 'photo'?"


def test_dataset_that_is_not_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path / "data"))
    said = refused(tmp_path, "resistances", "photo")
    assert said.endswith(
        "set FASTGAT_DATA to the folder that holds Amazon/Photo/raw/amazon_electronics_photo.npz"
    )
    assert refused(tmp_path, "resistances", "photo", "--names") == (
        "photo is a dataset, not a file; leave out --names"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--epsilon", "1.5"),
         "epsilon=1.5 must lie in (0, 1); 0.5 keeps accuracy on most graphs"),
        (("--epsilon", "0"), "epsilon=0.0 must lie in (0, 1); 0.5 keeps accuracy on most graphs"),
        (("--epsilon", "nan"),
         "epsilon=nan must lie in (0, 1); 0.5 keeps accuracy on most graphs"),
        (("--keep", "0"), "keep=0 must be at least one edge, or a fraction such as 0.3"),
        (("--keep", "-5"), "keep=-5 must be at least one edge, or a fraction such as 0.3"),
        (("--keep", "1.5"), "keep=1.5 must be a fraction in (0, 1] or a whole number of edges"),
        (("--keep", "nan"), "keep=nan must be a fraction in (0, 1] or a whole number of edges"),
        (("--keep", "half"), "keep='half' must be a fraction such as 0.3 or a number of edges"),
        (("--keep", "9999"), "keep=9999 is more than the graph's 45 edges"),
        (("--keep", "0.5", "--epsilon", "0.5"),
         "--epsilon and --keep exclude each other: give one of them"),
        ((), "give --epsilon, such as 0.5, or --keep, such as 0.3 or 20000"),
        (("--neighbors", "3"), "--neighbors is for --method k-neighbor, not resistance"),
        (("--neighbors", "0", "--method", "k-neighbor"),
         "neighbors=0 must be a whole number of at least 1"),
        (("--keep", "0.5", "--method", "k-neighbor", "--spanning-forest"),
         "--method k-neighbor has no use for --spanning-forest: leave it out"),
        (("--keep", "0.5", "--method", "k-neighbor", "--sampling", "independent"),
         "--method k-neighbor has no use for --sampling: leave it out"),
        (("--keep", "0.5", "--seed", "-1"), "seed=-1 must be a whole number of at least 0"),
    ],
)  # fmt: skip
def test_options_of_sparsify(
    options: tuple[str, ...], message: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    complete(10).write(tmp_path / "g.npz")
    assert refused(tmp_path / "g.npz", "sparsify", "IN", "OUT", *options) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--relative-error", "0"),
         "relative_error=0.0 must lie in (0, 1); 0.02 is plenty for sampling"),
        (("--columns", "0"), "columns=0 must be a whole number of at least 1; 16 make one block"),
        (("--columns", "16", "--relative-error", "0.1"),
         "--relative-error and --columns exclude each other: give one of them"),
        (("--method", "plain", "--relative-error", "0.1"),
         "--relative-error is for --method smoothed, not plain"),
        (("--method", "exact", "--columns", "16"),
         "--columns is for --method smoothed or plain, not exact"),
    ],
)  # fmt: skip
def test_options_of_resistances(
    options: tuple[str, ...], message: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    complete(10).write(tmp_path / "g.npz")
    assert refused(tmp_path / "g.npz", "resistances", "IN", "--out", "OUT", *options) == message


@pytest.mark.parametrize("args", [["x"], ["sparsify"], ["certify", "--what"], ["--what"],
                                  ["resistances", "g", "--method", "x"],
                                  ["sparsify", "g", "s", "--epsilon", "x"]])  # fmt: skip
def test_usage(args: list[str], tmp_path: Path, refused: Callable[..., str]) -> None:
    assert refused(tmp_path, *args).endswith(" --help")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/out.csv", "cannot write OUT: folder PARENT does not exist"),
        ("folder.csv", "cannot write OUT: it is a folder"),
        ("/dev/null.csv/out.csv", "cannot write OUT: folder /dev/null.csv does not exist"),
        ("/proc/out.csv", "cannot write OUT: no such file or directory"),
    ],
)
def test_outputs_that_cannot_be_written(
    name: str, message: str, verb: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    (tmp_path / "folder.csv").mkdir()
    out = tmp_path / name
    missing = tmp_path / "read-only-afterwards.txt"  # the output is looked at first
    said = refused(missing, *VERBS[verb], out=out)
    assert said == message.replace("PARENT", str(out.parent))


@pytest.mark.parametrize("name", ["out.json", "out", "out.png.gz"])
def test_unknown_suffix_is_refused_first(
    name: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    missing, out = tmp_path / "nowhere.csv", tmp_path / name
    has = {"out.json": "suffix '.json'", "out": "no suffix"}
    said = refused(missing, *VERBS["sparsify"], out=out)
    assert said.startswith(f"OUT has {has.get(name, 'suffix ')}")
    assert "but graphs are kept in .npz, " in said
    said = refused(missing, *VERBS["resistances"], out=out)
    assert "but resistances go to .parquet, .npz, .csv, .tsv, .txt (text also .gz)" in said


def test_output_is_not_the_input(tmp_path: Path, refused: Callable[..., str]) -> None:
    path, link = tmp_path / "g.npz", tmp_path / "link.npz"
    complete(10).write(path)
    link.symlink_to(path)
    for out in (path, link):
        said = refused(path, *VERBS["sparsify"], out=out)
        assert said.endswith(" is the graph itself; write to another file")
        said = refused(path, *VERBS["resistances"], out=out)
        assert said.endswith(" is the graph itself; write to another file")


def test_nothing_to_sparsify(tmp_path: Path, refused: Callable[..., str]) -> None:
    np.savez(tmp_path / "g.npz", source=np.zeros(0, int), target=np.zeros(0, int), num_nodes=3)
    said = refused(tmp_path / "g.npz", *VERBS["sparsify"])
    assert said == "the graph has no edges: there is nothing to sparsify"


def test_messages_hold_no_control_characters(tmp_path: Path, refused: Callable[..., str]) -> None:
    said = refused(tmp_path / "a\n\x1b[31mred.csv", *VERBS["resistances"])
    assert "a\\n\\x1b[31mred.csv is neither a file nor a dataset" in said


def test_no_traceback_from_a_process(tmp_path: Path, start: Callable[..., Any]) -> None:
    (tmp_path / "g.txt").write_text("0 x\n")
    process = start("resistances", tmp_path / "g.txt")
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (2, "")
    assert err == (f"fastgat: {tmp_path}/g.txt, line 1: 'x' is not a node number; {NAMES_HINT}\n")
