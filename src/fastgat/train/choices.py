"""The choices of training by name; no torch is loaded, for a command line that lists them."""

from typing import Literal

Attention = Literal["gat", "gatv2", "cosine", "gaan"]  # how a pair of nodes is scored
Resample = Literal["const", "layer", "head"]  # when graphs are drawn
EvaluateOn = Literal["sparse", "full"]  # the graph that the model is judged on
EdgeWeight = Literal["ignore", "prior"]  # what the weights of a sparse graph are for
