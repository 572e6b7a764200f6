"""tune_kernel and run_kernel with Kernel Tuner's arguments and results."""
import dataclasses
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kiln._kiln import version
from kiln.errors import BadInputError
from kiln.tune import cache_file, strategies
from kiln.tune.arguments import (
    check_device,
    check_measuring,
    checked_arguments,
    checked_iterations,
    checked_objectives,
    checked_options,
    checked_seed,
    log_to_file,
    refuse_others,
)
from kiln.tune.bench import Bench, portable
from kiln.tune.geometry import Geometry
from kiln.tune.measuring import MEASURED, Measuring, candidate_of, check_metrics, milliseconds_since
from kiln.tune.observers import BenchmarkObserver, checked
from kiln.tune.recorded import keep
from kiln.tune.results import Results, pareto_front
from kiln.tune.session import SIMULATED_WORK_ITEMS, Tuning, describe
from kiln.tune.sources import Sources
from kiln.tune.space import Space, check_restrictions, checked_params

@dataclasses.dataclass
class _Settings:
    """The arguments of tune_kernel that say how configurations are measured and judged."""

    answer: Any
    atol: float
    verify: Any
    observers: list
    iterations: int
    metrics: Any
    platform: int
    device: Any
    objectives: dict
    strategy_options: dict
    quiet: bool
    verbose: bool
    hang_time: float


def tune_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Sequence[Any] | None = None,
    atol: float = 1e-6,
    verify: Callable[..., Any] | None = None,
    verbose: bool = False,
    lang: str | None = None,
    device: int | str = 0,
    platform: int = 0,
    smem_args: Any = None,
    cmem_args: Any = None,
    texmem_args: Any = None,
    compiler: str | None = None,
    compiler_options: Sequence[str] | None = None,
    defines: Mapping[str, Any] | None = None,
    log: Any = None,
    iterations: int = 7,
    block_size_names: Sequence[str] | None = None,
    quiet: bool = False,
    strategy: Any = None,
    strategy_options: Mapping[str, Any] | None = None,
    cache: str | os.PathLike[str] | None = None,
    metrics: dict[str, Any] | None = None,
    simulation_mode: bool = False,
    parallel: Any = None,
    observers: Sequence[BenchmarkObserver] | None = None,
    objective: Any = None,
    objective_higher_is_better: Any = None,
    objectives: Any = None,
    seed: int | None = None,
    *,
    hang_time: float = 60.0,
) -> tuple[Results, dict[str, Any]]:
    """Searches for the parameters of an OpenCL kernel that are fastest, or best by another measure.

    The arguments are Kernel Tuner's, by name and by position (https://kerneltuner.github.io). The
    kernel is launched with as many work-groups of block_size_x * block_size_y * block_size_z
    work-items as cover problem_size, divided by the block size or by grid_div_*. Parameters are its
    macros. device may also be a list of devices as on Kiln's command line.

    Returns (results, env): a list of dicts, one a configuration, with its parameters, `time` (ms,
    the mean of `times`) and what observers and metrics gave, and a dict about the device and the
    search, with `best_config`. A configuration that does not compile, fails, crashes, takes longer
    than hang_time seconds or differs from `answer` has an ErrorConfig as its time; it is measured
    in another process, so that it ends nothing else. Ctrl-C ends the search with what was measured.

    Raises BadInputError for wrong arguments, UnsupportedError for what only other languages have,
    and where no configuration runs and is right the error of the first one. One thread.
    """
    start = time.perf_counter()
    refuse_others(locals())
    log_to_file(log, kernel_name)
    check_device(platform, device)
    check_measuring(atol, verify, hang_time)
    tune_params, arguments = checked_params(tune_params), checked_arguments(arguments)
    options = checked_options(strategy_options)
    settings = _Settings(
        answer,
        atol,
        verify,
        checked(observers),
        checked_iterations(iterations),
        metrics,
        platform,
        device,
        checked_objectives(objective, objective_higher_is_better, objectives),
        options,
        quiet,
        verbose,
        hang_time,
    )
    check_metrics(metrics, tune_params, is_all_known=not (settings.observers or cache))
    check_restrictions(restrictions, tune_params)
    strategies.check_strategy(strategy, options)
    sources = Sources(kernel_name, kernel_source, lang, compiler_options)
    grid_div = (grid_div_x, grid_div_y, grid_div_z)
    geometry = Geometry(problem_size, grid_div, block_size_names, defines, tune_params)
    header = {
        "device_name": None,
        "kernel_name": kernel_name,
        "problem_size": "callable" if callable(problem_size) else problem_size,
        "tune_params_keys": list(tune_params),
        "tune_params": tune_params,
        "objective": [*settings.objectives][0],
    }
    seed = checked_seed(seed)
    if simulation_mode:
        return _simulate(tune_params, restrictions, geometry, settings, header, cache, strategy, seed, start)
    geometry.warn_without_block_sizes(tune_params, stacklevel=2)
    with tempfile.TemporaryDirectory(prefix="kiln-candidates-") as scratch:
        # Of all candidates the user's store would keep what only the winner is worth.
        store = "off" if os.environ.get("KILN_STORE") == "off" else scratch
        measuring = Measuring(sources, geometry, arguments, settings, store)
        try:
            space = Space(
                tune_params, restrictions, measuring.facts["max_threads"], geometry.block_names
            )
            env = {**measuring.facts["env"], **_environment(settings, compiler_options)}
            header["device_name"] = env["device_name"]
            _greet(env["device_name"], kernel_name, space, quiet, verbose)
            file = cache_file.CacheFile(cache, header) if cache else None
            try:
                tuning = Tuning(space, measuring.measure, file.entries.copy() if file else {}, file, settings)
                _search(tuning, strategy, options, seed, env)
            finally:
                if file is not None:
                    file.close()
            tuning.raise_if_all_failed()
            keep(measuring, tuning, sources, geometry, restrictions)
        finally:
            measuring.end()
    return _finished(tuning, env, start)


def _simulate(tune_params, restrictions, geometry, settings, header, cache, strategy, seed, start):
    """The same search with a cache file in place of the device."""
    if not cache:
        raise BadInputError("simulation_mode: found no cache, expected the file to be replayed")
    found = cache_file.read(cache)
    header["device_name"] = found.get("device_name")
    cache_file.CacheFile.check(found, header, cache_file.path_of(cache))
    space = Space(tune_params, restrictions, SIMULATED_WORK_ITEMS, geometry.block_names)
    env = {"device_name": found.get("device_name"), **_environment(settings, None)}
    _greet(env["device_name"], header["kernel_name"], space, settings.quiet, settings.verbose)
    tuning = Tuning(space, None, found["cache"], None, settings)
    _search(tuning, strategy, settings.strategy_options, seed, env)
    env["simulated_time"] = tuning.simulated_ms
    return _finished(tuning, env, start)


def _environment(settings, compiler_options):
    return {
        "kiln_version": version(),
        "numpy_version": np.__version__,
        "iterations": settings.iterations,
        "compiler_options": compiler_options,
    }


def _greet(device, kernel_name, space, quiet, verbose):
    if not quiet:
        print(f"Using: {device}\n{kernel_name}")
    if verbose:
        print(f"{len(space)} configurations after restrictions")


def _search(tuning, strategy, options, seed, env):
    """Ctrl-C ends it with what there is; without anything it is the caller's."""
    try:
        strategies.search(tuning, strategy, options, seed)
    except KeyboardInterrupt:
        if tuning.results.best is None:
            raise
        env["interrupted"] = True
        if not tuning.quiet:
            print(f"interrupted after {len(tuning.results)} configurations")


def _finished(tuning, env, start):
    """Best configuration and sums into the environment."""
    results = tuning.results
    if len(tuning.objectives) > 1:
        env["best_config"] = pareto_front(results, tuning.objectives)
    elif results.best is not None:
        env["best_config"] = results.best
        if not tuning.quiet:
            names = [*results.tune_params, "time", *(tuning.metrics or {})]
            print("best performing configuration:\n" + describe(results.best, names))
    elif not tuning.quiet:
        print("no configuration has a result")
    spent = 0
    for name in ("framework_time", "strategy_time", "compile_time", "verification_time", "benchmark_time"):
        env["total_" + name] = sum(one.get(name) or 0 for one in results)
        spent += sum(one.get(name) or 0 for one in results if tuning.is_simulated or tuning.is_new(one))
    env["overhead_time"] = milliseconds_since(start) + env.get("simulated_time", 0) - spent
    return results, env


# ---- One run


def _parameters_of(params):
    """A configuration's parameters, also where a result of tune_kernel is given."""
    if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
        raise BadInputError(f"params: found {type(params).__name__}, expected a dict of names and values")
    if "timestamp" not in params:
        return dict(params)
    return {name: one for name, one in params.items() if name not in MEASURED and name.isidentifier()}


def run_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    params: Mapping[str, Any],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    lang: str | None = None,
    device: int | str = 0,
    platform: int = 0,
    smem_args: Any = None,
    cmem_args: Any = None,
    texmem_args: Any = None,
    compiler: str | None = None,
    compiler_options: Sequence[str] | None = None,
    defines: Mapping[str, Any] | None = None,
    block_size_names: Sequence[str] | None = None,
    quiet: bool = False,
    log: Any = None,
) -> list[Any]:
    """Runs a kernel once with one configuration; returns its arguments after the run.

    The arguments are Kernel Tuner's. Returns a list: a new array for each array, scalars as they
    are. Runs in this process. Raises BuildError, DeviceError, BadInputError, UnsupportedError.
    """
    refuse_others(locals())
    log_to_file(log, kernel_name)
    check_device(platform, device)
    values, arguments = _parameters_of(params), checked_arguments(arguments)
    sources = Sources(kernel_name, kernel_source, lang, compiler_options)
    geometry = Geometry(
        problem_size, (grid_div_x, grid_div_y, grid_div_z), block_size_names, defines, values
    )
    bench = Bench(platform, device, None, [portable(one, i) for i, one in enumerate(arguments)])
    try:
        candidate = candidate_of(sources, geometry, values)
    except ZeroDivisionError:
        raise BadInputError("params: the range divides by zero, expected positive sizes") from None
    bench.compile(candidate)
    bench.start().wait()
    outputs = bench.outputs()
    return [
        given if found is None else found.reshape(given.shape)
        for given, found in zip(arguments, outputs)
    ]
