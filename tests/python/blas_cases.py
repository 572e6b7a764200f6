"""Random calls of every routine of kiln.blas, and what NumPy computes for each."""
import numpy as np

from kiln import blas


class Cases:
    """Data of one element type from a generator of random numbers."""

    def __init__(self, rng, dtype):
        self.rng = rng
        self.dtype = np.dtype(dtype)
        self.is_complex = self.dtype.kind == "c"
        self.order = self.choice("CF")

    def choice(self, values):
        return values[self.rng.integers(len(values))]

    def size(self):
        return int(self.rng.integers(1, 90 if self.rng.random() < 0.1 else 25))

    def sizes(self, count):
        return [self.size() for _ in range(count)]

    def number(self):
        value = self.choice([0, 1, -0.75, 2.5])
        return complex(value, 0.5) if self.is_complex and self.rng.random() < 0.5 else value

    def real(self):
        return self.choice([0, 1, -0.75, 2.5])

    def values(self, *shape):
        made = self.rng.integers(-8, 9, shape) / 4
        if self.is_complex:
            made = made + 1j * self.rng.integers(-8, 9, shape) / 4
        return made.astype(self.dtype)

    def matrix(self, rows, columns, values=None, order=None):
        """A view in which rows, or columns, are contiguous; part of a larger array or all of it."""
        order = order or self.order
        extra_rows, extra_columns, step = (0, 0, 1) if self.rng.random() < 0.4 else (2, 3, self.choice([1, 2]))
        lines, length = (rows, columns) if order == "C" else (columns, rows)
        parent = self.values(lines * step + extra_rows, length + extra_columns)
        view = parent[extra_rows // 2 : extra_rows // 2 + lines * step : step, extra_columns // 3 :][:, :length]
        view = view if order == "C" else view.T
        if values is not None:
            view[:] = values
        assert view.shape == (rows, columns)
        return view

    def any_matrix(self, rows, columns):
        return self.matrix(rows, columns, order=self.choice("CF"))

    def vector(self, size, values=None, increments=(1, 1, 2, 3, -1, -2)):
        increment = self.choice(increments)
        parent = self.values(size * abs(increment) + 3)
        view = parent[1 : 1 + size * abs(increment)][::increment]
        if values is not None:
            view[:] = values
        assert view.shape == (size,)
        return view

    def block(self, values):
        """Contiguous, somewhere in a larger array."""
        parent = self.values(len(values) + 2)
        parent[1:-1] = values
        return parent[1:-1]

    # --- square matrices of which a part is given ---

    def words(self, *names):
        letters = {"trans_a": "ntc", "trans_b": "ntc", "uplo": "ul", "diag": "un", "side": "lr"}
        return {name: self.choice(letters[name]) for name in names}

    def symmetric(self, n, hermitian=False):
        values = self.values(n, n)
        values = values + (values.conj() if hermitian else values).T
        return values

    def triangular(self, n, uplo, diag):
        """Well conditioned."""
        values = np.triu(self.values(n, n)) / (4 * n)
        np.fill_diagonal(values, 1 if diag == "u" else 2 + np.abs(self.values(n).real))
        return values if uplo == "u" else values.T

    def banded(self, values, k_low, k_up):
        rows, columns = np.indices(values.shape)
        return np.where((columns - rows <= k_up) & (rows - columns <= k_low), values, 0)

    def as_triangle(self, values, uplo, diag="n"):
        """The elements that are read, and NaN elsewhere."""
        rows, columns = np.indices(values.shape)
        is_given = columns >= rows if uplo == "u" else columns <= rows
        if diag == "u":
            is_given &= columns != rows
        return np.where(is_given, values, np.nan).astype(self.dtype)

    def as_packed(self, values, uplo, order):
        """Row by row, or column by column."""
        lines = values if order == "C" else values.T
        is_upper = (uplo == "u") == (order == "C")
        return np.concatenate([line[i:] if is_upper else line[: i + 1] for i, line in enumerate(lines)])

    def as_band(self, values, kl, ku, order):
        """A row of the matrix in each row, or a column in each column; NaN where nothing is."""
        m, n = values.shape
        band = np.full((m, kl + ku + 1) if order == "C" else (kl + ku + 1, n), np.nan, self.dtype)
        for i in range(m):
            for j in range(max(0, i - kl), min(n, i + ku + 1)):
                band[(i, kl + j - i) if order == "C" else (ku + i - j, j)] = values[i, j]
        return self.matrix(*band.shape, band, order)


def op(matrix, trans):
    return {"n": matrix, "t": matrix.T, "c": matrix.conj().T}[trans]


def wide(values):
    """In double precision."""
    return np.asarray(values).astype(np.complex128 if np.asarray(values).dtype.kind == "c" else np.float64)


# Each gives (function, arguments, keywords, expected results); results are those that the function returns.


def gemm(g):
    m, n, k = g.sizes(3)
    words = g.words("trans_a", "trans_b")
    is_free = {name: not g.is_complex or words[name] != "c" for name in words}
    make = {name: g.any_matrix if is_free[name] else g.matrix for name in words}
    a = make["trans_a"](*((m, k) if words["trans_a"] == "n" else (k, m)))
    b = make["trans_b"](*((k, n) if words["trans_b"] == "n" else (n, k)))
    c, alpha, beta = g.matrix(m, n), g.number(), g.number()
    expected = alpha * op(wide(a), words["trans_a"]) @ op(wide(b), words["trans_b"]) + beta * wide(c)
    return blas.gemm, (alpha, a, b, beta, c), words, [expected]


def sided(g, function, hermitian):
    m, n = g.sizes(2)
    words = g.words("side", "uplo")
    values = g.symmetric(m if words["side"] == "l" else n, hermitian)
    order = g.order if hermitian else g.choice("CF")
    a = g.matrix(*values.shape, g.as_triangle(values, words["uplo"]), order)
    b, c, alpha, beta = g.matrix(m, n), g.matrix(m, n), g.number(), g.number()
    product = wide(values) @ wide(b) if words["side"] == "l" else wide(b) @ wide(values)
    return function, (alpha, a, b, beta, c), words, [alpha * product + beta * wide(c)]


def triangular_matrix(g, function):
    m, n = g.sizes(2)
    words = g.words("side", "uplo", "trans_a", "diag")
    values = g.triangular(m if words["side"] == "l" else n, words["uplo"], words["diag"])
    order = g.order if g.is_complex and words["trans_a"] == "c" else g.choice("CF")
    a = g.matrix(*values.shape, g.as_triangle(values, words["uplo"], words["diag"]), order)
    b, alpha = g.matrix(m, n), g.number()
    turned = op(wide(values), words["trans_a"])
    if function is blas.trsm:
        turned = np.linalg.inv(turned)
    product = turned @ wide(b) if words["side"] == "l" else wide(b) @ turned
    return function, (alpha, a, b), words, [alpha * product]


def rank_k(g, function, hermitian, count):
    n, k = g.sizes(2)
    words = {"uplo": g.choice("ul"), "trans_a": g.choice("nc" if hermitian else "nt")}
    order = g.order if hermitian else g.choice("CF")
    shape = (n, k) if words["trans_a"] == "n" else (k, n)
    factors = [g.matrix(*shape, order=order) for _ in range(count)]
    c = g.matrix(n, n, g.symmetric(n, hermitian))
    alpha = g.real() if hermitian and count == 1 else g.number()
    beta = g.real() if hermitian else g.number()
    first, second = wide(op(factors[0], words["trans_a"])), wide(op(factors[-1], words["trans_a"]))
    turn = np.conj if hermitian else np.asarray
    update = alpha * first @ turn(second).T
    if count == 2:
        update = update + turn(alpha) * second @ turn(first).T
    rows, columns = np.indices((n, n))
    is_written = columns >= rows if words["uplo"] == "u" else columns <= rows
    expected = np.where(is_written, update + beta * wide(c), wide(c))
    return function, (alpha, *factors, beta, c), words, [expected]


def gemv(g):
    m, n = g.sizes(2)
    words = g.words("trans_a")
    a = g.matrix(m, n)
    x, y = (g.vector(size) for size in ((n, m) if words["trans_a"] == "n" else (m, n)))
    alpha, beta = g.number(), g.number()
    expected = alpha * op(wide(a), words["trans_a"]) @ wide(x) + beta * wide(y)
    return blas.gemv, (alpha, a, x, beta, y), words, [expected]


def gbmv(g):
    m, n = g.sizes(2)
    kl, ku = int(g.rng.integers(m)), int(g.rng.integers(n))
    words = g.words("trans_a")
    values = g.banded(g.values(m, n), kl, ku)
    x, y = (g.vector(size) for size in ((n, m) if words["trans_a"] == "n" else (m, n)))
    alpha, beta = g.number(), g.number()
    expected = alpha * op(wide(values), words["trans_a"]) @ wide(x) + beta * wide(y)
    # A band may look like both orders, as of 1 x 1 matrices.
    words.update(kl=kl, ku=ku, order=g.order)
    return blas.gbmv, (alpha, g.as_band(values, kl, ku, g.order), x, beta, y), words, [expected]


def lying(g, lies, values, uplo, diag="n", k=0):
    """A square matrix as an argument: full, packed or as a band, and what must be said of it."""
    if lies == "full":
        return g.matrix(*values.shape, g.as_triangle(values, uplo, diag)), {}
    given = g.as_triangle(values, "u", diag) if diag == "u" else values
    if diag == "u" and uplo == "l":
        given = g.as_triangle(values, "l", diag)
    if lies == "packed":
        return g.block(g.as_packed(given, uplo, g.order)), {"order": g.order}
    low, up = (0, k) if uplo == "u" else (k, 0)
    return g.as_band(given, low, up, g.order), {"order": g.order}


def mirrored(g, function, lies, hermitian):
    n = g.size()
    k = int(g.rng.integers(n))
    uplo = g.choice("ul")
    values = g.symmetric(n, hermitian)
    if lies == "band":
        values = g.banded(values, k, k).astype(g.dtype)
    a, how = lying(g, lies, values, uplo, k=k)
    x, y, alpha, beta = g.vector(n), g.vector(n), g.number(), g.number()
    expected = alpha * wide(values) @ wide(x) + beta * wide(y)
    return function, (alpha, a, x, beta, y), {"uplo": uplo, **how}, [expected]


def triangular_vector(g, function, lies, solves):
    n = g.size()
    k = int(g.rng.integers(n))
    words = g.words("uplo", "trans_a", "diag")
    values = g.triangular(n, words["uplo"], words["diag"])
    if lies == "band":
        values = g.banded(values, k, k)
    values = values.astype(g.dtype)
    a, how = lying(g, lies, values, words["uplo"], words["diag"], k)
    turned = op(wide(values), words["trans_a"])
    x = g.vector(n)
    expected = np.linalg.solve(turned, wide(x)) if solves else turned @ wide(x)
    return function, (a, x), {**words, **how}, [expected]


def outer(g, function, conjugates):
    m, n = g.sizes(2)
    x, y, a, alpha = g.vector(m), g.vector(n), g.matrix(m, n), g.number()
    expected = alpha * np.outer(wide(x), wide(y.conj() if conjugates else y)) + wide(a)
    return function, (alpha, x, y, a), {}, [expected]


def rank_1(g, function, lies, hermitian, count):
    n = g.size()
    uplo = g.choice("ul")
    values = g.symmetric(n, hermitian)
    vectors = [g.vector(n) for _ in range(count)]
    alpha = g.real() if hermitian and count == 1 else g.number()
    turn = np.conj if hermitian else np.asarray
    update = alpha * np.outer(wide(vectors[0]), turn(wide(vectors[-1])))
    if count == 2:
        update = update + turn(alpha) * np.outer(wide(vectors[1]), turn(wide(vectors[0])))
    rows, columns = np.indices((n, n))
    is_written = columns >= rows if uplo == "u" else columns <= rows
    expected = np.where(is_written, update + wide(values), wide(values))
    if lies == "packed":
        a = g.block(g.as_packed(values, uplo, g.order))
        words = {"uplo": uplo, "order": g.order}
        return function, (alpha, *vectors, a), words, [g.as_packed(expected, uplo, g.order)]
    return function, (alpha, *vectors, g.matrix(n, n, values)), {"uplo": uplo}, [expected]


def swap(g):
    n = g.size()
    x, y = g.vector(n), g.vector(n)
    return blas.swap, (x, y), {}, [y.copy(), x.copy()]


def scal(g):
    x, alpha = g.vector(g.size()), g.number()
    return blas.scal, (alpha, x), {}, [alpha * wide(x)]


def copy(g):
    n = g.size()
    x, y = g.vector(n), g.vector(n)
    return blas.copy, (x, y), {}, [x.copy()]


def axpy(g):
    n = g.size()
    x, y, alpha = g.vector(n), g.vector(n), g.number()
    return blas.axpy, (alpha, x, y), {}, [alpha * wide(x) + wide(y)]


def dot(g, function, conjugates):
    n = g.size()
    x, y = g.vector(n), g.vector(n)
    return function, (x, y), {}, [np.sum(wide(x.conj() if conjugates else x) * wide(y))]


def nrm2(g):
    x = g.vector(g.size())
    return blas.nrm2, (x,), {}, [np.linalg.norm(wide(x))]


def asum(g):
    x = g.vector(g.size())
    return blas.asum, (x,), {}, [np.sum(np.abs(wide(x.real)) + np.abs(wide(x.imag)))]


def iamax(g):
    x = g.vector(g.size(), increments=(1, 2, 3))
    return blas.iamax, (x,), {}, [np.argmax(np.abs(x.real) + np.abs(x.imag))]


def rot(g):
    n = g.size()
    x, y = g.vector(n), g.vector(n)
    c, s = 0.6, -0.8
    return blas.rot, (x, y, c, s), {}, [c * wide(x) + s * wide(y), c * wide(y) - s * wide(x)]


def rotm(g):
    n = g.size()
    x, y = g.vector(n), g.vector(n)
    h = np.array([[0.5, -0.25], [0.75, 2.0]])
    param = np.array([-1, h[0, 0], h[1, 0], h[0, 1], h[1, 1]], g.dtype)
    expected = h @ np.stack([wide(x), wide(y)])
    return blas.rotm, (x, y, g.block(param)), {}, list(expected)



ALL, REAL, COMPLEX = "fdFD", "fd", "FD"
ROUTINES = {
    "swap": (ALL, swap),
    "scal": (ALL, scal),
    "copy": (ALL, copy),
    "axpy": (ALL, axpy),
    "dot": (ALL, lambda g: dot(g, blas.dot, False)),
    "dotc": (COMPLEX, lambda g: dot(g, blas.dotc, True)),
    "nrm2": (ALL, nrm2),
    "asum": (ALL, asum),
    "iamax": (ALL, iamax),
    "rot": (ALL, rot),
    "rotm": (REAL, rotm),
    "gemv": (ALL, gemv),
    "gbmv": (ALL, gbmv),
    "symv": (REAL, lambda g: mirrored(g, blas.symv, "full", False)),
    "hemv": (COMPLEX, lambda g: mirrored(g, blas.hemv, "full", True)),
    "spmv": (REAL, lambda g: mirrored(g, blas.spmv, "packed", False)),
    "hpmv": (COMPLEX, lambda g: mirrored(g, blas.hpmv, "packed", True)),
    "sbmv": (REAL, lambda g: mirrored(g, blas.sbmv, "band", False)),
    "hbmv": (COMPLEX, lambda g: mirrored(g, blas.hbmv, "band", True)),
    "trmv": (ALL, lambda g: triangular_vector(g, blas.trmv, "full", False)),
    "tpmv": (ALL, lambda g: triangular_vector(g, blas.tpmv, "packed", False)),
    "tbmv": (ALL, lambda g: triangular_vector(g, blas.tbmv, "band", False)),
    "trsv": (ALL, lambda g: triangular_vector(g, blas.trsv, "full", True)),
    "tpsv": (ALL, lambda g: triangular_vector(g, blas.tpsv, "packed", True)),
    "tbsv": (ALL, lambda g: triangular_vector(g, blas.tbsv, "band", True)),
    "ger": (ALL, lambda g: outer(g, blas.ger, False)),
    "gerc": (COMPLEX, lambda g: outer(g, blas.gerc, True)),
    "syr": (REAL, lambda g: rank_1(g, blas.syr, "full", False, 1)),
    "her": (COMPLEX, lambda g: rank_1(g, blas.her, "full", True, 1)),
    "spr": (REAL, lambda g: rank_1(g, blas.spr, "packed", False, 1)),
    "hpr": (COMPLEX, lambda g: rank_1(g, blas.hpr, "packed", True, 1)),
    "syr2": (REAL, lambda g: rank_1(g, blas.syr2, "full", False, 2)),
    "her2": (COMPLEX, lambda g: rank_1(g, blas.her2, "full", True, 2)),
    "spr2": (REAL, lambda g: rank_1(g, blas.spr2, "packed", False, 2)),
    "hpr2": (COMPLEX, lambda g: rank_1(g, blas.hpr2, "packed", True, 2)),
    "gemm": (ALL, gemm),
    "symm": (ALL, lambda g: sided(g, blas.symm, False)),
    "hemm": (COMPLEX, lambda g: sided(g, blas.hemm, True)),
    "trmm": (ALL, lambda g: triangular_matrix(g, blas.trmm)),
    "trsm": (ALL, lambda g: triangular_matrix(g, blas.trsm)),
    "syrk": (ALL, lambda g: rank_k(g, blas.syrk, False, 1)),
    "herk": (COMPLEX, lambda g: rank_k(g, blas.herk, True, 1)),
    "syr2k": (ALL, lambda g: rank_k(g, blas.syr2k, False, 2)),
    "her2k": (COMPLEX, lambda g: rank_k(g, blas.her2k, True, 2)),
}
