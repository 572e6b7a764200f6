from typing import Any

from kiln.op2.access import Access
from kiln.op2.data import Dat
from kiln.op2.global_data import Global
from kiln.op2.maps import IterationIndex, Map, MixedMap
from kiln.op2.matrices import Mat
from kiln.op2.mixed_data import MixedDat

class Arg:
    key: tuple[Any, ...]
    data: Dat | MixedDat | Global | Mat
    map: Map | MixedMap | tuple[Map | MixedMap, ...] | None
    def __init__(
        self,
        data: Dat | MixedDat | Global | Mat,
        map: Map | MixedMap | tuple[Map | MixedMap, ...] | None = None,
        idx: int | IterationIndex | tuple[int | IterationIndex, ...] | None = None,
        access: Access | None = None,
        flatten: bool = False,
    ) -> None: ...
    @property
    def idx(self) -> int | IterationIndex | tuple[int | IterationIndex, ...] | None: ...
    @property
    def access(self) -> Access: ...
    @property
    def ctype(self) -> str: ...
    @property
    def split(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
