"""Each thing the build lacks is said in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "preflight.sh"

PRETEND = {  # what sitecustomize does to the interpreter before the script asks it
    "nothing": "",
    "old": "import sys; sys.version_info = (3, 9, 2)",
    "no venv": "import sys; sys.modules['ensurepip'] = None",
    "no headers": (
        "import sysconfig; paths = {**sysconfig.get_paths(), 'include': '/nowhere'}; "
        "sysconfig.get_paths = lambda *scheme: paths"
    ),
}


def preflight(
    folder: Path, pretend: str, *, python: str = sys.executable, **environment: str
) -> tuple[int, list[str]]:
    (folder / "sitecustomize.py").write_text(PRETEND[pretend])
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT), python],
        env={"PATH": os.environ["PATH"], "CXX": "sh", "PYTHONPATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


def test_silent_when_nothing_is_missing(tmp_path: Path) -> None:
    code, said = preflight(tmp_path, "nothing")
    if said and "Python.h" in said[0]:
        pytest.skip("this Python has no headers")
    assert (code, said) == (0, [])


@pytest.mark.parametrize(
    ("pretend", "part"),
    [
        ("old", "is Python 3.9, but 3.11 or newer is needed"),
        ("no venv", "has no venv or ensurepip module"),
        ("no headers", "has no header file Python.h"),
    ],
)
def test_says_what_python_lacks(tmp_path: Path, pretend: str, part: str) -> None:
    code, said = preflight(tmp_path, pretend)
    assert code == 1
    assert any(part in line for line in said)


def test_says_that_there_is_no_compiler_and_no_python(tmp_path: Path) -> None:
    code, said = preflight(
        tmp_path, "nothing", python="python-of-nowhere", PATH=str(tmp_path), CXX=""
    )
    assert code == 1
    assert [line.split(":")[1].strip() for line in said] == [
        "there is no python-of-nowhere",
        "there is no C++ compiler (looked for c++, g++, clang++)",
    ]
