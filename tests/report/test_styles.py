"""One colour per method, on the whole page."""

import re
from collections.abc import Callable

from fastgat.report.runs import group_records
from fastgat.report.styles import main_methods, styles_of
from fastgat.train import RunRecord

Make = Callable[..., RunRecord]


def test_fastgat_and_the_full_graph_stand_out(many: list[RunRecord]) -> None:
    photo = group_records(many)[0]
    styles = styles_of(photo)
    assert {runs.label for runs in photo.methods} == set(styles)
    main = {runs.label for runs in main_methods(photo)}
    assert main == {"GAT, full graph", "FastGAT eps=0.5", "FastGAT adaptive", "unbroken" * 12}
    widths = {label: style.width for label, style in styles.items()}
    assert min(widths[label] for label in main) > max(widths[x] for x in styles.keys() - main)


def test_no_two_methods_look_alike(many: list[RunRecord], record: Make) -> None:
    runs = [record(f"random {n}", like="random, same count as eps=0.5") for n in range(12)]
    looks = styles_of(group_records([*many, *runs])[0]).values()
    assert len({(style.colour, style.dash, style.width) for style in looks}) == len(looks)


def test_other_sparsifiers_are_no_baselines_if_there_is_no_fastgat(record: Make) -> None:
    (task,) = group_records([record("GAT, full graph"), record("random, same count as eps=0.5")])
    assert not any(style.is_baseline for style in styles_of(task).values())
    (alone,) = group_records([record("PyG GAT, full graph")])
    assert not any(style.is_baseline for style in styles_of(alone).values())


def test_charts_have_no_colour_of_their_own(report: Callable[..., str], record: Make) -> None:
    """Every colour in a picture is a variable of the style sheet, which dark mode changes."""
    page = report(record(), record("GAT, full graph"), record("PyG GAT, full graph"))
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert pictures
    for picture in pictures:
        assert not re.search(
            "#[0-9a-fA-F]{6}|white|black", re.sub("<title.*?</title>", "", picture)
        )
    style = page[: page.index("</style>")]
    dark = style[style.index("prefers-color-scheme: dark") :]
    for name in set(re.findall(r"var\((--\w+)\)", "".join(pictures))):
        assert f"{name}:" in dark, name
