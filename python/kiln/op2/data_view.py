"""One component of data on a set."""
import numpy as np

from kiln.op2.checks import is_int
from kiln.op2.data import Dat
from kiln.op2.exceptions import IndexTypeError, IndexValueError


class DatView(Dat):
    """One component of a Dat: what loops do with it they do with the Dat, which it keeps.

    index: an int or a tuple, one of the Dat's dim (else IndexTypeError, IndexValueError). Arrays are
    (size,), views of the Dat's and locked with them. Arithmetic raises NotImplementedError.

    >>> from kiln import op2
    >>> nodes = op2.Set(2)
    >>> x = op2.Dat(nodes ** 2, [[1.0, 2.0], [3.0, 4.0]])
    >>> clear = op2.Kernel("void clear(double *x) { x[0] = 0; }", "clear")
    >>> call = op2.par_loop(clear, nodes, op2.DatView(x, 1)(op2.WRITE))
    >>> x.data.tolist()
    [[1.0, 0.0], [3.0, 0.0]]
    """

    _rw = ()  # the Dat knows

    def __init__(self, dat, index):
        index = index if isinstance(index, tuple) else (index,)
        if len(index) != len(dat.dim) or not all(is_int(one) for one in index):
            raise IndexTypeError(f"{dat.name}: found the index {index!r}, expected {len(dat.dim)} ints")
        if any(not 0 <= one < extent for one, extent in zip(index, dat.dim)):
            raise IndexValueError(f"{dat.name}: found the index {index!r}, expected one of {dat.dim}")
        self._token = object()
        self._parent = dat
        self._index = index
        self._component = int(np.ravel_multi_index(index, dat.dim))
        self._name = f"view[{', '.join(str(one) for one in index)}]({dat.name})"
        self._dataset = dat.dataset
        self._set = dat.dataset.set
        self._distribution = dat._distribution

    dtype = property(lambda self: self._parent.dtype)
    dim = property(lambda self: (1,))
    cdim = property(lambda self: 1)
    shape = property(lambda self: (self._set.total_size,))
    soa = property(lambda self: self._parent.soa)
    _native = property(lambda self: self._parent._native)
    _is_allocated = property(lambda self: self._parent._is_allocated)
    _is_empty = property(lambda self: self._parent._is_empty)

    @property
    def halo_valid(self):
        return self._parent.halo_valid

    @halo_valid.setter
    def halo_valid(self, valid):
        self._parent.halo_valid = valid

    def fetch(self):
        """Those of the Dat."""
        return self._component_of(self._parent.fetch())

    def _exchange(self):
        self._parent._exchange()

    def _host(self, write):
        return self._component_of(self._parent._host(write))

    def _used(self, writes):
        self._parent._used(writes)

    @property
    def _whole(self):
        raise NotImplementedError(
            f"{self._name}: arithmetic or memory of one component, expected the Dat, a loop or `data`"
        )

    def cl_buffer(self):
        """Raises NotImplementedError: a component has no memory of its own."""
        return self._whole

    def cl_array(self):
        """Raises NotImplementedError."""
        return self._whole

    def _component_of(self, array):
        return array[(slice(None), *self._index)] if self._parent.cdim > 1 else array

    def _to_be_changed(self, name):
        """A view of the Dat's array that the Dat locks with it."""
        array = getattr(self._parent, name)
        if self._parent.cdim == 1:
            return array
        views, key = self._parent._rw_views, (name, self._index)
        if key not in views:
            views[key] = self._component_of(array)
        return views[key]

    data = property(lambda self: self._to_be_changed("data"))
    data_ro = property(lambda self: self._component_of(self._parent.data_ro))
    data_with_halos = property(lambda self: self._to_be_changed("data_with_halos"))
    data_ro_with_halos = property(lambda self: self._component_of(self._parent.data_ro_with_halos))

    def __repr__(self):
        return f"DatView({self._parent!r}, {self._index!r})"
