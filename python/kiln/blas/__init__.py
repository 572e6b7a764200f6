"""BLAS on OpenCL devices, for arrays of NumPy, kiln and pyopencl.

    from kiln import blas
    c = blas.gemm(1.0, a, b)                         # a @ b
    blas.gemm(1.0, a, b, 0.5, c, trans_a="t")        # in place
    blas.dot(x, y)

All routines of the three levels, by BLAS's names without the letter of the precision: elements are
float32, float64, complex64 or complex128, the same in all arrays of a call. Sizes and leading dimensions are
taken from the arrays: rows or columns of matrices are contiguous, views of transposes and of rows and
vectors of any stride are not copied. Arrays that are written must not overlap others.

Arrays of a call are of one kind. With NumPy's the call returns when the result is there. With a
kiln.Array's or pyopencl's it is enqueued, with no transfer: Arrays know, and to those of pyopencl the
event is added; those of pyopencl run on their queue.

Keywords of all routines:
  runtime   where arrays of NumPy go: a kiln.Runtime; None: one over all devices, made once
  queue     one of the Runtime's or pyopencl's queues; None: the first device's, the arrays'
  after     events of kiln or pyopencl that must be complete before
  order     "C" or "F": how matrices are described to BLAS; None: as they lie

Letters that routines take, of either case, as BLAS does, and nothing else:
  trans_a, trans_b   "n": the matrix itself; "t": its transpose; "c": its conjugate transpose
  uplo               "u", "l": the upper or the lower triangle
  diag               "u": ones on the diagonal, which is not read; "n": as it is
  side               "l", "r": the matrix a stands left or right of b

Thread-safe for arrays that no two threads use at once. Raises kiln.BadInputError, with the argument, what
was found and what was expected; UnsupportedError where a device has no double precision; BuildError,
DeviceError.
"""
from kiln.blas._calls import Plan, explain, plan
from kiln.blas.level1 import asum, axpy, copy, dot, dotc, iamax, nrm2, rot, rotg, rotm, rotmg, scal, swap
from kiln.blas.level2 import (
    gbmv,
    gemv,
    ger,
    gerc,
    hbmv,
    hemv,
    her,
    her2,
    hpmv,
    hpr,
    hpr2,
    sbmv,
    spmv,
    spr,
    spr2,
    symv,
    syr,
    syr2,
    tbmv,
    tbsv,
    tpmv,
    tpsv,
    trmv,
    trsv,
)
from kiln.blas.level3 import gemm, hemm, her2k, herk, symm, syr2k, syrk, trmm, trsm

__all__ = [
    "Plan",
    "asum",
    "axpy",
    "copy",
    "dot",
    "dotc",
    "explain",
    "gbmv",
    "gemm",
    "gemv",
    "ger",
    "gerc",
    "hbmv",
    "hemm",
    "hemv",
    "her",
    "her2",
    "her2k",
    "herk",
    "hpmv",
    "hpr",
    "hpr2",
    "iamax",
    "nrm2",
    "plan",
    "rot",
    "rotg",
    "rotm",
    "rotmg",
    "sbmv",
    "scal",
    "spmv",
    "spr",
    "spr2",
    "swap",
    "symm",
    "symv",
    "syr",
    "syr2",
    "syr2k",
    "syrk",
    "tbmv",
    "tbsv",
    "tpmv",
    "tpsv",
    "trmm",
    "trmv",
    "trsm",
    "trsv",
]
