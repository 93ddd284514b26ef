"""The kernels as torch operators: pure, differentiable once, known to torch.compile.

Each takes at most 16 heads (`fastgat.nn.attention` splits more into groups), names its graph by a
key (`fastgat.nn.edges`), and returns beside its output what backward needs: per node, not per arc.
"""

from fastgat.nn.operators.additive import additive_operator
from fastgat.nn.operators.dot import dot_operator
from fastgat.nn.operators.gatv2 import gatv2_operator
from fastgat.nn.operators.unit import unit_operator

__all__ = ["additive_operator", "dot_operator", "gatv2_operator", "unit_operator"]
