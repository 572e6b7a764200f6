"""Checks of arguments that several classes share."""
import numbers

import numpy as np

from kiln.op2.configuration import configuration
from kiln.op2.exceptions import DataTypeError, DataValueError, NameTypeError


def check_name(name):
    if name is not None and not isinstance(name, str) and configuration["type_check"]:
        raise NameTypeError(f"name: found {name!r}, expected a str")


def is_int(value):
    return isinstance(value, numbers.Integral)


def int_tuple(value, error=TypeError, length=None):
    """An int as a tuple of it (length times), or the tuple of an iterable of ints."""
    if is_int(value):
        return (int(value),) * (length or 1)
    try:
        values = tuple(value)
    except TypeError:
        raise error(f"found {value!r}, expected an int or a tuple of them") from None
    if not all(is_int(one) for one in values):
        raise error(f"found {value!r}, expected an int or a tuple of them")
    if length is not None and len(values) != length:
        raise ValueError(f"found {len(values)} values, expected {length}")
    return tuple(int(one) for one in values)


def parts_of(values, kind, error, expected):
    """The values of an iterable as a tuple, one or more, all of a kind. Stops at the first that is not."""
    try:
        values = iter(values)
    except TypeError:
        raise error(f"found {values!r}, expected {expected}") from None
    parts = []
    for part in values:
        if not isinstance(part, kind):
            raise error(f"found {part!r}, expected {expected}")
        parts.append(part)
    if not parts:
        raise error(f"found none, expected {expected}")
    return tuple(parts)


def checked_dtype(dtype):
    """The NumPy type of components that loops can have."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise DataTypeError(f"found the type {dtype!r}, expected one of NumPy's") from None
    if found.kind not in "iuf" or found.itemsize not in ((4, 8) if found.kind == "f" else (1, 2, 4, 8)):
        raise DataTypeError(
            f"found elements of type {found}, expected integers of 1 to 8 bytes, float32 or float64"
        )
    return found


def values_as(values, dtype, shape):
    """Values as a new or the same array in C order. Raises DataValueError where they do not fit."""
    try:
        made = np.asarray(values, dtype=dtype, order="C")
    except (ValueError, TypeError) as error:
        raise DataValueError(f"found values that are no numbers: {error}") from None
    try:
        return made.reshape(shape)
    except ValueError:
        raise DataValueError(
            f"found {made.size} values, expected {int(np.prod(shape))} of shape {tuple(shape)}"
        ) from None
