"""Calls of loops whose kernels are functions of Python."""
import sys

import numpy as np

from kiln.op2.access import INC, READ
from kiln.op2.exceptions import SetTypeError
from kiln.op2.loops import ParLoop, check_arguments, checked_region
from kiln.op2.maps import ALL
from kiln.op2.sets import Set, Subset
from kiln.op2.trace import CallPlace


class PyParLoop(CallPlace):
    """A function of Python in a kernel's place: called on the host, element by element, with views of
    the data."""

    def __init__(self, kernel, iterset, *args, iterate=None):
        if not isinstance(iterset, Set):
            raise SetTypeError(f"iterset: found {iterset!r}, expected a Set")
        self._kernel = kernel
        self._iterset = iterset
        self.args = args
        self._called_from(sys._getframe(1))
        check_arguments(iterset, args)
        # What is above each other is not counted up on the host.
        is_layered = iterset.layers and any(arg.map is not None for arg in args)
        if is_layered or checked_region(iterate, iterset) is not ALL:
            raise NotImplementedError(
                f"{kernel.__name__}: found a function of Python for cells of columns, expected a Kernel"
            )

    kernel = property(lambda self: self._kernel)
    iterset = property(lambda self: self._iterset)
    reads = ParLoop.reads
    writes = ParLoop.writes
    enqueue = compute = ParLoop.enqueue

    def _run(self):
        iterset = self._iterset
        if iterset._distribution is not None and iterset._distribution.size > 1:
            raise NotImplementedError("functions of Python over a mesh in parts, expected a Kernel")
        elements = iterset.indices if isinstance(iterset, Subset) else range(iterset.size)
        elements = elements[: iterset.size]
        for element in elements:
            views = [_view(arg, element) for arg in self.args]
            self._kernel(*views)
            for arg, view in zip(self.args, views):
                if arg.access != READ:
                    _store(arg, element, view)


def _rows(arg, element):
    if arg.map is None:
        return slice(element, element + 1)
    targets = arg.map.values_with_halo[element]
    if arg.idx is not None and not arg._is_packed:
        return targets[arg.idx : arg.idx + 1]
    return targets


def _view(arg, element):
    if arg._is_mat:
        rows, columns = (
            map.arity * dims[0] for map, dims in zip(arg.map, arg.data._block_dims)
        )
        return np.zeros((rows, columns), arg.data.dtype)
    if arg._is_global:
        arg.data._fetch()
        view = arg.data._data.view()
    elif arg._is_indirect and arg.access == INC:
        # What is added, as elsewhere: a target may be there twice.
        return np.zeros_like(arg.data._host(write=False)[_rows(arg, element)])
    else:
        view = arg.data._host(write=arg.access != READ)[_rows(arg, element)]
        if arg.map is None and arg.data.cdim > 1:
            view = view[0]
    if arg.access == READ:
        view = view.view()
        view.flags.writeable = False
    return view


def _store(arg, element, view):
    if arg._is_mat:
        rows, columns = (map.values_with_halo[element] for map in arg.map)
        put = arg.data.addto_values if arg.access == INC else arg.data.set_values
        put(rows, columns, view)
    elif arg._is_indirect and arg.access == INC:
        np.add.at(arg.data._host(write=True), _rows(arg, element), view)
    elif arg._is_indirect:
        arg.data._host(write=True)[_rows(arg, element)] = view
