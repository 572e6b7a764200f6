from typing import Any, TypeVar
from weakref import WeakValueDictionary

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

class Interned(WeakValueDictionary[_Key, _Value]):
    def keep(self, key: _Key, made: _Value, owner: Any = None) -> _Value: ...

class Recent(dict[_Key, _Value]):
    most: int
    def __init__(self, most: int) -> None: ...
    def used(self, key: _Key) -> _Value | None: ...
    def keep(self, key: _Key, value: _Value) -> _Value: ...
