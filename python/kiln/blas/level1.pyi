from typing import Any

from kiln._kiln import Runtime
from kiln.blas._calls import _A, _After, _Handle, _Number

def swap(
    x: _A,
    y: _A,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> tuple[_A, _A]: ...
def scal(
    alpha: _Number,
    x: _A,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> _A: ...
def copy(
    x: _A,
    y: _A | None = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> _A: ...
def axpy(
    alpha: _Number,
    x: _A,
    y: _A,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> _A: ...
def dot(
    x: _A,
    y: _A,
    out: _A | None = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> Any: ...
def dotc(
    x: _A,
    y: _A,
    out: _A | None = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> Any: ...
def nrm2(
    x: _A,
    out: _A | None = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> Any: ...
def asum(
    x: _A,
    out: _A | None = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> Any: ...
def iamax(
    x: _A,
    out: _A | None = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> Any: ...
def rot(
    x: _A,
    y: _A,
    c: _Number,
    s: _Number,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> tuple[_A, _A]: ...
def rotg(
    a: Any,
    b: Any,
    c: Any = None,
    s: Any = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> tuple[Any, Any, Any, Any]: ...
def rotmg(
    d1: Any,
    d2: Any,
    x1: Any,
    y1: Any,
    param: Any = None,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> tuple[Any, Any, Any, Any, Any]: ...
def rotm(
    x: _A,
    y: _A,
    param: _A,
    *,
    runtime: Runtime | None = None,
    queue: _Handle | None = None,
    after: _After = (),
) -> tuple[_A, _A]: ...
