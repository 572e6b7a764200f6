"""Data on sets."""
import numpy as np

from kiln.op2.access import INC, READ, RW, WRITE
from kiln.op2.arguments import Arg
from kiln.op2.arithmetic import DatArithmetic
from kiln.op2.checks import check_name, checked_dtype, values_as
from kiln.op2.configuration import configuration
from kiln.op2.data_sets import DataSet
from kiln.op2.exceptions import (
    DataSetTypeError,
    DataTypeError,
    DataValueError,
    IndexValueError,
    MapValueError,
    ModeValueError,
)
from kiln.op2.maps import MapUse
from kiln.op2.sets import Set
from kiln.op2.trace import trace


class Dat(DatArithmetic):
    """Components of one type for each element of a set, on the host and on the device.

    dataset: a DataSet, a Set (one component) or a Dat, which is copied. data: values in the order of
    the elements, or an array of pyopencl in C order, in which the Dat then lies; others are copied when
    the device gets them. dtype: integers of 1 to 8 bytes, float32, float64, the default without data.
    soa: how components lie on the device; the host sees them element by element. Memory of the device is
    taken at the first use, and goes with the Dat.

    shape: (total_size,) for one component, else (total_size, *dim); cdim: components of an element;
    nbytes: of all elements; split: (self,).

    After op2.init(comm=...): of this rank's rows, and from op2.partition() on of its local elements; fetch()
    has the rows as they were declared.

    Raises DataSetTypeError, DataTypeError, DataValueError for another number of values.

    >>> from kiln import op2
    >>> nodes = op2.Set(3)
    >>> x, y = op2.Dat(nodes, [1.0, 2.0, 3.0]), op2.Dat(nodes)
    >>> y += 2 * x
    >>> y.data_ro.tolist(), x.inner(y)
    ([2.0, 4.0, 6.0], 28.0)
    """

    _kind = "dat"
    _modes = [READ, WRITE, RW, INC]
    _count = 0

    def __init__(self, dataset, data=None, dtype=None, name=None, soa=None, uid=None):
        check_name(name)
        source = None
        if isinstance(dataset, Dat):
            source = dataset
            name = name or f"copy_of_{source.name}"
            dtype, soa, dataset = source.dtype, source.soa, source.dataset
        if isinstance(dataset, Set):
            dataset = dataset**1
        if not isinstance(dataset, DataSet):
            raise DataSetTypeError(f"dataset: found {dataset!r}, expected a DataSet or a Set")
        self._dataset = dataset
        self._set = dataset.set
        self._soa = bool(soa)
        self._name = name
        self._distribution = dataset.set._distribution
        if self._distribution is not None:
            self._distribution.declared(self)
            # The same on all ranks.
            self._name = name or self._distribution.name_for("dat")
        elif not name:
            self._name = f"dat_#x{id(self) if uid is None else uid:x}"
        self._token = object()
        self._handle = None
        self._array = None  # of pyopencl, in which it lies
        self._rw = None  # the host's array, where no loop has used it since it was asked for
        self._rw_owned = None  # its view of owned elements, kept to be locked with it
        self._rw_views = {}  # those of DatViews, by what they are of, kept likewise
        self._ro = None  # the same to be read, where no loop has written it
        self._ro_owned = None
        self._is_halo_valid = True
        if hasattr(data, "base_data"):
            self._adopt(data, dtype)
        elif data is None:
            self._dtype = checked_dtype(np.float64 if dtype is None else dtype)
        else:
            wanted = None if dtype is None else checked_dtype(dtype)
            values = values_as(data, wanted, self._shape)
            self._dtype = checked_dtype(values.dtype)
            self._allocate(values)
        Dat._count += 1
        if source is not None:
            source.copy(self)

    dataset = property(lambda self: self._dataset)
    dim = property(lambda self: self._dataset.dim)
    cdim = property(lambda self: self._dataset.cdim)
    dtype = property(lambda self: self._dtype)
    shape = property(
        lambda self: (self._set.total_size,) + (() if self.cdim == 1 else self._dataset.dim)
    )
    _shape = property(lambda self: self.shape)
    soa = property(lambda self: self._soa)
    name = property(lambda self: self._name)
    split = property(lambda self: (self,))
    nbytes = property(
        lambda self: self.dtype.itemsize * self._set.total_size * self.cdim
    )

    @property
    def halo_valid(self):
        """Whether elements that others own are as their owners have them."""
        if self._distribution is not None:
            return not (self._is_allocated and self._native.is_halo_stale())
        return self._is_halo_valid

    @halo_valid.setter
    def halo_valid(self, valid):
        if self._distribution is not None:
            raise NotImplementedError(f"{self._name}: halos of a mesh in parts are kept by Kiln")
        self._is_halo_valid = valid

    @property
    def needs_halo_update(self):
        """Whether elements that others own may be out of date."""
        return not self.halo_valid

    @needs_halo_update.setter
    def needs_halo_update(self, needs):
        self.halo_valid = not needs

    # --- host and device ---

    _is_allocated = property(lambda self: self._handle is not None)
    # Of a mesh in parts others may have elements.
    _is_empty = property(lambda self: self._distribution is None and 0 in self._shape)

    def _allocate(self, values=None):
        from kiln.op2.session import mesh

        if self._is_empty:
            self._handle = np.empty(self._shape, self._dtype)
            return
        self._handle = mesh().dat(
            self._name, self._set._native, self._dataset.dim, self._dtype, values, self._soa
        )

    def _adopt(self, array, dtype):
        """Lies in an array of pyopencl from now on, which is kept."""
        from kiln.op2.session import mesh

        if dtype is not None and checked_dtype(dtype) != array.dtype:
            raise DataTypeError(f"{self._name}: found {array.dtype} in the array, expected {dtype}")
        self._dtype = checked_dtype(array.dtype)
        if self._soa and self.cdim > 1:
            raise DataValueError(f"{self._name}: found soa with an array, expected element by element")
        if array.size != np.prod(self._shape, dtype=int) or not array.flags.c_contiguous:
            raise DataValueError(
                f"{self._name}: found an array of shape {array.shape} and strides {array.strides}, "
                f"expected shape {self._shape} in C order"
            )
        for event in array.events:
            event.wait()
        self._array = array
        self._handle = mesh().wrap(
            self._name,
            self._set._native,
            self._dataset.dim,
            self._dtype,
            array.base_data.int_ptr,
            array.offset,
        )

    def cl_buffer(self):
        """A pyopencl.Buffer of all values on the device, without a copy where memory allows.

        For commands on the queue that op2.init() was given. Loops that use the Dat come first, and what
        the commands write is there for loops and `data` afterwards; after `data`, ask again.
        """
        from pyopencl import Buffer

        trace.evaluate((self,), (self,))
        if self._is_empty:
            raise DataValueError(f"{self._name}: it has no elements, expected some")
        self._used(writes=True)
        return Buffer.from_int_ptr(self._native.buffer())

    def cl_array(self):
        """The same as a pyopencl.array.Array of the Dat's shape: the one that it was made of, if any."""
        from pyopencl import CommandQueue
        from pyopencl.array import Array

        from kiln.op2.session import mesh

        if self._soa and self.cdim > 1:
            raise DataValueError(f"{self._name}: its components lie apart (soa), expected element by element")
        buffer = self.cl_buffer()
        if self._array is not None:
            return self._array
        queue = CommandQueue.from_int_ptr(mesh().queue)
        return Array(queue, self._shape, self._dtype, data=buffer)

    @property
    def _native(self):
        if self._handle is None:
            self._allocate()
        return self._handle

    def _was_partitioned(self):
        self._used(writes=True)

    def fetch(self):
        """The rows that this rank declared, in their order, whoever has them: a new array. Of a mesh in one
        part the values of owned elements. Loops that write them run first. Collective."""
        from kiln import _mesh

        if self._distribution is None or not self._distribution.is_partitioned:
            return self.data_ro.copy()
        trace.evaluate((self,), ())
        rows = _mesh.fetch_dat(self._native)
        return rows.reshape(rows.shape[0], *self.shape[1:])

    def _exchange(self):
        """What others have newer comes, for who wants to see it."""
        if self._distribution is not None and self._distribution.is_partitioned:
            from kiln import _mesh

            _mesh.exchange_halo(self._native)
            self._used(writes=True)

    def _host(self, write):
        """The array on the host, after what the device was given; loops that wait stay."""
        if self._rw is not None:
            if write:
                return self._rw
            if self._ro is None:
                self._ro = self._rw.view()
                self._ro.flags.writeable = False
            return self._ro
        if self._is_empty:
            self._native
            self._rw = self._handle
            return self._host(write)
        if write:
            self._rw = self._native.write().reshape(self._shape)
            self._ro = self._ro_owned = None
            return self._rw
        if self._ro is None:
            self._ro = self._native.read().reshape(self._shape)
        return self._ro

    def _used(self, writes):
        """The device has it from now on: arrays that were handed out are locked."""
        if self._rw is not None:
            self._rw.flags.writeable = False
            if self._rw_owned is not None:
                # Locking an array does not lock views of it.
                self._rw_owned.flags.writeable = False
                self._rw_owned = None
            if self._rw_views:
                for view in self._rw_views.values():
                    view.flags.writeable = False
                self._rw_views.clear()
            self._ro = None if writes else self._rw
            self._rw = None
            self._ro_owned = None
        if writes:
            self._ro = self._ro_owned = None

    @property
    def _data(self):
        return self._host(write=True)

    @_data.setter
    def _data(self, values):
        np.copyto(self._host(write=True), np.asarray(values).reshape(self._shape), casting="unsafe")

    @property
    def data(self):
        """Values of owned elements, to be changed: (size,) or (size, *dim). Loops that use them run first.

        A view of the Dat's memory, which the next loop that uses it locks: ask again afterwards.
        """
        if trace._trace:
            trace.evaluate((self,), (self,))
        if self._set.halo is not None:
            self.halo_valid = False
        if self._rw_owned is None:
            self._rw_owned = self._host(write=True)[: self._set.size]
        return self._rw_owned

    @property
    def data_with_halos(self):
        """Values of all elements, to be changed."""
        trace.evaluate((self,), (self,))
        if self._set.halo is not None:
            self.halo_valid = False
        self._exchange()
        return self._host(write=True)

    @property
    def data_ro(self):
        """Values of owned elements, to be read: (size,) or (size, *dim). Loops that write them run first.

        A view of the Dat's memory, as it is until the next loop that writes it.
        """
        if trace._trace:
            trace.evaluate((self,), ())
        if self._ro_owned is None:
            self._ro_owned = self._host(write=False)[: self._set.size]
        return self._ro_owned

    @property
    def data_ro_with_halos(self):
        """Values of all elements, to be read."""
        trace.evaluate((self,), ())
        self._exchange()
        return self._host(write=False)

    # --- as an argument ---

    def __call__(self, access, path=None, flatten=False):
        """The argument of a loop, through a Map where there is one: m, m[k] or m[op2.i[n]].

        flatten: a pointer for each component. Raises ModeValueError, MapValueError for a Map to another set.
        """
        try:
            if not access._is_for_dats:
                raise AttributeError
        except AttributeError:
            raise ModeValueError(
                f"{self._name}: found {access!r}, expected one of {self._modes}"
            ) from None
        if path is None:
            return Arg(self, None, None, access, flatten)
        if path.toset is not self._set and configuration["type_check"]:
            raise MapValueError(f"{self._name}: the Map {path.map.name} leads to another set")
        if path.__class__ is MapUse:
            return Arg(self, path.map, path.idx, access, flatten)
        return Arg(self, path, None, access, flatten)

    def __getitem__(self, index):
        if index != 0:
            raise IndexValueError(f"a Dat has one part, found the index {index!r}")
        return self

    def __iter__(self):
        yield self

    def __len__(self):
        return 1

    def __str__(self):
        return f"OP2 Dat: {self._name} on ({self._dataset}) with datatype {self.dtype.name}"

    def __repr__(self):
        return f"Dat({self._dataset!r}, None, {self._dtype!r}, {self._name!r})"

    # --- for arithmetic ---

    _whole = property(lambda self: self._native)

    def _copied(self):
        return Dat(self)

    def _zeros(self, dtype):
        return Dat(self._dataset, None, dtype)

    # --- files ---

    def save(self, filename):
        """Writes the values as .npy; those of all ranks go into one file, by one of them."""
        if self._distribution is None:
            np.save(filename, self.data_ro)
            return
        parts = self._distribution.comm.gather(self.fetch())
        self._distribution.on_first(lambda: np.save(filename, np.concatenate(parts)))

    def load(self, filename):
        """Takes the values from what save() wrote; ".npy" may be left out. Raises OSError, ValueError."""
        values = np.load(with_extension(filename))
        if self._distribution is not None:
            values = values[self._set.numbers[: self._set.size]]
        self.data[...] = values

    @classmethod
    def fromhdf5(cls, dataset, file, name):
        """From a dataset with the attribute `type`: "double", "double:soa"."""
        data = file[name]
        kind = data.attrs["type"]
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        over = dataset if isinstance(dataset, Set) else dataset.set
        return cls(dataset, over._rows_of(data), data.dtype, name, soa=kind.endswith(":soa"))


def with_extension(filename):
    """The name of the file that NumPy makes of it."""
    return filename if str(filename).endswith(".npy") else f"{filename}.npy"
