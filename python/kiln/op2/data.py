"""Data on sets."""
import numbers

import numpy as np

from kiln.op2.access import INC, READ, RW, WRITE
from kiln.op2.arguments import Arg
from kiln.op2.checks import check_name, checked_dtype, is_int, values_as
from kiln.op2.configuration import configuration
from kiln.op2.exceptions import (
    DataSetTypeError,
    DataValueError,
    IndexTypeError,
    IndexValueError,
    MapValueError,
    ModeValueError,
)
from kiln.op2.global_data import Global
from kiln.op2.maps import MapUse
from kiln.op2.sets import DataSet, MixedDataSet, MixedSet, Set
from kiln.op2.trace import trace


class Dat:
    """Components of one type for each element of a set, on the host and on the device.

    dataset: a DataSet, a Set (one component) or a Dat, which is copied. data: values in the order of
    the elements. soa: how components lie on the device; the host sees them element by element.
    """

    __array_ufunc__ = None  # numbers of NumPy leave operations to this class
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
        self._name = name or f"dat_#x{id(self) if uid is None else uid:x}"
        total = dataset.set.total_size
        self._shape = (total,) + (() if dataset.cdim == 1 else dataset.dim)
        self._token = object()
        self._handle = None
        self._rw = None  # the host's array, where no loop has used it since it was asked for
        self._ro = None  # the same to be read, where no loop has written it
        self._ro_owned = None
        self.halo_valid = True
        if data is None:
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
    shape = property(lambda self: self._shape)
    soa = property(lambda self: self._soa)
    name = property(lambda self: self._name)
    split = property(lambda self: (self,))
    nbytes = property(
        lambda self: self._dtype.itemsize * self._set.total_size * self._dataset.cdim
    )
    needs_halo_update = property(lambda self: not self.halo_valid)

    # --- host and device ---

    _is_allocated = property(lambda self: self._handle is not None)
    _is_empty = property(lambda self: 0 in self._shape)

    def _allocate(self, values=None):
        from kiln.op2.session import mesh

        if self._is_empty:
            self._handle = np.empty(self._shape, self._dtype)
            return
        self._handle = mesh().dat(
            self._name, self._set._native, self._dataset.dim, self._dtype, values, self._soa
        )

    @property
    def _native(self):
        if self._handle is None:
            self._allocate()
        return self._handle

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
        """Values of owned elements, to be changed. Loops that use them run first."""
        if trace._trace:
            trace.evaluate((self,), (self,))
        if self._set.halo is not None:
            self.halo_valid = False
        return self._host(write=True)[: self._set.size]

    @property
    def data_with_halos(self):
        """Values of all elements, to be changed."""
        trace.evaluate((self,), (self,))
        if self._set.halo is not None:
            self.halo_valid = False
        return self._host(write=True)

    @property
    def data_ro(self):
        """Values of owned elements, to be read. Loops that write them run first."""
        if trace._trace:
            trace.evaluate((self,), ())
        if self._ro_owned is None:
            self._ro_owned = self._host(write=False)[: self._set.size]
        return self._ro_owned

    @property
    def data_ro_with_halos(self):
        """Values of all elements, to be read."""
        trace.evaluate((self,), ())
        return self._host(write=False)

    # --- as an argument ---

    def __call__(self, access, path=None, flatten=False):
        """The argument of a loop, through a Map where there is one."""
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
        return f"OP2 Dat: {self._name} on ({self._dataset}) with datatype {self._dtype.name}"

    def __repr__(self):
        return f"Dat({self._dataset!r}, None, {self._dtype!r}, {self._name!r})"

    # --- arithmetic: on the device, after the loops that were called before ---

    def zero(self, subset=None):
        """All values become 0, or those of a Subset."""
        trace.evaluate((), (self,))
        if not self._is_empty:
            if subset is None:
                self._native.fill(0)
            else:
                self._native.zero(subset._subset())
        self._used(writes=True)

    def copy(self, other, subset=None):
        """The values go to another Dat, all or those of a Subset."""
        if other is self:
            return
        trace.evaluate((self,), (other,))
        if not self._is_empty:
            extra = () if subset is None else (subset._subset(),)
            self._native.copy(other._native, *extra)
        self._used(writes=False)
        other._used(writes=True)

    def _operand(self, other):
        """A Dat of the same shape, or a number."""
        if isinstance(other, Dat):
            if other.dataset is not self._dataset:
                raise ValueError(
                    f"{self._name} and {other.name} are on different DataSets, expected the same"
                )
            return other
        if isinstance(other, Global):
            if other.cdim != 1:
                raise ValueError(f"{other.name} has {other.cdim} values, expected one")
            return other.data_ro.reshape(-1)[0]
        if isinstance(other, (numbers.Real, np.generic)):
            return other
        return None

    def _combine(self, operation, other):
        operand = self._operand(other)
        if operand is None:
            return NotImplemented
        is_dat = isinstance(operand, Dat)
        trace.evaluate((operand,) if is_dat else (), (self,))
        if not self._is_empty:
            self._native.combine(operation, operand._native if is_dat else operand)
        if is_dat:
            operand._used(writes=False)
        self._used(writes=True)
        return self

    def _copied(self):
        return Dat(self)

    def _combined(self, operation, other):
        if self._operand(other) is None:
            return NotImplemented
        return self._copied()._combine(operation, other)

    def __iadd__(self, other):
        return self._combine("+", other)

    def __isub__(self, other):
        return self._combine("-", other)

    def __imul__(self, other):
        return self._combine("*", other)

    def __itruediv__(self, other):
        return self._combine("/", other)

    def __add__(self, other):
        return self._combined("+", other)

    __radd__ = __add__

    def __sub__(self, other):
        return self._combined("-", other)

    def __rsub__(self, other):
        negative = -self
        return negative._combine("+", other)

    def __mul__(self, other):
        return self._combined("*", other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._combined("/", other)

    def __rtruediv__(self, other):
        if not isinstance(other, (numbers.Real, np.generic)):
            return NotImplemented
        quotient = Dat(self._dataset, None, np.float64)
        quotient += other
        quotient /= self
        result = Dat(self._dataset, None, self._dtype)
        result += quotient
        return result

    def __pos__(self):
        return self._copied()

    def __neg__(self):
        return self._copied()._combine("*", -1)

    def axpy(self, alpha, x):
        """self := self + alpha x"""
        x = self._operand(x)
        trace.evaluate((x,), (self,))
        if not self._is_empty:
            self._native.axpy(alpha, x._native)
        x._used(writes=False)
        self._used(writes=True)

    def inner(self, other):
        """The sum of products of all owned components."""
        if not isinstance(other, Dat):
            raise ValueError(f"{self._name}: found {other!r}, expected a Dat")
        self._operand(other)
        trace.evaluate((self, other), ())
        if self._is_empty:
            return 0.0
        result = self._native.inner(other._native)
        self._used(writes=False)
        other._used(writes=False)
        return result

    @property
    def norm(self):
        """The Euclidean norm of all owned components."""
        trace.evaluate((self,), ())
        if self._is_empty:
            return 0.0
        result = self._native.norm()
        self._used(writes=False)
        return result

    # --- files ---

    def save(self, filename):
        """Writes the values as .npy."""
        np.save(filename, self.data_ro)

    def load(self, filename):
        """Takes the values from what save() wrote; ".npy" may be left out."""
        self.data[...] = np.load(_with_extension(filename))

    @classmethod
    def fromhdf5(cls, dataset, file, name):
        """From a dataset with the attribute `type`: "double", "double:soa"."""
        data = file[name]
        kind = data.attrs["type"]
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        return cls(dataset, data[...], data.dtype, name, soa=kind.endswith(":soa"))


def _with_extension(filename):
    return filename if str(filename).endswith(".npy") else f"{filename}.npy"


class DatView(Dat):
    """One component of a Dat: what loops do with it they do with the Dat."""

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

    dtype = property(lambda self: self._parent.dtype)
    dim = property(lambda self: (1,))
    cdim = property(lambda self: 1)
    shape = property(lambda self: (self._set.total_size,))
    soa = property(lambda self: self._parent.soa)
    _native = property(lambda self: self._parent._native)
    _is_allocated = property(lambda self: self._parent._is_allocated)
    _is_empty = property(lambda self: self._parent._is_empty)
    halo_valid = property(lambda self: self._parent.halo_valid)

    def _used(self, writes):
        self._parent._used(writes)

    def _component_of(self, array):
        return array[(slice(None), *self._index)] if self._parent.cdim > 1 else array

    data = property(lambda self: self._component_of(self._parent.data))
    data_ro = property(lambda self: self._component_of(self._parent.data_ro))
    data_with_halos = property(lambda self: self._component_of(self._parent.data_with_halos))
    data_ro_with_halos = property(lambda self: self._component_of(self._parent.data_ro_with_halos))

    def __repr__(self):
        return f"DatView({self._parent!r}, {self._index!r})"


class MixedDat:
    """A Dat on each part of a mixed space, all of one type."""

    __array_ufunc__ = None
    _kind = "dat"
    _rw = ()  # the parts know

    def __init__(self, dats, dtype=None):
        if isinstance(dats, MixedDat):
            parts = tuple(Dat(dat) for dat in dats)
        elif isinstance(dats, (MixedSet, MixedDataSet)):
            parts = tuple(Dat(part, dtype=dtype) for part in dats)
        else:
            try:
                parts = tuple(dats)
            except TypeError:
                raise DataSetTypeError(f"found {dats!r}, expected Dats, DataSets or Sets") from None
            if not all(isinstance(part, (Dat, DataSet, Set)) for part in parts):
                raise DataSetTypeError(f"found {dats!r}, expected Dats, DataSets or Sets")
            parts = tuple(part if isinstance(part, Dat) else Dat(part, dtype=dtype) for part in parts)
        if any(part.dtype != parts[0].dtype for part in parts):
            raise DataValueError("the Dats are of different types, expected one")
        self._dats = parts
        self._token = tuple(part._token for part in parts)

    split = property(lambda self: self._dats)
    dtype = property(lambda self: self._dats[0].dtype)
    dataset = property(lambda self: MixedDataSet(tuple(dat.dataset for dat in self._dats)))
    dim = property(lambda self: self.dataset.dim)
    cdim = property(lambda self: self.dataset.cdim)
    soa = property(lambda self: tuple(dat.soa for dat in self._dats))
    name = property(lambda self: tuple(dat.name for dat in self._dats))
    shape = property(lambda self: tuple(dat.shape for dat in self._dats))
    nbytes = property(lambda self: sum(dat.nbytes for dat in self._dats))
    data = property(lambda self: tuple(dat.data for dat in self._dats))
    data_ro = property(lambda self: tuple(dat.data_ro for dat in self._dats))
    data_with_halos = property(lambda self: tuple(dat.data_with_halos for dat in self._dats))
    data_ro_with_halos = property(lambda self: tuple(dat.data_ro_with_halos for dat in self._dats))
    _data = property(lambda self: tuple(dat._data for dat in self._dats))
    _is_allocated = property(lambda self: all(dat._is_allocated for dat in self._dats))
    needs_halo_update = property(lambda self: not self.halo_valid)

    @property
    def halo_valid(self):
        return all(dat.halo_valid for dat in self._dats)

    @halo_valid.setter
    def halo_valid(self, valid):
        for dat in self._dats:
            dat.halo_valid = valid

    def _used(self, writes):
        for dat in self._dats:
            dat._used(writes)

    def __call__(self, access, path=None, flatten=False):
        if access not in Dat._modes:
            raise ModeValueError(f"found {access!r}, expected one of {Dat._modes}")
        map, idx = (path.map, path.idx) if type(path) is MapUse else (path, None)
        if map is not None and configuration["type_check"]:
            if map.toset is not self.dataset.set:
                raise MapValueError(f"the Map {map.name} leads to other sets")
        return Arg(self, map, idx, access, flatten)

    def __getitem__(self, index):
        return self._dats[index]

    def __iter__(self):
        return iter(self._dats)

    def __len__(self):
        return len(self._dats)

    def __eq__(self, other):
        return isinstance(other, MixedDat) and self._dats == other._dats

    def __hash__(self):
        return hash(self._dats)

    def __str__(self):
        return f"OP2 MixedDat composed of Dats: {self._dats}"

    def __repr__(self):
        return f"MixedDat({self._dats!r})"

    def zero(self, subset=None):
        """All values of all parts become 0."""
        if subset is not None:
            raise NotImplementedError("a Subset of mixed data")
        for dat in self._dats:
            dat.zero()

    def copy(self, other, subset=None):
        """The values go to the parts of another MixedDat."""
        if subset is not None:
            raise NotImplementedError("a Subset of mixed data")
        for dat, to in zip(self._dats, other._dats):
            dat.copy(to)

    def save(self, filename):
        """Writes the values of all parts, one after another, as .npy."""
        np.save(filename, np.concatenate([dat.data_ro.reshape(-1) for dat in self._dats]))

    def load(self, filename):
        values, at = np.load(_with_extension(filename)), 0
        for dat in self._dats:
            size = dat.data_ro.size
            dat.data[...] = values[at : at + size].reshape(dat.data_ro.shape)
            at += size

    def _parts_of(self, other):
        if isinstance(other, MixedDat):
            if len(other) != len(self) or other.dataset is not self.dataset:
                raise ValueError("the parts are on different DataSets, expected the same")
            return other._dats
        return (other,) * len(self)

    def _each(self, other, operation):
        return MixedDat(operation(dat, part) for dat, part in zip(self._dats, self._parts_of(other)))

    def _each_in_place(self, operation, other):
        for dat, part in zip(self._dats, self._parts_of(other)):
            if dat._combine(operation, part) is NotImplemented:
                return NotImplemented
        return self

    def __add__(self, other):
        return self._each(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other):
        return self._each(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._each(other, lambda a, b: b - a)

    def __mul__(self, other):
        return self._each(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._each(other, lambda a, b: a / b)

    def __iadd__(self, other):
        return self._each_in_place("+", other)

    def __isub__(self, other):
        return self._each_in_place("-", other)

    def __imul__(self, other):
        return self._each_in_place("*", other)

    def __itruediv__(self, other):
        return self._each_in_place("/", other)

    def __pos__(self):
        return MixedDat(self)

    def __neg__(self):
        return MixedDat(-dat for dat in self._dats)

    def inner(self, other):
        return sum(dat.inner(part) for dat, part in zip(self._dats, self._parts_of(other)))

    @property
    def norm(self):
        return float(np.hypot.reduce([dat.norm for dat in self._dats]))
