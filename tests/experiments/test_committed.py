"""Committed records are readable, and pages are made from them; the library knows none of this."""

import ast
from pathlib import Path

import pytest

from experiments.catalogue import EXPERIMENTS
from experiments.records import Records
from experiments.reproduction_page import page_text
from experiments.results_page import README_BEGIN, README_END, fill_readme, readme_table
from experiments.results_page import page_text as results_text
from experiments.training.times import PYG_BYTES_PER_ARC
from fastgat.check import InputError

ROOT = Path(__file__).parents[2]
RECORDS = Records(ROOT / "results")
COMMITTED = sorted(file.stem for file in RECORDS.folder.glob("*.json"))


def test_every_record_is_of_an_experiment() -> None:
    assert set(EXPERIMENTS) - set(COMMITTED) <= {"before-after"}
    assert set(COMMITTED) <= set(EXPERIMENTS)


@pytest.mark.parametrize("name", COMMITTED)
def test_records_load_and_are_shown(name: str) -> None:
    rows = RECORDS.read(name)
    assert rows
    assert not any(row.is_quick for row in rows.values())
    assert all(row.environment["processor"] for row in rows.values())
    tables = EXPERIMENTS[name].tables(rows)
    assert any(table.lines for table in tables)
    for table in tables:
        assert all(len(line) == len(table.columns) for line in table.lines), table.title


def test_committed_pages_are_those_of_the_records() -> None:
    for name, text in (("reproduction", page_text), ("results", results_text)):
        page = ROOT / "docs" / f"{name}.md"
        assert page.read_text(encoding="utf-8") == text(RECORDS, page.parent), (
            "run python -m experiments page"
        )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition(README_BEGIN)[2].partition(README_END)[0]
    assert table.strip() == readme_table(RECORDS).body(), "run python -m experiments page"


def test_the_peers_need_is_the_measured_one() -> None:
    measured = RECORDS.read("attention-memory")["PyG"].result["bytes per arc"]
    assert round(measured) == PYG_BYTES_PER_ARC


def test_the_readme_keeps_all_but_its_table(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    assert fill_readme(RECORDS, readme) is None
    readme.write_text("no place\n")
    assert fill_readme(RECORDS, readme) is None
    assert readme.read_text() == "no place\n"
    readme.write_text(f"above\n{README_BEGIN}\nold\n{README_END}\nbelow\n")
    assert fill_readme(RECORDS, readme) == readme
    text = readme.read_text()
    assert text.startswith("above\n") and text.endswith(f"{README_END}\nbelow\n")
    assert "old" not in text and readme_table(RECORDS).body() in text
    assert len(readme_table(RECORDS).lines) == 5
    readme.write_text(f"{README_BEGIN}\nno end\n")
    with pytest.raises(InputError, match="but no <!-- end --> after it"):
        fill_readme(RECORDS, readme)


def test_the_library_does_not_import_experiments() -> None:
    for file in (ROOT / "src" / "fastgat").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "experiments" for name in names), file
