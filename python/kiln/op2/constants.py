"""Constants, which kernels use by name."""
import numpy as np

from kiln.op2.checks import check_name, checked_dtype, int_tuple, values_as
from kiln.op2.exceptions import NameTypeError
from kiln.op2.trace import trace


class Const:
    """One number or several that every kernel may use by `name`, a C identifier.

    dim: an int or a tuple; one number is a scalar in C, several an array. Changing `data` changes no
    code.

    >>> from kiln import op2
    >>> nodes = op2.Set(2)
    >>> width = op2.Const(1, 0.5, "width_of_a_step")
    >>> step = op2.Kernel("void step(double *x) { x[0] += width_of_a_step; }", "step")
    >>> x = op2.Dat(nodes)
    >>> call = op2.par_loop(step, nodes, x(op2.RW))
    >>> x.data.tolist()
    [0.5, 0.5]
    >>> width.remove_from_namespace()
    """

    class NonUniqueNameError(ValueError):
        """There is a constant of this name."""

    _defined = {}  # by name
    _handles = {}  # those of the Mesh, which keeps names: (mesh, name) to handle

    def __init__(self, dim, data, name, dtype=None):
        if not isinstance(name, str):
            raise NameTypeError(f"name: found {name!r}, expected a str")
        check_name(name)
        if name in Const._defined:
            raise Const.NonUniqueNameError(f"there is a constant {name} already")
        self._dim = int_tuple(dim)
        values = np.asarray(data, dtype=None if dtype is None else checked_dtype(dtype))
        self._values = values_as(values, checked_dtype(values.dtype), self._dim)
        self._name = name
        self._handle = self._made()
        Const._defined[name] = self

    def _made(self):
        from kiln.op2.session import mesh

        flat = self._values.reshape(-1)
        key = (id(mesh()), self._name)
        known = Const._handles.get(key)
        if known is None:
            known = Const._handles[key] = (mesh().constant(self._name, flat), flat.dtype, flat.size)
        elif known[1:] != (flat.dtype, flat.size):
            raise Const.NonUniqueNameError(
                f"the constant {self._name} was {known[2]} of {known[1]}, and keeps that"
            )
        else:
            known[0].set(flat)
        return known[0]

    dim = property(lambda self: self._dim)
    cdim = property(lambda self: self._values.size)
    dtype = property(lambda self: self._values.dtype)
    name = property(lambda self: self._name)

    @property
    def data(self):
        """The values."""
        view = self._values.view()
        view.flags.writeable = False
        return view

    @data.setter
    def data(self, values):
        new = np.asarray(values, self.dtype)
        if new.size == 1:
            new = np.full(self._dim, new.reshape(-1)[0])
        trace.evaluate_all()  # loops that wait have the old ones
        self._values = values_as(new, self.dtype, self._dim)
        self._handle.set(self._values.reshape(-1))

    def remove_from_namespace(self):
        """The name may be used again."""
        Const._defined.pop(self._name, None)

    def __str__(self):
        return f"OP2 Const: {self._name} of dim {self._dim} and type {self.dtype.name} with value {self._values}"

    def __repr__(self):
        return f"Const({self._dim!r}, {self._values!r}, {self._name!r}, {self.dtype!r})"
