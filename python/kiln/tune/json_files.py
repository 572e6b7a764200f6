"""JSON files that other programs may have written: what is wrong in one is one line that says where,
what was found and what was expected."""
import contextlib
import gzip
import json
import math
import os
import pathlib
import zlib

import numpy as np

from kiln.errors import BadInputError, CorruptError, IoError, NotFoundError

# Deeper than anything that is measured; encoders recurse, and end somewhat above that.
_DEEPEST = 64


def plain_json(value):
    """What json.dumps does not know by itself."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return str(value)
    return repr(value)


def path_from(name, what):
    """A file's path. what: the argument that has it."""
    text = os.fspath(name) if isinstance(name, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise BadInputError(f"{what}: found {name!r}, expected a file's name")
    return pathlib.Path(text)


def content_of(path, what=""):
    """A file's bytes. what: in front of the path in errors of the system."""
    place = f"{what}: {path}" if what else f"{path}"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{place}: no such file") from None
    except OSError as error:
        raise IoError(f"{place}: {error.strerror or error}") from None


def text_of(path, what=""):
    """A file's text, compressed (gzip) or not."""
    content = content_of(path, what)
    try:
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        return content.decode()
    except UnicodeDecodeError:
        raise CorruptError(f"{path}: found bytes that are no UTF-8 text") from None
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise CorruptError(f"{path}: {error}") from None


def parsed(text, path):
    """The value of a text. Raises CorruptError with the line and the column."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise CorruptError(f"{path}: {place}: {error.msg}, expected JSON") from None
    except ValueError as error:  # an integer of thousands of digits
        raise CorruptError(f"{path}: {error}") from None
    except RecursionError:
        raise CorruptError(f"{path}: found JSON nested too deep, expected {_DEEPEST} levels") from None


def write_whole(path, text):
    """Puts a file in place of one of this name: who opens it finds either, never a part. Raises IoError."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise BadInputError(f"{path}: found text that is no Unicode, expected UTF-8: {error}") from None
    place = pathlib.Path(os.path.realpath(path))  # a link stays one
    aside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        aside.write_bytes(content)
        os.replace(aside, place)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise IoError(f"{path}: {error.strerror}") from None


# ---- What a value is


def shown(value):
    """A value of a file as errors show it: short, in JSON's words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    text = repr(value)
    return text if len(text) <= 40 else text[:36] + " ..."


def is_number(value):
    """A number that can be compared and added: no bool, NaN, infinity or integer too large for a double."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def is_time(value):
    return is_number(value) and value >= 0


def is_text(value):
    return isinstance(value, str)


def is_scalar(value):
    """What a parameter may be."""
    return isinstance(value, (bool, str)) or is_number(value)


def is_list_of(test):
    return lambda value: isinstance(value, list) and all(map(test, value))


def is_shallow(value, levels=_DEEPEST):
    """Whether a value has no more levels than that."""
    if not isinstance(value, (dict, list)):
        return True
    members = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(is_shallow(one, levels - 1) for one in members)


def member(found, name, test, expected, place):
    """found[name]. place: the file, and where in it. Raises CorruptError for what fails the test."""
    if name not in found:
        raise CorruptError(f"{place}: found no '{name}', expected {expected}")
    if not test(found[name]):
        raise CorruptError(f"{place}: {name}: found {shown(found[name])}, expected {expected}")
    return found[name]
