"""Results in files: T4 (the community's format), the best by device, headers of macros."""
import json
import os
import pathlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from kiln.errors import BadInputError, CorruptError, NotFoundError
from kiln.tune.cache_file import plain_json, write_whole
from kiln.tune.results import OBJECTIVES_THAT_GROW, best_of, error_of, is_better

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


def t4(
    results: Iterable[dict[str, Any]], tune_params: Iterable[str], objective: str = "time"
) -> dict[str, Any]:
    """Results of tune_kernel as the object of a T4 file, version 1.0.0."""
    names = list(tune_params)
    others = {*names, *_TIMES.values(), "times", "timestamp"}
    made = []
    for one in results:
        error = error_of(one, objective)
        invalidity = "correct" if error is None else _INVALIDITY.get(error.failure, "runtime")
        measured = [
            {"name": name, "value": value, "unit": "ms" if name.startswith("time") else ""}
            for name, value in one.items()
            if name not in others and error is None
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


def store_output_file(
    output_filename: str | os.PathLike[str],
    results: Iterable[dict[str, Any]],
    tune_params: Iterable[str],
    objective: str = "time",
) -> None:
    """Writes results of tune_kernel as a T4 file; ".json" is added where it is missing."""
    path = pathlib.Path(output_filename)
    if path.suffix != ".json":
        path = path.with_name(path.name + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(t4(results, tune_params, objective), default=plain_json))


def _grows(objective: str | None, grows: bool | None) -> tuple[str, bool]:
    objective = objective or "time"
    if grows is None:
        if objective not in OBJECTIVES_THAT_GROW:
            raise BadInputError(
                f"objective: found '{objective}', expected objective_higher_is_better with it"
            )
        grows = OBJECTIVES_THAT_GROW[objective]
    return objective, grows


def _device_word(name):
    return re.sub("[^0-9a-zA-Z]+", "_", name.strip())


def _size_word(problem_size):
    sizes = problem_size if isinstance(problem_size, (list, tuple)) else (problem_size,)
    return "x".join(str(size) for size in sizes)


def _read_results(path):
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        raise NotFoundError(f"{path}: no such file") from None
    except ValueError as error:
        raise CorruptError(f"{path}: {error}") from None
    if not isinstance(found, dict) or found.get("version_number") != "1.0":
        raise CorruptError(f"{path}: found no results file, expected version_number \"1.0\"")
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
    best = best_of(results, objective, grows)
    if best is None:
        raise BadInputError(f"store_results: found no result with '{objective}'")
    limit = best[objective] * (1 - top / 100 if grows else 1 + top / 100)
    path = pathlib.Path(results_filename)
    if path.exists():
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
        if error_of(one, objective) is not None or one.get(objective) is None:
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
    found = _read_results(pathlib.Path(results_filename))
    if objective is None:
        objective = found.get("objective")
    if objective_higher_is_better is None and objective == found.get("objective"):
        objective_higher_is_better = found.get("objective_higher_is_better")
    objective, grows = _grows(objective, objective_higher_is_better)
    data = found["data"]
    if not data:
        raise BadInputError(f"{results_filename}: found no results")
    if not all(objective in one for one in data):
        raise BadInputError(f"{results_filename}: found results without '{objective}'")

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
    write_whole(pathlib.Path(header_filename), text)
