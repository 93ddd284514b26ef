"""No file of ours runs code that a data file carries: no pickles, but for one restricted reader."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "fastgat"
RESTRICTED = PACKAGE / "data" / "pickles.py"  # allows exact names only; tested with hostile files
PICKLES = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def unsafe_reads(source: str) -> list[str]:
    """What in `source` could run code from a file it reads."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] in PICKLES]
        elif isinstance(node, ast.ImportFrom):
            found += [node.module] if (node.module or "").split(".")[0] in PICKLES else []
        elif isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            if text == "torch.load" and keywords.get("weights_only") != "True":
                found.append("torch.load without weights_only=True")
            if keywords.get("allow_pickle", "False") != "False":
                found.append(f"{text} with allow_pickle")
    return [name for name in found if name]


def test_no_file_unpickles() -> None:
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        unsafe = unsafe_reads(file.read_text())
        if file == RESTRICTED:
            unsafe = [name for name in unsafe if name != "pickle"]
        if unsafe:
            found[str(file.relative_to(PACKAGE))] = unsafe
    assert not found, f"these can run code from the files they read: {found}"


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import load",
        "import joblib.externals",
        "np.load(path, allow_pickle=True)",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
    ],
)
def test_unsafe_reads_are_seen(source: str) -> None:
    assert unsafe_reads(source)


@pytest.mark.parametrize(
    "source",
    ["np.load(path)", "np.load(p, allow_pickle=False)", "torch.load(p, weights_only=True)"],
)
def test_safe_reads_pass(source: str) -> None:
    assert not unsafe_reads(source)
