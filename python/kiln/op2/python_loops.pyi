from collections.abc import Callable
from typing import Any, Self

from kiln.op2.arguments import Arg
from kiln.op2.maps import IterationRegion
from kiln.op2.sets import Set
from kiln.op2.trace import CallPlace

class PyParLoop(CallPlace):
    args: tuple[Arg, ...]
    def __init__(
        self,
        kernel: Callable[..., object],
        iterset: Set,
        *args: Arg,
        iterate: IterationRegion | None = None,
    ) -> None: ...
    @property
    def kernel(self) -> Callable[..., object]: ...
    @property
    def iterset(self) -> Set: ...
    @property
    def reads(self) -> set[Any]: ...
    @property
    def writes(self) -> set[Any]: ...
    def enqueue(self) -> Self: ...
    def compute(self) -> Self: ...
