"""Training: how, for how long, on which edges, and what came of it."""

from fastgat.train.adaptive import AdaptiveDensity
from fastgat.train.config import TrainConfig
from fastgat.train.loop import fit
from fastgat.train.record import Epoch, RunRecord

__all__ = ["AdaptiveDensity", "Epoch", "RunRecord", "TrainConfig", "fit"]
