"""Sparsities: which entries matrices between spaces on sets have."""
import numpy as np

from kiln.op2.caches import Interned
from kiln.op2.checks import check_name
from kiln.op2.configuration import configuration
from kiln.op2.data_sets import DataSet
from kiln.op2.exceptions import MapTypeError, MapValueError
from kiln.op2.maps import Map, MapUse, MixedMap
from kiln.op2.mixed_sets import MixedDataSet, MixedSet
from kiln.op2.sets import Set

_SPACES = (Set, MixedSet, DataSet, MixedDataSet)


def _checked_spaces(dsets):
    if isinstance(dsets, _SPACES):
        dsets = (dsets, dsets)
    try:
        dsets = tuple(dsets)
    except TypeError:
        raise TypeError(f"dsets: found {dsets!r}, expected DataSets") from None
    if len(dsets) != 2 or not all(isinstance(one, _SPACES) for one in dsets):
        raise TypeError(f"dsets: found {dsets!r}, expected a DataSet or two")
    return tuple(one**1 if isinstance(one, (Set, MixedSet)) else one for one in dsets)


def _checked_maps(maps, dsets):
    if isinstance(maps, (Map, MixedMap)):
        maps = (maps, maps)
    maps = tuple(maps)
    if maps and not isinstance(maps[0], (tuple, list)):
        maps = (maps,)
    pairs = []
    for pair in maps:
        pair = tuple(pair)
        if len(pair) != 2 or not all(isinstance(one, (Map, MixedMap)) for one in pair):
            raise MapTypeError(f"maps: found {pair!r}, expected pairs of Maps")
        for one in pair:
            for part in one.split:
                if part.values_with_halo is None and part.iterset.total_size:
                    raise MapValueError(f"the Map {part.name} has no values")
        if any(one.toset is not space.set for one, space in zip(pair, dsets)):
            raise RuntimeError("maps: a Map leads to another set than that of its DataSet")
        if pair[0].iterset is not pair[1].iterset:
            raise RuntimeError("maps: the two of a pair are from different sets")
        if pair not in pairs:
            pairs.append(pair)
    # Whatever order they are given in.
    return sorted(pairs, key=lambda pair: [part._number for one in pair for part in one.split])


def _undecorated(use):
    """The Maps, by part, that a Map or a use of one leads through."""
    return [part.map for part in (use.map if isinstance(use, MapUse) else use).split]


class Sparsity:
    """The entries that loops through pairs of Maps reach, and the diagonal. The same parts give the
    same object.

    Between two sets, of which columns are no extruded ones, row i has an entry i where there is a
    column i, as in PyOP2; not on a mesh in parts.

    dsets: of rows and columns; maps: one Map, a pair of them (rows, columns), or several pairs. Kept by
    the first of the Maps. rowptr and colidx are int32 copies; nz: of all entries, nnz: by row. Raises
    TypeError, MapTypeError, MapValueError for Maps without values, RuntimeError for sets that do not fit.

    >>> from kiln import op2
    >>> nodes, edges = op2.Set(3), op2.Set(2)
    >>> edge2node = op2.Map(edges, nodes, 2, [[0, 1], [1, 2]])
    >>> op2.Sparsity(nodes, edge2node).nnz.tolist()
    [2, 3, 2]
    """

    _cache = Interned()
    _count = 0

    def __new__(cls, dsets, maps, name=None, nest=None, block_sparse=None):
        check_name(name)
        dsets = _checked_spaces(dsets)
        pairs = _checked_maps(maps, dsets)
        nest = configuration["matnest"] if nest is None else bool(nest)
        key = (
            tuple(one._token for one in dsets),
            tuple(tuple(one._token for one in pair) for pair in pairs),
            nest,
            block_sparse,
        )
        made = cls._cache.get(key)
        if made is None:
            made = super().__new__(cls)
            made._build(dsets, pairs, name, nest)
            owner = pairs[0][0].split[0] if pairs else None
            cls._cache.keep(key, made, owner)
        return made

    def __init__(self, dsets, maps, name=None, nest=None, block_sparse=None):
        pass

    def _build(self, dsets, pairs, name, nest):
        self._dsets = dsets
        self._pairs = pairs
        self._name = name or f"sparsity_{Sparsity._count}"
        Sparsity._count += 1
        self._handle = None
        rows, columns = (tuple(one) for one in dsets)
        self._nested = nest and (len(rows) > 1 or len(columns) > 1)
        if len(rows) == len(columns) == 1 and not any(isinstance(d, MixedDataSet) for d in dsets):
            self._blocks = ((self,),)
            return
        self._blocks = tuple(
            tuple(
                Sparsity(
                    (row, column),
                    [(pair[0].split[r], pair[1].split[c]) for pair in pairs],
                    nest=nest,
                )
                for c, column in enumerate(columns)
            )
            for r, row in enumerate(rows)
        )

    dsets = property(lambda self: self._dsets)
    maps = property(lambda self: list(self._pairs))
    rmaps = property(lambda self: [pair[0] for pair in self._pairs])
    cmaps = property(lambda self: [pair[1] for pair in self._pairs])
    name = property(lambda self: self._name)
    nested = property(lambda self: self._nested)
    shape = property(lambda self: (len(self._blocks), len(self._blocks[0])))
    nrows = property(lambda self: sum(row[0].dsets[0].set.size for row in self._blocks))
    ncols = property(lambda self: sum(block.dsets[1].set.size for block in self._blocks[0]))

    @property
    def dims(self):
        """Of the blocks' entries: dims[row][column] is (rows, columns)."""
        return tuple(
            tuple((block.dsets[0].cdim, block.dsets[1].cdim) for block in row)
            for row in self._blocks
        )

    @property
    def _is_single(self):
        return self._blocks[0][0] is self

    @property
    def _native(self):
        if self._handle is None:
            from kiln.op2.session import mesh

            iterset = self._pairs[0][0].iterset
            extruded = (iterset._native, iterset.layers) if iterset.layers else (None, 0)
            pairs = [(rows._native, columns._native) for rows, columns in self._pairs]
            if not iterset.layers:
                pairs += self._diagonal_pairs()
            self._handle = mesh().sparsity(
                pairs,
                *(dset.cdim for dset in self._dsets),
                *extruded,
            )
        return self._handle

    def _diagonal_pairs(self):
        """Maps that reach the entries (i, i) of rows and columns of two sets; of one set they are there."""
        from kiln.op2.session import mesh

        rows, columns = (dset.set for dset in self._dsets)
        size = min(rows.size, columns.size)
        # A mesh in parts has no Sets and Maps more; its ranks number rows and columns each on their own.
        if rows is columns or not size or rows._distribution is not None:
            return []
        name = f"{self._name}_diagonal"
        numbers = np.arange(size, dtype=np.int32).reshape(size, 1)
        over = mesh().set(name, (size,) * 4)
        return [
            tuple(mesh().map(name, over, to._native, 1, numbers, None) for to in (rows, columns))
        ]

    def _single(self, what):
        if not self._is_single:
            raise RuntimeError(f"{what}: ask the blocks of a mixed Sparsity")

    @property
    def rowptr(self):
        """Where each row begins in colidx, by elements of the row set."""
        self._single("rowptr")
        return self._native.rowptr()

    @property
    def colidx(self):
        """Columns of the entries, row by row, rising."""
        self._single("colidx")
        return self._native.colidx()

    # Of a mixed one those of its blocks, row by row of blocks.
    _rowptr = property(
        lambda self: self.rowptr if self._is_single else [block.rowptr for block in self]
    )
    _colidx = property(
        lambda self: self.colidx if self._is_single else [block.colidx for block in self]
    )

    @property
    def nnz(self):
        """Entries of each row."""
        return np.diff(self.rowptr)

    @property
    def onnz(self):
        """Entries of each row in columns that others own: none."""
        return np.zeros_like(self.nnz)

    @property
    def nz(self):
        """All entries."""
        if not self._is_single:
            return sum(block.nz for block in self)
        return int(self.rowptr[-1])

    onz = property(lambda self: 0)

    def __getitem__(self, index):
        if isinstance(index, tuple):
            return self._blocks[index[0]][index[1]]
        return self._blocks[index]

    def __iter__(self):
        return (block for row in self._blocks for block in row)

    def __contains__(self, maps):
        """Whether loops through this pair of Maps have entries, for whatever cells of a column."""
        wanted = [_undecorated(one) for one in maps]
        return any([_undecorated(one) for one in pair] == wanted for pair in self._pairs)

    def __str__(self):
        return (
            f"OP2 Sparsity: dsets {self._dsets}, rmaps {self.rmaps}, cmaps {self.cmaps}, "
            f"name {self._name}"
        )

    def __repr__(self):
        return f"Sparsity({self._dsets!r}, {self.maps!r}, {self._name!r})"
