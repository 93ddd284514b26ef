"""The page: well-formed, self-contained, repeatable, and true to the records."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fastgat.report import comparison_rows, text, write_report
from fastgat.train import Epoch, RunRecord

Make = Callable[..., RunRecord]
Report = Callable[..., str]

VOID = {"meta", "br", "hr", "img", "link", "input"}
NASTY = "<script>alert(1)</script>"


class Page(HTMLParser):
    """Checks the nesting, and collects what the tests ask for."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.labelled_by: list[str] = []
        self.words: list[tuple[str, str]] = []  # the tag around them, and they
        self.feed(source)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} has a handler"
            if name == "id":
                self.ids[value or ""] += 1
            if name in ("href", "src", "xlink:href", "action", "srcset"):
                self.links.append(value or "")
            if name == "aria-labelledby":
                self.labelled_by.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if words := data.replace("\N{NO-BREAK SPACE}", " ").strip():
            self.words.append((self.open[-1], words))

    def inside(self, tag: str) -> list[str]:
        return [words for around, words in self.words if around == tag]


def test_the_page_is_well_formed_and_needs_nothing_else(many_page: Path) -> None:
    source = many_page.read_text(encoding="utf-8")
    page = Page(source)
    assert source.startswith("<!DOCTYPE html>")
    assert 'name="viewport"' in source
    assert not page.tags.keys() & {"script", "link", "img", "iframe", "object", "embed", "base"}
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= page.ids.keys()
    assert not [name for name, number in page.ids.items() if number > 1]
    assert "@import" not in source
    assert "url(" not in source.replace("url(#", "")
    assert page.tags["svg"] == len(page.labelled_by)
    assert set(page.labelled_by) <= page.ids.keys()


def test_every_section_is_there(many_page: Path) -> None:
    source = many_page.read_text(encoding="utf-8")
    page = Page(source)
    assert page.inside("h2") == ["photo", "ppi", "Repeat it"]
    for words in ("Accuracy kept", "Speed-up by sparsifying", "Kernel speed-up",
                  "Comparison", "A neighbourhood", "Warnings", "Environment"):  # fmt: skip
        assert any(words in heading for heading in page.inside("h3") + page.inside("h4")), words
    for words in ("validation micro-F1", "seconds since the start", "seconds, whole run",
                  "edges trained on", "neighbours of a node", "effective resistance (1/weight)",
                  "epoch (a dot: the number was decided anew)"):  # fmt: skip
        assert any(words in label for label in page.inside("text")), words
    assert "fastgat train ppi --epsilon 0.5 --epochs 60 --seed 3" in source


def test_the_table_shows_the_rows(many_page: Path, many: list[RunRecord]) -> None:
    cells = Page(many_page.read_text(encoding="utf-8")).inside("td")
    for row in comparison_rows(many):
        assert text.score(row.test_f1, row.test_f1_deviation) in cells
        assert f"{text.count(row.num_edges)} ({text.percent(row.edge_share)})" in cells
        assert text.seconds(row.seconds_per_epoch) in cells
        assert text.seconds(row.total_seconds) in cells
        assert text.megabytes(row.memory_bytes) in cells
        for speed_up in (row.kernel_speed_up, row.sparsifier_speed_up):
            assert speed_up is None or text.times(speed_up) in cells


def test_two_writes_are_equal(tmp_path: Path, many_page: Path) -> None:
    folders = sorted((many_page.parent / "runs").iterdir(), reverse=True)
    again = write_report(folders, tmp_path / "again.html")
    assert again.read_bytes() == many_page.read_bytes()


def test_the_users_style_changes_nothing(report: Report, tmp_path: Path, record: Make) -> None:
    import matplotlib

    plain = report(record(epochs=3))
    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.grid": False}):
        styled = write_report([tmp_path / "runs"], tmp_path / "styled.html")
        assert matplotlib.rcParams["font.size"] == 30
    assert styled.read_text(encoding="utf-8") == plain


def test_names_are_escaped_in_text_and_pictures(report: Report, record: Make) -> None:
    label = "a & <b> \"c\" 'd' $\\frac{1}{0$ _x_"
    base = record()
    task = {**base.task, "name": f"set {NASTY}", "class_names": [f"{n}{NASTY}" for n in range(8)]}
    run = replace(
        base, label=label, task=task, command=f"fastgat train {NASTY}", warnings=[NASTY],
        environment={NASTY: NASTY},
    )  # fmt: skip
    source = report(run, replace(run, label="GAT", edges={"trained_on": 9, "before": 9}))
    page = Page(source)
    assert "<script" not in source
    assert page.tags["script"] == page.tags["b"] == 0
    assert any(label in words for words in page.inside("text")), "a dollar begins no formula"
    assert label in page.inside("th")
    assert f"set {NASTY}" in page.inside("h2")
    assert NASTY in page.inside("dd")
    assert any(words.endswith(f"1{NASTY}") for words in page.inside("li"))
    assert any(label in title for title in page.inside("title"))


@pytest.mark.parametrize("label", [
    "tab\tand\nline", "\x00\x0b\x1b[31m", "\ud800 alone", "名前", "", "$", "x" * 500, "]]>",
    "%(a)s", "{{ 7 * 7 }}",
])  # fmt: skip
def test_any_label_can_be_shown(report: Report, record: Make, label: str) -> None:
    page = Page(report(record(label, like="FastGAT eps=0.5", pictures=False, epochs=3)))
    assert "49" not in page.inside("th")


def test_pieces_without_data_are_left_out(report: Report, record: Make) -> None:
    page = Page(report(record(pictures=False, epochs=1, command=None, environment={})))
    headings = page.inside("h3")
    assert "In numbers" in headings
    assert not [found for found in headings if "sparsifying" in found or "Environment" in found]
    assert any("started from Python" in words for words in page.inside("p"))
    assert page.tags["svg"] == 2, "phases and edges"


def test_a_full_graph_alone(report: Report, record: Make) -> None:
    around = record().pictures["neighbourhood"]
    same = {"neighbourhood": {**around, "after": around["before"]}}
    page = Page(report(replace(record("GAT, full graph"), pictures=same)))
    assert "A look at GAT, full graph" in page.inside("h3")
    assert sum("Around node" in words for words in page.inside("figcaption")) == 1
    assert "edges trained on (pale: left out)" not in page.inside("text")
    assert "reference" in page.inside("td")


def test_no_history_and_no_scores(report: Report, record: Make) -> None:
    Page(report(record(epochs=0, scores={}, seconds={}, peak_bytes=None, pictures=False)))


def test_scores_that_were_not_numbers(report: Report, record: Make) -> None:
    lost = [Epoch(e, float("nan"), 0.1, float("nan"), float("nan"), 0.1, 9) for e in (1, 2, 3)]
    Page(report(record(history=lost, scores={"test": float("nan")})))


def test_runs_of_different_lengths(report: Report, record: Make) -> None:
    page = Page(report(record(epochs=100), record(seed=3, epochs=40)))
    assert any("differ in more than the seed (epochs)" in words for words in page.inside("p"))


def test_another_machine_is_told(report: Report, record: Make) -> None:
    away = record("GAT, full graph", environment={"processor": "another", "threads": 64})
    page = Page(report(record(), away))
    assert any("no speed-up is given" in words for words in page.inside("p"))
    assert page.inside("h3").count("Environment of 1 run") == 2


def test_neighbourhoods_of_many_classes_and_of_none(report: Report, record: Make) -> None:
    nodes = [{"id": n, "class": n, "predicted": n, "x": float(n), "y": 0.0} for n in range(12)]
    around = {"center": 3, "nodes": nodes, "before": [[0, 1, 0.5]], "after": []}
    unknown = {**around, "nodes": [{**node, "class": None} for node in nodes]}
    pictures = (
        {"neighbourhood": around},
        {"neighbourhood": unknown},
        {"neighbourhood": {"nodes": []}},
    )
    runs = [record(f"run {place}", like="FastGAT eps=0.5", pictures=False) for place in range(3)]
    shown = [replace(run, pictures=own) for run, own in zip(runs, pictures, strict=True)]
    page = Page(report(*shown))
    assert "other classes" in page.inside("li")
    assert "class unknown, or several" in page.inside("li")


def test_importing_loads_nothing_heavy() -> None:
    heavy = {"torch", "matplotlib", "jinja2"}
    code = f"import fastgat.report, sys; sys.exit(bool({heavy!r} & sys.modules.keys()))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_page_can_replace_another(tmp_path: Path, report: Report, record: Make) -> None:
    report(record(epochs=1, pictures=False))
    before = (tmp_path / "report.html").read_text()
    write_report([tmp_path / "runs" / "run0"], tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "runs"]
