import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from numpy.typing import ArrayLike

import kiln

def runtime(devices: str = "cpu") -> AbstractContextManager[kiln.Runtime]: ...
def assert_splits_equal(
    file: str | os.PathLike[str],
    splits: Iterable[str] = (),
    devices: str = "cpu/2",
    rtol: float = 0.0,
    **symbols: Any,
) -> list[kiln.Verdict]: ...
def assert_kernel(
    kernel: kiln.Kernel,
    arguments: Sequence[Any],
    expected: Mapping[int, ArrayLike],
    rtol: float = 1e-5,
    atol: float = 0.0,
    **launch: Any,
) -> None: ...
