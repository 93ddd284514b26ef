"""Reports: run records -> tables, pictures and one HTML page."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastgat.report.collect import read_records
from fastgat.report.comparison import Row, comparison_rows
from fastgat.report.page import write_report

if TYPE_CHECKING:
    from fastgat.report.pictures import add_baselines, add_pictures

__all__ = [
    "Row",
    "add_baselines",
    "add_pictures",
    "comparison_rows",
    "read_records",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Load what needs torch when first asked for: a page of records needs none."""
    if name in ("add_pictures", "add_baselines"):
        return getattr(import_module("fastgat.report.pictures"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Every public name, loaded or not."""
    return sorted({*globals(), *__all__})
