"""What a product may have beyond BLAS: elements of other kinds, items of a batch, groups, an epilogue."""
import numpy as np

from kiln.blas._arguments import Arguments
from kiln.blas._operands import Matrix, Operand, Vector
from kiln.errors import BadInputError

# By the names that NumPy has for them, and the package ml_dtypes.
_STORED = {
    "float32": "native",
    "float16": "half",
    "bfloat16": "bfloat16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "int8": "int8",
    "int32": "int32",
}
# Kinds that arrays of these types may have, where the caller says so.
_SAID = {"uint16": ("bfloat16",), "uint8": ("e4m3", "e5m2", "int4")}
_TYPES = {"native": "float32", "half": "float16", "int8": "int8", "int32": "int32", "bfloat16": "uint16"}
_EXPECTED = "float16, float32, float64, complex64, complex128 or int8, or a kind that stored_a and its likes name"
_EXPECTED_WITH = "float16, float32 or int8, or a kind that stored_a and its likes name"
_ACTIVATIONS = ("none", "relu", "gelu", "silu")


def stored_of(operand, said=None):
    """How the elements of an operand are stored; None: in no way that goes with float32."""
    name = operand.array.dtype.name
    found = _STORED.get(name)
    if said is None or said == found:
        return found
    if said in _SAID.get(name, ()):
        return said
    types = [_TYPES[said]] if said in _TYPES else [one for one, kinds in _SAID.items() if said in kinds]
    if not types:
        raise BadInputError(f"{operand.name}: found kind {said!r}, expected one of {', '.join(map(repr, _kinds()))}")
    operand.refuse(f"dtype {name}", f"{types[0]} for elements that are {said}")


def _kinds():
    return sorted({*_STORED.values(), *(kind for kinds in _SAID.values() for kind in kinds)} - {"native"})


class Matrices(Matrix):
    """A matrix, or several of one shape along a first axis: the items of a batch."""

    __slots__ = ("items",)

    def __init__(self, routine, name, array, said=None):
        Operand.__init__(self, routine, name, array)
        stored = stored_of(self, said)
        self.stored = "native" if self.type in "fdFD" else stored
        self.items = 1
        if len(self.shape) == 3:
            self.items, self.item_stride = self.shape[0], self.strides[0]
            self.shape, self.strides = self.shape[1:], self.strides[1:]
            if self.item_stride < 0:
                self.refuse(f"stride {self.item_stride} from item to item", "one that is not negative")
        if stored == "int4":
            self._unpack()
        self.find_lines("a matrix: two axes, or three with the items of a batch first")

    def _unpack(self):
        """Two elements in each byte of a row."""
        rows, columns = self.shape
        if columns > 1 and self.strides[1] != 1:
            self.refuse(f"strides {self.strides}", "contiguous rows, of two elements in a byte")
        self.shape = (rows, 2 * columns)
        self.strides = (2 * self.strides[0], 1)
        self.item_stride *= 2

    @property
    def extent(self):
        elements = super().extent + (self.items - 1) * self.item_stride
        return (elements + 1) // 2 if self.stored == "int4" else elements


class ProductArguments(Arguments):
    """Those of gemm. `said`: the kinds that the caller gives for arrays whose type does not tell."""

    def __init__(self, routine, said):
        super().__init__(routine)
        for name, kind in said.items():
            if kind is not None and not isinstance(kind, str):
                raise BadInputError(f"{routine}: stored_{name}: found {kind!r}, expected the name of a kind")
        self._said = said
        self.operands = []
        self.options = {}

    @property
    def type(self):
        """The letter of what is computed with."""
        return self._first.type if self._first.type in "fdFD" else "f"

    def _checked(self, operand):
        if self._first is None:
            self._first = operand
        if operand.kind is not self._first.kind:
            operand.check_like(self._first)
        first = self._first
        if operand.type in "fdFD" and (operand.type == first.type or (operand.type == "f" and self.type == "f")):
            return operand
        if self.type != "f" and operand is not first:
            operand.check_like(first)
        is_known = operand.stored not in (None, "native") and (operand.stored != "int32" or operand.label == "c")
        if not is_known:
            operand.refuse(f"dtype {operand.array.dtype}", _EXPECTED if operand is first else _EXPECTED_WITH)
        return operand

    def matrix(self, name, array):
        return self._checked(Matrices(self.routine, name, array, self._said.get(name)))

    def new_result(self, shape, items, factors, order):
        """Zeros: int32 of bytes, halves of halves, else what is computed with."""
        stored = self._said.get("c")
        if stored is None:
            kinds = {factor.stored for factor in factors}
            is_exact = kinds == {"int8"} and not self.options.get("group_a") and not self.options.get("group_b")
            stored = "int32" if is_exact else "half" if kinds == {"half"} else "native"
        if stored == "native":
            type = np.dtype(self.type)
        elif stored in _TYPES:
            type = np.dtype(_TYPES[stored])
        elif stored in ("e4m3", "e5m2"):
            type = np.dtype("uint8")
        else:
            raise BadInputError(f"{self.routine}: stored_c: found {stored!r}, expected a kind that is written")
        return self.new((items, *shape) if items else shape, type, order)

    def _along(self, name, array, m, n):
        """A vector with an element for each row of the result, (m, 1), or for each column, (n,)."""
        shape = getattr(array, "shape", None)
        along = "c" if shape in ((n,), (1, n)) else "r" if shape == (m, 1) else None
        if along is not None and len(shape) == 2 and isinstance(array, np.ndarray):
            array = array[:, 0] if along == "r" else array[0]
        vector = Vector(self.routine, name, array)
        if along is None:
            vector.refuse(f"shape {shape}", f"({n},), one for each column, or ({m}, 1), one for each row")
        return self._beside(vector), along

    def _beside(self, operand):
        operand.stored = "native" if operand.type in "fdFD" else stored_of(operand)
        return self._checked(operand)

    def add_epilogue(self, c, bias, scale, activation, residual):
        """Adds what comes after the product; returns the residual, which lies as c does."""
        m, n = c.shape
        for name, array in (("bias", bias), ("scale", scale)):
            if array is not None:
                vector, self.options[name] = self._along(name, array, m, n)
                self.operands.append((name, vector, vector.increment, "r"))
        if activation not in (None, *_ACTIVATIONS):
            expected = ", ".join(map(repr, _ACTIVATIONS))
            raise BadInputError(f"{self.routine}: activation: found {activation!r}, expected one of {expected}")
        if activation is not None:
            self.options["activation"] = activation
        if residual is None:
            return []
        residual = self.matrix("residual", residual)
        residual.check_shape(c.shape, "as c")
        self.options["residual"] = True
        return [residual]

    def add_groups(self, name, group, scales, lines, k):
        """Scales of a factor, of which so many elements along k have one each."""
        if group is None and scales is None:
            return
        if not isinstance(group, (int, np.integer)) or isinstance(group, bool) or group < 1 or scales is None:
            raise BadInputError(
                f"{self.routine}: group_{name}: found {group!r}, expected the elements of a group, with scale_{name}"
            )
        groups = -(-k // int(group))
        operand = Vector(self.routine, f"scale_{name}", scales)
        operand.check_shape((lines, groups), f"a row for each {'row of op(a)' if name == 'a' else 'column of op(b)'}")
        if operand.array.dtype.name != "float16":
            operand.refuse(f"dtype {operand.array.dtype}", "float16")
        if operand.kind is not self._first.kind:
            operand.check_like(self._first)
        self.options[f"group_{name}"] = int(group)
        self.operands.append((f"scale_{name}", operand, 0, "r"))

    def items_of(self, *matrices):
        """The items of the batch: 0 where no array has an axis for them. Others serve all items."""
        batched = [one for one in matrices if one is not None and len(one.array.shape) == 3]
        for one in batched[1:]:
            if one.items != batched[0].items:
                one.refuse(f"{one.items} items", f"{batched[0].items}, as {batched[0].label} has")
        return batched[0].items if batched else 0

    def product(self, items, invariant, emulated):
        """What BlasCall.set_product is called with; None: the product is one of BLAS."""
        if items > 1:
            self.options["batch"] = items
        if invariant and emulated:
            raise BadInputError(
                f"{self.routine}: found invariant and emulated, expected one of them: "
                "the bits of an emulated product depend on all rows and columns"
            )
        if invariant:
            self.options["invariant"] = True
        if emulated:
            self.options["emulated"] = True
        return self.options or None
