from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MODULES: tuple[str, ...]

class _Communicator:
    rank: int
    size: int
    def barrier(self) -> None: ...
    def Barrier(self) -> None: ...
    def allreduce(self, mine: Any) -> Any: ...

class MPI:
    # Or mpi4py's.
    comm: Any
    parallel: bool
    @classmethod
    def take(cls, comm: Any) -> None: ...

def compute_ind_extr(
    nums: Sequence[int] | NDArray[Any],
    map_dofs: int,
    elements: int,
    layers: int,
    mesh2d: Sequence[int] | NDArray[Any],
    dofs: ArrayLike,
    A: Sequence[Sequence[int]] | NDArray[Any],
    wedges: int,
    map: ArrayLike,
    size: int,
) -> NDArray[np.int32]: ...
def install() -> ModuleType: ...
