"""A few numbers that belong to no set."""
import numpy as np

from kiln.op2.access import INC, MAX, MIN, READ
from kiln.op2.arguments import Arg
from kiln.op2.checks import check_name, checked_dtype, int_tuple, values_as
from kiln.op2.exceptions import DataValueError, IndexValueError, ModeValueError
from kiln.op2.trace import trace


class Global:
    """A few numbers that belong to no set: parameters that loops read, and what they reduce to.

    dim: an int or a tuple, the shape of its arrays. data: values, copied; zeros without. dtype: that of
    the values, or float64. Raises TypeError for a dim that is none, DataTypeError, DataValueError for
    another number of values.

    >>> from kiln import op2
    >>> nodes = op2.Set(3)
    >>> x, largest = op2.Dat(nodes, [1.0, 5.0, 3.0]), op2.Global(1, 0.0)
    >>> find = op2.Kernel("void find(double *x, double *m) { if (*x > *m) *m = *x; }", "find")
    >>> call = op2.par_loop(find, nodes, x(op2.READ), largest(op2.MAX))
    >>> largest.data.tolist()
    [5.0]
    """

    __array_ufunc__ = None
    _kind = "global"
    _rw = ()
    _modes = [READ, INC, MIN, MAX]
    _count = 0

    def __init__(self, dim, data=None, dtype=None, name=None, comm=None):
        check_name(name)
        if isinstance(dim, Global):
            source = dim
            dim, data, dtype = source.dim, source.data_ro, dtype or source.dtype
        self._dim = int_tuple(dim)
        self._cdim = int(np.prod(self._dim))
        self.comm = comm
        if data is None:
            values = np.zeros(self._dim, checked_dtype(np.float64 if dtype is None else dtype))
        else:
            try:
                values = np.array(data, dtype=dtype)
            except (ValueError, TypeError) as error:
                raise DataValueError(f"found values that are no numbers: {error}") from None
        if values.dtype.kind in "USO":
            raise DataValueError(f"found {data!r}, expected numbers")
        self._values = values_as(values, checked_dtype(values.dtype), self._dim)
        self._name = name or f"global_{Global._count}"
        self._token = object()
        self._handle = None
        self._given = None  # the bytes that the device has got
        self._is_stale = False  # the device has newer ones
        Global._count += 1

    dim = property(lambda self: self._dim)
    shape = property(lambda self: self._dim)
    cdim = property(lambda self: self._cdim)
    dtype = property(lambda self: self._values.dtype)
    name = property(lambda self: self._name)
    nbytes = property(lambda self: self._values.nbytes)
    split = property(lambda self: (self,))
    soa = property(lambda self: False)
    halo_valid = True

    @property
    def _data(self):
        """The host's values, as they are without what waits."""
        return self._values

    @_data.setter
    def _data(self, values):
        self._values[...] = values
        self._is_stale = False

    def _fetch(self):
        if self._is_stale:
            self._values[...] = self._handle.values().reshape(self._dim)
            self._given = self._values.tobytes()
            self._is_stale = False

    @property
    def data(self):
        """The values, to be changed, of shape dim: the Global's own memory. Loops that use them run first.

        Waits for the device. What is assigned takes their place; raises DataValueError where it does not fit.
        """
        trace.evaluate((self,), (self,))
        self._fetch()
        return self._values

    @data.setter
    def data(self, values):
        trace.evaluate((self,), (self,))
        try:
            new = np.asarray(values, dtype=self.dtype)
        except (ValueError, TypeError) as error:
            raise DataValueError(f"{self._name}: found values that are no numbers: {error}") from None
        self._values[...] = values_as(new, self.dtype, self._dim)
        self._is_stale = False

    @property
    def data_ro(self):
        """The values, to be read, of shape dim. Loops that change them run first; waits for the device."""
        trace.evaluate((self,), ())
        self._fetch()
        view = self._values.view()
        view.flags.writeable = False
        return view

    def _push(self):
        """The device gets the host's values, where they are newer."""
        if self._is_stale:
            return
        now = self._values.tobytes()
        if self._handle is None:
            from kiln.op2.session import mesh

            self._handle = mesh().global_(self._name, self._values.reshape(-1))
        elif now != self._given:
            self._handle.set(self._values.reshape(-1))
        self._given = now

    @property
    def _native(self):
        self._push()
        return self._handle

    def _used(self, writes):
        if writes:
            self._is_stale = True
            self._given = None  # not even what was given last is there any more

    def zero(self):
        """All values become 0."""
        self.data = np.zeros(self._dim, self.dtype)

    def __call__(self, access, path=None, flatten=False):
        if access not in self._modes:
            raise ModeValueError(f"{self._name}: found {access!r}, expected one of {self._modes}")
        return Arg(self, None, None, access, flatten)

    def __getitem__(self, index):
        if index != 0:
            raise IndexValueError(f"a Global has one part, found the index {index!r}")
        return self

    def __iter__(self):
        yield self

    def __len__(self):
        return 1

    def __str__(self):
        return f"OP2 Global Argument: {self._name} with dim {self._dim} and value {self.data_ro}"

    def __repr__(self):
        return f"Global({self._dim!r}, {self.data_ro!r}, {self.dtype!r}, {self._name!r})"

    def _number(self, other):
        return other.data_ro if isinstance(other, Global) else other

    def __iadd__(self, other):
        self.data = self.data_ro + self._number(other)
        return self

    def __isub__(self, other):
        self.data = self.data_ro - self._number(other)
        return self

    def __imul__(self, other):
        self.data = self.data_ro * self._number(other)
        return self

    def __itruediv__(self, other):
        self.data = self.data_ro / self._number(other)
        return self

    def _made(self, values):
        return Global(self._dim, values, self.dtype)

    def __add__(self, other):
        return self._made(self.data_ro + self._number(other))

    __radd__ = __add__

    def __sub__(self, other):
        return self._made(self.data_ro - self._number(other))

    def __rsub__(self, other):
        return self._made(self._number(other) - self.data_ro)

    def __mul__(self, other):
        return self._made(self.data_ro * self._number(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._made(self.data_ro / self._number(other))

    def inner(self, other):
        """The sum of products with another Global of as many values, a float."""
        return float(np.dot(self.data_ro.reshape(-1), other.data_ro.reshape(-1)))
