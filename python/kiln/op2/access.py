"""How a loop uses an argument."""
from kiln.op2.exceptions import ModeValueError


class Access:
    """One of READ, WRITE, RW, INC, MIN, MAX; one object for each."""

    __slots__ = ("_mode", "_number", "_is_for_dats")
    _modes = ["READ", "WRITE", "RW", "INC", "MIN", "MAX"]
    _made = {}

    def __new__(cls, mode):
        if mode not in cls._modes:
            raise ModeValueError(f"found the access {mode!r}, expected one of {cls._modes}")
        made = cls._made.get(mode)
        if made is None:
            made = cls._made[mode] = super().__new__(cls)
            made._mode = mode
            made._number = cls._modes.index(mode)
            made._is_for_dats = mode not in ("MIN", "MAX")
        return made

    def __str__(self):
        return f"OP2 Access: {self._mode}"

    def __repr__(self):
        return f"Access({self._mode!r})"


READ, WRITE, RW, INC, MIN, MAX = (Access(mode) for mode in Access._modes)
