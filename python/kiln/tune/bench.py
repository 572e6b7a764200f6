"""One kernel on one device: compiled with a configuration, run on copies of its arguments, timed."""
import re
import time
from dataclasses import dataclass, field

import numpy as np

import kiln
from kiln.errors import BadInputError, BuildError, NotFoundError


@dataclass
class Candidate:
    """A configuration as a program: plain data, which another process may be sent."""

    text: str
    name: str
    macros: dict
    global_size: tuple
    local_size: tuple
    include_folders: list = field(default_factory=list)
    options: list = field(default_factory=list)


def portable(argument, position):
    """An argument as another process can have it: an array, a scalar, or local memory's size."""
    if isinstance(argument, np.ndarray):
        if argument.dtype.hasobject:
            raise BadInputError(f"arguments: {position}: found an array of objects, expected numbers")
        return argument if argument.ndim == 0 else np.ascontiguousarray(argument)
    if isinstance(argument, (np.generic, int, float, bytes)) and not isinstance(argument, bool):
        return argument
    if type(argument).__name__ == "LocalMemory":
        return LocalBytes(argument.nbytes if hasattr(argument, "nbytes") else argument.size)
    if isinstance(argument, kiln.Array):
        return np.array(argument.read())
    raise BadInputError(
        f"arguments: {position}: found {type(argument).__name__}, expected a NumPy array or scalar"
    )


@dataclass(frozen=True)
class LocalBytes:
    """Local memory of so many bytes."""

    count: int


def native(argument):
    """What portable() gave, as Kiln's calls take it."""
    return kiln.LocalMemory(argument.count) if isinstance(argument, LocalBytes) else argument


def find_device(platform, device):
    """(a list of devices that gives it, what it is) for Kernel Tuner's two numbers, or for such a
    list itself."""
    if isinstance(device, str):
        return device, kiln.Runtime(device, store="off").devices[0]
    by_platform = {}
    for one in kiln.Runtime("all", store="off").devices:
        by_platform.setdefault((one.platform, one.platform_version), []).append(one)
    platforms = [sorted(found, key=lambda one: one.index) for found in by_platform.values()]
    platforms.sort(key=lambda found: found[0].index)
    if not 0 <= platform < len(platforms):
        raise NotFoundError(f"platform: found {platform}, expected a number below {len(platforms)}")
    found = platforms[platform]
    if not 0 <= device < len(found):
        raise NotFoundError(
            f"device: found {device}, expected a number below {len(found)}: "
            + ", ".join(one.name for one in found)
        )
    return str(found[device].index), found[device]


class Bench:
    """Compiles and runs candidates; also what observers get as their `dev`.

    name, max_threads and env say what the device is. The arguments are copied; candidates change
    copies on the device. One thread.
    """

    units = {"time": "ms"}

    def __init__(self, platform, device, store, arguments):
        self.devices, self.info = find_device(platform, device)
        self.runtime = kiln.Runtime(self.devices, store=store)
        self.name = self.info.name
        self.max_threads = self.info.largest_work_group
        self.env = {
            "platform_name": self.info.platform,
            "platform_version": self.info.platform_version,
            "device_name": self.info.name,
            "device_version": self.info.version,
            "driver_version": self.info.driver,
        }
        self._given = arguments
        self._arguments = [self._on_device(one) for one in arguments]
        self._kernel, self._launch = None, {}

    def facts(self):
        """What the caller of another process must know of the device."""
        return {"name": self.name, "max_threads": self.max_threads, "env": self.env}

    def _on_device(self, argument):
        if isinstance(argument, np.ndarray) and argument.ndim > 0:
            return self.runtime.array(argument)
        return native(argument)

    def compile(self, candidate):
        """Compiles, or finds it in the store. Raises BuildError."""
        text = candidate.text if candidate.text.endswith("\n") else candidate.text + "\n"
        self._kernel = self.runtime.kernel(
            text,
            candidate.name,
            macros=candidate.macros,
            include_folders=candidate.include_folders,
            options=candidate.options,
        )
        self._launch = {"global_size": candidate.global_size, "local_size": candidate.local_size}
        self._kernel.prepare(*self._arguments, **self._launch)

    def restore(self, positions=None):
        """Arrays have their initial contents again: all, or those at the positions."""
        for i, given in enumerate(self._given):
            if isinstance(given, np.ndarray) and given.ndim > 0 and (positions is None or i in positions):
                self._arguments[i].write()[...] = given

    def run(self):
        """Runs once; returns milliseconds by the device's clock."""
        return self.start().nanoseconds * 1e-6

    def start(self):
        return self._kernel.enqueue(*self._arguments, **self._launch)

    def outputs(self, positions=None):
        """Contents of arrays after a run, by position; other arguments are None."""
        found = []
        for i, argument in enumerate(self._arguments):
            wanted = isinstance(argument, kiln.Array) and (positions is None or i in positions)
            found.append(np.array(argument.read()) if wanted else None)
        return found

    def times(self, iterations):
        """Milliseconds of each of so many runs."""
        return [self.run() for _ in range(iterations)]

    def observed_times(self, iterations, observers):
        """The same with observers called before, during and after each run."""
        found = []
        for _ in range(iterations):
            for one in observers:
                one.before_start()
            event = self.start()
            for one in observers:
                one.after_start()
            while not event.done:
                for one in observers:
                    one.during()
            found.append(event.nanoseconds * 1e-6)
            for one in observers:
                one.after_finish()
        return found


def milliseconds_since(start):
    return 1e3 * (time.perf_counter() - start)


def first_error(log):
    """The line of a compiler's log that says most: the first with "error" in it, else the first."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"\berror\b", line, re.I)), lines[0] if lines else "")


def failure_of(error):
    """(kind of failure, message of one line, compiler's log) of what compiling or running raised."""
    if isinstance(error, BuildError):
        what, said = str(error).partition("\n")[0], first_error(error.log)
        return "build", f"{what} {said}" if said else what, error.log
    message = " ".join(str(error).split())
    if isinstance(error, BadInputError) or "OUT_OF_RESOURCES" in message:
        return "resources", message, ""
    return "launch", message, ""
