"""Kernel Tuner's cache files: what was measured, appended while a search runs, read by the next one.

One object: device_name, kernel_name, problem_size, tune_params_keys, tune_params, objective, and
last `cache`, an entry a configuration under its values joined by commas. While a search runs the
brackets at the end are missing, so that an entry is one write; a file that was left so is read, too.
"""
import contextlib
import fcntl
import gzip
import json
import os
import pathlib
import zlib

import numpy as np

from kiln.errors import BadInputError, CorruptError, IoError, NotFoundError
from kiln.tune.results import BY_NAME

_CLOSED = "}\n}"


def key_of(config):
    return ",".join(str(value) for value in config)


def plain_json(value):
    """What json.dumps does not know by itself."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return str(value)
    return repr(value)


def path_of(name):
    """Kernel Tuner adds the suffix where it is missing."""
    path = pathlib.Path(name)
    return path if path.name.endswith((".json", ".json.gz")) else path.with_name(path.name + ".json")


def _parsed(text, path):
    """The object in a file that is whole, was left open, or was cut within its last entry."""
    stripped = text.strip()
    last_line = stripped.rfind("\n")
    attempts = [stripped, stripped.rstrip(",") + _CLOSED]
    if last_line > 0:
        attempts.append(stripped[:last_line].rstrip().rstrip(",") + _CLOSED)
    for attempt in attempts:
        try:
            found = json.loads(attempt)
        except ValueError:
            continue
        if isinstance(found, dict) and isinstance(found.get("cache"), dict):
            return found
        break
    raise CorruptError(f"{path}: found no cache file of Kernel Tuner (JSON with an object 'cache')")


def read(name):
    """The object of a cache file, compressed (gzip) or not; marks of failures are ErrorConfigs."""
    path = path_of(name)
    try:
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        text = content.decode()
    except FileNotFoundError:
        raise NotFoundError(f"cache: {path}: no such file") from None
    except UnicodeDecodeError:
        raise CorruptError(f"{path}: found bytes that are no UTF-8 text") from None
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise CorruptError(f"{path}: {error}") from None
    except OSError as error:
        raise IoError(f"cache: {path}: {error}") from None
    found = _parsed(text, path)
    for key, entry in found["cache"].items():
        if not isinstance(entry, dict):
            raise CorruptError(f"{path}: found the entry '{key}': {entry!r}, expected an object")
        for name, value in entry.items():
            if isinstance(value, str) and value in BY_NAME:
                entry[name] = BY_NAME[value]()
    return found


def write_whole(path, text):
    """Puts a file in place of one of this name: who opens it finds either, never a part. Raises IoError."""
    place = path.resolve()  # a link stays one
    aside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        aside.write_text(text)
        os.replace(aside, place)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise IoError(f"{path}: {error.strerror}") from None


def _lock(file, path):
    """For as long as the file is open: two searches that write one file lose what one has measured."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise IoError(f"cache: {path}: another search writes it, expected one at a time") from None
    except OSError:
        pass  # a file system without locks


class CacheFile:
    """A cache file that is being added to, with what it had: `entries`, by key_of().

    header: the members in front of `cache`. Raises BadInputError where the file is of another
    device, kernel, problem or other parameters.
    """

    def __init__(self, name, header):
        self.path = path_of(name)
        self.entries = {}
        with contextlib.ExitStack() as stack:
            before = None
            with contextlib.suppress(OSError):  # read() says what is wrong with it
                before = stack.enter_context(self.path.open("rb"))
            if before is not None:
                _lock(before, self.path)
            found = read(self.path) if self.path.exists() and self.path.stat().st_size else None
            if found is not None:
                self.check(found, header, self.path)
                self.entries = found.pop("cache")
                header = {**header, **found}
            self._open(header)

    @staticmethod
    def check(found, header, path):
        for name in ("device_name", "kernel_name", "problem_size", "tune_params_keys"):
            if name not in found or header.get(name) is None:
                continue
            was, now = (json.loads(json.dumps(one, default=plain_json)) for one in (found[name], header[name]))
            if was != now and [was] != now and was != [now]:
                raise BadInputError(f"{path}: found {name} {was!r}, expected {now!r}")

    def _open(self, header):
        text = json.dumps({**header, "cache": {}}, default=plain_json, indent="")
        text = text[: text.rindex("}", 0, text.rindex("}"))]
        text += "".join(self._line(key, entry) for key, entry in self.entries.items())
        write_whole(self.path, text)
        try:
            # Without a buffer: what a full disk has refused is not written again later.
            self._file = self.path.open("r+b", buffering=0)
            self._length = self._file.seek(0, os.SEEK_END)  # up to the last whole entry
        except OSError as error:
            raise IoError(f"cache: {self.path}: {error.strerror}") from None
        _lock(self._file, self.path)

    @staticmethod
    def _line(key, entry):
        return "\n" + json.dumps({key: entry}, default=plain_json)[1:-1] + ","

    def add(self, config, entry):
        key = key_of(config)
        if key in self.entries:
            return
        line = self._line(key, entry).encode()
        self._write(line)
        self._length += len(line)
        self.entries[key] = entry

    def _write(self, data):
        """Behind the last whole entry. Raises IoError, and leaves no part of an entry where it can."""
        try:
            self._file.seek(self._length)
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(self._length)
            raise IoError(f"cache: {self.path}: {error.strerror}") from None

    def close(self):
        """Puts the brackets where they belong."""
        with self._file:
            if self.entries:
                self._length -= 1  # the comma
            self._file.truncate(self._length)
            self._write(_CLOSED.encode())
