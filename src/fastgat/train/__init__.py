"""Training: how, for how long, on which edges, and what came of it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastgat.train.adaptive import AdaptiveDensity
from fastgat.train.config import TrainConfig
from fastgat.train.record import Epoch, RunRecord

if TYPE_CHECKING:
    from fastgat.train.inference import predict_with
    from fastgat.train.loop import fit
    from fastgat.train.plan import Plan, recommended_model, recommended_training
    from fastgat.train.predict import TrainedModel
    from fastgat.train.run_folder import RunFolder
    from fastgat.train.trainable import Trainable

__all__ = [
    "AdaptiveDensity",
    "Epoch",
    "Plan",
    "RunFolder",
    "RunRecord",
    "TrainConfig",
    "Trainable",
    "TrainedModel",
    "fit",
    "predict_with",
    "recommended_model",
    "recommended_training",
]

_MODULES = {
    "Plan": "plan",
    "RunFolder": "run_folder",
    "Trainable": "trainable",
    "TrainedModel": "predict",
    "fit": "loop",
    "predict_with": "inference",
    "recommended_model": "plan",
    "recommended_training": "plan",
}


def __getattr__(name: str) -> Any:
    """Load what needs torch when first asked for: who reads records needs none."""
    if name in _MODULES:
        return getattr(import_module(f"fastgat.train.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Every public name, loaded or not."""
    return sorted({*globals(), *__all__})
