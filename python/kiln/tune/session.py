"""One run of tune_kernel: which configurations were evaluated, what is taken from a cache, when it ends."""
import time

from kiln.errors import BadInputError, BuildError, DeviceError
from kiln.tune import cache_file
from kiln.tune.measuring import apply_metrics, milliseconds_since, timestamp
from kiln.tune.results import BY_NAME, ErrorConfig, Results, error_of
from kiln.tune.strategies import StopCriterionReached

SIMULATED_WORK_ITEMS = 1024


class Tuning:
    """Evaluates configurations once each, in the order of asking.

    measure: from a dict of parameters to a result, or None: only what the cache has. objectives:
    name to whether it grows. Raises StopCriterionReached where a limit is reached.
    """

    def __init__(self, space, measure, entries, cache, settings):
        self.space, self._measure = space, measure
        self._entries, self._cache = entries, cache
        self.objectives = settings.objectives
        self.strategy_options = settings.strategy_options
        self.metrics = settings.metrics
        self.quiet, self.verbose = settings.quiet, settings.verbose
        self.time_limit = settings.strategy_options.get("time_limit")
        self.most_evaluations = None
        objective, grows = next(iter(self.objectives.items()))
        self.results = Results(tune_params=space.param_names, objective=objective, grows=grows)
        self.unique = {}
        self.start = self._last = time.perf_counter()
        self.simulated_ms = 0
        self._known = set()  # ids of results that are from the cache
        self._told = set()

    @property
    def is_simulated(self):
        return self._measure is None

    def is_new(self, result):
        """Whether a result was measured now, not before."""
        return id(result) not in self._known

    def _check_limits(self):
        if self.most_evaluations is not None and len(self.unique) >= self.most_evaluations:
            raise StopCriterionReached("max_fevals")
        spent = time.perf_counter() - self.start + self.simulated_ms * 1e-3
        if self.time_limit is not None and spent > self.time_limit:
            raise StopCriterionReached("time_limit")

    def evaluate(self, config):
        """The result of a configuration, a tuple of values."""
        key = cache_file.key_of(config)
        if key in self.unique:
            return self.unique[key]
        self._check_limits()
        strategy_time = milliseconds_since(self._last)
        start = time.perf_counter()
        params = self.space.params(config)
        known = self._entries.get(key)
        result = self._from_cache(params, known) if known is not None else self._new(params, key)
        parts = ("compile_time", "verification_time", "benchmark_time")
        if known is None:
            result["strategy_time"] = strategy_time
            spent = sum(result[name] for name in parts)
            result["framework_time"] = max(0.0, milliseconds_since(start) - spent)
            result["timestamp"] = timestamp()
            if self._cache is not None:
                self._cache.add(config, result)
        elif self.is_simulated:
            self.simulated_ms += sum(result.get(name) or 0 for name in parts)
        self.unique[key] = result
        self.results.append(result)
        self._say(result)
        self._last = time.perf_counter()
        return result

    def _from_cache(self, params, known):
        result = {**known, **params}
        self._known.add(id(result))
        if error_of(result, self.results.objective) is None:
            apply_metrics(result, self.metrics)
        self._check_objectives(result, params, f"the cache's entry '{cache_file.key_of(params.values())}'")
        return result

    def _new(self, params, key):
        if self._measure is None:
            raise BadInputError(f"simulation_mode: the cache has no configuration '{key}'")
        result = self._measure(params)
        self._check_objectives(result, params, "a result")
        return result

    def _check_objectives(self, result, params, what):
        missing = [name for name in self.objectives if name not in result]
        if missing and error_of(result, self.results.objective) is None:
            raise BadInputError(
                f"objective: found no '{missing[0]}' in {what}, expected one of "
                + ", ".join(name for name in result if name not in params)
            )

    def _say(self, result):
        error = error_of(result, self.results.objective)
        if error is not None:
            # The first of each kind, whole: a typing error fails all of them alike.
            first = error.failure not in self._told
            self._told.add(error.failure)
            if self.verbose or (first and not self.quiet):
                values = describe(result, self.space.param_names)
                print(f"failed ({error.failure}): {values}: {error.reason or error}")
        elif not self.quiet:
            print(describe(result, [*self.space.param_names, "time", *(self.metrics or {})]))

    def raise_if_all_failed(self):
        """Where nothing has run there is no best one: says why of the first."""
        errors = [error_of(one, self.results.objective) for one in self.results]
        if not errors or self.is_simulated or any(error is None for error in errors):
            return
        first = errors[0]
        message = (
            f"none of {len(errors)} configurations runs and is right; the first one, "
            f"{describe(self.results[0], self.space.param_names)}: {first.failure}: "
            f"{first.reason or first}"
        )
        if first.failure == "build":
            raise BuildError(f"{message}\n{first.log}" if first.log else message)
        kinds = {"crash": DeviceError, "launch": DeviceError}
        raise kinds.get(first.failure, BadInputError)(message)


def describe(result, names):
    """ "block_size_x=32, time=0.123 ms": what is printed of a result."""
    parts = []
    for name in names:
        value = result.get(name)
        if isinstance(value, ErrorConfig) or value in BY_NAME:
            parts.append(f"{name}={value}")
        elif isinstance(value, float):
            parts.append(f"{name}={value:.3f}" + (" ms" if name == "time" else ""))
        else:
            parts.append(f"{name}={value}")
    return ", ".join(parts)
