"""Data on several sets, one after another."""
import numpy as np

from kiln.op2.arguments import Arg
from kiln.op2.checks import parts_of
from kiln.op2.configuration import configuration
from kiln.op2.data import Dat, with_extension
from kiln.op2.data_sets import DataSet
from kiln.op2.exceptions import DataSetTypeError, DataValueError, MapValueError, ModeValueError
from kiln.op2.maps import MapUse
from kiln.op2.mixed_sets import MixedDataSet, MixedSet
from kiln.op2.sets import Set


class MixedDat:
    """A Dat on each part of a mixed space, all of one type.

    dats: Dats, which it shares, DataSets or Sets; a MixedDat, which is copied; a MixedSet or MixedDataSet.
    Arrays, shape, name and soa are tuples, by part, as the Dats have them; nbytes and cdim are sums. Raises
    DataSetTypeError, DataValueError for different types.

    >>> from kiln import op2
    >>> space = op2.MixedSet([op2.Set(2), op2.Set(1)])
    >>> x = op2.MixedDat(space ** (2, 1)) + 3
    >>> [part.tolist() for part in x.data_ro]
    [[[3.0, 3.0], [3.0, 3.0]], [3.0]]
    """

    __array_ufunc__ = None
    _kind = "dat"
    _rw = ()  # the parts know

    def __init__(self, dats, dtype=None):
        if isinstance(dats, MixedDat):
            parts = tuple(Dat(dat) for dat in dats)
        elif isinstance(dats, (MixedSet, MixedDataSet)):
            parts = tuple(Dat(part, dtype=dtype) for part in dats)
        else:
            parts = parts_of(
                dats, (Dat, DataSet, Set), DataSetTypeError, "Dats, DataSets or Sets"
            )
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

    def fetch(self):
        """As Dat.fetch(), of each part."""
        return tuple(dat.fetch() for dat in self._dats)

    @property
    def halo_valid(self):
        return all(dat.halo_valid for dat in self._dats)

    @halo_valid.setter
    def halo_valid(self, valid):
        for dat in self._dats:
            dat.halo_valid = valid

    @property
    def needs_halo_update(self):
        """Of at least one part."""
        return not self.halo_valid

    @needs_halo_update.setter
    def needs_halo_update(self, needs):
        self.halo_valid = not needs

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
        self._refuse_parts("save")
        np.save(filename, np.concatenate([dat.data_ro.reshape(-1) for dat in self._dats]))

    def load(self, filename):
        """Takes the values from what save() wrote."""
        self._refuse_parts("load")
        values, at = np.load(with_extension(filename)), 0
        for dat in self._dats:
            size = dat.data_ro.size
            dat.data[...] = values[at : at + size].reshape(dat.data_ro.shape)
            at += size

    def _refuse_parts(self, what):
        spread = self._dats[0]._distribution
        if spread is not None and spread.size > 1:
            raise NotImplementedError(f"{what}() of mixed data on a mesh in parts, expected that of its Dats")

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
        """The sum of products of all owned components of all parts."""
        return sum(dat.inner(part) for dat, part in zip(self._dats, self._parts_of(other)))

    @property
    def norm(self):
        """The Euclidean norm of all owned components of all parts."""
        return float(np.hypot.reduce([dat.norm for dat in self._dats]))
