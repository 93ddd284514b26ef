"""Attention over arcs: the three score families."""

from fastgat.nn.portable import additive_attention, dot_attention, gatv2_attention

__all__ = ["additive_attention", "dot_attention", "gatv2_attention"]
