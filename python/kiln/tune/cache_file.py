"""Kernel Tuner's cache files: what was measured, appended while a search runs, read by the next one.

One object: device_name, kernel_name, problem_size, tune_params_keys, tune_params, objective, and
last `cache`, an entry a configuration under its values joined by commas. While a search runs the
brackets at the end are missing, so that an entry is one write; a file that was left so is read, too.
"""
import contextlib
import fcntl
import json
import os

from kiln.errors import BadInputError, CorruptError, IoError
from kiln.tune.json_files import (
    is_list_of,
    is_number,
    is_scalar,
    is_shallow,
    is_text,
    is_time,
    member,
    parsed,
    path_from,
    plain_json,
    shown,
    text_of,
    write_whole,
)
from kiln.tune.results import BY_NAME, RuntimeFailedConfig

_CLOSED = "}\n}"


def _is_size(value):
    return is_scalar(value) or is_list_of(is_scalar)(value)


def _is_table(value):
    return isinstance(value, dict) and all(map(is_list_of(is_scalar), value.values()))


# What is in front of `cache`, where it is there; other members are the file's own.
_HEADER = {
    "device_name": (lambda value: value is None or is_text(value), "a text"),
    "kernel_name": (is_text, "a text"),
    "problem_size": (_is_size, "a size or a list of sizes"),
    "tune_params_keys": (is_list_of(is_text), "a list of names"),
    "tune_params": (_is_table, "an object of lists of values"),
    "objective": (is_text, "a text"),
}
# Kernel Tuner wrote failures as huge times before it wrote them as words.
_FAILED_TIME = 1e19
# What is added up of an entry; null: it was not measured.
_SPENT = ("compile_time", "verification_time", "benchmark_time", "framework_time", "strategy_time")


def key_of(config):
    return ",".join(str(value) for value in config)


def path_of(name):
    """Kernel Tuner adds the suffix where it is missing."""
    path = path_from(name, "cache")
    if path.name.endswith((".json", ".json.gz")):
        return path
    if not path.name:
        raise BadInputError(f"cache: found {name!r}, expected a file's name")
    return path.with_name(path.name + ".json")


def _completed(text, path):
    """The object in a file that is whole, was left open, or was cut within its last entry."""
    stripped = text.strip()
    last_line = stripped.rfind("\n")
    attempts = [stripped, stripped.rstrip(",") + _CLOSED]
    if last_line > 0:
        attempts.append(stripped[:last_line].rstrip().rstrip(",") + _CLOSED)
    for attempt in attempts:
        try:
            found = parsed(attempt, path)
        except CorruptError:
            continue
        if isinstance(found, dict) and isinstance(found.get("cache"), dict):
            return found
        break
    raise CorruptError(f"{path}: found no cache file of Kernel Tuner (JSON with an object 'cache')")


def _check_header(found, path):
    for name, (test, expected) in _HEADER.items():
        if name in found:
            member(found, name, test, expected, path)
    for name, value in found.items():
        if name != "cache" and not is_shallow(value):
            raise CorruptError(f"{path}: {name}: found a value that is nested too deep")
    keys, table = found.get("tune_params_keys"), found.get("tune_params")
    if keys is not None and table is not None and sorted(keys) != sorted(table):
        raise CorruptError(f"{path}: tune_params_keys: found {keys}, expected the names of tune_params")


def _check_entry(key, entry, names, path):
    """An entry has values for its key, and times that can be compared."""
    place = f"{path}: the entry '{key}'"
    if not isinstance(entry, dict):
        raise CorruptError(f"{path}: found the entry '{key}': {shown(entry)}, expected an object")
    for name, value in entry.items():
        if isinstance(value, (dict, list)) and not is_shallow(value):
            raise CorruptError(f"{place}: {name}: found a value that is nested too deep")
        if isinstance(value, str) and value in BY_NAME:
            entry[name] = BY_NAME[value]()
    if names is not None:
        for name in names:
            member(entry, name, is_scalar, "a parameter's value", place)
        of_values = key_of(entry[name] for name in names)
        if of_values != key:
            raise CorruptError(f"{place}: found the values {shown(of_values)}, expected those of its name")
    time = entry.get("time", 0)
    if not is_time(time) and not (is_text(time) and time in BY_NAME):
        raise CorruptError(
            f"{place}: time: found {shown(time)}, expected milliseconds or one of " + ", ".join(BY_NAME)
        )
    if is_number(time) and time >= _FAILED_TIME:
        entry["time"] = RuntimeFailedConfig("a failure, of an earlier Kernel Tuner")
    if entry.get("times") is not None:
        member(entry, "times", is_list_of(is_time), "a list of milliseconds", place)
    for name in _SPENT:
        if entry.get(name) is not None:
            member(entry, name, is_number, "milliseconds", place)


def read(name):
    """The object of a cache file, compressed (gzip) or not; marks of failures are ErrorConfigs.

    Raises NotFoundError, IoError, and CorruptError with the place of what is wrong.
    """
    path = path_of(name)
    found = _completed(text_of(path, "cache"), path)
    _check_header(found, path)
    for key, entry in found["cache"].items():
        _check_entry(key, entry, found.get("tune_params_keys"), path)
    return found


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
            found = read(self.path) if self._has_content() else None
            if found is not None:
                self.check(found, header, self.path)
                self.entries = found.pop("cache")
                header = {**header, **found}
            self._open(header)

    def _has_content(self):
        try:
            return self.path.exists() and self.path.stat().st_size > 0
        except OSError as error:
            raise IoError(f"cache: {self.path}: {error.strerror}") from None

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
