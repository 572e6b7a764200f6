import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from numpy.typing import NDArray

from kiln import op2

_Path: TypeAlias = str | os.PathLike[str]
_Maps: TypeAlias = dict[str, tuple[str, str, NDArray[Any]]]
_Dats: TypeAlias = dict[str, tuple[str, NDArray[Any]]]

class MeshData:
    sets: dict[str, int]
    maps: _Maps
    dats: _Dats
    constants: dict[str, NDArray[Any]]
    def __init__(
        self,
        sets: Mapping[str, int] | None = None,
        maps: Mapping[str, tuple[str, str, NDArray[Any]]] | None = None,
        dats: Mapping[str, tuple[str, NDArray[Any]]] | None = None,
        constants: Mapping[str, NDArray[Any]] | None = None,
    ) -> None: ...
    def set(self, name: str) -> op2.Set: ...
    def map(self, name: str) -> op2.Map: ...
    def dat(self, name: str, soa: bool = False) -> op2.Dat: ...
    def write(self, path: _Path) -> None: ...
    def write_vtu(
        self, path: _Path, coordinates: str = "", cells: str = "", dats: Iterable[str] = ()
    ) -> None: ...

def read(path: _Path) -> MeshData: ...
def naca0012(along: int = 400, out: int = 600, for_aero: bool = False) -> MeshData: ...
