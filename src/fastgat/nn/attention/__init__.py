"""Score families: what goes into a logit, and how to attend with it; one file each.

A family is a frozen dataclass of the tensors of one call that says what its logits are; `Scores`
does the rest in plain torch, a kernel does it faster. Adding one is a file and a line here.
"""

from fastgat.nn.attention.additive import AdditiveScores
from fastgat.nn.attention.dot import DotScores
from fastgat.nn.attention.gatv2 import GATv2Scores
from fastgat.nn.attention.reference import Scores
from fastgat.nn.attention.unit_heads import unit_heads

__all__ = [
    "AdditiveScores",
    "DotScores",
    "GATv2Scores",
    "Scores",
    "unit_heads",
]
