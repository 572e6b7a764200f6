"""Sets of elements, and parts of them."""
import numpy as np

from kiln.op2.checks import check_name, int_tuple, is_int
from kiln.op2.exceptions import SizeTypeError, SubsetIndexOutOfBounds
from kiln.op2.session import distribution


class Set:
    """Elements of one kind: nodes, edges, cells.

    size: an int, or of a part of a distributed set four rising numbers: core, owned, with what is
    computed redundantly, with what is only read (core_size, size, exec_size, total_size; sizes: all).
    Two Sets are never equal. `s ** dim` is a DataSet, `s(...)` a Subset. Raises SizeTypeError,
    NameTypeError, AssertionError where sizes do not rise.

    After op2.init(comm=...) the size is that of this rank's block of rows, and op2.partition() makes the four
    numbers. numbers: of each local element in the whole set, int64, (total_size,).

    >>> from kiln import op2
    >>> nodes = op2.Set(4, "nodes")
    >>> nodes.size, (nodes ** 2).dim  # two components for each
    (4, (2,))
    """

    _count = 0
    _extruded = False

    def __init__(self, size, name=None, halo=None, comm=None):
        check_name(name)
        if is_int(size):
            sizes = (int(size),) * 4
        else:
            if not isinstance(size, (tuple, list, np.ndarray)) or len(size) != 4:
                raise SizeTypeError(f"size: found {size!r}, expected an int or four of them")
            sizes = int_tuple(size, SizeTypeError)
        if not 0 <= sizes[0] <= sizes[1] <= sizes[2] <= sizes[3]:
            raise AssertionError("set sizes must rise")
        self._sizes = sizes
        self._name = name or f"set_{Set._count}"
        self._halo = halo
        self._partition_size = 1024
        self._interned = {}  # objects that are there for as long as the Set
        self._token = object()
        self._handle = None
        self._distribution = distribution()
        self.comm = comm if self._distribution is None else self._distribution.comm
        if self._distribution is not None:
            if halo is not None or sizes[0] != sizes[3]:
                raise SizeTypeError("size: found a halo of the caller's, expected the rows of this rank")
            self._numbers = None
            self._handle = self._distribution.mesh.set(self._name, sizes)
            self._distribution.declared(self)
        if halo is not None:
            halo.verify(self)
        Set._count += 1

    @property
    def core_size(self):
        return self._sizes[0]

    @property
    def size(self):
        return self._sizes[1]

    @property
    def exec_size(self):
        return self._sizes[2]

    @property
    def total_size(self):
        return self._sizes[3]

    @property
    def sizes(self):
        return self._sizes

    @property
    def name(self):
        return self._name

    @property
    def numbers(self):
        """(total_size,) int64: of each local element in the whole set; of one part 0, 1, 2, …

        Before op2.partition() those of this rank's rows: collective then.
        """
        spread = self._distribution
        if spread is None:
            return np.arange(self.total_size)
        if self._numbers is None:
            if spread.is_partitioned:
                self._numbers = spread.mesh.numbers_of(self._handle)
            else:
                first = spread.first_row(self.size)
                self._numbers = np.arange(first, first + self.size)
            self._numbers.flags.writeable = False
        return self._numbers

    def _was_partitioned(self):
        from kiln import _mesh

        self._sizes = tuple(_mesh.sizes_of(self._handle))
        self._numbers = None

    @property
    def halo(self):
        return self._halo

    @property
    def layers(self):
        """None: not extruded."""
        return None

    @property
    def partition_size(self):
        """Kept for programs that set it; plans choose their own."""
        return self._partition_size

    @partition_size.setter
    def partition_size(self, size):
        self._partition_size = size

    @property
    def _native(self):
        if self._handle is None:
            from kiln.op2.session import mesh

            self._handle = mesh().set(self._name, self._sizes)
        return self._handle

    def _iteration(self):
        """What a loop over it is over, and the Set whose elements it has."""
        made = self._interned.get("iteration")
        if made is None:
            from kiln import _mesh

            made = self._interned["iteration"] = _mesh.Iteration(self._native)
        return made

    @classmethod
    def fromhdf5(cls, file, name):
        """The size from a dataset of shape (1,); a rank takes its share of it."""
        data = file[name]
        if data.shape != (1,):
            raise SizeTypeError(f"{name}: found shape {data.shape}, expected (1,)")
        size = int(data[0])
        spread = distribution()
        if spread is not None:
            rows = spread.rows_of(size)
            size = rows.stop - rows.start
        return cls(size, name)

    def _rows_of(self, dataset):
        """Those of a dataset of h5py that this part takes of it, as an array."""
        spread = self._distribution
        return dataset[...] if spread is None else dataset[spread.rows_of(dataset.shape[0])]

    def __iter__(self):
        yield self

    def __getitem__(self, index):
        if index != 0:
            raise IndexError(f"a Set has one part, found the index {index!r}")
        return self

    def __len__(self):
        return 1

    def __str__(self):
        return f"OP2 Set: {self._name} with size {self.size}"

    def __repr__(self):
        size = self.size if len(set(self._sizes)) == 1 else self._sizes
        return f"Set({size!r}, {self._name!r})"

    def __call__(self, *indices):
        """A Subset of these elements."""
        if len(indices) == 1:
            indices = indices[0]
            if is_int(indices):
                indices = [indices]
        return Subset(self, indices)

    def __contains__(self, dataset):
        return dataset.set is self

    def __pow__(self, dim):
        from kiln.op2.data_sets import DataSet

        return DataSet(self, dim)


class ExtrudedSet(Set):
    """Columns of cells over a Set (parent), `layers` - 1 above each other. Sizes are the parent's.

    Raises TypeError for a parent that is no Set, SizeTypeError for fewer than 2 layers.
    The Map's offset says how far the targets of the cell above are.

    >>> from kiln import op2
    >>> columns = op2.ExtrudedSet(op2.Set(2), 4)  # three cells each
    >>> levels = op2.Set(8)
    >>> ends = op2.Map(columns, levels, 2, [[0, 1], [4, 5]], offset=[1, 1])
    >>> touched = op2.Dat(levels)
    >>> add = op2.Kernel("void add(double *x[]) { x[0][0] += 1; x[1][0] += 1; }", "add")
    >>> call = op2.par_loop(add, columns, touched(op2.INC, ends))
    >>> touched.data.tolist()
    [1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0, 1.0]
    """

    _extruded = True

    def __init__(self, parent, layers):
        if not isinstance(parent, Set):
            raise TypeError(f"found {parent!r}, expected a Set")
        if not is_int(layers) or layers < 2:
            raise SizeTypeError(f"layers: found {layers!r}, expected an int, 2 or more")
        self._parent = parent
        self._layers = int(layers)
        self._begin()

    def _begin(self):
        """What it does not have from the parent."""
        self._interned = {}
        self._token = object()

    def __getattr__(self, name):
        if name == "_parent":
            raise AttributeError(name)
        return getattr(self._parent, name)

    # What Set defines itself, and the parent has.
    core_size = property(lambda self: self._parent.core_size)
    size = property(lambda self: self._parent.size)
    exec_size = property(lambda self: self._parent.exec_size)
    total_size = property(lambda self: self._parent.total_size)
    sizes = property(lambda self: self._parent.sizes)
    name = property(lambda self: self._parent.name)
    halo = property(lambda self: self._parent.halo)
    numbers = property(lambda self: self._parent.numbers)
    _native = property(lambda self: self._parent._native)

    @property
    def parent(self):
        return self._parent

    @property
    def layers(self):
        """Levels: one more than cells."""
        return self._layers

    def _iteration(self):
        from kiln import _mesh

        made = self._interned.get("iteration")
        if made is None:
            made = self._interned["iteration"] = _mesh.Iteration(self._native, self._layers)
        return made

    def _columns(self):
        """What a loop is over that has one call for each column."""
        return self._parent._iteration()

    def __contains__(self, other):
        return other is self._parent

    def __str__(self):
        return f"OP2 ExtrudedSet: {self.name} with size {self.size} ({self._layers} layers)"

    def __repr__(self):
        return f"ExtrudedSet({self._parent!r}, {self._layers!r})"


class Subset(ExtrudedSet):
    """Some elements of a Set, rising, each once.

    indices: a list, tuple or array of ints, copied; the attribute is int32. Of a mesh in parts: of local
    elements, those of others with them, after op2.partition(). Of a Subset: numbers of its
    elements, and the new one is a part of its superset. Raises TypeError, SubsetIndexOutOfBounds.

    >>> from kiln import op2
    >>> nodes = op2.Set(4)
    >>> nodes(3, 0, 3).indices.tolist()
    [0, 3]
    """

    def __init__(self, superset, indices):
        if not isinstance(superset, Set):
            raise TypeError(f"found {superset!r}, expected a Set")
        if not isinstance(indices, (list, tuple, np.ndarray)):
            raise TypeError(f"indices: found {indices!r}, expected a list, tuple or array")
        found = np.unique(np.asarray(indices, dtype=np.int64).reshape(-1))
        if isinstance(superset, Subset):
            self._check(found, superset.total_size)
            found = superset.indices[found].astype(np.int64)
            superset = superset.superset
        self._parent = superset
        self._begin()
        self._check(found, superset.total_size)
        self._indices = found.astype(np.int32)
        self._layers = superset.layers
        # How many are core, owned, and so on.
        self._sizes = tuple(int(np.searchsorted(found, size)) for size in superset.sizes)

    @staticmethod
    def _check(indices, size):
        if indices.size and (indices[0] < 0 or indices[-1] >= size):
            wrong = indices[0] if indices[0] < 0 else indices[-1]
            raise SubsetIndexOutOfBounds(f"found element {wrong}, expected 0 to {size - 1}")

    core_size = property(lambda self: self._sizes[0])
    size = property(lambda self: self._sizes[1])
    exec_size = property(lambda self: self._sizes[2])
    total_size = property(lambda self: self._sizes[3])
    sizes = property(lambda self: self._sizes)
    layers = property(lambda self: self._layers)
    _extruded = property(lambda self: self._parent._extruded)

    @property
    def superset(self):
        return self._parent

    @property
    def indices(self):
        return self._indices

    @property
    def numbers(self):
        """Of its elements in the whole set."""
        return self._parent.numbers[self._indices]

    @property
    def owned_indices(self):
        return self._indices[: self.size]

    def _subset(self):
        made = self._interned.get("subset")
        if made is None:
            made = self._interned["subset"] = self._parent._native.subset(self._indices)
        return made

    def _iteration(self):
        if self._extruded:
            raise NotImplementedError("loops over a part of an extruded set")
        return self._columns()

    def _columns(self):
        from kiln import _mesh

        made = self._interned.get("iteration")
        if made is None:
            made = self._interned["iteration"] = _mesh.Iteration(self._subset())
        return made

    def __contains__(self, other):
        return other is self._parent or other is getattr(self._parent, "_parent", None)

    def __pow__(self, dim):
        raise NotImplementedError("data on a Subset: expected its superset")

    def __str__(self):
        return f"OP2 Subset: {self.name} with sizes {self._sizes}"

    def __repr__(self):
        return f"Subset({self._parent!r}, {self._indices.tolist()!r})"


class LocalSet(ExtrudedSet):
    """A Set (superset) whose loops compute nothing redundantly. One object for a Set.

    Its loops take no direct, RW or Mat arguments (RuntimeError).
    """

    def __new__(cls, superset):
        if not isinstance(superset, Set):
            raise TypeError(f"found {superset!r}, expected a Set")
        made = superset._interned.get(LocalSet)
        if made is None:
            made = superset._interned[LocalSet] = super().__new__(cls)
            made._parent = superset
            made._begin()
        return made

    def __init__(self, superset):
        pass

    layers = property(lambda self: self._parent.layers)
    exec_size = property(lambda self: self._parent.size)
    _extruded = property(lambda self: self._parent._extruded)

    @property
    def superset(self):
        return self._parent

    def _iteration(self):
        return self._parent._iteration()

    def _columns(self):
        return self._parent._columns()

    def __contains__(self, other):
        return other is self._parent

    def __pow__(self, dim):
        return self._parent**dim

    def __str__(self):
        return f"OP2 LocalSet on {self._parent}"

    def __repr__(self):
        return f"LocalSet({self._parent!r})"


class Halo:
    """Which elements a part sends to and receives from others.

    sends, receives: rank to indices, kept as int32. Raises AssertionError for the part's own rank.
    """

    def __init__(self, sends, receives, comm=None, gnn2unn=None):
        self.sends = {rank: np.asarray(ids, dtype=np.int32) for rank, ids in sends.items()}
        self.receives = {rank: np.asarray(ids, dtype=np.int32) for rank, ids in receives.items()}
        self.global_to_petsc_numbering = gnn2unn
        self.comm = comm
        rank = comm.rank if comm is not None else 0
        if rank in self.sends:
            raise AssertionError("a part does not send to itself")
        if rank in self.receives:
            raise AssertionError("a part does not receive from itself")

    def verify(self, over):
        """Raises AssertionError where these are no elements of a Set that may be sent and received."""
        for ids in self.sends.values():
            if (ids < 0).any() or (ids >= over.size).any():
                raise AssertionError("only owned elements are sent")
        for ids in self.receives.values():
            if (ids < over.size).any() or (ids >= over.total_size).any():
                raise AssertionError("only elements behind the owned ones are received")
