"""The paper's tables and figures, open questions, theorems and benchmarks, run from a clone.

`python -m experiments list` names them. Nothing of the library imports this package.
"""

import contextlib

# Before torch: idle threads of the pool that all peers share then sleep. With torch's default,
# spinning, PyG's step on Photo took three times as long on a busy machine. OMP_WAIT_POLICY or
# GOMP_SPINCOUNT, if set, decide for all peers instead. DGL's process has no fastgat.
with contextlib.suppress(ImportError):
    import fastgat  # noqa: F401
