"""What tune_kernel has found, on record in the store: the same record as that of Kiln's own searches."""
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kiln._kiln import Runtime, Store, tune_on_record
from kiln.errors import Error
from kiln.tune.arguments import check_device, checked_arguments
from kiln.tune.bench import find_device, native, portable
from kiln.tune.geometry import Geometry
from kiln.tune.results import error_of, value_of
from kiln.tune.sources import Sources
from kiln.tune.space import checked_params, listed_restrictions


def problem_of(sources, geometry, restrictions, arguments, tune_params):
    """The problem as the store knows it: kiln.tune.kernel's; None where a function or values that
    are no integers say what it is, or defines, which a record does not have."""
    texts, _ = listed_restrictions(restrictions)
    sizes = geometry.as_texts(tune_params)
    is_plain = (
        sizes is not None
        and not sources.is_generated
        and all(isinstance(one, str) for one in texts)
        and all(isinstance(v, (int, np.integer)) for values in tune_params.values() for v in values)
    )
    if not is_plain or geometry.defines is not None:
        return None
    text, folders = sources.text({})
    return {
        "source": text if text.endswith("\n") else text + "\n",
        "name": sources.kernel_name,
        "global_size": sizes[0],
        "local_size": sizes[1],
        "arguments": arguments,
        "parameters": {name: [int(v) for v in values] for name, values in tune_params.items()},
        "constraints": texts,
        "constants": {},
        "macros": {"kernel_tuner": "1"},
        "include_folders": folders,
        "options": sources.options,
        "expected": {},
        "reference": {},
        "tolerance": 1e-4,
    }


def keep(measuring, tuning, sources, geometry, restrictions):
    """The fastest configuration goes on record, for best_on_record()."""
    results = tuning.results
    if [*tuning.objectives] != ["time"] or results.best is None:
        return
    problem = problem_of(sources, geometry, restrictions, measuring.arguments, tuning.space.tune_params)
    if problem is None:
        return
    first = next((one for one in results if error_of(one) is None), results.best)
    values = {name: int(results.best[name]) for name in results.tune_params}
    measuring.record(problem, values, value_of(results.best, "time") * 1e-3, value_of(first, "time") * 1e-3)


def best_on_record(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    lang: str | None = None,
    device: int | str = 0,
    platform: int = 0,
    compiler_options: Sequence[str] | None = None,
    block_size_names: Sequence[str] | None = None,
) -> dict[str, int] | None:
    """What tune_kernel has found for this problem on this device, in any process: a dict of the
    parameters; None: nothing. Compiles and runs nothing. Looks in the store that KILN_STORE names now.

    Problems whose sizes, source or restrictions are functions, whose parameters are no integers, or
    that have defines, are never on record. Raises BadInputError for wrong arguments.
    """
    check_device(platform, device)
    tune_params = checked_params(tune_params)
    sources = Sources(kernel_name, kernel_source, lang, compiler_options)
    geometry = Geometry(
        problem_size, (grid_div_x, grid_div_y, grid_div_z), block_size_names, None, tune_params
    )
    given = [portable(one, i) for i, one in enumerate(checked_arguments(arguments))]
    problem = problem_of(sources, geometry, restrictions, given, tune_params)
    if problem is None:
        return None
    problem["arguments"] = [native(one) for one in given]
    for runtime in _runtimes(find_device(platform, device)[0]):
        found = tune_on_record(runtime, problem)
        if found is not None:
            return found["values"]
    return None


def _folder(store):
    """Of what store() opens; None: it is off."""
    try:
        return store().folder
    except Error:
        return None


def _runtimes(devices):
    """What is asked for a record, in this order.

    The process's own store is the one that KILN_STORE named when it was first used, and what it was
    asked for before it has in memory; processes that measure write to the one that is named now.
    """
    now = _folder(Store)
    if now is None:
        return
    yield Runtime(devices, store=now)
    own = Runtime(devices)  # with the system's store and the fleet's
    if _folder(lambda: own.store) == now:
        yield own
