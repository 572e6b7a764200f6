"""The shape of the data on sets."""
import numpy as np

from kiln.op2.checks import check_name, int_tuple, is_int, parts_of
from kiln.op2.configuration import configuration
from kiln.op2.exceptions import SetTypeError
from kiln.op2.sets import ExtrudedSet, MixedSet, Set, Subset


class DataSet:
    """A Set with the shape of an element's data. One object for a Set and a shape."""

    _count = 0

    def __new__(cls, iter_set, dim=1, name=None):
        check_name(name)
        if isinstance(iter_set, Subset):
            raise NotImplementedError("data on a Subset: expected its superset")
        if not isinstance(iter_set, Set):
            if configuration["type_check"]:
                raise SetTypeError(f"found {iter_set!r}, expected a Set")
        dim = int_tuple(dim)
        key = (DataSet, dim)
        # An ExtrudedSet has data of its own shape, not its parent's.
        interned = iter_set._own if isinstance(iter_set, ExtrudedSet) else iter_set._interned
        made = interned.get(key)
        if made is None:
            made = super().__new__(cls)
            made._set = iter_set
            made._dim = dim
            made._cdim = int(np.prod(dim))
            made._name = name or f"dset_{DataSet._count}"
            DataSet._count += 1
            interned[key] = made
        return made

    def __init__(self, iter_set, dim=1, name=None):
        pass

    def __getattr__(self, name):
        if name == "_set":
            raise AttributeError(name)
        return getattr(self._set, name)

    set = property(lambda self: self._set)
    dim = property(lambda self: self._dim)
    cdim = property(lambda self: self._cdim)
    name = property(lambda self: self._name)
    split = property(lambda self: (self,))

    def __getitem__(self, index):
        if index != 0:
            raise IndexError(f"a DataSet has one part, found the index {index!r}")
        return self

    def __iter__(self):
        yield self

    def __len__(self):
        return 1

    def __contains__(self, dat):
        return dat.dataset is self

    def __str__(self):
        return f"OP2 DataSet: {self._name} on set {self._set}, with dim {self._dim}"

    def __repr__(self):
        return f"DataSet({self._set!r}, {self._dim!r}, {self._name!r})"


class MixedDataSet:
    """Several DataSets, one after another. The same ones give the same object."""

    _interned = {}

    def __new__(cls, arg, dims=None):
        if isinstance(arg, MixedDataSet) and dims is None:
            return arg
        parts = cls._parts(arg, dims)
        made = cls._interned.get(parts)
        if made is None:
            made = super().__new__(cls)
            made._dsets = parts
            cls._interned[parts] = made
        return made

    def __init__(self, arg, dims=None):
        pass

    @staticmethod
    def _parts(arg, dims):
        parts = parts_of(arg, (Set, DataSet), TypeError, "Sets or DataSets")
        if dims is None:
            return tuple(part if isinstance(part, DataSet) else DataSet(part) for part in parts)
        if any(isinstance(part, DataSet) for part in parts):
            raise TypeError("found dims for DataSets, which have their own")
        if is_int(dims):
            dims = (dims,) * len(parts)
        else:
            dims = tuple(dims)
        if len(dims) != len(parts):
            raise ValueError(f"found {len(dims)} dims for {len(parts)} sets")
        return tuple(DataSet(part, dim) for part, dim in zip(parts, dims))

    split = property(lambda self: self._dsets)
    dim = property(lambda self: tuple(part.dim for part in self._dsets))
    cdim = property(lambda self: sum(part.cdim for part in self._dsets))
    name = property(lambda self: tuple(part.name for part in self._dsets))
    set = property(lambda self: MixedSet(part.set for part in self._dsets))
    size = property(lambda self: sum(part.set.size for part in self._dsets))
    total_size = property(lambda self: sum(part.set.total_size for part in self._dsets))

    def __getitem__(self, index):
        return self._dsets[index]

    def __iter__(self):
        return iter(self._dsets)

    def __len__(self):
        return len(self._dsets)

    def __str__(self):
        return f"OP2 MixedDataSet composed of DataSets: {self._dsets}"

    def __repr__(self):
        return f"MixedDataSet({self._dsets!r})"
