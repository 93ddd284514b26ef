"""Training: how, for how long, on which edges, and what came of it."""

from fastgat.train.adaptive import AdaptiveDensity
from fastgat.train.config import TrainConfig
from fastgat.train.loop import fit
from fastgat.train.plan import Plan
from fastgat.train.record import Epoch, RunRecord
from fastgat.train.run_folder import RunFolder
from fastgat.train.settings import recommended_model, recommended_training

__all__ = [
    "AdaptiveDensity",
    "Epoch",
    "Plan",
    "RunFolder",
    "RunRecord",
    "TrainConfig",
    "fit",
    "recommended_model",
    "recommended_training",
]
