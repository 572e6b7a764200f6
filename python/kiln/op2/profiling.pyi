from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")

def timed_region(name: str) -> AbstractContextManager[None]: ...
def timed_function(name: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
