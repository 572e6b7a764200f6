"""Several sets, one after another, and the shape of the data on them."""
from kiln.op2.caches import Interned
from kiln.op2.checks import is_int, parts_of
from kiln.op2.data_sets import DataSet
from kiln.op2.sets import Set


class MixedSet:
    """Several Sets, one after another. The same Sets give the same object.

    Sizes are sums, name is a tuple, split the Sets; halo: a tuple, or None where no part has one. Raises
    TypeError for what are no Sets, or none, AssertionError for different numbers of layers.

    >>> from kiln import op2
    >>> nodes, edges = op2.Set(4), op2.Set(3)
    >>> op2.MixedSet([nodes, edges]).size
    7
    """

    _interned = Interned()

    def __new__(cls, sets):
        if isinstance(sets, MixedSet):
            return sets
        sets = parts_of(sets, Set, TypeError, "Sets")
        key = tuple(one._token for one in sets)
        made = cls._interned.get(key)
        if made is None:
            if len({one.layers for one in sets}) > 1:
                raise AssertionError("all parts must have as many layers")
            made = super().__new__(cls)
            made._sets = sets
            made._token = key
            cls._interned.keep(key, made)
        return made

    def __init__(self, sets):
        pass

    split = property(lambda self: self._sets)
    core_size = property(lambda self: sum(one.core_size for one in self._sets))
    size = property(lambda self: sum(one.size for one in self._sets))
    exec_size = property(lambda self: sum(one.exec_size for one in self._sets))
    total_size = property(lambda self: sum(one.total_size for one in self._sets))
    sizes = property(lambda self: (self.core_size, self.size, self.exec_size, self.total_size))
    name = property(lambda self: tuple(one.name for one in self._sets))
    layers = property(lambda self: self._sets[0].layers)
    _extruded = property(lambda self: self._sets[0]._extruded)
    _distribution = property(lambda self: self._sets[0]._distribution)

    @property
    def halo(self):
        halos = tuple(one.halo for one in self._sets)
        return halos if any(halo is not None for halo in halos) else None

    def __getitem__(self, index):
        return self._sets[index]

    def __iter__(self):
        return iter(self._sets)

    def __len__(self):
        return len(self._sets)

    def __pow__(self, dim):
        return MixedDataSet(self._sets, dim)

    def __str__(self):
        return f"OP2 MixedSet composed of Sets: {self._sets}"

    def __repr__(self):
        return f"MixedSet({self._sets!r})"


class MixedDataSet:
    """Several DataSets, one after another. The same ones give the same object.

    arg: DataSets, or Sets with dims: an int for all, or one for each. dim and name are tuples, by part,
    cdim is the sum, set the MixedSet. Raises TypeError for other parts, ValueError for another number of
    dims.
    """

    _interned = Interned()

    def __new__(cls, arg, dims=None):
        if isinstance(arg, MixedDataSet) and dims is None:
            return arg
        parts = cls._parts(arg, dims)
        key = tuple(part._token for part in parts)
        made = cls._interned.get(key)
        if made is None:
            made = super().__new__(cls)
            made._dsets = parts
            made._token = key
            cls._interned.keep(key, made)
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
