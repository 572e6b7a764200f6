"""Texts of tuning scripts: expressions over parameters, and texts with parameters' names in them.

They are the caller's own code, as functions are, and are evaluated by Python.
"""
import math
import re

import numpy as np

from kiln.errors import BadInputError

_NAMES = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
_NAMES.update(math=math, np=np, numpy=np)
_WORD = re.compile(r"[A-Za-z0-9_]+")


def evaluate(text, values, what):
    """The value of an expression over names; what says in an error what it is."""
    try:
        return eval(text, dict(_NAMES), dict(values))
    except ZeroDivisionError:
        raise
    except Exception as error:
        raise BadInputError(f"{what}: '{text}': {error}") from None


def substitute(text, values):
    """A text in which each word that is a name stands as its value."""
    return _WORD.sub(lambda word: str(values.get(word.group(), word.group())), text)


def plain(value):
    """NumPy's scalars as Python's."""
    return value.item() if isinstance(value, np.generic) else value
