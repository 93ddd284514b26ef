"""The core's counter knows every attention kernel, forward and backward."""

from attention_layers import ARCS, CHANNELS, LAYERS, NODES, features, gradients, seeded
from fastgat import _core


def test_every_attention_kernel_is_timed() -> None:
    known = {name for name in dir(_core) if name.endswith(("_forward", "_backward"))}
    assert {"additive_forward", "additive_backward"} <= known
    before = _core.kernel_seconds()
    for make in LAYERS.values():
        layer = seeded(make)
        gradients(layer, layer(features(NODES, CHANNELS), ARCS))
    after = _core.kernel_seconds()
    assert known <= {name for name in after if after[name] > before.get(name, 0.0)}
