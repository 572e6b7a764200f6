"""Reading the arguments of a routine, and saying what is wrong with them."""
import numpy as np

from kiln.blas._calls import Call
from kiln.blas._operands import Matrix, Vector, zeros_like, triangle_side
from kiln.errors import BadInputError

FLIPPED = {"n": "t", "t": "n", "c": "n", "u": "l", "l": "u"}
OTHER = {"C": "F", "F": "C"}
_LETTERS = {"trans": "ntc", "uplo": "ul", "diag": "un", "side": "lr"}
_NAMES = {"fdFD": "float32, float64, complex64 or complex128", "fd": "float32 or float64", "FD": "complex64 or complex128"}
REAL_TYPE = {"f": "f", "d": "d", "F": "f", "D": "d"}


class Arguments:
    """Those of one call. `types`: what elements the routine has."""

    def __init__(self, routine, types="fdFD"):
        self.routine = routine
        self._types = types
        self._first = None

    def _checked(self, operand):
        if self._first is None:
            if operand.type not in self._types:
                operand.refuse(f"dtype {operand.array.dtype}", _NAMES[self._types])
            self._first = operand
        else:
            operand.check_like(self._first)
        return operand

    @property
    def type(self):
        """NumPy's letter of the elements."""
        return self._first.type

    @property
    def is_complex(self):
        return self.type in "FD"

    def matrix(self, name, array):
        return self._checked(Matrix(self.routine, name, array))

    def square(self, name, array):
        matrix = self.matrix(name, array)
        if matrix.shape[0] != matrix.shape[1]:
            matrix.refuse(f"shape {matrix.shape}", "as many rows as columns")
        return matrix

    def vector(self, name, array, size=None, why=""):
        vector = self._checked(Vector(self.routine, name, array))
        if size is not None and vector.size != size:
            vector.refuse(f"shape {vector.shape}", f"({size},): {why}")
        return vector

    def packed(self, name, array):
        """A packed triangle, and its side."""
        vector = self.vector(name, array)
        return vector, triangle_side(vector)

    def one(self, name, array, type=None):
        """Memory for one number, of the routine's type or another one."""
        vector = Vector(self.routine, name, array)
        if type is None:
            self._checked(vector)
        elif vector.kind is not self._first.kind:
            vector.check_like(self._first)
        elif vector.type != type:
            vector.refuse(f"dtype {vector.array.dtype}", str(np.dtype(type)))
        if vector.size != 1:
            vector.refuse(f"shape {vector.shape}", "one element")
        return vector

    def new(self, shape, type=None, order="C"):
        """Zeros of the arguments' kind."""
        return zeros_like(self._first, shape, np.dtype(type or self.type), order)

    def result_matrix(self, name, array, shape, why, beta=0, near=()):
        """The result and its factor; zeros where none is given, in an order that `near` have."""
        beta = self.number("beta", beta)
        if array is None:
            order = "C" if all(matrix.ld("C") for matrix in near) else "F"
            return self.matrix(name, self.new(shape, order=order)), 0
        matrix = self.matrix(name, array)
        matrix.check_shape(shape, why)
        return matrix, beta

    def result_vector(self, name, array, size, why, beta=0):
        beta = self.number("beta", beta)
        if array is None:
            return self.vector(name, self.new((size,))), 0
        return self.vector(name, array, size, why), beta

    def number(self, name, value, is_real=False):
        """alpha and the like."""
        if not isinstance(value, (int, float, complex, np.number)) or isinstance(value, bool):
            raise BadInputError(f"{self.routine}: {name}: found {value!r}, expected a number")
        if (is_real or not self.is_complex) and isinstance(value, (complex, np.complexfloating)):
            raise BadInputError(f"{self.routine}: {name}: found {value!r}, expected a number without an imaginary part")
        return value

    def word(self, name, value):
        """The letter for side, uplo, diag or trans_a, in lower case."""
        letters = _LETTERS[name.partition("_")[0]]
        letter = value.lower() if isinstance(value, str) else ""
        if len(letter) != 1 or letter not in letters:
            expected = ", ".join(repr(one) for one in letters)
            raise BadInputError(f"{self.routine}: {name}: found {value!r}, expected one of {expected}")
        return letter

    def trans(self, name, value):
        """The same for op(); the conjugate of a real matrix is the matrix."""
        letter = self.word(name, value)
        return "t" if letter == "c" and not self.is_complex else letter

    def order(self, given, fixed, flexible=()):
        """The order, "C" or "F", in which the matrices are described.

        fixed: those that lie so; flexible: pairs of those that need not, and whether they may be
        described as their transposes instead.
        """
        if given not in (None, "C", "F"):
            raise BadInputError(f"{self.routine}: order: found {given!r}, expected 'C', 'F' or None")
        for order in (given,) if given else ("C", "F"):
            if all(matrix.ld(order) for matrix in fixed) and all(
                matrix.ld(order) or flips for matrix, flips in flexible
            ):
                return order
        order = given or ("C" if not fixed or fixed[0].ld("C") else "F")
        stiff = [*fixed, *(matrix for matrix, flips in flexible if not flips)]
        culprit = next(matrix for matrix in stiff if not matrix.ld(order))
        culprit.refuse(
            f"strides {culprit.strides}",
            f'contiguous {"rows" if order == "C" else "columns"}, for which the order of this call is "{order}"',
        )

    def call(self, operands, result, **options):
        """The Call; `result`: an Operand, or what the caller gets."""
        return Call(self.routine, operands, getattr(result, "array", result), **options)


def turned(matrix, trans):
    """Rows and columns of op(matrix)."""
    rows, columns = matrix.shape
    return (rows, columns) if trans == "n" else (columns, rows)


def oriented(matrix, order, *words):
    """The leading dimension of a matrix in an order, and the words about it: op(), a triangle.

    Where it lies in the other order, it is its transpose that is described, by the other words.
    """
    if matrix.ld(order):
        return (matrix.ld(order), *words)
    return (matrix.ld(OTHER[order]), *(FLIPPED[word] for word in words))


def written(operand, beta):
    """How a result is accessed that is multiplied by beta first: written, or changed."""
    return "w" if beta == 0 and operand.extent == operand.size else "m"
