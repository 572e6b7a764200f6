"""How a loop uses an argument."""
from kiln.op2.exceptions import ModeValueError


class Access:
    """One of READ, WRITE, RW, INC, MIN, MAX."""

    __slots__ = ("_mode", "_number")
    _modes = ["READ", "WRITE", "RW", "INC", "MIN", "MAX"]

    def __init__(self, mode):
        if mode not in self._modes:
            raise ModeValueError(f"found the access {mode!r}, expected one of {self._modes}")
        self._mode = mode
        self._number = self._modes.index(mode)

    def __eq__(self, other):
        return self is other or (isinstance(other, Access) and self._mode == other._mode)

    def __hash__(self):
        return hash(self._mode)

    def __str__(self):
        return f"OP2 Access: {self._mode}"

    def __repr__(self):
        return f"Access({self._mode!r})"


READ, WRITE, RW, INC, MIN, MAX = (Access(mode) for mode in Access._modes)
