"""The shape of the data on a set."""
import numpy as np

from kiln.op2.checks import check_name, int_tuple
from kiln.op2.configuration import configuration
from kiln.op2.exceptions import SetTypeError
from kiln.op2.sets import Set, Subset


class DataSet:
    """A Set with the shape of an element's data. One object for a Set and a shape, kept by the Set.

    dim: an int or a tuple; the attribute is a tuple, cdim its product. Attributes that it does not have are
    the Set's. Raises SetTypeError, TypeError for a dim of something else, NotImplementedError for a Subset.
    """

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
        made = iter_set._interned.get(key)
        if made is None:
            made = super().__new__(cls)
            made._set = iter_set
            made._dim = dim
            made._cdim = int(np.prod(dim))
            made._name = name or f"dset_{DataSet._count}"
            made._token = object()
            DataSet._count += 1
            iter_set._interned[key] = made
        return made

    def __init__(self, iter_set, dim=1, name=None):
        pass

    def __getattr__(self, name):
        if name in ("_set", "_token"):
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
