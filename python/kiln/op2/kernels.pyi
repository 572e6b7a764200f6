from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from kiln.op2.arguments import Arg

class _Tree(Protocol):
    def gencode(self) -> Any: ...

class Kernel:
    def __new__(
        cls,
        code: str | _Tree,
        name: str,
        opts: Mapping[str, Any] | None = None,
        include_dirs: Iterable[str] = (),
        headers: Iterable[str] = (),
        user_code: str = "",
        ldargs: Iterable[str] | None = None,
        cpp: bool = False,
    ) -> Kernel: ...
    def __init__(self, code: str | _Tree, name: str, *args: Any, **kwargs: Any) -> None: ...
    @property
    def name(self) -> str: ...
    def code(self) -> str: ...

def native_text(kernel: Kernel, args: Sequence[Arg]) -> tuple[str, str]: ...
