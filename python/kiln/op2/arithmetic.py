"""Arithmetic of data on sets: on the device, after the loops that were called before."""
import numbers

import numpy as np

from kiln.op2.global_data import Global
from kiln.op2.trace import trace


class DatArithmetic:
    """What Dats have of it. A result has the left operand's type; numbers may stand on either side.

    A class with it has `_whole`, the device's data; `_used(writes)`; `_copied()` and `_zeros(dtype)`.
    """

    __array_ufunc__ = None  # numbers of NumPy leave operations to this class

    def zero(self, subset=None):
        """All values become 0, or those of a Subset."""
        trace.evaluate((), (self,))
        if not self._is_empty:
            if subset is None:
                self._whole.fill(0)
            else:
                self._whole.zero(subset._subset())
        self._used(writes=True)

    def copy(self, other, subset=None):
        """The values go to another Dat, all or those of a Subset."""
        if other is self:
            return
        trace.evaluate((self,), (other,))
        if not self._is_empty:
            extra = () if subset is None else (subset._subset(),)
            self._whole.copy(other._whole, *extra)
        self._used(writes=False)
        other._used(writes=True)

    def _operand(self, other):
        """A Dat of the same shape, or a number."""
        if isinstance(other, DatArithmetic):
            if other.dataset is not self.dataset:
                raise ValueError(
                    f"{self.name} and {other.name} are on different DataSets, expected the same"
                )
            return other
        if isinstance(other, Global):
            if other.cdim != 1:
                raise ValueError(f"{other.name} has {other.cdim} values, expected one")
            return other.data_ro.reshape(-1)[0]
        if isinstance(other, (numbers.Real, np.generic)):
            return other
        return None

    def _combine(self, operation, other):
        operand = self._operand(other)
        if operand is None:
            return NotImplemented
        is_dat = isinstance(operand, DatArithmetic)
        trace.evaluate((operand,) if is_dat else (), (self,))
        if not self._is_empty:
            self._whole.combine(operation, operand._whole if is_dat else operand)
        if is_dat:
            operand._used(writes=False)
        self._used(writes=True)
        return self

    def _combined(self, operation, other):
        if self._operand(other) is None:
            return NotImplemented
        return self._copied()._combine(operation, other)

    def __iadd__(self, other):
        return self._combine("+", other)

    def __isub__(self, other):
        return self._combine("-", other)

    def __imul__(self, other):
        return self._combine("*", other)

    def __itruediv__(self, other):
        return self._combine("/", other)

    def __add__(self, other):
        return self._combined("+", other)

    __radd__ = __add__

    def __sub__(self, other):
        return self._combined("-", other)

    def __rsub__(self, other):
        negative = -self
        return negative._combine("+", other)

    def __mul__(self, other):
        return self._combined("*", other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._combined("/", other)

    def __rtruediv__(self, other):
        if not isinstance(other, (numbers.Real, np.generic)):
            return NotImplemented
        quotient = self._zeros(np.float64)
        quotient += other
        quotient /= self
        result = self._zeros(self.dtype)
        result += quotient
        return result

    def __pos__(self):
        return self._copied()

    def __neg__(self):
        return self._copied()._combine("*", -1)

    def axpy(self, alpha, x):
        """self := self + alpha x"""
        if not isinstance(x, DatArithmetic):
            raise ValueError(f"{self.name}: found {x!r}, expected a Dat")
        self._operand(x)
        trace.evaluate((x,), (self,))
        if not self._is_empty:
            self._whole.axpy(alpha, x._whole)
        x._used(writes=False)
        self._used(writes=True)

    def inner(self, other):
        """The sum of products of all owned components."""
        if not isinstance(other, DatArithmetic):
            raise ValueError(f"{self.name}: found {other!r}, expected a Dat")
        self._operand(other)
        trace.evaluate((self, other), ())
        if self._is_empty:
            return 0.0
        result = self._whole.inner(other._whole)
        self._used(writes=False)
        other._used(writes=False)
        return result

    @property
    def norm(self):
        """The Euclidean norm of all owned components."""
        trace.evaluate((self,), ())
        if self._is_empty:
            return 0.0
        result = self._whole.norm()
        self._used(writes=False)
        return result
