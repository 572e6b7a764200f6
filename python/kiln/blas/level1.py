"""Level 1: vectors (Lawson 1979). Contiguous arrays of any shape are vectors of all their elements."""
import numpy as np

from kiln.blas._arguments import REAL_TYPE, Arguments, written
from kiln.blas._calls import routine
from kiln.blas._operands import NUMPY, kind_of


def _two(args, x, y):
    x, y = args.vector("x", x), args.vector("y", y)
    if x.shape != y.shape:
        y.refuse(f"shape {y.shape}", f"{x.shape} as x has")
    return x, y


@routine
def swap(x, y):
    """x and y exchange their elements; returns both."""
    args = Arguments("swap")
    x, y = _two(args, x, y)
    operands = [("x", x, x.increment, "m"), ("y", y, y.increment, "m")]
    return args.call(operands, (x.array, y.array), n=x.size)


@routine
def scal(alpha, x):
    """x := alpha x; returns x. By a real alpha no imaginary part is multiplied."""
    args = Arguments("scal")
    x = args.vector("x", x)
    alpha = args.number("alpha", alpha)
    is_real = args.is_complex and not isinstance(alpha, (complex, np.complexfloating))
    # Which end comes first does not matter.
    return args.call([("x", x, abs(x.increment), "m")], x, n=x.size, alpha=alpha, real_alpha=is_real)


@routine
def copy(x, y=None):
    """y := x; returns y, a new array where none is given."""
    args = Arguments("copy")
    x = args.vector("x", x)
    x, y = _two(args, x.array, args.new(x.shape) if y is None else y)
    return args.call([("x", x, x.increment, "r"), ("y", y, y.increment, written(y, 0))], y, n=x.size)


@routine
def axpy(alpha, x, y):
    """y := alpha x + y; returns y."""
    args = Arguments("axpy")
    x, y = _two(args, x, y)
    operands = [("x", x, x.increment, "r"), ("y", y, y.increment, "m")]
    return args.call(operands, y, n=x.size, alpha=args.number("alpha", alpha))


def _reduction(args, vectors, type, out):
    """A number of NumPy for arrays of NumPy, else memory with it, in `out` where one is given."""
    returns_number = out is None and vectors[0][1].kind is NUMPY
    out = args.one("out", args.new((1,) if returns_number else (), type) if out is None else out, type)
    finish = (lambda: out.array[0]) if returns_number else None
    return args.call([*vectors, ("z", out, 0, "w")], out, n=vectors[0][1].size, finish=finish, type=args.type)


def _product(name, types, x, y, out):
    args = Arguments(name, types)
    x, y = _two(args, x, y)
    return _reduction(args, [("x", x, x.increment, "r"), ("y", y, y.increment, "r")], args.type, out)


@routine
def dot(x, y, out=None):
    """The sum of x[i] y[i], without conjugates.

    A number for NumPy's arrays, else, or where out is given, an array of one element.
    """
    return _product("dot", "fdFD", x, y, out)


@routine
def dotc(x, y, out=None):
    """The sum of conj(x[i]) y[i], as dot returns it."""
    return _product("dotc", "FD", x, y, out)


@routine
def nrm2(x, out=None):
    """The Euclidean norm, of a real type, as dot returns it; it neither overflows nor underflows on its way."""
    args = Arguments("nrm2")
    x = args.vector("x", x)
    return _reduction(args, [("x", x, abs(x.increment), "r")], REAL_TYPE[args.type], out)


@routine
def asum(x, out=None):
    """The sum of |Re x[i]| + |Im x[i]|, of a real type, as dot returns it."""
    args = Arguments("asum")
    x = args.vector("x", x)
    return _reduction(args, [("x", x, abs(x.increment), "r")], REAL_TYPE[args.type], out)


@routine
def iamax(x, out=None):
    """The index of the first element with the largest |Re x[i]| + |Im x[i]|.

    An int that counts from 0 for NumPy's arrays; else, or where out is given, an array of one uint32 that
    counts from 1, as BLAS has it.
    """
    args = Arguments("iamax")
    x = args.vector("x", x)
    if x.increment < 0:
        x.refuse(f"stride {x.increment}", "a positive one")
    call = _reduction(args, [("x", x, x.increment, "r")], "I", out)
    if call.finish:
        call.finish = lambda: int(call.result[0]) - 1
    return call


@routine
def rot(x, y, c, s):
    """Rotates the points (x[i], y[i]): x := c x + s y, y := c y - s x; returns both. c and s are real."""
    args = Arguments("rot")
    x, y = _two(args, x, y)
    operands = [("x", x, x.increment, "m"), ("y", y, y.increment, "m")]
    c, s = args.number("c", c, is_real=True), args.number("s", s, is_real=True)
    return args.call(operands, (x.array, y.array), n=x.size, alpha=c, beta=s)


def _as_arrays(numbers):
    """Numbers as arrays of one element; arrays as they are, and whether all were numbers."""
    if any(kind_of(number) is not None for number in numbers):
        return numbers, False
    type = np.result_type(*numbers)
    type = type if type.char in "fdFD" else np.result_type(type, np.float64)
    return [np.array([number], type) for number in numbers], True


def _rotation(args, operands, are_numbers):
    """The call, which returns all operands: as numbers, where these were."""
    arrays = tuple(operand.array for _, operand, *_ in operands)
    finish = None
    if are_numbers:
        finish = lambda: tuple(array[0] if array.size == 1 else array for array in arrays)
    return args.call(operands, arrays, finish=finish, type=args.type)


@routine
def rotg(a, b, c=None, s=None):
    """The plane rotation that takes (a, b) to (r, 0); returns (r, z, c, s).

    Of numbers: numbers. Arrays of one element are changed in place: a becomes r and, of real types, b the z
    from which c and s can be had again. c is real.
    """
    args = Arguments("rotg")
    (a, b), are_numbers = _as_arrays([a, b])
    a, b = args.one("a", a), args.one("b", b)
    real = REAL_TYPE[args.type]
    c = args.one("c", args.new((1,), real) if c is None else c, real)
    s = args.one("s", args.new((1,)) if s is None else s)
    return _rotation(args, [("x", a, 0, "m"), ("y", b, 0, "m"), ("z", c, 0, "w"), ("w", s, 0, "w")], are_numbers)


@routine
def rotmg(d1, d2, x1, y1, param=None):
    """The modified rotation that takes (sqrt(d1) x1, sqrt(d2) y1) to (r, 0); returns (d1, d2, x1, y1, param).

    Of numbers: numbers, and param as an array. Arrays of one element are changed in place. param are five
    numbers, the first of which tells the others' form.
    """
    args = Arguments("rotmg", "fd")
    arrays, are_numbers = _as_arrays([d1, d2, x1, y1])
    d1, d2, x1, y1 = (args.one(name, array) for name, array in zip(("d1", "d2", "x1", "y1"), arrays))
    param = args.vector("param", args.new((5,)) if param is None else param, 5, "the form and four numbers")
    operands = [("a", d1, 0, "m"), ("b", d2, 0, "m"), ("x", x1, 0, "m"), ("y", y1, 0, "r")]
    return _rotation(args, [*operands, ("z", param, 0, "w")], are_numbers)


@routine
def rotm(x, y, param):
    """Applies the modified rotation that rotmg puts into param to the points (x[i], y[i]); returns both."""
    args = Arguments("rotm", "fd")
    x, y = _two(args, x, y)
    param = args.vector("param", param, 5, "the form and four numbers")
    operands = [("x", x, x.increment, "m"), ("y", y, y.increment, "m"), ("z", param, 0, "r")]
    return args.call(operands, (x.array, y.array), n=x.size)
