"""Results in files: T4 (the community's format) and its metadata, the best by device, headers of macros."""
import json
import math
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kiln._kiln import Runtime, version
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
from kiln.tune.results import OBJECTIVES_THAT_GROW, best_of, error_of, is_better, value_of

_TIMES = {
    "compilation": "compile_time",
    "benchmark": "benchmark_time",
    "framework": "framework_time",
    "search_algorithm": "strategy_time",
    "validation": "verification_time",
}
_INVALIDITY = {
    "build": "compile",
    "timeout": "timeout",
    "wrong_result": "correctness",
    "constraints": "constraints",
    "resources": "constraints",
}


def _is_no_number(value):
    """NaN or infinity, which JSON does not have."""
    return isinstance(value, float) and not math.isfinite(value)


def _checked_results(results, names):
    """A list of results. Raises BadInputError for what is none of tune_kernel's."""
    if isinstance(results, (str, bytes, Mapping)) or not isinstance(results, Iterable):
        raise BadInputError(f"results: found {type(results).__name__}, expected a list of dicts")
    found = list(results)
    for at, one in enumerate(found):
        if not isinstance(one, Mapping):
            raise BadInputError(f"results: {at}: found {type(one).__name__}, expected a dict")
        missing = [name for name in names if name not in one]
        if missing:
            raise BadInputError(f"results: {at}: found no '{missing[0]}', expected a value of each parameter")
    return found


def t4(
    results: Iterable[dict[str, Any]], tune_params: Iterable[str], objective: str = "time"
) -> dict[str, Any]:
    """Results of tune_kernel as the object of a T4 file, version 1.0.0."""
    names = list(tune_params)
    others = {*names, *_TIMES.values(), "times", "timestamp"}
    made = []
    for one in _checked_results(results, names):
        error = error_of(one, objective)
        invalidity = "correct" if error is None else _INVALIDITY.get(error.failure, "runtime")
        measured = [
            {"name": name, "value": value, "unit": "ms" if name.startswith("time") else ""}
            for name, value in one.items()
            if name not in others and error is None and not _is_no_number(value)
        ]
        made.append(
            {
                "timestamp": one.get("timestamp", ""),
                "configuration": {name: one[name] for name in names},
                "times": {
                    **{name: one.get(source) or 0 for name, source in _TIMES.items()},
                    "runtimes": one.get("times", []),
                },
                "invalidity": invalidity,
                "correctness": 0 if invalidity == "correctness" else 1,
                "measurements": measured,
                "objectives": [objective],
            }
        )
    return {"schema_version": "1.0.0", "results": made}


def output_path(name, what):
    """Where a JSON file goes: with ".json", in a folder that is made."""
    path = path_from(name, what)
    if path.suffix != ".json":
        path = path.parent / (path.name + ".json")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IoError(f"{path.parent}: {error.strerror}") from None
    return path


def store_output_file(
    output_filename: str | os.PathLike[str],
    results: Iterable[dict[str, Any]],
    tune_params: Iterable[str],
    objective: str = "time",
) -> None:
    """Writes results of tune_kernel as a T4 file; ".json" is added where it is missing."""
    text = json.dumps(t4(results, tune_params, objective), default=plain_json)
    write_whole(output_path(output_filename, "output_filename"), text)


def metadata() -> dict[str, Any]:
    """What this machine and its devices are: plain data."""
    return {
        "schema_version": "1.0.0",
        "operating_system": platform.platform(),
        "hardware": {
            "processor": platform.machine(),
            "devices": [one.to_dict() for one in Runtime("all", store="off").devices],
        },
        "requirements": {
            "python": platform.python_version(),
            "kiln": version(),
            "numpy": np.__version__,
        },
    }


def store_metadata_file(metadata_filename: str | os.PathLike[str]) -> None:
    """Writes what this machine and its devices are as JSON, to go with a T4 file.

    The members are Kiln's own. ".json" is added where it is missing. Raises IoError.
    """
    path = output_path(metadata_filename, "metadata_filename")
    write_whole(path, json.dumps(metadata(), default=plain_json, indent=1))


def _grows(objective: str | None, grows: bool | None) -> tuple[str, bool]:
    objective = objective or "time"
    if grows is None:
        if not isinstance(objective, str) or objective not in OBJECTIVES_THAT_GROW:
            raise BadInputError(
                f"objective: found {objective!r}, expected objective_higher_is_better with it"
            )
        grows = OBJECTIVES_THAT_GROW[objective]
    return objective, grows


def _device_word(name):
    return re.sub("[^0-9a-zA-Z]+", "_", name.strip())


def _is_device_word(value):
    return is_text(value) and re.fullmatch("[0-9a-zA-Z_]+", value) is not None


def _size_word(problem_size):
    sizes = problem_size if isinstance(problem_size, (list, tuple)) else (problem_size,)
    return "x".join(str(size) for size in sizes)


def _is_table_of_values(value):
    return isinstance(value, dict) and all(map(is_scalar, value.values()))


def _read_results(path):
    """A file of store_results. Raises CorruptError with the place of what is wrong."""
    found = parsed(text_of(path), path)
    if not isinstance(found, dict) or found.get("version_number") != "1.0":
        raise CorruptError(f"{path}: found no results file, expected version_number \"1.0\"")
    objective = member(found, "objective", is_text, "a text", path)
    member(found, "kernel_name", is_text, "a text", path)
    names = member(found, "tunable_parameters", is_list_of(is_text), "a list of names", path)
    if found.get("objective_higher_is_better") is not None:
        member(found, "objective_higher_is_better", lambda it: isinstance(it, bool), "true or false", path)
    if not is_shallow(found):
        raise CorruptError(f"{path}: found values that are nested too deep")
    for at, one in enumerate(member(found, "data", lambda it: isinstance(it, list), "a list", path)):
        place = f"{path}: data: {at}"
        if not isinstance(one, dict):
            raise CorruptError(f"{place}: found {shown(one)}, expected an object")
        member(one, "device_name", _is_device_word, "letters, digits and '_'", place)
        member(one, "problem_size", is_text, "a text", place)
        values = member(one, "tunable_parameters", _is_table_of_values, "an object of values", place)
        if sorted(values) != sorted(names):
            raise CorruptError(f"{place}: tunable_parameters: found {[*values]}, expected {names}")
        is_good = is_time if objective == "time" else is_number
        member(one, objective, is_good, "a number" if objective != "time" else "milliseconds", place)
    return found


def store_results(
    results_filename: str | os.PathLike[str],
    kernel_name: str,
    kernel_string: Any,
    tune_params: Iterable[str],
    problem_size: Any,
    results: Sequence[dict[str, Any]],
    env: dict[str, Any],
    top: float = 3,
    objective: str | None = None,
    objective_higher_is_better: bool | None = None,
) -> None:
    """Keeps the best results (within `top` percent of the best) in a file of all devices and sizes.

    Kernel Tuner's layout, version 1.0. What the file has of this device and size is replaced.
    """
    names = list(tune_params)
    objective, grows = _grows(objective, objective_higher_is_better)
    results = _checked_results(results, names)
    if not is_time(top):
        raise BadInputError(f"top: found {top!r}, expected a percentage")
    if not isinstance(env, Mapping) or not isinstance(env.get("device_name"), str):
        raise BadInputError("env: found no 'device_name', expected the second result of tune_kernel")
    best = best_of(results, objective, grows)
    if best is None:
        raise BadInputError(f"store_results: found no result with '{objective}'")
    limit = best[objective] * (1 - top / 100 if grows else 1 + top / 100)
    path = path_from(results_filename, "results_filename")
    if os.path.exists(path):
        found = _read_results(path)
        for name, given in (
            ("kernel_name", kernel_name),
            ("objective", objective),
            ("tunable_parameters", names),
        ):
            if found[name] != given:
                raise BadInputError(f"{path}: found {name} {found[name]!r}, expected {given!r}")
    else:
        found = {
            "version_number": "1.0",
            "kernel_name": kernel_name,
            "objective": objective,
            "objective_higher_is_better": grows,
            "tunable_parameters": names,
            "data": [],
        }
        if isinstance(kernel_string, str):
            found["kernel_string"] = kernel_string
    device, size = _device_word(env["device_name"]), _size_word(problem_size)
    data = [
        one for one in found["data"] if (one["device_name"], one["problem_size"]) != (device, size)
    ]
    for one in results:
        if error_of(one, objective) is not None or value_of(one, objective) is None:
            continue
        if one is best or is_better(one[objective], limit, grows):
            data.append(
                {
                    "device_name": device,
                    "problem_size": size,
                    "tunable_parameters": {name: one[name] for name in names},
                    objective: one[objective],
                }
            )
    found["data"] = data
    write_whole(path, json.dumps(found, default=plain_json, indent=1))


def _common_best(data, objective, grows):
    """The configuration that stands for most sizes; of several the best on average."""
    by_config = {}
    for one in data:
        key = json.dumps(one["tunable_parameters"], sort_keys=True)
        by_config.setdefault(key, []).append(one)
    most = max(len(found) for found in by_config.values())
    sums = {
        key: sum(one[objective] for one in found)
        for key, found in by_config.items()
        if len(found) == most
    }
    best = (max if grows else min)(sums, key=sums.get)
    return by_config[best][0]["tunable_parameters"]


def create_device_targets(
    header_filename: str | os.PathLike[str],
    results_filename: str | os.PathLike[str],
    objective: str | None = None,
    objective_higher_is_better: bool | None = None,
) -> None:
    """Writes a header of macros: for each device of a file of store_results its best parameters.

    A program is compiled with -DTARGET_<device>; without it the parameters are good for all.
    objective, objective_higher_is_better: None: the file's.
    """
    found = _read_results(path_from(results_filename, "results_filename"))
    if objective is None:
        objective = found.get("objective")
    if objective_higher_is_better is None and objective == found.get("objective"):
        objective_higher_is_better = found.get("objective_higher_is_better")
    objective, grows = _grows(objective, objective_higher_is_better)
    data = found["data"]
    if not data:
        raise BadInputError(f"{results_filename}: found no results")
    if not all(is_number(one.get(objective)) for one in data):
        raise BadInputError(f"{results_filename}: found results without '{objective}'")
    for name in found["tunable_parameters"]:
        if not name.isidentifier():
            raise BadInputError(f"{results_filename}: found the parameter '{name}', expected a macro's name")

    def macros(params):
        return "".join(f"#define {name} {value}\n" for name, value in params.items())

    text = "/* The best parameters by device, by kiln.create_device_targets. */\n"
    text += "#pragma once\n#ifndef kernel_tuner\n"
    for i, device in enumerate(sorted({one["device_name"] for one in data})):
        own = [one for one in data if one["device_name"] == device]
        text += ("#ifdef " if i == 0 else "#elif defined ") + f"TARGET_{device}\n"
        text += macros(_common_best(own, objective, grows))
    text += "#else /* good for all of them */\n" + macros(_common_best(data, objective, grows))
    text += "#endif\n#endif /* kernel_tuner */\n"
    write_whole(path_from(header_filename, "header_filename"), text)
