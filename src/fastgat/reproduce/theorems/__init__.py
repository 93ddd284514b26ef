"""The paper's statements, checked on graphs: one file per statement."""

from fastgat.reproduce.theorems.attention import (
    TiedAttention,
    attend,
    random_attention,
    sparsify_attention,
)
from fastgat.reproduce.theorems.check import Check
from fastgat.reproduce.theorems.counterexample import counterexample
from fastgat.reproduce.theorems.equation_6 import Promise, keep_promise
from fastgat.reproduce.theorems.figures import draw_bounds, draw_counterexample
from fastgat.reproduce.theorems.lemma_1 import lemma_1
from fastgat.reproduce.theorems.proposition_1 import layer_agreement, proposition_1
from fastgat.reproduce.theorems.run import Row, check_theorems
from fastgat.reproduce.theorems.theorem_1 import theorem_1
from fastgat.reproduce.theorems.theorem_2 import theorem_2, theorem_2_as_printed

__all__ = [
    "Check",
    "Promise",
    "Row",
    "TiedAttention",
    "attend",
    "check_theorems",
    "counterexample",
    "draw_bounds",
    "draw_counterexample",
    "keep_promise",
    "layer_agreement",
    "lemma_1",
    "proposition_1",
    "random_attention",
    "sparsify_attention",
    "theorem_1",
    "theorem_2",
    "theorem_2_as_printed",
]
