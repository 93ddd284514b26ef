"""What a verb needs, looked at before it begins: packages, files to read, a place to write.

All of it is found without loading torch, which takes seconds.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path

from fastgat._startup import DEPENDENCIES, end_at_once, is_installed, raise_again
from fastgat.check import InputError
from fastgat.files import existing_file, reason

# Package -> the extra of fastgat-er that installs it.
EXTRAS = {
    "torch": "torch",
    "safetensors": "torch",
    "torch_geometric": "torch",
    "jinja2": "report",
    "matplotlib": "report",
}
TRAINING = ("torch", "torch_geometric", "safetensors")  # the layers are PyG's by their class
PAGE = ("jinja2", "matplotlib")


def require(verb: str, *packages: str) -> None:
    """Refuse to begin where a package is not installed; none is loaded.

    Those that fastgat always needs are looked for too: some are loaded late, when much is done.
    """
    absent = [package for package in (*DEPENDENCIES, *packages) if not is_installed(package)]
    if absent:
        extras = ",".join(dict.fromkeys(EXTRAS[each] for each in absent if each in EXTRAS))
        pip = [DEPENDENCIES[each] for each in absent if each in DEPENDENCIES]
        pip += [f"'fastgat-er[{extras}]'"] * bool(extras)
        them = "it" if len(absent) == 1 else "them"
        raise InputError(
            f"fastgat {verb} needs {_and(absent)}: install {them} with pip install {' '.join(pip)}"
        )


def load_for_training() -> None:
    """Load what training needs; Ctrl-C ends the process meanwhile: some imports swallow it."""
    for package in TRAINING:
        if package in sys.modules:
            continue
        swapped = end_at_once()
        try:
            importlib.import_module(package)
        except (ImportError, OSError) as error:  # OSError: a library of the system's
            why = " ".join(str(error).split())
            raise InputError(
                f"{package} is installed but cannot be loaded: {why}; mend it with "
                f"pip install 'fastgat-er[{EXTRAS[package]}]'"
            ) from None
        finally:
            if swapped:
                raise_again()


def before_training(
    verb: str,
    task: str,
    features: Path | None,
    labels: Path | None,
    out: Path | None,
    *,
    page: bool = False,
) -> None:
    """Check all that training will need, then load torch.

    Args:
        verb: For the message.
        task: A dataset or a file.
        features: File of the features, if there is one.
        labels: File of the labels, if there is one.
        out: Folder of the run; None is a folder below `runs`.
        page: Whether a page will be written.
    """
    require(verb, *TRAINING, *(PAGE if page else ()))
    check_task(task, features, labels)
    check_folder(Path("runs") if out is None else out)
    load_for_training()


def before_predicting(run: Path, on: str | None, features: Path | None) -> None:
    """Check all that prediction will need, then load torch.

    Args:
        run: Folder of the run.
        on: Another dataset or file than the run's.
        features: File of its features, if there is one.
    """
    from fastgat.train.record import RECORD_FILE, no_run, runs_inside

    require("predict", *TRAINING)
    if not os.path.lexists(run):
        raise InputError(f"{run} does not exist; give the folder of a finished run")
    if not any(run.glob("*.json")):
        hint = "" if runs_inside(run) else f"; give the folder that has a {RECORD_FILE}"
        raise InputError(no_run(run) + hint)
    if on is not None:
        check_task(on, features, None)
    load_for_training()


def check_task(task: str, *tables: Path | None) -> None:
    """Refuse a dataset that nobody knows, and files that are not there.

    `tables` are read beside a graph file; beside a dataset they are refused later.
    """
    if not os.path.lexists(task):
        from fastgat.data.catalogue import find_key, task_names

        if _looks_like_file(task):
            known = ", ".join(task_names())
            raise InputError(f"{task} does not exist; give a graph file, or a dataset: {known}")
        find_key(task, task_names())
        return
    for path in tables:
        if path is not None and os.path.isfile(task):  # noqa: PTH113 - refuses no name
            existing_file(path)


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or written in; it is not made yet."""
    try:
        place = folder.absolute()
        while not os.path.lexists(place):
            place = place.parent
        with tempfile.TemporaryDirectory(dir=place, prefix=".fastgat-"):
            pass
    except OSError as error:
        raise InputError(
            f"cannot make the folder {folder}: {reason(error)}; choose another with --out"
        ) from None


def _looks_like_file(task: str) -> bool:
    return os.sep in task or Path(task).suffix != ""


def _and(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last
