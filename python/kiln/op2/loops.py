"""Calls of loops: checked, queued, and run when their results are asked for."""
import sys
import types

from kiln.op2.access import RW
from kiln.op2.arguments import Arg
from kiln.op2.caches import Recent
from kiln.op2.checks import int_tuple
from kiln.op2.exceptions import (
    IndexValueError,
    IterateValueError,
    KernelTypeError,
    MapValueError,
    SetTypeError,
)
from kiln.op2.kernels import Kernel, native_text
from kiln.op2.maps import ALL, ON_BOTTOM, ON_INTERIOR_FACETS, ON_TOP
from kiln.op2.mixed_sets import MixedSet
from kiln.op2.sets import ExtrudedSet, LocalSet, Set, Subset
from kiln.op2.trace import CallPlace, trace


class IterationSpace:
    """A set with the extents of a loop's op2.i indices.

    block_shape: of each row of blocks of mixed data the shape of each block, (rows,) or (rows, columns).
    Iterating gives the blocks: (row, column, shape, (first row, first column)).
    """

    def __init__(self, iterset, block_shape=()):
        if not isinstance(iterset, (Set, MixedSet)):
            raise SetTypeError(f"iterset: found {iterset!r}, expected a Set")
        try:
            self._blocks = tuple(tuple(int_tuple(tuple(one)) for one in row) for row in block_shape)
        except TypeError:
            raise TypeError(
                f"block_shape: found {block_shape!r}, expected rows of shapes, as in (((3, 3),),)"
            ) from None
        self._iterset = iterset
        self._extents = ()
        if any(shape for row in self._blocks for shape in row):
            self._extents = (sum(row[0][0] for row in self._blocks),)
            if len(self._blocks[0][0]) > 1:
                self._extents += (sum(shape[1] for shape in self._blocks[0]),)

    iterset = property(lambda self: self._iterset)
    extents = property(lambda self: self._extents)
    name = property(lambda self: self._iterset.name)
    core_size = property(lambda self: self._iterset.core_size)
    size = property(lambda self: self._iterset.size)
    exec_size = property(lambda self: self._iterset.exec_size)
    total_size = property(lambda self: self._iterset.total_size)
    layers = property(lambda self: self._iterset.layers)

    def __iter__(self):
        first_row = 0
        for r, row in enumerate(self._blocks or (((),),)):
            first_column = 0
            for c, shape in enumerate(row):
                yield r, c, shape, (first_row, first_column)
                first_column += shape[1] if len(shape) > 1 else 0
            first_row += row[0][0] if row[0] else 0

    def __eq__(self, other):
        return (
            isinstance(other, IterationSpace)
            and self._iterset is other._iterset
            and self._blocks == other._blocks
        )

    def __hash__(self):
        return hash((id(self._iterset), self._blocks))

    def __str__(self):
        return f"OP2 Iteration Space: {self._iterset} with extents {self._extents}"

    def __repr__(self):
        return f"IterationSpace({self._iterset!r}, {self._blocks!r})"


class JITModule:
    """A kernel's text for arguments of one shape.

    `_cache` has one for each that has run, as many as a Mesh keeps loops ready, and so the kernels of
    programs that make theirs anew for every call.
    """

    _cache = Recent(1024)

    def __init__(self, kernel, args):
        from kiln import _mesh

        self.text, self.name = native_text(kernel, args)
        self.native = _mesh.Kernel(self.text, self.name)

    @classmethod
    def of(cls, kernel, iterset, args):
        # Kernels are interned by all that their text depends on.
        key = (kernel, iterset.layers, tuple(_shape_of(arg) for arg in args))
        made = cls._cache.used(key)
        return made if made is not None else cls._cache.keep(key, cls(kernel, args))


def _shape_of(arg):
    """What of an argument the text of its loop depends on."""
    data = arg.data
    if data._kind == "mat":
        maps = tuple(map.arities for map in arg.map)
        return ("mat", data.dtype, data._block_dims, maps, arg.idx, arg.access)
    map = arg.map
    if map is None:
        return (data._kind, data.dtype, data.dim, getattr(data, "_component", None), arg.access)
    return (
        data.dtype,
        data.dim,
        getattr(data, "_component", None),
        map.arities,
        arg.idx,
        arg._flatten,
        arg.access,
    )


class ParLoop(CallPlace):
    """A call of a loop. The constructor checks; nothing runs before it is queued.

    Keeps its kernel, set and data. place: "FILE:LINE" of the call. it_space: the extents of op2.i. Raises
    KernelTypeError, SetTypeError, MapValueError, IndexValueError, IterateValueError.
    """

    __slots__ = ("_kernel", "_iterset", "_region", "args", "_extents", "_call", "_code", "_instruction")

    def __init__(self, kernel, iterset, *args, iterate=None):
        if not isinstance(kernel, Kernel):
            raise KernelTypeError(f"kernel: found {kernel!r}, expected a Kernel")
        if not isinstance(iterset, (Set, MixedSet)):
            raise SetTypeError(f"iterset: found {iterset!r}, expected a Set")
        self._kernel = kernel
        self._iterset = iterset
        self._region = checked_region(iterate, iterset)
        self.args = args
        self._extents = check_arguments(iterset, args)
        self._call = None
        self._called_from(sys._getframe(1))

    @classmethod
    def _again(cls, call, kernel, iterset, args, frame):
        """Of arguments that were checked before."""
        loop = cls.__new__(cls)
        loop._kernel = kernel
        loop._iterset = iterset
        loop._region = ALL
        loop.args = args
        loop._extents = call.extents
        loop._call = call
        loop._code = frame.f_code
        loop._instruction = frame.f_lasti
        return loop

    kernel = property(lambda self: self._kernel)
    iterset = property(lambda self: self._iterset)
    iteration_region = property(lambda self: self._region)
    it_space = property(
        lambda self: IterationSpace(self._iterset, ((self._extents,),) if self._extents else ())
    )
    is_indirect = property(lambda self: any(arg.map is not None for arg in self.args))
    is_direct = property(lambda self: not self.is_indirect)

    @property
    def reads(self):
        """The data that it reads."""
        return {part for arg in self.args if arg._reads for part in _parts(arg)}

    @property
    def writes(self):
        """The data that it changes."""
        return {part for arg in self.args if arg._writes for part in _parts(arg)}

    def enqueue(self):
        """Queues it, or runs it where evaluation is not lazy; returns it."""
        trace.append(self)
        return self

    compute = enqueue

    def _run(self):
        iterset, args = self._iterset, self.args
        if isinstance(iterset, MixedSet):
            for number, part in enumerate(iterset):
                ParLoop(self._kernel, part, *(_part_of(arg, number) for arg in args))._run()
            return
        if not iterset.exec_size and iterset._distribution is None:
            return
        call = self._call
        if call is None:
            call = self._prepared()
        for position in call.globals:
            args[position].data._push()
        try:
            call.native.run(args)
        finally:
            # After Ctrl-C it goes on in the background; who asks for the data next waits for it.
            for arg, writes in zip(args, call.writes):
                data = arg.data
                if data._rw is not None or (writes and data._ro is not None):
                    data._used(writes)

    def _prepared(self):
        """What later calls of the same arguments need. Plans and compiles."""
        iterset, args = self._iterset, self.args
        if isinstance(iterset, LocalSet):
            _check_local(args)
        module = JITModule.of(self._kernel, iterset, args)
        up = iterset.layers - 2 if self._region is ON_TOP else 0
        # Data of columns alone, without a Map to what is above each other: once for each column.
        by_columns = self._region is not ALL or (iterset.layers and self.is_direct)
        over = iterset._columns() if by_columns else iterset._iteration()
        call = PreparedCall(module, over, args, up, self._extents)
        if self._region is ALL:
            self._kernel._keep(iterset, args, call)
        return call


class PreparedCall:
    """A loop with arguments that have run before: what a call of it needs. Holds no data."""

    __slots__ = ("native", "writes", "globals", "extents")

    def __init__(self, module, over, args, up, extents):
        from kiln import _mesh

        self.writes = tuple(arg._writes for arg in args)
        self.globals = tuple(at for at, arg in enumerate(args) if arg._is_global)
        self.extents = extents
        natives = [_native_arg(arg, up) for arg in args]
        if any(isinstance(one, _mesh.MixedArg) for one in natives):
            natives = [
                one if isinstance(one, _mesh.MixedArg) else _mesh.MixedArg(one) for one in natives
            ]
            self.native = _mesh.MixedCall(module.native, over, natives)
        else:
            self.native = _mesh.Call(module.native, over, natives)


def _native_arg(arg, up):
    from kiln import _mesh

    data, access = arg.data, arg.access._number
    kind = data._kind
    if kind == "global":
        return _mesh.global_arg(data._native, access)
    if kind == "mat":
        return data._native_arg(arg, up)
    if len(data.split) > 1:
        parts = [
            _mesh.indirect_arg(
                part._native, map._layers_up(up), -1, -1, _native_access(part, arg), arg._flatten
            )
            for part, map in zip(data.split, arg.map.split)
        ]
        return _mesh.MixedArg.as_one(parts, 0)
    access = _native_access(data, arg)
    if arg.map is None:
        return _mesh.dat_arg(data._native, access)
    map = arg.map
    native = map._layers_up(up) if up else map._native
    if arg.idx is None:
        return _mesh.indirect_arg(data._native, native, -1, -1, access, arg._flatten)
    if arg._is_packed:
        return _mesh.indirect_arg(data._native, native, -1, -1, access, False)
    return _mesh.indirect_arg(data._native, native, arg.idx, -1, access, False)


def _native_access(data, arg):
    """Of a view of one component the others must stay."""
    if arg.access._mode == "WRITE" and hasattr(data, "_component"):
        return RW._number
    return arg.access._number


def _parts(arg):
    """What is waited for: of a view the Dat behind it."""
    for part in arg.data.split:
        yield getattr(part, "_parent", part) if hasattr(part, "_component") else part


def _part_of(arg, number):
    return arg.split[number] if arg._is_mixed else arg


def checked_region(iterate, iterset):
    if iterate is None or iterate is ALL:
        return ALL
    if iterate is ON_INTERIOR_FACETS:
        raise NotImplementedError("loops over the facets between cells of a column")
    if iterate not in (ON_BOTTOM, ON_TOP):
        raise IterateValueError(f"iterate: found {iterate!r}, expected ON_BOTTOM, ON_TOP or ALL")
    if not (isinstance(iterset, ExtrudedSet) and iterset.layers):
        raise IterateValueError(f"iterate: found {iterate!r} for a set that is not extruded")
    return iterate


def check_arguments(iterset, args):
    """The extents of op2.i. Raises where an argument does not go with the set or another argument."""
    extents = None
    mixed = isinstance(iterset, MixedSet)
    base = iterset
    if not mixed and isinstance(iterset, (Subset, LocalSet)):
        base = iterset.superset
    for number, arg in enumerate(args):
        if not isinstance(arg, Arg):
            raise TypeError(
                f"argument {number}: found {arg!r}, expected data called with an access, as x(op2.READ)"
            )
        map = arg.map
        if map is None:
            if arg.data._kind == "dat" and not mixed:
                for part in arg.data.split:
                    over = part.dataset.set
                    if over is not base and over not in _with_parents(base):
                        raise MapValueError(
                            f"argument {number}: {part.name} is on another set than the loop"
                        )
            continue
        for one in map if isinstance(map, tuple) else (map,):
            if not mixed and one.iterset is not base and one.iterset not in _with_parents(base):
                raise MapValueError(
                    f"argument {number}: the Map {one.name} is from another set than the loop's"
                )
            for part in one.split:
                if part.values_with_halo is None and part.iterset.total_size:
                    raise MapValueError(f"argument {number}: the Map {part.name} has no values")
            if one.implicit_bcs and arg._is_mat:
                raise NotImplementedError(
                    f"argument {number}: the Map {one.name} has implicit_bcs, expected none: rows of "
                    "boundary conditions are cleared with Mat.zero_rows()"
                )
        idx = arg.idx
        if idx is None or not arg._is_packed:
            continue
        if isinstance(map, tuple):
            found = tuple(one.arity for one in map)
        else:
            found = (map.arity,)
        if extents is not None and extents[: len(found)] != found[: len(extents)]:
            raise IndexValueError(
                f"argument {number}: iteration space {found}, expected {extents} as others have"
            )
        if extents is None or len(found) > len(extents):
            extents = found
    return extents or ()


def _with_parents(base):
    found = []
    while isinstance(base, ExtrudedSet):
        base = base._parent
        found.append(base)
    return found


def _check_local(args):
    for arg in args:
        if arg._is_mat or arg._is_direct or arg.access == RW:
            raise RuntimeError("loops over a LocalSet take no direct, RW or Mat arguments")


def par_loop(kernel, iterset, *args, **keywords):
    """Calls a kernel for every element of a set, when the results are asked for.

    kernel: a Kernel, or a function of Python, which runs on the host. args: data called with an
    access and, through a Map, with it: x(op2.READ, cell2node). iterate: of an extruded set ON_BOTTOM
    or ON_TOP. Returns the call. Raises as ParLoop; what fails later names this call's kernel and line.

    >>> from kiln import op2
    >>> nodes, edges = op2.Set(3), op2.Set(2)
    >>> edge2node = op2.Map(edges, nodes, 2, [[0, 1], [1, 2]])
    >>> x, length = op2.Dat(nodes, [0.0, 1.0, 4.0]), op2.Dat(edges)
    >>> measure = op2.Kernel(
    ...     "void measure(double *l, double *x[]) { l[0] = x[1][0] - x[0][0]; }", "measure")
    >>> call = op2.par_loop(measure, edges, length(op2.WRITE), x(op2.READ, edge2node))
    >>> length.data.tolist()
    [1.0, 3.0]
    """
    if kernel.__class__ is Kernel and not keywords:
        call = kernel._kept(iterset, args)
        if call is not None:
            loop = ParLoop._again(call, kernel, iterset, args, sys._getframe(1))
            trace.append(loop)
            return loop
    if isinstance(kernel, types.FunctionType):
        from kiln.op2.python_loops import PyParLoop

        loop = PyParLoop(kernel, iterset, *args, **keywords)
    else:
        loop = ParLoop(kernel, iterset, *args, **keywords)
    loop._called_from(sys._getframe(1))
    return loop.enqueue()
