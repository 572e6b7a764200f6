"""Level 2: a matrix and vectors (Dongarra 1988).

Packed triangles are vectors of n (n + 1) / 2 elements: row by row with order "C" (the default), column
by column with "F". Bands are matrices of their diagonals as reference BLAS has them: an array in C order
has a row of A in each row, A[i, j] at [i, kl + j - i]; one in Fortran order has a column of A in each
column, A[i, j] at [ku + i - j, j].
"""
from kiln.blas._arguments import Arguments, turned
from kiln.blas._calls import routine
from kiln.errors import BadInputError


@routine
def gemv(alpha, a, x, beta=0, y=None, *, trans_a="n", order=None):
    """y := alpha op(A) x + beta y; returns y, a new array where none is given."""
    args = Arguments("gemv")
    a = args.matrix("a", a)
    trans_a = args.trans("trans_a", trans_a)
    rows, columns = turned(a, trans_a)
    x = args.vector("x", x, columns, "op(a)'s columns")
    y, beta = args.result_vector("y", y, rows, "op(a)'s rows", beta)
    order = args.order(order, [a])
    return args.call(
        [("a", a, a.ld(order), "r"), ("x", x, x.increment, "r"), ("y", y, y.increment, "m")],
        y,
        order=order,
        m=a.shape[0],
        n=a.shape[1],
        alpha=args.number("alpha", alpha),
        beta=args.number("beta", beta),
        trans_a=trans_a,
    )


@routine
def gbmv(alpha, a, x, beta=0, y=None, *, kl, ku=None, trans_a="n", order=None):
    """gemv with a band of kl diagonals below the main one and ku above it (None: a has no others).

    Without y, A's sides must be known from a and x: with op() in Fortran order, without it in C order.
    """
    args = Arguments("gbmv")
    a = args.matrix("a", a)
    trans_a = args.trans("trans_a", trans_a)
    order = args.order(order, [a])
    lines, width = a.shape if order == "C" else a.shape[::-1]
    ku = width - 1 - kl if ku is None else ku
    if kl < 0 or ku < 0 or kl + ku + 1 > width:
        a.refuse(f"shape {a.shape} with kl={kl} and ku={ku}", f"kl + ku + 1 at most {width}")
    x = args.vector("x", x)
    side = "m" if order == "C" else "n"
    if y is None and (trans_a == "n") != (order == "C"):
        raise BadInputError("gbmv: y: found None, expected a vector: it says how long a side of a is")
    y_size = y.size if y is not None else lines
    m, n = (y_size, x.size) if trans_a == "n" else (x.size, y_size)
    if lines != (m if side == "m" else n):
        a.refuse(f"shape {a.shape}", f"{m if side == 'm' else n} {'rows' if side == 'm' else 'columns'}")
    y, beta = args.result_vector("y", y, y_size, "op(a)'s rows", beta)
    return args.call(
        [("a", a, a.ld(order), "r"), ("x", x, x.increment, "r"), ("y", y, y.increment, "m")],
        y,
        order=order,
        m=m,
        n=n,
        kl=kl,
        ku=ku,
        alpha=args.number("alpha", alpha),
        beta=args.number("beta", beta),
        trans_a=trans_a,
    )


# --- how a square matrix lies: full, packed, or as a band ---


def _full(args, a, order):
    a = args.square("a", a)
    order = args.order(order, [a])
    return a, a.ld(order), a.shape[0], {"order": order}


def _packed(args, a, order):
    a, n = args.packed("a", a)
    return a, 0, n, {"order": args.order(order, []) if order else "C"}


def _band(args, a, order):
    a = args.matrix("a", a)
    order = args.order(order, [a])
    n, width = a.shape if order == "C" else a.shape[::-1]
    return a, a.ld(order), n, {"order": order, "k": width - 1}


def _mirrored(name, types, lies, alpha, a, x, beta, y, uplo, order):
    args = Arguments(name, types)
    a, stride, n, how = lies(args, a, order)
    x = args.vector("x", x, n, "a's sides")
    y, beta = args.result_vector("y", y, n, "a's sides", beta)
    return args.call(
        [("a", a, stride, "r"), ("x", x, x.increment, "r"), ("y", y, y.increment, "m")],
        y,
        n=n,
        alpha=args.number("alpha", alpha),
        beta=args.number("beta", beta),
        uplo=args.word("uplo", uplo),
        **how,
    )


@routine
def symv(alpha, a, x, beta=0, y=None, *, uplo="u", order=None):
    """y := alpha A x + beta y with a symmetric A, of which the triangle uplo is read; returns y."""
    return _mirrored("symv", "fd", _full, alpha, a, x, beta, y, uplo, order)


@routine
def hemv(alpha, a, x, beta=0, y=None, *, uplo="u", order=None):
    """symv with a Hermitian A."""
    return _mirrored("hemv", "FD", _full, alpha, a, x, beta, y, uplo, order)


@routine
def spmv(alpha, a, x, beta=0, y=None, *, uplo="u", order=None):
    """symv with a packed A."""
    return _mirrored("spmv", "fd", _packed, alpha, a, x, beta, y, uplo, order)


@routine
def hpmv(alpha, a, x, beta=0, y=None, *, uplo="u", order=None):
    """hemv with a packed A."""
    return _mirrored("hpmv", "FD", _packed, alpha, a, x, beta, y, uplo, order)


@routine
def sbmv(alpha, a, x, beta=0, y=None, *, uplo="u", order=None):
    """symv with a band A: n rows (C order) or columns (Fortran order) of its k + 1 diagonals."""
    return _mirrored("sbmv", "fd", _band, alpha, a, x, beta, y, uplo, order)


@routine
def hbmv(alpha, a, x, beta=0, y=None, *, uplo="u", order=None):
    """hemv with a band A, as in sbmv."""
    return _mirrored("hbmv", "FD", _band, alpha, a, x, beta, y, uplo, order)


def _triangular(name, lies, a, x, uplo, trans_a, diag, order):
    args = Arguments(name)
    a, stride, n, how = lies(args, a, order)
    x = args.vector("x", x, n, "a's sides")
    return args.call(
        [("a", a, stride, "r"), ("x", x, x.increment, "m")],
        x,
        n=n,
        uplo=args.word("uplo", uplo),
        trans_a=args.trans("trans_a", trans_a),
        diag=args.word("diag", diag),
        **how,
    )


@routine
def trmv(a, x, *, uplo="u", trans_a="n", diag="n", order=None):
    """x := op(A) x with a triangular A, with ones on its diagonal where diag is "u"; returns x."""
    return _triangular("trmv", _full, a, x, uplo, trans_a, diag, order)


@routine
def tpmv(a, x, *, uplo="u", trans_a="n", diag="n", order=None):
    """trmv with a packed A."""
    return _triangular("tpmv", _packed, a, x, uplo, trans_a, diag, order)


@routine
def tbmv(a, x, *, uplo="u", trans_a="n", diag="n", order=None):
    """trmv with a band A, as in sbmv."""
    return _triangular("tbmv", _band, a, x, uplo, trans_a, diag, order)


@routine
def trsv(a, x, *, uplo="u", trans_a="n", diag="n", order=None):
    """Solves op(A) x = b, where x holds b; A is triangular, whether singular is not tested; returns x."""
    return _triangular("trsv", _full, a, x, uplo, trans_a, diag, order)


@routine
def tpsv(a, x, *, uplo="u", trans_a="n", diag="n", order=None):
    """trsv with a packed A."""
    return _triangular("tpsv", _packed, a, x, uplo, trans_a, diag, order)


@routine
def tbsv(a, x, *, uplo="u", trans_a="n", diag="n", order=None):
    """trsv with a band A, as in sbmv."""
    return _triangular("tbsv", _band, a, x, uplo, trans_a, diag, order)


def _outer(name, types, alpha, x, y, a, order):
    args = Arguments(name, types)
    x, y = args.vector("x", x), args.vector("y", y)
    a, _ = args.result_matrix("a", a, (x.size, y.size), "x's and y's elements")
    order = args.order(order, [a])
    return args.call(
        [("x", x, x.increment, "r"), ("y", y, y.increment, "r"), ("a", a, a.ld(order), "m")],
        a,
        order=order,
        m=x.size,
        n=y.size,
        alpha=args.number("alpha", alpha),
    )


@routine
def ger(alpha, x, y, a=None, *, order=None):
    """A := alpha x y' + A; returns a, a new array where none is given."""
    return _outer("ger", "fdFD", alpha, x, y, a, order)


@routine
def gerc(alpha, x, y, a=None, *, order=None):
    """ger with the conjugates of y."""
    return _outer("gerc", "FD", alpha, x, y, a, order)


def _update(name, types, is_packed, alpha, vectors, a, uplo, order):
    """A symmetric or Hermitian A by one vector or two."""
    args = Arguments(name, types)
    vectors = [(slot, args.vector(slot, array)) for slot, array in vectors]
    n = vectors[0][1].size
    for _, other in vectors[1:]:
        if other.size != n:
            other.refuse(f"shape {other.shape}", f"({n},): as x")
    if a is None:
        a = args.new((n * (n + 1) // 2,) if is_packed else (n, n))
    a, stride, side, how = (_packed if is_packed else _full)(args, a, order)
    if side != n:
        a.refuse(f"shape {a.shape}", f"{n} rows and columns: x's elements")
    return args.call(
        [*((slot, vector, vector.increment, "r") for slot, vector in vectors), ("a", a, stride, "m")],
        a,
        n=n,
        alpha=args.number("alpha", alpha, is_real=name in ("her", "hpr")),
        uplo=args.word("uplo", uplo),
        **how,
    )


@routine
def syr(alpha, x, a=None, *, uplo="u", order=None):
    """A := alpha x x' + A with a symmetric A, of which the triangle uplo is written; returns a."""
    return _update("syr", "fd", False, alpha, [("x", x)], a, uplo, order)


@routine
def her(alpha, x, a=None, *, uplo="u", order=None):
    """syr with a Hermitian A, the conjugates of the second x and a real alpha."""
    return _update("her", "FD", False, alpha, [("x", x)], a, uplo, order)


@routine
def spr(alpha, x, a=None, *, uplo="u", order=None):
    """syr with a packed A."""
    return _update("spr", "fd", True, alpha, [("x", x)], a, uplo, order)


@routine
def hpr(alpha, x, a=None, *, uplo="u", order=None):
    """her with a packed A."""
    return _update("hpr", "FD", True, alpha, [("x", x)], a, uplo, order)


@routine
def syr2(alpha, x, y, a=None, *, uplo="u", order=None):
    """A := alpha x y' + alpha y x' + A with a symmetric A; returns a."""
    return _update("syr2", "fd", False, alpha, [("x", x), ("y", y)], a, uplo, order)


@routine
def her2(alpha, x, y, a=None, *, uplo="u", order=None):
    """A := alpha x y^H + conj(alpha) y x^H + A with a Hermitian A; returns a."""
    return _update("her2", "FD", False, alpha, [("x", x), ("y", y)], a, uplo, order)


@routine
def spr2(alpha, x, y, a=None, *, uplo="u", order=None):
    """syr2 with a packed A."""
    return _update("spr2", "fd", True, alpha, [("x", x), ("y", y)], a, uplo, order)


@routine
def hpr2(alpha, x, y, a=None, *, uplo="u", order=None):
    """her2 with a packed A."""
    return _update("hpr2", "FD", True, alpha, [("x", x), ("y", y)], a, uplo, order)
