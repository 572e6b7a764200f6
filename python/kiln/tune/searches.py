"""Searches by Kiln's own tuner, in its processes, with the winner on record in the store."""
import dataclasses
import json
import os
import pathlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kiln import _kiln
from kiln._kiln import Runtime
from kiln.errors import BadInputError, Error
from kiln.tune import files
from kiln.tune._looks import plot, search_table
from kiln.tune.json_files import content_of, path_from, plain_json

_OPTIONS = {
    "budget": 600.0,
    "evaluations": 0,
    "method": "forest",
    "seed": 0,
    "jobs": 0,
    "hang_time": 60.0,
    "fresh": False,
    "journal": None,
    "from_scratch": False,
}
_KERNEL = {
    "constraints": (),
    "constants": {},
    "macros": {},
    "include_folders": (),
    "options": (),
    "expected": {},
    "reference": {},
    "tolerance": 1e-4,
}


def _options(given):
    unknown = [name for name in given if name not in _OPTIONS]
    if unknown:
        raise TypeError(
            f"unexpected keyword argument '{unknown[0]}', expected one of {', '.join(_OPTIONS)}"
        )
    return {**_OPTIONS, **given}


def _size(size, what):
    """A range as an expression in brackets."""
    if isinstance(size, str):
        return size
    parts = [size] if isinstance(size, (int, np.integer)) else list(size)
    if not 1 <= len(parts) <= 3:
        raise BadInputError(f"{what}: found {len(parts)} sizes, expected one to three")
    return "[" + ", ".join(str(part) for part in parts) + "]"


def _problem(source, name, arguments, parameters, global_size, local_size, more):
    unknown = [one for one in more if one not in _KERNEL]
    if unknown:
        raise TypeError(f"unexpected keyword argument '{unknown[0]}'")
    problem = {**_KERNEL, **more}
    for one in ("constraints", "include_folders", "options"):
        problem[one] = [problem[one]] if isinstance(problem[one], str) else list(problem[one])
    return {
        **problem,
        "source": source,
        "name": name,
        "arguments": list(arguments),
        "parameters": dict(parameters),
        "global_size": _size(global_size, "global_size"),
        "local_size": _size(local_size, "local_size"),
    }


@dataclasses.dataclass(frozen=True, repr=False)
class Result:
    """What a search came to: plain data, which notebooks show.

    best: the fastest values. seconds: of one run with best; reference: with the reference
    configuration, 0: no time. decided_by: "play-off", "built-in" (no candidate was surely faster),
    "earlier record" or "interrupted". global_size, local_size: the kernel's range with best.
    configurations: dicts (values, seconds, failure, message) in the order of measuring. space: valid
    configurations. started_from: the search on record that gave a start. stored: whether the store
    has the record and the program. replaced_processes: candidates that took their process with them.
    """

    label: str
    device: str
    best: dict[str, int]
    seconds: float
    reference: float
    decided_by: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    configurations: list[dict[str, Any]]
    space: int
    evaluated: int
    failed: int
    resumed: int
    started_from: str
    stored: bool
    journal: pathlib.Path
    compiling_seconds: float
    run_seconds: float
    whole_seconds: float
    replaced_processes: int
    printed: str
    _found: Any = dataclasses.field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All of it as numbers, texts, lists and dicts."""
        made = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)[:-1]}
        made["journal"] = str(self.journal)
        made["global_size"], made["local_size"] = list(self.global_size), list(self.local_size)
        return made

    def t4(self) -> str:
        """What was measured as a results file of other tuners (T4, JSON)."""
        return str(self._found.t4())

    def plot(self, axes: Any = None) -> Any:
        """Draws the time of each evaluation and the best so far; returns matplotlib's axes.

        axes: where to draw; None: a new figure. Raises UnsupportedError without matplotlib.
        """
        seconds = [one["seconds"] for one in self.configurations]
        return plot([one if one is None else one * 1e3 for one in seconds], "time (ms)", False, axes)

    def _repr_html_(self) -> str:
        return search_table(self)

    def __repr__(self) -> str:
        best = " ".join(f"{name}={value}" for name, value in self.best.items())
        return f"<kiln.tune.Result '{self.label}': {best}, {self.seconds * 1e3:.4g} ms>"


def _result(found):
    names = [one.name for one in dataclasses.fields(Result)[:-1]]
    return Result(*(getattr(found, name) for name in names), found)


def kernel(
    runtime: Runtime,
    source: Any,
    name: str,
    arguments: Sequence[Any],
    parameters: Mapping[str, Sequence[int]],
    global_size: str | int | Sequence[Any],
    local_size: str | int | Sequence[Any],
    *,
    constraints: str | Sequence[str] = (),
    constants: Mapping[str, int] | None = None,
    macros: Mapping[str, Any] | None = None,
    include_folders: Sequence[str | os.PathLike[str]] = (),
    options: Sequence[str] = (),
    expected: Mapping[int, Any] | None = None,
    reference: Mapping[str, int] | None = None,
    tolerance: float = 1e-4,
    progress: Callable[[dict[str, Any]], Any] | None = None,
    **search: Any,
) -> Result:
    """Searches for the fastest parameters of a kernel on the first device of a Runtime.

    parameters: name to list of integers, macros of the kernel. global_size, local_size: expressions
    in Python over parameters and constants ("[N // WPT, N]"), or numbers. arguments: as a Kernel's.
    expected: arrays that written arguments must be, by position; none: what the reference
    configuration (none: the first) writes. tolerance: relative, of floating-point numbers.

    budget (seconds), evaluations, method ("forest", …), seed, jobs, hang_time, fresh, journal and
    from_scratch are the command's options (`kiln tune`). progress: called with a dict after each
    evaluation; False ends the search. Ctrl-C ends it within half a second, also while a candidate
    compiles or hangs: with the best so far, or as KeyboardInterrupt where there is none yet; the
    same call goes on where it was. hang_time is for the reference, too.

    Candidates run in processes of their own; the winner goes on record in the Runtime's store.
    Returns a Result. Raises BadInputError, BuildError, DeviceError, TimeoutError (of the reference),
    UnsupportedError. Thread-safe; searches of one user measure one at a time.
    """
    more = {
        "constraints": constraints,
        "constants": constants or {},
        "macros": macros or {},
        "include_folders": include_folders,
        "options": options,
        "expected": expected or {},
        "reference": reference or {},
        "tolerance": tolerance,
    }
    problem = _problem(source, name, arguments, parameters, global_size, local_size, more)
    return _result(_kiln.tune_search_kernel(runtime, problem, _options(search), progress))


def spec(
    runtime: Runtime,
    file: str | os.PathLike[str],
    *,
    parameters: Mapping[str, Sequence[int]] | None = None,
    constraints: str | Sequence[str] = (),
    set: Mapping[str, Any] | None = None,
    set_if: Mapping[str, Any] | None = None,
    inputs: Mapping[int, str | os.PathLike[str]] | None = None,
    expect: Mapping[int, str | os.PathLike[str]] | None = None,
    rtol: float | None = None,
    dialect: str = "auto",
    source_folders: Sequence[str | os.PathLike[str]] = (),
    progress: Callable[[dict[str, Any]], Any] | None = None,
    **search: Any,
) -> Result:
    """The same for a specification file or a tuning problem (T1), as `kiln tune FILE`.

    parameters: symbols or macros of a specification with their values; a T1 file has its own. set,
    set_if: symbols. inputs, expect: .npy files by argument position. Runs of the file use the
    result from then on. Returns a Result; raises as kernel().
    """
    problem = {
        "set": set or {},
        "set_if": set_if or {},
        "dialect": dialect,
        "source_folders": list(source_folders),
        "parameters": dict(parameters or {}),
        "constraints": [constraints] if isinstance(constraints, str) else list(constraints),
        "inputs": {at: os.fspath(name) for at, name in (inputs or {}).items()},
        "expect": {at: os.fspath(name) for at, name in (expect or {}).items()},
        "rtol": rtol,
    }
    return _result(_kiln.tune_search_spec(runtime, file, problem, _options(search), progress))


@dataclasses.dataclass(frozen=True)
class OnRecord:
    """A configuration on record: values of the parameters, the kernel's range with them, seconds."""

    values: dict[str, int]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    seconds: float


def on_record(
    runtime: Runtime,
    source: Any,
    name: str,
    arguments: Sequence[Any],
    parameters: Mapping[str, Sequence[int]],
    global_size: str | int | Sequence[Any],
    local_size: str | int | Sequence[Any],
    **more: Any,
) -> OnRecord | None:
    """What kernel() has put on record for this problem, in any process: OnRecord, or None.

    Takes kernel()'s arguments that say what the problem is. Compiles and runs nothing.
    """
    problem = _problem(source, name, arguments, parameters, global_size, local_size, more)
    found = _kiln.tune_on_record(runtime, problem)
    return None if found is None else OnRecord(**found)


def record(
    runtime: Runtime,
    values: Mapping[str, int],
    seconds: float,
    source: Any,
    name: str,
    arguments: Sequence[Any],
    parameters: Mapping[str, Sequence[int]],
    global_size: str | int | Sequence[Any],
    local_size: str | int | Sequence[Any],
    **more: Any,
) -> None:
    """Puts a configuration of kernel()'s problem on record that the caller has measured itself.

    seconds: of one run. Takes kernel()'s arguments that say what the problem is.
    """
    problem = _problem(source, name, arguments, parameters, global_size, local_size, more)
    _kiln.tune_record(runtime, problem, dict(values), float(seconds), 0.0)


def read_t4(file: str | os.PathLike[str] | bytes) -> list[dict[str, Any]]:
    """Configurations of a T4 results file or a cache of Kernel Tuner, compressed or not.

    file: a path, or bytes. Returns a list of dicts: values, seconds, failure, message. Raises
    BadInputError with the place, UnsupportedError where values are no integers.
    """
    if isinstance(file, (bytes, bytearray)):
        return _kiln.tune_read_t4(bytes(file), "bytes")
    path = path_from(file, "file")
    return _kiln.tune_read_t4(content_of(path), str(path))


def t4(
    result: Result | Iterable[dict[str, Any]],
    tune_params: Iterable[str] | None = None,
    objective: str = "time",
) -> str:
    """A search as a T4 file's text: of a Result, or of results of tune_kernel."""
    if isinstance(result, Result):
        return result.t4()
    names = tune_params if tune_params is not None else getattr(result, "tune_params", None)
    if names is None:
        raise BadInputError("t4: found a list, expected the names of its parameters with it")
    return json.dumps(files.t4(result, names, objective), default=plain_json)


def campaign(
    runtime: Runtime,
    problems: Iterable[Mapping[str, Any]],
    budget: float = 3600.0,
    progress: Callable[[int, dict[str, Any]], Any] | None = None,
    **search: Any,
) -> list[Result | Error]:
    """Searches for several problems, one after another, which share a time.

    problems: dicts with the arguments of kernel() or, where they have `file`, of spec(). budget:
    seconds for all; what one leaves, the others get. progress: called with (number, dict) after
    each evaluation; False ends the campaign. A search that was ended, here or in a campaign before,
    goes on where it was, by its journal. Returns a list with a Result for each problem that was
    begun, or the Error that it failed with. Ctrl-C ends it with those that there are;
    KeyboardInterrupt comes out where there is none.
    """
    end = time.monotonic() + budget
    ended = False

    def told(number: int) -> Callable[[dict[str, Any]], bool]:
        def tell(now: dict[str, Any]) -> bool:
            nonlocal ended
            ended = progress is not None and progress(number, now) is False
            return not ended

        return tell

    all_problems = list(problems)
    found: list[Result | Error] = []
    for number, problem in enumerate(all_problems):
        left = max(0.0, end - time.monotonic()) / (len(all_problems) - number)
        options = {**search, "budget": left, "progress": told(number)}
        try:
            make: Any = spec if "file" in problem else kernel
            result: Result = make(runtime, **problem, **options)
        except Error as error:
            found.append(error)
            continue
        except KeyboardInterrupt:
            if not found:
                raise
            break
        found.append(result)
        if ended or result.decided_by == "interrupted":
            break
    return found
