"""What else scripts of Kernel Tuner call: replays of a whole cache, tuning problems (T1), and small
helpers of its module `util`."""
import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kiln._kiln import Runtime, version
from kiln.errors import BadInputError, CorruptError, UnsupportedError
from kiln.tune import cache_file, searches
from kiln.tune.arguments import check_device, checked_options
from kiln.tune.bench import find_device
from kiln.tune.files import metadata
from kiln.tune.json_files import is_number
from kiln.tune.kernel_tuner import tune_kernel
from kiln.tune.results import (
    CompilationFailedConfig,
    InvalidConfig,
    Results,
    RuntimeFailedConfig,
    best_of,
)
from kiln.tune.space import listed_restrictions
from kiln.tune.strategies import METHODS, check_strategy


def tune_cache(
    cache_path: str | os.PathLike[str], restrictions: Any = None, **options: Any
) -> tuple[Results, dict[str, Any]]:
    """Searches the configurations of a cache file, as tune_kernel(simulation_mode=True) does; the file
    says what they are.

    restrictions: what they must satisfy besides. options: further arguments of tune_kernel, such as
    strategy, strategy_options, objective, metrics and seed. Returns (results, env). Raises
    NotFoundError, CorruptError, and BadInputError as tune_kernel.
    """
    found = cache_file.read(cache_path)
    for name in ("kernel_name", "tune_params", "tune_params_keys"):
        if name not in found:
            path = cache_file.path_of(cache_path)
            raise CorruptError(f"{path}: found no '{name}', expected it before 'cache'")
    params = {name: found["tune_params"][name] for name in found["tune_params_keys"]}
    known = set(found["cache"])
    listed, is_one_function = listed_restrictions(restrictions)
    if is_one_function:
        (function,) = listed
        listed = [lambda **values: function(values)]
    listed.append(lambda **values: cache_file.key_of(values[name] for name in params) in known)
    if options.get("objective") is None and options.get("objectives") is None:
        options["objective"] = found.get("objective")
    return tune_kernel(
        found["kernel_name"],
        "",
        found.get("problem_size", 1),
        [],
        params,
        restrictions=listed,
        cache=cache_path,
        simulation_mode=True,
        **options,
    )


# ---- Tuning problems (T1)


def _search_options(strategy, strategy_options):
    """Arguments of kiln.tune.spec for those of Kernel Tuner."""
    options = checked_options(strategy_options)
    if strategy is not None and not isinstance(strategy, str):
        raise UnsupportedError("strategy: found an object, expected a name: T1's searches are Kiln's own")
    check_strategy(strategy, options)
    found = {}
    if strategy is not None:
        found["method"] = METHODS.get(strategy, strategy)
    if options.get("max_fevals") is not None:
        found["evaluations"] = int(options["max_fevals"])
    if options.get("time_limit") is not None:
        found["budget"] = float(options["time_limit"])
    return found


def _as_results(found):
    """A kiln.tune.Result as tune_kernel's results: times in ms, marks of failures."""
    kinds = {"build": CompilationFailedConfig, "resources": InvalidConfig}
    made = []
    for one in found.configurations:
        failure = one["failure"]
        if failure is None:
            time = one["seconds"] * 1e3
        else:
            time = kinds.get(failure, RuntimeFailedConfig)(one["message"], failure)
        made.append({**one["values"], "time": time})
    return Results(made, tune_params=found.best)


def tune_kernel_T1(  # noqa: N802 (Kernel Tuner's name)
    input_filepath: str | os.PathLike[str],
    cache_filepath: str | os.PathLike[str] | None = None,
    objective: str = "time",
    objective_higher_is_better: bool = False,
    simulation_mode: bool = False,
    output_T4: bool = True,  # noqa: N803
    iterations: int = 7,
    device: int | str | None = None,
    strategy: str | None = None,
    strategy_options: Mapping[str, Any] | None = None,
) -> tuple[Any, Any]:
    """Searches a tuning problem's file (T1) by Kiln's own search, kiln.tune.spec: with its journal, and
    with the winner on record.

    strategy: Kernel Tuner's name or Kiln's. strategy_options: max_fevals, time_limit. With
    simulation_mode the configurations of cache_filepath are searched, by tune_cache. output_T4: returns
    (metadata, object of a T4 file); else (results, env). Of the file General, Search and Budget are not
    read. Raises UnsupportedError for another objective than time.
    """
    if simulation_mode:
        if cache_filepath is None:
            raise BadInputError("simulation_mode: found no cache_filepath, expected the file to be replayed")
        more: Any = {"objective": objective, "objective_higher_is_better": objective_higher_is_better}
        results, env = tune_cache(
            cache_filepath, strategy=strategy, strategy_options=strategy_options, quiet=True, **more
        )
        written = searches.t4(results, objective=objective)
    else:
        if objective != "time" or objective_higher_is_better:
            raise UnsupportedError(f"objective: found '{objective}', expected \"time\", the least")
        if cache_filepath is not None:
            raise UnsupportedError(
                "cache_filepath: found a cache without simulation_mode, expected none: the search has a "
                "journal"
            )
        if iterations != 7:
            warnings.warn("iterations: ignored: Kiln's search measures until it is sure", stacklevel=2)
        options = _search_options(strategy, strategy_options)
        check_device(0, 0 if device is None else device)
        runtime = Runtime() if device is None else Runtime(find_device(0, device)[0])
        found = searches.spec(runtime, input_filepath, **options)
        results = _as_results(found)
        env = {"device_name": found.device, "best_config": results.best, "kiln_version": version()}
        written = found.t4()
    return (metadata(), json.loads(written)) if output_T4 else (results, env)


# ---- Kernel Tuner's util


def get_best_config(
    results: Iterable[Mapping[str, Any]], objective: str = "time", objective_higher_is_better: bool = False
) -> dict[str, Any]:
    """The best result of a list. Raises BadInputError where none has the objective."""
    best = best_of(results, objective, objective_higher_is_better)
    if best is None:
        raise BadInputError(f"results: found none with a number as '{objective}', expected one at least")
    return best


def get_config_string(
    params: Mapping[str, Any], keys: Sequence[str] | None = None, units: Mapping[str, str] | None = None
) -> str:
    """A result as a line: "block_size_x=32, time=0.123ms".

    keys: what is shown; None: all. units: texts behind the values, by name.
    """
    shown = []
    for name in params if keys is None else keys:
        if name in params:
            value = params[name]
            text = f"{value:.3f}" if isinstance(value, float) and is_number(value) else str(value)
            shown.append(f"{name}={text}{(units or {}).get(name, '')}")
    return ", ".join(shown)


def read_cache(cache: str | os.PathLike[str]) -> dict[str, Any]:
    """The object of a cache file; marks of failures are ErrorConfigs.

    Raises NotFoundError, IoError, and CorruptError with the place of what is wrong.
    """
    return cache_file.read(cache)
