from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from kiln._kiln import BlasCall, BlasSequence, Event, Runtime

# An object of pyopencl, or its int_ptr.
_Handle: TypeAlias = Any
_After: TypeAlias = Iterable[Event | _Handle]
_Number: TypeAlias = complex | np.number[Any]
_Order: TypeAlias = Literal["C", "F"] | None

class _Array(Protocol):
    """An array of NumPy, kiln or pyopencl."""

    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...

# Arrays of a call are of one kind.
_A = TypeVar("_A", bound=_Array)

def default_runtime() -> Runtime: ...

class Call:
    operands: Sequence[Any]
    result: Any
    finish: Callable[[], Any] | None
    kind: Any
    native: BlasCall
    def __init__(
        self,
        routine: str,
        operands: Sequence[Any],
        result: Any,
        *,
        finish: Callable[[], Any] | None = None,
        product: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None: ...
    def place(
        self, runtime: Runtime | None, queue: _Handle | None
    ) -> tuple[Runtime | None, _Handle | None]: ...
    def end(self, event: Event) -> Any: ...

def routine(describe: Callable[..., Call]) -> Callable[..., Any]: ...

class Plan:
    def __init__(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        runtime: Runtime | None,
        queue: _Handle | None,
    ) -> None: ...
    def __call__(self, *args: Any, after: _After = (), **keywords: Any) -> Any: ...
    @property
    def workspace_bytes(self) -> int: ...

def plan(
    function: Callable[..., Any],
    *args: Any,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    **keywords: Any,
) -> Plan: ...
def explain(
    function: Callable[..., Any],
    *args: Any,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    **keywords: Any,
) -> BlasSequence: ...
