"""The sparsifiers that verbs offer, and the options that choose among them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastgat.check import InputError

if TYPE_CHECKING:
    from fastgat.sparsify import KNeighborSparsifier
    from fastgat.sparsify.sampling import ScoreSparsifier


class Method(StrEnum):
    """What an edge is kept for."""

    resistance = "resistance"
    degree = "degree"
    uniform = "uniform"
    k_neighbor = "k-neighbor"


class Sampling(StrEnum):
    """How edges are drawn."""

    replacement = "replacement"
    independent = "independent"


EpsilonOption = Annotated[
    float | None,
    typer.Option("--epsilon", help="The paper's density, in (0, 1): smaller keeps more."),
]
KeepOption = Annotated[
    str | None,
    typer.Option("--keep", metavar="SHARE|COUNT", help="Edges to keep: 0.3, or 20000."),
]
MethodOption = Annotated[Method, typer.Option("--method", help="What makes an edge worth keeping.")]
SamplingOption = Annotated[
    Sampling | None,
    typer.Option(
        "--sampling",
        help="Toss one coin per edge, or draw with replacement, as the paper does; "
        "independent unless told.",
    ),
]


def make_sparsifier(
    method: Method,
    epsilon: float | None,
    keep: str | None,
    neighbors: int | None,
    *,
    sampling: Sampling | None,
    spanning_forest: bool,
) -> ScoreSparsifier | KNeighborSparsifier:
    """The sparsifier that the options ask for; it checks their values itself."""
    given = {"--epsilon": epsilon, "--keep": keep, "--neighbors": neighbors}
    chosen = [name for name, value in given.items() if value is not None]
    if not chosen:
        raise InputError("give --epsilon, such as 0.5, or --keep, such as 0.3 or 20000")
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} exclude each other: give one of them")
    from fastgat import sparsify

    count = parse_keep(keep)
    if method is Method.k_neighbor:
        if sampling is not None or spanning_forest:
            unused = "--spanning-forest" if sampling is None else "--sampling"
            raise InputError(f"--method k-neighbor has no use for {unused}: leave it out")
        return sparsify.KNeighborSparsifier(neighbors=neighbors, keep=count, epsilon=epsilon)
    if neighbors is not None:
        raise InputError(f"--neighbors is for --method k-neighbor, not {method}")
    kinds: dict[Method, type[ScoreSparsifier]] = {
        Method.resistance: sparsify.EffectiveResistanceSparsifier,
        Method.degree: sparsify.DegreeSparsifier,
        Method.uniform: sparsify.UniformSparsifier,
    }
    told: dict[str, Any] = {} if sampling is None else {"sampling": sampling.value}
    return kinds[method](epsilon=epsilon, keep=count, spanning_forest=spanning_forest, **told)


def parse_keep(text: str | None) -> int | float | None:
    """A whole number is a number of edges, any other a share of them.

    >>> parse_keep("20000"), parse_keep("0.3")
    (20000, 0.3)
    """
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InputError(f"keep={text!r} must be a fraction such as 0.3 or a number of edges")
