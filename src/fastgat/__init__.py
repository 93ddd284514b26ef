"""fastgat: attention graph neural networks on the few edges that carry the graph's spectrum."""

from fastgat._threads import share_torch_threads

share_torch_threads()

from fastgat.check import InputError  # noqa: E402
from fastgat.graph import Graph  # noqa: E402

__version__ = "0.1.0"

__all__ = ["Graph", "InputError", "__version__"]
