"""TrainConfig: what it refuses, and that it survives being written down."""

import dataclasses
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from fastgat import (
    DegreeSparsifier,
    EffectiveResistanceSparsifier,
    InputError,
    KNeighborSparsifier,
    UniformSparsifier,
)
from fastgat.train import AdaptiveDensity, TrainConfig

RESISTANCE = EffectiveResistanceSparsifier(epsilon=0.7)
CONFIGS = {
    "default": TrainConfig(),
    "numbers": TrainConfig(
        epochs=3, learning_rate=1, weight_decay=0, patience=None, batch_size=5, seed=2**63 - 1
    ),
    "resistance": TrainConfig(sparsifier=RESISTANCE, evaluate_on="full", edge_weight="prior"),
    "exact": TrainConfig(
        sparsifier=EffectiveResistanceSparsifier(
            keep=0.3, sampling="independent", spanning_forest=True, estimator="exact"
        )
    ),
    "degree": TrainConfig(sparsifier=DegreeSparsifier(keep=17)),
    "uniform": TrainConfig(sparsifier=UniformSparsifier(keep=0.25)),
    "neighbours": TrainConfig(sparsifier=KNeighborSparsifier(neighbors=3)),
    "neighbours-keep": TrainConfig(sparsifier=KNeighborSparsifier(keep=0.5)),
    "neighbours-epsilon": TrainConfig(sparsifier=KNeighborSparsifier(epsilon=0.5)),
    "adaptive": TrainConfig(sparsifier=RESISTANCE, adaptive=AdaptiveDensity()),
    "adaptive-options": TrainConfig(
        sparsifier=UniformSparsifier(),
        adaptive=AdaptiveDensity(fewest=0.8, most=0.3, every=5, step=0.01),
    ),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_json_and_back(config: TrainConfig) -> None:
    text = json.dumps(config.to_json(), allow_nan=False)
    assert TrainConfig.from_json(json.loads(text)) == config


def test_configs_are_equal_only_if_every_choice_is() -> None:
    written = [json.dumps(config.to_json()) for config in CONFIGS.values()]
    assert len(set(written)) == len(written)
    for name, config in CONFIGS.items():
        assert [other for other, twin in CONFIGS.items() if twin == config] == [name]


def test_a_config_does_not_change() -> None:
    config = CONFIGS["adaptive"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.epochs = 4  # type: ignore[misc]
    facts = config.to_json()
    facts["adaptive"]["every"] = 3
    facts["sparsifier"]["epsilon"] = 0.1
    assert config.adaptive == AdaptiveDensity()
    assert config.sparsifier == RESISTANCE


def test_numbers_of_numpy_and_others_become_plain() -> None:
    config = TrainConfig(
        epochs=np.int64(3),
        learning_rate=np.float32(0.5),  # type: ignore[arg-type]
        weight_decay=Fraction(1, 4),  # type: ignore[arg-type]
        patience=np.int32(7),
        batch_size=np.uint8(2),
        seed=np.uint64(9),
        sparsifier=UniformSparsifier(),
        adaptive=AdaptiveDensity(every=np.int64(4), step=np.float32(0.25)),  # type: ignore[arg-type]
    )
    assert TrainConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert config == TrainConfig(
        epochs=3,
        learning_rate=0.5,
        weight_decay=0.25,
        patience=7,
        batch_size=2,
        seed=9,
        sparsifier=UniformSparsifier(),
        adaptive=AdaptiveDensity(every=4, step=0.25),
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs=0 must be a whole number of at least 1"),
        ({"epochs": 2.5}, "epochs=2.5 must be a whole number of at least 1"),
        ({"epochs": True}, "epochs=True must be a whole number of at least 1"),
        ({"epochs": None}, "epochs=None must be a whole number of at least 1"),
        ({"learning_rate": 0}, "learning_rate=0 must lie in (0, inf)"),
        ({"learning_rate": -0.1}, "learning_rate=-0.1 must lie in (0, inf)"),
        ({"learning_rate": math.inf}, "learning_rate=inf must lie in (0, inf)"),
        ({"learning_rate": math.nan}, "learning_rate=nan must lie in (0, inf)"),
        ({"learning_rate": "0.1"}, "learning_rate='0.1' must be a number"),
        ({"weight_decay": -1e-9}, "weight_decay=-1e-09 must lie in [0, inf)"),
        ({"weight_decay": math.inf}, "weight_decay=inf must lie in [0, inf)"),
        ({"weight_decay": math.nan}, "weight_decay=nan must lie in [0, inf)"),
        (
            {"patience": 0},
            "patience=0 must be a whole number of at least 1; None never stops early",
        ),
        ({"evaluate_on": "test"}, "evaluate_on='test' must be one of 'sparse', 'full', 'better'"),
        ({"edge_weight": "prios"}, "edge_weight='prios' must be one of 'ignore', 'prior'"),
        ({"batch_size": 0}, "batch_size=0 must be a whole number of at least 1"),
        ({"seed": -1}, "seed=-1 must be a whole number of at least 0"),
        ({"seed": 2**63}, f"seed={2**63} must be below 2**63, which torch takes"),
        (
            {"sparsifier": "uniform"},
            "sparsifier='uniform' must have a method prepare(graph), "
            "as EffectiveResistanceSparsifier() has",
        ),
        (
            {"sparsifier": UniformSparsifier},
            "sparsifier=UniformSparsifier is a class, but an object is needed: UniformSparsifier()",
        ),
        (
            {"sparsifier": UniformSparsifier(), "adaptive": 0.5},
            "adaptive=0.5 must be an AdaptiveDensity",
        ),
        (
            {"adaptive": AdaptiveDensity()},
            "adaptive needs a sparsifier with a score per edge, "
            "such as EffectiveResistanceSparsifier()",
        ),
        (
            {"adaptive": AdaptiveDensity(), "sparsifier": KNeighborSparsifier(2)},
            "adaptive needs a sparsifier with a score per edge, "
            "such as EffectiveResistanceSparsifier()",
        ),
        (
            {"adaptive": AdaptiveDensity(), "sparsifier": RESISTANCE, "edge_weight": "prior"},
            "edge_weight='prior' needs the weights of one draw, which adaptive has not; "
            "use edge_weight='ignore'",
        ),
        (
            {
                "adaptive": AdaptiveDensity(),
                "sparsifier": UniformSparsifier(spanning_forest=True),
            },
            "spanning_forest=True goes with draws, but adaptive takes edges one by one; "
            "leave it out",
        ),
    ],
)
def test_refusals(options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        TrainConfig(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "facts",
    [
        {"sparsifier": {"kind": "Best"}},
        {"sparsifier": {"epsilon": 0.5}},
        {"sparsifier": {"kind": "UniformSparsifier", "colour": 3}},
        {"sparsifier": "UniformSparsifier"},
        {"adaptive": {"pace": 3}},
        {"adaptive": 3},
        {"momentum": 0.9},
        3,
        "epochs",
    ],
)
def test_what_is_not_a_config_is_refused(facts: dict) -> None:
    with pytest.raises(InputError, match="the configuration cannot be read: "):
        TrainConfig.from_json(facts)


def test_wrong_values_in_a_file_are_named() -> None:
    with pytest.raises(InputError, match="epochs=0 must be a whole number of at least 1"):
        TrainConfig.from_json({"epochs": 0})
