"""Arguments of loops: what a loop uses, through which Map, and how."""
from kiln.op2.access import INC, MAX, MIN, READ
from kiln.op2.maps import IterationIndex


class Arg:
    """One argument. Made by calling a Dat, a Global or a Mat.

    `key` says what it is without holding the data or the Map: what a Kernel has prepared is found by
    it, and must not keep what a program has dropped.
    """

    __slots__ = ("key", "data", "map")

    def __init__(self, data, map=None, idx=None, access=None, flatten=False):
        if map is None:
            through = None
        elif map.__class__ is tuple:
            through = tuple([one._token for one in map])
        else:
            through = map._token
        self.key = (data._token, through, idx, access, flatten)
        self.data = data
        self.map = map

    idx = property(lambda self: self.key[2])
    access = property(lambda self: self.key[3])
    _flatten = property(lambda self: self.key[4])

    @property
    def _is_packed(self):
        """The kernel gets the values of all targets in one array."""
        idx = self.idx[0] if isinstance(self.idx, tuple) else self.idx
        return isinstance(idx, IterationIndex)

    _is_global = property(lambda self: self.data._kind == "global")
    _is_mat = property(lambda self: self.data._kind == "mat")
    _is_dat = property(lambda self: self.data._kind == "dat")
    _is_mixed = property(lambda self: len(self.data.split) > 1)
    _is_direct = property(lambda self: self._is_dat and self.map is None)
    _is_indirect = property(lambda self: self._is_dat and self.map is not None)
    _is_global_reduction = property(lambda self: self._is_global and self.access in (INC, MIN, MAX))
    _reads = property(lambda self: self.access._mode != "WRITE")
    _writes = property(lambda self: self.access is not READ)
    ctype = property(lambda self: _C_TYPES[self.data.dtype.str[1:]])

    @property
    def split(self):
        """An argument for each part of mixed data."""
        if not self._is_mixed:
            return (self,)
        if self._is_mat:
            rows, columns = self.data.sparsity.shape
            maps = self.map
            return tuple(
                tuple(
                    Arg(
                        self.data[r, c],
                        (maps[0].split[r], maps[1].split[c]),
                        self.idx,
                        self.access,
                    )
                    for c in range(columns)
                )
                for r in range(rows)
            )
        maps = (None,) * len(self.data.split) if self.map is None else self.map.split
        return tuple(
            Arg(part, map, self.idx, self.access, self._flatten)
            for part, map in zip(self.data.split, maps)
        )

    def __eq__(self, other):
        return isinstance(other, Arg) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __str__(self):
        return (
            f"OP2 Arg: dat {self.data}, map {self.map}, index {self.idx}, access {self.access}"
        )

    def __repr__(self):
        return f"Arg({self.data!r}, {self.map!r}, {self.idx!r}, {self.access!r})"


_C_TYPES = {
    "i1": "signed char",
    "u1": "unsigned char",
    "i2": "short",
    "u2": "unsigned short",
    "i4": "int",
    "u4": "unsigned int",
    "i8": "long",
    "u8": "unsigned long",
    "f4": "float",
    "f8": "double",
}
