"""Level 3: matrices (Dongarra 1990)."""
from kiln.blas._arguments import FLIPPED, OTHER, Arguments, oriented, turned, written
from kiln.blas._calls import routine
from kiln.blas._products import ProductArguments


@routine
def gemm(
    alpha,
    a,
    b,
    beta=0,
    c=None,
    *,
    trans_a="n",
    trans_b="n",
    order=None,
    bias=None,
    scale=None,
    activation=None,
    residual=None,
    group_a=None,
    scale_a=None,
    group_b=None,
    scale_b=None,
    stored_a=None,
    stored_b=None,
    stored_c=None,
    invariant=False,
    emulated=False,
):
    """C := alpha op(A) op(B) + beta C; returns c, a new array where none is given.

    op(A) is m x k, op(B) k x n, c m x n. With beta = 0, c is not read. Arrays of three axes are a batch:
    items x rows x columns; one of two axes serves all items.

    a, b and c may be of other types than one another: float32, float16, int8; c int32, too (with int8
    factors, exactly). The product is then computed in float32. stored_a, stored_b, stored_c say what the
    type of an array does not: "bfloat16" of uint16; "e4m3", "e5m2", "int4" (two in a byte) of uint8.
    A new c is int32 of two int8 factors, float16 of two halves, else float32.
    group_a: so many elements of a row of op(A) along k share a scale, of scale_a: float16, m x groups;
    group_b and scale_b for the columns of op(B): n x groups.

    What each element then goes through: activation(scale * value + bias) + residual. bias and scale are
    (n,), one for each column, or (m, 1), one for each row; activation "relu", "gelu", "silu"; residual is
    as c.

    invariant: the bits of an element depend on its row, its column and k alone. emulated: products of
    float64 and complex128 by way of int8, where that is as exact. Not both: one row that int8 do not
    suit has all of the product computed with doubles.
    """
    args = ProductArguments("gemm", {"a": stored_a, "b": stored_b, "c": stored_c})
    a, b = args.matrix("a", a), args.matrix("b", b)
    trans_a, trans_b = args.trans("trans_a", trans_a), args.trans("trans_b", trans_b)
    m, k = turned(a, trans_a)
    b.check_shape((k, None) if trans_b == "n" else (None, k), f"op(a) has {k} columns")
    n = turned(b, trans_b)[1]
    args.add_groups("a", group_a, scale_a, m, k)
    args.add_groups("b", group_b, scale_b, n, k)
    items = args.items_of(a, b)
    beta = args.number("beta", beta)
    if c is None:
        near = [matrix for matrix, trans in ((a, trans_a), (b, trans_b)) if trans == "c"]
        lies = "C" if items or all(matrix.ld("C") for matrix in near) else "F"
        c, beta = args.new_result((m, n), items, (a, b), lies), 0
    c = args.matrix("c", c)
    c.check_shape((m, n), "rows of op(a), columns of op(b)")
    residuals = args.add_epilogue(c, bias, scale, activation, residual)
    items = args.items_of(a, b, c, *residuals) or 1
    if items > 1 and c.items == 1:
        c.refuse(f"shape {c.shape}", f"({items}, {m}, {n}): a result for each item")
    order = args.order(order, [c, *residuals], [(a, trans_a != "c"), (b, trans_b != "c")])
    lda, trans_a = oriented(a, order, trans_a)
    ldb, trans_b = oriented(b, order, trans_b)
    return args.call(
        [
            ("a", a, lda, "r"),
            ("b", b, ldb, "r"),
            *args.operands,
            *(("residual", matrix, matrix.ld(order), "r") for matrix in residuals),
            ("c", c, c.ld(order), written(c, beta)),
        ],
        c,
        type=args.type,
        order=order,
        m=m,
        n=n,
        k=k,
        alpha=args.number("alpha", alpha),
        beta=beta,
        trans_a=trans_a,
        trans_b=trans_b,
        product=args.product(items, invariant, emulated),
    )


def _symmetric(name, types, alpha, a, b, beta, c, side, uplo, order):
    args = Arguments(name, types)
    a, b = args.square("a", a), args.matrix("b", b)
    side, uplo = args.word("side", side), args.word("uplo", uplo)
    m, n = b.shape
    expected = m if side == "l" else n
    a.check_shape((expected, expected), f"b has {expected} {'rows' if side == 'l' else 'columns'}")
    c, beta = args.result_matrix("c", c, (m, n), "as b", beta, [b] if name == "symm" else [a, b])
    # A Hermitian matrix that lies in the other order is read as its conjugate.
    order = args.order(order, [c, b], [(a, name == "symm")])
    lda, uplo = oriented(a, order, uplo)
    return args.call(
        [("a", a, lda, "r"), ("b", b, b.ld(order), "r"), ("c", c, c.ld(order), written(c, beta))],
        c,
        order=order,
        m=m,
        n=n,
        alpha=args.number("alpha", alpha),
        beta=args.number("beta", beta),
        side=side,
        uplo=uplo,
    )


@routine
def symm(alpha, a, b, beta=0, c=None, *, side="l", uplo="u", order=None):
    """C := alpha A B + beta C, or alpha B A + beta C with side "r"; returns c.

    A is symmetric; of it the triangle uplo is read. b and c are m x n.
    """
    return _symmetric("symm", "fdFD", alpha, a, b, beta, c, side, uplo, order)


@routine
def hemm(alpha, a, b, beta=0, c=None, *, side="l", uplo="u", order=None):
    """symm with a Hermitian A."""
    return _symmetric("hemm", "FD", alpha, a, b, beta, c, side, uplo, order)


def _triangular(name, alpha, a, b, side, uplo, trans_a, diag, order):
    args = Arguments(name)
    a, b = args.square("a", a), args.matrix("b", b)
    side, uplo, diag = args.word("side", side), args.word("uplo", uplo), args.word("diag", diag)
    trans_a = args.trans("trans_a", trans_a)
    m, n = b.shape
    expected = m if side == "l" else n
    a.check_shape((expected, expected), f"b has {expected} {'rows' if side == 'l' else 'columns'}")
    order = args.order(order, [b], [(a, trans_a != "c")])
    lda, uplo, trans_a = oriented(a, order, uplo, trans_a)
    return args.call(
        [("a", a, lda, "r"), ("b", b, b.ld(order), "m")],
        b,
        order=order,
        m=m,
        n=n,
        alpha=args.number("alpha", alpha),
        side=side,
        uplo=uplo,
        trans_a=trans_a,
        diag=diag,
    )


@routine
def trmm(alpha, a, b, *, side="l", uplo="u", trans_a="n", diag="n", order=None):
    """B := alpha op(A) B, or alpha B op(A) with side "r"; returns b.

    A is triangular, with ones on its diagonal where diag is "u".
    """
    return _triangular("trmm", alpha, a, b, side, uplo, trans_a, diag, order)


@routine
def trsm(alpha, a, b, *, side="l", uplo="u", trans_a="n", diag="n", order=None):
    """Solves op(A) X = alpha B, or X op(A) = alpha B with side "r"; X takes the place of b.

    A is triangular; whether it is singular is not tested. Returns b.
    """
    return _triangular("trsm", alpha, a, b, side, uplo, trans_a, diag, order)


def _order_of_update(args, given, c, factors, flips):
    """The order of the call, and the one in which all factors lie: with `flips` it may be the other."""
    for order in (given,) if given else ("C", "F"):
        for lies_in in (order, OTHER[order]) if flips else (order,):
            if c.ld(order) and all(matrix.ld(lies_in) for matrix in factors):
                return order, lies_in
    return args.order(given, [c, *factors]), given  # says what does not fit


def _rank_k(name, types, alpha, factors, beta, c, uplo, trans_a, order):
    """Updates of a symmetric or Hermitian C by one factor or two; these lie alike."""
    args = Arguments(name, types)
    is_hermitian = name in ("herk", "her2k")
    factors = [(slot, args.matrix(slot, array)) for slot, array in factors]
    a = factors[0][1]
    trans_a, uplo = args.trans("trans_a", trans_a), args.word("uplo", uplo)
    n, k = turned(a, trans_a)
    for _, other in factors[1:]:
        other.check_shape(a.shape, "as a")
    near = [matrix for _, matrix in factors] if is_hermitian else []
    c, beta = args.result_matrix("c", c, (n, n), "rows of op(a), twice", beta, near)
    matrices = [matrix for _, matrix in factors]
    order, lies_in = _order_of_update(args, order, c, matrices, not is_hermitian and trans_a != "c")
    if lies_in != order:
        trans_a = FLIPPED[trans_a]
    return args.call(
        [
            *((slot, matrix, matrix.ld(lies_in), "r") for slot, matrix in factors),
            ("c", c, c.ld(order), "m"),
        ],
        c,
        order=order,
        n=n,
        k=k,
        alpha=args.number("alpha", alpha, is_real=name == "herk"),
        beta=args.number("beta", beta, is_real=is_hermitian),
        uplo=uplo,
        trans_a=trans_a,
    )


@routine
def syrk(alpha, a, beta=0, c=None, *, uplo="u", trans_a="n", order=None):
    """C := alpha A A' + beta C, or alpha A' A + beta C with trans_a "t"; returns c.

    C is n x n and symmetric; of it the triangle uplo is written.
    """
    return _rank_k("syrk", "fdFD", alpha, [("a", a)], beta, c, uplo, trans_a, order)


@routine
def herk(alpha, a, beta=0, c=None, *, uplo="u", trans_a="n", order=None):
    """syrk with conjugates: C is Hermitian, alpha and beta are real, trans_a is "n" or "c"."""
    return _rank_k("herk", "FD", alpha, [("a", a)], beta, c, uplo, trans_a, order)


@routine
def syr2k(alpha, a, b, beta=0, c=None, *, uplo="u", trans_a="n", order=None):
    """C := alpha A B' + alpha B A' + beta C, or the transposes first with trans_a "t"; returns c.

    C is n x n and symmetric; of it the triangle uplo is written.
    """
    return _rank_k("syr2k", "fdFD", alpha, [("a", a), ("b", b)], beta, c, uplo, trans_a, order)


@routine
def her2k(alpha, a, b, beta=0, c=None, *, uplo="u", trans_a="n", order=None):
    """C := alpha A B^H + conj(alpha) B A^H + beta C; C is Hermitian, beta real; returns c.

    With trans_a "c": alpha A^H B + conj(alpha) B^H A + beta C.
    """
    return _rank_k("her2k", "FD", alpha, [("a", a), ("b", b)], beta, c, uplo, trans_a, order)
