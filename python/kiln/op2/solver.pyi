from collections.abc import Mapping
from typing import Any

from kiln import _mesh
from kiln.op2.data import Dat
from kiln.op2.matrices import Mat

DEFAULT_SOLVER_PARAMETERS: dict[str, Any]

class Solver:
    parameters: dict[str, Any]
    # Of the last solve().
    result: _mesh.SolveResult
    def __init__(self, parameters: Mapping[str, Any] | None = None, **kwargs: Any) -> None: ...
    def update_parameters(self, parameters: Mapping[str, Any]) -> None: ...
    def solve(self, A: Mat, x: Dat, b: Dat) -> None: ...

def solve(A: Mat, x: Dat, b: Dat) -> None: ...
