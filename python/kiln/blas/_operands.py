"""Matrices and vectors of BLAS as they lie in arrays of NumPy, kiln and pyopencl."""
import math

import numpy as np

from kiln._kiln import Array, ArrayKind
from kiln.errors import BadInputError

NUMPY, KILN, PYOPENCL = ArrayKind.NUMPY, ArrayKind.KILN, ArrayKind.PYOPENCL
_KIND_NAMES = {NUMPY: "a NumPy array", KILN: "a kiln.Array", PYOPENCL: "an array of pyopencl"}


def kind_of(array):
    """Whose array it is; None for what is no array."""
    if isinstance(array, np.ndarray):
        return NUMPY
    if isinstance(array, Array):
        return KILN
    if hasattr(array, "base_data") and hasattr(array, "queue"):
        return PYOPENCL
    return None


def c_strides(shape):
    """Strides, in elements, of an array in C order."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * max(shape[axis], 1)
    return tuple(strides)


class Operand:
    """An array that a routine has as an argument."""

    __slots__ = (
        "array",
        "first",
        "item_stride",
        "itemsize",
        "kind",
        "name",
        "shape",
        "size",
        "stored",
        "strides",
        "type",
        "writable",
    )

    def __init__(self, routine, name, array):
        kind = self.kind = kind_of(array)
        self.name = f"{routine}: {name}"
        self.array = array
        if kind is None:
            self.refuse(type(array).__name__, "an array of NumPy, kiln or pyopencl")
        dtype = array.dtype
        self.shape = array.shape
        self.type = dtype.char
        self.itemsize = dtype.itemsize
        self.writable = kind is not NUMPY or array.flags.writeable
        self.first = 0
        self.stored = "native"  # the elements, as kiln::blas::Storage calls it
        self.item_stride = 0  # from an item of a batch to the next
        if not dtype.isnative:
            self.refuse(f"elements in another byte order ({dtype.str})", "those of this machine")
        self.size = math.prod(self.shape)
        if self.size == 0:
            self.refuse(f"shape {self.shape}", "one element at least")
        if kind is KILN:
            self.strides = c_strides(self.shape)
            return
        strides = array.strides
        if any(stride % self.itemsize for stride in strides):
            self.refuse(f"strides of {strides} bytes", f"multiples of {self.itemsize}")
        self.strides = tuple(stride // self.itemsize for stride in strides)

    def refuse(self, found, expected):
        raise BadInputError(f"{self.name}: found {found}, expected {expected}")

    def check_shape(self, expected, why):
        """`expected`: sizes; None fits any."""
        if len(self.shape) != len(expected) or any(
            one is not None and one != found for one, found in zip(expected, self.shape)
        ):
            sizes = ", ".join("any" if one is None else str(one) for one in expected)
            self.refuse(f"shape {self.shape}", f"({sizes}{',' if len(expected) == 1 else ''}): {why}")

    def check_like(self, other):
        """Of the kind and the type of an argument before it."""
        if self.kind is not other.kind:
            self.refuse(_KIND_NAMES[self.kind], f"{_KIND_NAMES[other.kind]} as {other.label} is")
        if self.type != other.type:
            self.refuse(f"dtype {self.array.dtype}", f"{other.array.dtype} as {other.label} has")

    def shares_memory(self, other):
        """Whether an element of both is the same. Where that takes long to find out, it is not said."""
        if self.kind is KILN:
            return self.array is other.array
        if self.kind is NUMPY:
            if not np.may_share_memory(self.array, other.array):
                return False
            try:
                return np.shares_memory(self.array, other.array, max_work=10_000)
            except RuntimeError:  # numpy.TooHardError, which later versions have elsewhere
                return False
        ours, theirs = self.array, other.array
        return ours.base_data.int_ptr == theirs.base_data.int_ptr and ours.offset == theirs.offset

    @property
    def label(self):
        """The argument's name without the routine's."""
        return self.name.rpartition(" ")[2]

    def check_writable(self):
        if not self.writable:
            self.refuse("a read-only array", "one that may be written")


class Matrix(Operand):
    """Elements [i, j], of which the rows or the columns are contiguous."""

    __slots__ = ("column_ld", "row_ld")

    def __init__(self, routine, name, array):
        super().__init__(routine, name, array)
        self.find_lines("a matrix: two axes")

    def find_lines(self, expected):
        """How the matrix lies: which of its lines are contiguous."""
        if len(self.shape) != 2:
            self.refuse(f"shape {self.shape}", expected)
        rows, columns = self.shape
        down, right = self.strides
        # Leading dimensions; 0 where the matrix does not lie so. One row or column lies as one likes.
        down_if_row = down if rows > 1 else max(columns, 1)
        right_if_column = right if columns > 1 else max(rows, 1)
        self.row_ld = down_if_row if (right == 1 or columns == 1) and down_if_row >= columns else 0
        self.column_ld = right_if_column if (down == 1 or rows == 1) and right_if_column >= rows else 0
        if not self.row_ld and not self.column_ld:
            self.refuse(
                f"strides {self.strides}", "contiguous rows or columns (numpy.ascontiguousarray makes them so)"
            )

    def ld(self, order):
        """The leading dimension in an order, "C" or "F"; 0 where it does not lie so."""
        return self.row_ld if order == "C" else self.column_ld

    @property
    def extent(self):
        """Elements from the first to the last."""
        return 1 + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))


class Vector(Operand):
    """Elements that lie at equal distances; a contiguous array of any shape is one, too."""

    __slots__ = ("increment",)

    def __init__(self, routine, name, array):
        super().__init__(routine, name, array)
        if len(self.shape) == 1:
            self.increment = self.strides[0] if self.size > 1 else 1
        elif self.strides == c_strides(self.shape) or self.size == 1:
            self.increment = 1
        else:
            self.refuse(f"strides {self.strides} of shape {self.shape}", "a vector, or contiguous elements")
        if self.increment == 0:
            self.refuse("stride 0", "elements of their own")
        if self.increment < 0:
            # BLAS counts from the end that comes first in memory.
            self.first = (self.size - 1) * self.increment

    @property
    def extent(self):
        return (self.size - 1) * abs(self.increment) + 1


def triangle_side(operand):
    """n of n (n + 1) / 2 contiguous elements: a packed triangle."""
    n = (math.isqrt(8 * operand.size + 1) - 1) // 2
    if n * (n + 1) // 2 != operand.size or len(operand.shape) != 1 or operand.increment != 1:
        operand.refuse(
            f"shape {operand.shape} and strides {operand.strides}",
            "a packed triangle: n (n + 1) / 2 contiguous elements",
        )
    return n


def zeros_like(operand, shape, dtype, order="C"):
    """Zeros of the kind of an operand's array; of kiln always in C order."""
    if operand.kind is NUMPY:
        return np.zeros(shape, dtype, order)
    if operand.kind is KILN:
        return operand.array.runtime.zeros(shape, dtype)
    from pyopencl import array as cl_array

    array = operand.array
    return cl_array.zeros(array.queue, shape, dtype, order=order, allocator=array.allocator)
