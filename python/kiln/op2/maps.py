"""Maps between sets, and how arguments use them."""
import numpy as np

from kiln.op2.caches import Interned
from kiln.op2.checks import check_name, is_int, parts_of, values_as
from kiln.op2.exceptions import (
    ArityTypeError,
    DataValueError,
    IndexTypeError,
    IndexValueError,
    MapTypeError,
    SetTypeError,
)
from kiln.op2.mixed_sets import MixedSet
from kiln.op2.sets import ExtrudedSet, Set


class IterationRegion:
    """Which cells of a column a loop is over."""

    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = name

    @property
    def where(self):
        return self._name

    def __str__(self):
        return f"OP2 IterationRegion: {self._name}"

    def __repr__(self):
        return self._name


ON_BOTTOM = IterationRegion("ON_BOTTOM")
ON_TOP = IterationRegion("ON_TOP")
ON_INTERIOR_FACETS = IterationRegion("ON_INTERIOR_FACETS")
ALL = IterationRegion("ALL")


class IterationIndex:
    """op2.i[n]: the kernel gets an argument's values of all targets in one array."""

    __slots__ = ("_index",)

    def __init__(self, index=None):
        if index is not None and not is_int(index):
            raise IndexTypeError(f"op2.i: found {index!r}, expected an int")
        self._index = index

    @property
    def index(self):
        return self._index

    def __getitem__(self, index):
        try:
            return _INDICES[index]
        except (IndexError, TypeError):
            return IterationIndex(index)

    def __iter__(self):
        yield self

    def __eq__(self, other):
        return self is other or (isinstance(other, IterationIndex) and self._index == other._index)

    def __hash__(self):
        return id(IterationIndex) if self._index is None else self._index + 1_000_003

    def __str__(self):
        return f"OP2 IterationIndex: {self._index}"

    def __repr__(self):
        return f"IterationIndex({self._index!r})"


i = IterationIndex()
_INDICES = (IterationIndex(0), IterationIndex(1))


class MapUse:
    """A Map with the index that an argument uses it with."""

    __slots__ = ("map", "idx", "toset")

    def __init__(self, map, idx):
        self.map = map
        self.idx = idx
        self.toset = map.toset

    def __eq__(self, other):
        return isinstance(other, MapUse) and self.map is other.map and self.idx == other.idx

    def __hash__(self):
        return hash((self.map, self.idx))


def _check_index(map, index):
    if isinstance(index, IterationIndex):
        if index.index not in (0, 1):
            raise IndexValueError(f"{map.name}: found op2.i[{index.index}], expected 0 or 1")
    elif isinstance(index, slice):
        raise NotImplementedError(f"{map.name}: slices of Maps")
    elif not is_int(index):
        raise IndexTypeError(f"{map.name}: found the index {index!r}, expected an int or op2.i[n]")
    elif not 0 <= index < map.arity:
        raise IndexValueError(f"{map.name}: found the index {index}, expected 0 to {map.arity - 1}")


def _base(over):
    while isinstance(over, ExtrudedSet):
        over = over._parent
    return over


class Map:
    """For each element of one Set `arity` elements of another.

    values: (iterset.total_size, arity) integers, row by row, kept as int32 (an int32 array in C order is
    not copied); None where it is not used, or its set is empty. They are locked once a loop has used the
    Map. offset: for extruded sets, by component, how far one layer up is.

    After op2.init(comm=...): of this rank's rows, with int64 numbers of the whole toset, until
    op2.partition() makes them local; fetch() has them again.

    m[k]: the target k; m[op2.i[n]]: all targets in one array; m: a pointer to each. arities, arange,
    split: as those of a MixedMap of this one alone. Raises SetTypeError, ArityTypeError, DataValueError
    for another number of values or such as are no 32-bit integers; IndexTypeError, IndexValueError.

    >>> from kiln import op2
    >>> nodes, edges = op2.Set(4), op2.Set(3)
    >>> edge2node = op2.Map(edges, nodes, 2, [[0, 1], [1, 2], [2, 3]])
    >>> edge2node.values[1].tolist()
    [1, 2]
    """

    _count = 0

    def __init__(
        self,
        iterset,
        toset,
        arity,
        values=None,
        name=None,
        offset=None,
        parent=None,
        bt_masks=None,
    ):
        for one, what in ((iterset, "iterset"), (toset, "toset")):
            if not isinstance(one, Set):
                raise SetTypeError(f"{what}: found {one!r}, expected a Set")
        if not is_int(arity):
            raise ArityTypeError(f"arity: found {arity!r}, expected an int")
        check_name(name)
        self._iterset = iterset
        self._toset = toset
        self._arity = int(arity)
        self._name = name or f"map_{Map._count}"
        self._values = None
        if values is not None:
            try:
                values = np.asarray(values)
                numbers = values if values.dtype.kind in "iu" else values.astype(np.float64)
            except (ValueError, TypeError) as error:
                raise DataValueError(f"{self._name}: found values that are no numbers: {error}") from None
            most = 2**31 if iterset._distribution is None else 2**63
            if numbers.size and not (numbers.min() >= -most and numbers.max() < most):
                raise DataValueError(f"{self._name}: found values outside of 32-bit integers")
            kind = np.int32 if iterset._distribution is None else np.int64
            self._values = values_as(numbers.astype(kind), kind, (iterset.total_size, arity))
        # One view, kept, so that it can be locked: locking an array does not lock views of it.
        self._owned = None if self._values is None else self._values[: iterset.size]
        self._offset = None if offset is None else np.asarray(offset, dtype=np.int32)
        self._parent = parent
        self._bt_masks = bt_masks
        self._handle = None
        self._shifted = {}
        self._uses = {}
        self._number = Map._count
        self._interned = {}  # objects that are there for as long as the Map
        self._token = object()
        self._distribution = iterset._distribution
        if self._distribution is not None:
            self._declare()
        Map._count += 1

    iterset = property(lambda self: self._iterset)
    toset = property(lambda self: self._toset)
    arity = property(lambda self: self._arity)
    arities = property(lambda self: (self._arity,))
    arange = property(lambda self: (0, self._arity))
    split = property(lambda self: (self,))
    name = property(lambda self: self._name)
    offset = property(lambda self: self._offset)
    iteration_region = property(lambda self: frozenset([ALL]))
    implicit_bcs = property(lambda self: frozenset())
    vector_index = property(lambda self: None)
    map = property(lambda self: self)

    @property
    def values(self):
        """(size, arity) int32, of owned elements; a view. None without values."""
        return self._owned

    @property
    def values_with_halo(self):
        """(total_size, arity) int32, of all elements. None without values."""
        return self._values

    @property
    def _native(self):
        if self._handle is None:
            self._handle = self._made(self._values)
        return self._handle

    def _declare(self):
        """On a mesh in parts: before it is partitioned, whether a loop uses the Map or not."""
        values = self._values
        if values is None:
            if self._iterset.total_size:
                return  # a Map that no loop may use
            values = self._values = np.empty((0, self._arity), np.int64)
            self._owned = values[:0]
        self._values.flags.writeable = self._owned.flags.writeable = False
        self._handle = self._distribution.mesh.map_by_numbers(
            self._name,
            _base(self._iterset)._native,
            self._toset._native,
            self._arity,
            values,
            self._offset,
            0 if self._offset is None else self._iterset.layers or 0,
        )
        self._distribution.declared(self)

    def _was_partitioned(self):
        from kiln import _mesh

        self._shifted.clear()
        self._values = _mesh.values_of(self._handle)
        self._owned = self._values[: self._iterset.size]
        self._values.flags.writeable = self._owned.flags.writeable = False

    def fetch(self):
        """(rows, arity) int64: the rows that this rank declared, in their order, with numbers of the whole
        toset. Of a mesh in one part `values`. Collective."""
        from kiln import _mesh

        if self._distribution is None or not self._distribution.is_partitioned:
            return self._owned.astype(np.int64)
        return _mesh.fetch_map(self._handle)

    def _made(self, values):
        from kiln.op2.session import mesh

        if values is None:
            if self._iterset.total_size or self._distribution is not None:
                raise DataValueError(f"{self._name}: a loop uses the Map, which has no values")
            values = np.empty((0, self._arity), np.int32)
        # The device has a copy: what is changed from now on would be lost.
        for array in (values, self._values, self._owned):
            if array is not None:
                array.flags.writeable = False
        return mesh().map(
            self._name, _base(self._iterset)._native, self._toset._native, self._arity, values, self._offset
        )

    def _layers_up(self, layers):
        """The Map to what is so many layers above."""
        if layers == 0:
            return self._native
        if layers not in self._shifted:
            if self._offset is None:
                raise DataValueError(f"{self._name}: found no offset, expected one: its set is extruded")
            if self._distribution is None:
                self._shifted[layers] = self._made(self._values + layers * self._offset)
            else:
                self._shifted[layers] = self._distribution.mesh.map_above(self._native, layers)
        return self._shifted[layers]

    @classmethod
    def fromhdf5(cls, iterset, toset, file, name):
        """Values and arity from a dataset of shape (elements, arity)."""
        values = file[name]
        arity = values.shape[1] if len(values.shape) > 1 else 1
        return cls(iterset, toset, arity, iterset._rows_of(values), name)

    def __getitem__(self, index):
        try:
            return self._uses[index]
        except (KeyError, TypeError):
            _check_index(self, index)
        use = self._uses[index] = MapUse(self, index)
        return use

    def __iter__(self):
        yield self

    def __len__(self):
        return 1

    def __le__(self, other):
        """Whether the other is the same Map, for this one's cells or more of them. implicit_bcs do not count."""
        return self.map is other.map and self.iteration_region <= other.iteration_region

    def __str__(self):
        return f"OP2 Map: {self._name} from ({self._iterset}) to ({self._toset}) with arity {self._arity}"

    def __repr__(self):
        return f"Map({self._iterset!r}, {self._toset!r}, {self._arity!r}, None, {self._name!r})"


class DecoratedMap(Map):
    """A Map for a part of an extruded set. The same decoration gives the same object.

    iteration_region: some of ON_BOTTOM, ON_TOP, ON_INTERIOR_FACETS, ALL; implicit_bcs: names, which
    loops over matrices refuse. Decorating a decorated one adds to it. All else is the Map's.
    """

    def __new__(cls, map, iteration_region=None, implicit_bcs=None):
        if isinstance(map, MixedMap):
            return MixedMap(
                tuple(DecoratedMap(one, iteration_region, implicit_bcs) for one in map.split)
            )
        regions = frozenset(iteration_region or [])
        conditions = frozenset(implicit_bcs or [])
        if isinstance(map, DecoratedMap):
            regions |= map._regions - {ALL}
            conditions |= map._conditions
            map = map._map
        regions = regions or frozenset([ALL])
        key = (regions, conditions)
        made = map._interned.get(key)
        if made is None:
            made = object.__new__(cls)
            made._map = map
            made._regions = regions
            made._conditions = conditions
            made._uses = {}
            made._interned = {}
            made._token = object()
            map._interned[key] = made
        return made

    def __init__(self, map, iteration_region=None, implicit_bcs=None):
        pass

    def __getattr__(self, name):
        if name == "_map":
            raise AttributeError(name)
        return getattr(self._map, name)

    map = property(lambda self: self._map)
    iteration_region = property(lambda self: self._regions)
    implicit_bcs = property(lambda self: self._conditions)
    _native = property(lambda self: self._map._native)

    def __str__(self):
        return f"OP2 DecoratedMap on {self._map} with region {self._regions}, implicit_bcs {self._conditions}"

    def __repr__(self):
        return f"DecoratedMap({self._map!r}, {self._regions!r}, {self._conditions!r})"


class MixedMap:
    """Maps from one Set, one after another. The same ones give the same object.

    arity is the sum; arities, arange, values, name and offset are tuples, by part; toset is a MixedSet.
    Raises TypeError for what are no Maps, or none, MapTypeError for Maps from different sets.
    """

    _interned = Interned()

    def __new__(cls, maps):
        if isinstance(maps, MixedMap):
            return maps
        maps = parts_of(maps, Map, TypeError, "Maps")
        key = tuple(one._token for one in maps)
        made = cls._interned.get(key)
        if made is None:
            if any(one.iterset is not maps[0].iterset for one in maps):
                raise MapTypeError("the Maps are from different sets, expected one")
            made = super().__new__(cls)
            made._maps = maps
            made._token = key
            cls._interned.keep(key, made)
        return made

    def __init__(self, maps):
        pass

    split = property(lambda self: self._maps)
    iterset = property(lambda self: self._maps[0].iterset)
    toset = property(lambda self: MixedSet(one.toset for one in self._maps))
    arity = property(lambda self: sum(one.arity for one in self._maps))
    arities = property(lambda self: tuple(one.arity for one in self._maps))
    arange = property(lambda self: (0,) + tuple(int(n) for n in np.cumsum(self.arities)))
    values = property(lambda self: tuple(one.values for one in self._maps))
    values_with_halo = property(lambda self: tuple(one.values_with_halo for one in self._maps))
    name = property(lambda self: tuple(one.name for one in self._maps))
    offset = property(lambda self: tuple(one.offset for one in self._maps))
    implicit_bcs = property(lambda self: frozenset().union(*(m.implicit_bcs for m in self._maps)))

    def __getitem__(self, index):
        _check_index(self, index)
        return MapUse(self, index)

    def __iter__(self):
        return iter(self._maps)

    def __len__(self):
        return len(self._maps)

    def __str__(self):
        return f"OP2 MixedMap composed of Maps: {self._maps}"

    def __repr__(self):
        return f"MixedMap({self._maps!r})"
