"""What is wrong with the arguments of tune_kernel and run_kernel is said before anything runs."""
import logging
import time
from collections.abc import Mapping

import numpy as np

from kiln.errors import BadInputError, UnsupportedError
from kiln.tune.expressions import plain
from kiln.tune.json_files import is_number, is_time
from kiln.tune.results import OBJECTIVES_THAT_GROW

# What only other languages have, and why it cannot be meant here.
_REFUSED = {
    "smem_args": "shared memory of CUDA; expected kiln.LocalMemory among the arguments",
    "cmem_args": "constant memory of CUDA; expected a __constant argument of the kernel",
    "texmem_args": "textures of CUDA",
    "compiler": "the compiler of host programs; OpenCL's driver has its own",
}


def refuse_others(given):
    """given: arguments by name. Raises UnsupportedError for what OpenCL does not have."""
    for name, why in _REFUSED.items():
        if given.get(name):
            raise UnsupportedError(f"{name}: {why}")
    if given.get("parallel"):
        raise UnsupportedError(
            "parallel: found a request for several devices, expected one (candidates of one device "
            "are measured one after another)"
        )


def _is_integer(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_device(platform, device):
    """Kernel Tuner's two numbers, or a list of devices as a text for the second."""
    if not _is_integer(platform):
        raise BadInputError(f"platform: found {platform!r}, expected a number")
    if not _is_integer(device) and not (isinstance(device, str) and device):
        raise BadInputError(f"device: found {device!r}, expected a number or a list of devices as text")


def checked_arguments(arguments):
    """A kernel's arguments as a list; of what kinds they may be portable() says."""
    if isinstance(arguments, (str, bytes, Mapping, np.ndarray)) or not np.iterable(arguments):
        raise BadInputError(f"arguments: found {type(arguments).__name__}, expected a list, one a parameter")
    return list(arguments)


def checked_iterations(iterations):
    if not _is_integer(iterations) or iterations < 1:
        raise BadInputError(f"iterations: found {iterations!r}, expected a positive number")
    return int(iterations)


def checked_seed(seed):
    if seed is None:
        return 0
    if not _is_integer(seed) or not 0 <= seed < 1 << 64:
        raise BadInputError(f"seed: found {seed!r}, expected an integer below 2^64")
    return int(seed)


def checked_options(strategy_options):
    """strategy_options as a dict of texts; what they may be strategies.check_strategy says."""
    if strategy_options is None:
        return {}
    if not isinstance(strategy_options, Mapping):
        raise BadInputError(
            f"strategy_options: found {type(strategy_options).__name__}, expected a dict"
        )
    return dict(strategy_options)


def check_measuring(atol, verify, hang_time):
    if atol is not None and not is_time(plain(atol)):
        raise BadInputError(f"atol: found {atol!r}, expected a number, 0 at least")
    if verify is not None and not callable(verify):
        raise BadInputError(f"verify: found {type(verify).__name__}, expected a function")
    if not is_number(plain(hang_time)) or hang_time <= 0:
        raise BadInputError(f"hang_time: found {hang_time!r}, expected a positive number of seconds")


def checked_objectives(objective, grows, several):
    """Name to whether it grows, from Kernel Tuner's three arguments."""
    if several is not None:
        if objective is not None:
            raise BadInputError("objectives: found objective, too, expected one of them")
        if isinstance(several, (str, bytes)) or not np.iterable(several) or not several:
            raise BadInputError(f"objectives: found {several!r}, expected a list or a dict of names")
        if isinstance(several, Mapping):
            _check_names([*several], "objectives")
            return {name: bool(value) for name, value in several.items()}
        objective = [*several]
    names = [*objective] if isinstance(objective, (list, tuple)) else [objective or "time"]
    if not names:
        raise BadInputError("objective: found no name, expected one at least")
    _check_names(names, "objective")
    given = [*grows] if isinstance(grows, (list, tuple)) else [grows] * len(names)
    if len(given) != len(names):
        raise BadInputError(
            f"objective_higher_is_better: found {len(given)} values, expected {len(names)}, one an objective"
        )
    found = {}
    for name, one in zip(names, given):
        if one is None:
            if name not in OBJECTIVES_THAT_GROW:
                raise BadInputError(
                    f"objective: found '{name}', expected objective_higher_is_better with it"
                )
            one = OBJECTIVES_THAT_GROW[name]
        found[name] = bool(one)
    return found


def _check_names(names, what):
    for name in names:
        if not isinstance(name, str):
            raise BadInputError(f"{what}: found {name!r}, expected a text")


def log_to_file(log, kernel_name):
    """What Kernel Tuner does with `log`, a level of logging."""
    if not log:
        return
    if not isinstance(log, (int, str)) or (
        isinstance(log, str) and not isinstance(logging.getLevelName(log.upper()), int)
    ):
        raise BadInputError(f"log: found {log!r}, expected a level of logging")
    level = log.upper() if isinstance(log, str) else log
    logging.basicConfig(filename=f"{kernel_name}{time.strftime('%Y%m%d-%H:%M:%S')}.log", level=level)
