"""Reports: run records -> tables, pictures and one HTML page."""

from fastgat.report.collect import read_records
from fastgat.report.comparison import Row, comparison_rows
from fastgat.report.page import write_report

__all__ = ["Row", "comparison_rows", "read_records", "write_report"]
