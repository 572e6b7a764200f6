"""Matrices between spaces on sets."""
import numpy as np

from kiln.op2.access import INC, WRITE
from kiln.op2.arguments import Arg
from kiln.op2.checks import check_name, checked_dtype, is_int
from kiln.op2.configuration import configuration
from kiln.op2.data import Dat
from kiln.op2.exceptions import MapValueError, ModeValueError
from kiln.op2.maps import MapUse
from kiln.op2.mixed_data import MixedDat
from kiln.op2.sets import Subset
from kiln.op2.sparsity import Sparsity
from kiln.op2.trace import trace


class _Handle:
    """What programs that set options of PETSc's matrices find: every option, without effect."""

    class _Options:
        def __getattr__(self, name):
            return name

    Option = _Options()

    def setOption(self, option, flag):
        pass


class Mat:
    """A sparse matrix; loops add element matrices to it or set them.

    nrows, ncols: of numbers, not blocks; dims[row][column]: shape of an entry's block; split: the blocks
    of a mixed one, row by row, which it has. Methods that take rows want numbers of the row set's elements
    or a Subset. Raises TypeError, NameTypeError, ModeValueError, MapValueError; kiln.BadInputError for rows
    outside and entries that the sparsity lacks; RuntimeError where blocks are to be asked.

    >>> from kiln import op2
    >>> nodes, edges = op2.Set(3), op2.Set(2)
    >>> edge2node = op2.Map(edges, nodes, 2, [[0, 1], [1, 2]])
    >>> matrix = op2.Mat(op2.Sparsity(nodes, edge2node))
    >>> rod = op2.Kernel('''
    ... void rod(double A[2][2]) {
    ...   A[0][0] += 1; A[0][1] -= 1; A[1][0] -= 1; A[1][1] += 1;
    ... }''', "rod")
    >>> rows, columns = edge2node[op2.i[0]], edge2node[op2.i[1]]
    >>> call = op2.par_loop(rod, edges, matrix(op2.INC, (rows, columns)))
    >>> matrix.values.tolist()
    [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]
    """

    _kind = "mat"
    _rw = _ro = None
    _modes = [WRITE, INC]
    _count = 0
    ASSEMBLED, INSERT_VALUES, ADD_VALUES = "ASSEMBLED", "INSERT_VALUES", "ADD_VALUES"
    _largest_dense = 1_000_000

    def __init__(self, sparsity, dtype=None, name=None):
        if not isinstance(sparsity, Sparsity):
            raise TypeError(f"sparsity: found {sparsity!r}, expected a Sparsity")
        check_name(name)
        self._sparsity = sparsity
        self._dtype = checked_dtype(np.float64 if dtype is None else dtype)
        self._name = name or f"mat_{Mat._count}"
        Mat._count += 1
        self._token = object()
        self._handle = None
        self._state = Mat.ASSEMBLED
        self._whole = None  # of a block that is assembled with the others
        self.handle = _Handle()
        if sparsity._is_single:
            self._blocks = ((self,),)
            return
        self._blocks = tuple(
            tuple(
                Mat(block, self._dtype, f"{self._name}[{r}][{c}]") for c, block in enumerate(row)
            )
            for r, row in enumerate(sparsity._blocks)
        )
        if not sparsity.nested:
            for block in self.split:
                block._whole = self

    sparsity = property(lambda self: self._sparsity)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)
    dims = property(lambda self: self._sparsity.dims)
    nrows = property(lambda self: sum(r * n for r, n in zip(*self._extents(0))))
    ncols = property(lambda self: sum(c * n for c, n in zip(*self._extents(1))))
    split = property(lambda self: tuple(block for row in self._blocks for block in row))
    _is_single = property(lambda self: self._sparsity._is_single)
    _block_dims = property(
        lambda self: tuple(tuple(d.cdim for d in one) for one in self._sparsity.dsets)
    )

    def _extents(self, side):
        parts = tuple(self._sparsity.dsets[side])
        return [part.cdim for part in parts], [part.set.size for part in parts]

    @property
    def nbytes(self):
        if not self._is_single:
            return sum(block.nbytes for block in self.split)
        rows, columns = self.dims[0][0]
        return self._sparsity.nz * rows * columns * self._dtype.itemsize

    @property
    def _native(self):
        if self._handle is None:
            from kiln.op2.session import mesh

            self._handle = mesh().mat(self._name, self._sparsity._native, self._dtype)
        return self._handle

    def _native_arg(self, arg, up):
        from kiln import _mesh

        access = arg.access._number

        def one(block, rows, columns):
            return _mesh.mat_arg(
                block._native, rows._layers_up(up), -1, columns._layers_up(up), -1, access
            )

        rows, columns = arg.map
        if self._is_single:
            return one(self, rows, columns)
        parts = [
            one(self[r, c], rows.split[r], columns.split[c])
            for r in range(len(self._blocks))
            for c in range(len(self._blocks[0]))
        ]
        return _mesh.MixedArg.as_one(parts, len(self._blocks[0]))

    def _used(self, writes):
        pass

    # --- the state of assembly ---

    @property
    def assembly_state(self):
        """ASSEMBLED, or what was put since: INSERT_VALUES or ADD_VALUES."""
        return (self._whole or self)._state

    @assembly_state.setter
    def assembly_state(self, state):
        (self._whole or self)._change_state(state)

    def _change_state(self, state):
        if self._state is not Mat.ASSEMBLED and state is not self._state and state is not Mat.ASSEMBLED:
            self._flush_assembly()
        self._state = state

    def _flush_assembly(self):
        """Between adding and inserting; here both are done at once."""

    def _force_evaluation(self):
        """Runs the loops that change it."""
        trace.evaluate(self.split, self.split)

    def assemble(self):
        """Runs the loops that change it: entries are as they will be."""
        if self._whole is not None:
            raise RuntimeError(f"{self._name} is assembled with the whole matrix")
        self._force_evaluation()
        for block in (self, *self.split):
            block._state = Mat.ASSEMBLED

    _assemble = assemble

    # --- as an argument ---

    def __call__(self, access, path, flatten=False):
        """The argument of a loop: (rows[op2.i[0]], columns[op2.i[1]])."""
        if access not in self._modes:
            raise ModeValueError(f"{self._name}: found {access!r}, expected one of {self._modes}")
        path = tuple(path)
        if len(path) != 2 or not all(isinstance(use, MapUse) for use in path):
            raise TypeError(f"{self._name}: expected two Maps with indices, as in rows[op2.i[0]]")
        maps = tuple(use.map for use in path)
        if configuration["type_check"] and maps not in self._sparsity:
            raise MapValueError(f"{self._name}: the pair of Maps is none of the Sparsity's")
        return Arg(self, maps, tuple(use.idx for use in path), access, flatten)

    def __getitem__(self, index):
        if isinstance(index, tuple):
            return self._blocks[index[0]][index[1]]
        return self._blocks[index]

    def __iter__(self):
        """The blocks, row by row."""
        return iter(self.split)

    def __len__(self):
        return len(self.split)

    def __str__(self):
        return f"OP2 Mat: {self._name}, sparsity ({self._sparsity}), datatype {self._dtype.name}"

    def __repr__(self):
        return f"Mat({self._sparsity!r}, {self._dtype!r}, {self._name!r})"

    # --- entries ---

    def zero(self):
        """All entries become 0."""
        trace.evaluate((), self.split)
        for block in self.split:
            block._native.zero()

    def zero_rows(self, rows, diag_val=1.0):
        """Entries of these rows become 0, and then the diagonal diag_val: boundary conditions."""
        trace.evaluate((), self.split)
        self._single("zero_rows")
        self._native.zero_rows(_elements(rows), diag_val)

    def set_local_diagonal_entries(self, rows, diag_val=1.0, idx=None):
        """The diagonal of these rows; idx: of one component alone."""
        trace.evaluate((), self.split)
        self._single("set_local_diagonal_entries")
        rows = _elements(rows)
        if idx is None:
            self._native.set_diagonal(rows, diag_val)
        else:
            diagonal = self._diagonal()
            diagonal.data.reshape(-1, diagonal.cdim)[rows, idx] = diag_val
            self._native.set_diagonal_from(diagonal._native)
        self.assembly_state = Mat.INSERT_VALUES

    def _diagonal(self):
        values = Dat(self._sparsity.dsets[0], dtype=self._dtype)
        self._native.diagonal(values._native)
        values._used(writes=True)
        return values

    def _put(self, rows, columns, values, adds):
        trace.evaluate((), self.split)
        self._single("entries")
        rows, columns = (np.atleast_1d(np.asarray(one, np.int32)) for one in (rows, columns))
        values = np.ascontiguousarray(np.asarray(values, self._dtype))
        self._native.put_values(rows, columns, values.reshape(-1), adds)
        self.assembly_state = Mat.ADD_VALUES if adds else Mat.INSERT_VALUES

    def addto_values(self, rows, cols, values):
        """Adds to a few entries from the host."""
        self._put(rows, cols, values, True)

    def set_values(self, rows, cols, values):
        """Sets a few entries from the host."""
        self._put(rows, cols, values, False)

    def _single(self, what):
        if not self._is_single:
            raise RuntimeError(f"{what}: ask the blocks of a mixed matrix")

    @property
    def values(self):
        """All entries as a dense array, of matrices with a million of them at most."""
        if self.nrows * self.ncols > self._largest_dense:
            raise ValueError(
                f"{self._name}: found {self.nrows} x {self.ncols} entries, expected "
                f"{self._largest_dense} at most for a dense array"
            )
        self._force_evaluation()
        if not self._is_single:
            return np.block([[block.values for block in row] for row in self._blocks])
        rows, columns = self.dims[0][0]
        rowptr, colidx = self._sparsity.rowptr, self._sparsity.colidx
        row_set, column_set = (dset.set for dset in self._sparsity.dsets)
        dense = np.zeros((row_set.total_size, column_set.total_size, rows, columns), self._dtype)
        dense[np.repeat(np.arange(len(rowptr) - 1), np.diff(rowptr)), colidx] = (
            self._native.entries()
        )
        dense = dense[: row_set.size, : column_set.size].transpose(0, 2, 1, 3)
        return dense.reshape(row_set.size * rows, column_set.size * columns)

    @property
    def array(self):
        """The entries as they are kept, row by row."""
        self._force_evaluation()
        self._single("array")
        return self._native.entries().reshape(-1)

    def __mul__(self, dat):
        """The product with a Dat or a MixedDat."""
        from kiln import _mesh

        if not isinstance(dat, (Dat, MixedDat)):
            return NotImplemented
        trace.evaluate((*self.split, *dat.split), ())
        products = []
        for row, space in zip(self._blocks, tuple(self._sparsity.dsets[0])):
            total = None
            for block, part in zip(row, dat.split):
                product = Dat(space, dtype=self._dtype)
                _mesh.multiply(block._native, part._whole, product._native)
                product._used(writes=True)
                part._used(writes=False)
                total = product if total is None else total._combine("+", product)
            products.append(total)
        return products[0] if len(products) == 1 else MixedDat(products)


def _elements(rows):
    if isinstance(rows, Subset):
        return rows.indices
    return np.asarray([rows] if is_int(rows) else rows, dtype=np.int32).reshape(-1)
