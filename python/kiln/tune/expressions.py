"""Texts of tuning scripts: expressions over parameters, and texts with parameters' names in them.

They are the caller's own code, as functions are, and are evaluated by Python.
"""
import ast
import builtins
import inspect
import math
import re

import numpy as np

from kiln.errors import BadInputError

_NAMES = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
_NAMES.update(math=math, np=np, numpy=np)
_WORD = re.compile(r"[A-Za-z0-9_]+")


def _one_line(error):
    return " ".join(str(error).split()) or type(error).__name__


def evaluate(text, values, what):
    """The value of an expression over names; what says in an error what it is."""
    try:
        return eval(text, dict(_NAMES), dict(values))
    except ZeroDivisionError:
        raise
    except Exception as error:
        raise BadInputError(f"{what}: '{text}': {_one_line(error)}") from None


def whole(value, what):
    """What an expression, a function or a parameter gave, as an int. Raises BadInputError."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise BadInputError(f"{what}: found {value!r}, expected an integer") from None


def names_in(text, what):
    """The names that an expression uses, but those that it binds itself or Python knows. Raises
    BadInputError for what is no expression."""
    try:
        nodes = [*ast.walk(ast.parse(text.strip(), mode="eval"))]
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else _one_line(error)
        raise BadInputError(f"{what}: '{text}': {reason}, expected an expression of Python") from None
    found = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in found if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    known = bound | _NAMES.keys() | vars(builtins).keys()
    return list(dict.fromkeys(node.id for node in found if node.id not in known))


def check_call(function, what, *positional, **named):
    """Raises BadInputError where a function does not take such arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # of a function in C, nothing is known
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        wanted = ", ".join(named) if named else f"{len(positional)} arguments"
        raise BadInputError(
            f"{what}: {name_of(function)}{signature}: {error}, expected a function of {wanted}"
        ) from None


def name_of(function):
    return getattr(function, "__name__", type(function).__name__)


def of_known_names(function, values, what):
    """function(values), a dict. Raises BadInputError where it asks for a name that is not there; other
    errors are the function's own."""
    try:
        return function(values)
    except KeyError as error:
        if not error.args or not isinstance(error.args[0], str) or error.args[0] in values:
            raise
        raise BadInputError(
            f"{what}: the function {name_of(function)} asks for '{error.args[0]}', expected one of "
            + ", ".join(values)
        ) from error


def substitute(text, values):
    """A text in which each word that is a name stands as its value."""
    return _WORD.sub(lambda word: str(values.get(word.group(), word.group())), text)


def plain(value):
    """NumPy's scalars as Python's."""
    return value.item() if isinstance(value, np.generic) else value
