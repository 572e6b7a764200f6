"""Strategies by Kernel Tuner's names, Kiln's own, and objects of the caller's."""
import difflib
import math
import os
import warnings

import numpy as np

from kiln._kiln import StepwiseSearch
from kiln.errors import BadInputError, Error
from kiln.tune import cache_file
from kiln.tune.expressions import plain
from kiln.tune.json_files import is_number
from kiln.tune.results import dominates, value_of

# docs/python.md has this table with what Kiln's methods are.
METHODS = {
    "brute_force": "exhaustive",
    "random_sample": "random",
    "bayes_opt": "forest",
    "skopt": "forest",
    "pyatf_strategies": "forest",
    "minimize": "multi-start",
    "mls": "multi-start",
    "greedy_mls": "multi-start",
    "ordered_greedy_mls": "multi-start",
    "basinhopping": "iterated-local",
    "greedy_ils": "iterated-local",
    "hybrid_vndx": "iterated-local",
    "dual_annealing": "annealing",
    "simulated_annealing": "annealing",
    "genetic_algorithm": "genetic",
    "diff_evo": "genetic",
    "pso": "genetic",
    "firefly_algorithm": "genetic",
    "adaptive_tabu_greywolf": "genetic",
    "nsga2": "genetic",
    "nsga3": "genetic",
}
OWN = ("forest", "multi-start", "iterated-local", "annealing", "genetic", "random", "exhaustive")
# Evaluations of a search that was given neither max_fevals nor time_limit.
DEFAULT_EVALUATIONS = 100
DEFAULT_FRACTION = 0.1  # of the space, that random_sample takes
# What an option may be.
_OPTIONS = {
    "max_fevals": (lambda it: is_number(it) and it >= 1 and it == int(it), "a positive integer"),
    "time_limit": (lambda it: is_number(it) and it > 0, "a positive number of seconds"),
    "fraction": (lambda it: is_number(it) and 0 < it <= 1, "a number above 0, 1 at most"),
    "x0": (lambda it: isinstance(it, (list, tuple, np.ndarray)), "the values of a configuration"),
    "start_from": (lambda it: isinstance(it, (str, os.PathLike)), "a cache file's name"),
}


class StopCriterionReached(Exception):
    """max_fevals, time_limit or the space is used up: raised through strategies of the caller's."""


def check_strategy(strategy, options):
    """What is wrong with a strategy or its options is said before anything is measured."""
    _check_options(options)
    if strategy is not None and not isinstance(strategy, str) and callable(getattr(strategy, "tune", None)):
        return
    if strategy is not None and (
        not isinstance(strategy, str) or (strategy not in METHODS and strategy not in OWN)
    ):
        raise BadInputError(
            f"strategy: found {strategy!r}, expected an object with a method tune(), or one of "
            + ", ".join([*METHODS, *OWN])
        )
    ignored = [name for name in options if name not in _OPTIONS]
    for name in ignored:
        # Kernel Tuner has constants of its strategies that mean nothing here; no others are so alike.
        meant = difflib.get_close_matches(name.lower(), _OPTIONS, 1, 0.75)
        if meant:
            raise BadInputError(f"strategy_options: found '{name}', expected '{meant[0]}'")
    if ignored:
        method = METHODS.get(strategy or "brute_force", strategy)
        warnings.warn(
            f"strategy_options: {', '.join(ignored)}: Kiln's '{method}' has no such constant; ignored",
            stacklevel=4,
        )


def _check_options(options):
    """The options that have a meaning here; a strategy of the caller's may have more."""
    for name, value in options.items():
        if not isinstance(name, str):
            raise BadInputError(f"strategy_options: found the name {name!r}, expected a text")
        test, expected = _OPTIONS.get(name, (None, ""))
        if test is not None and value is not None and not test(plain(value)):
            raise BadInputError(f"strategy_options: {name}: found {value!r}, expected {expected}")


class _Cost:
    """A positive number of which less is better, as StepwiseSearch wants it, from the objectives."""

    def __init__(self, objectives, results):
        self.objectives, self.results = objectives, results
        self.scale = None

    def __call__(self, result):
        if len(self.objectives) > 1:
            if any(value_of(result, name) is None for name in self.objectives):
                return None
            # Results that nothing dominates are the best, whichever objective they are good at.
            return 1.0 + sum(dominates(one, result, self.objectives) for one in self.results)
        ((name, grows),) = self.objectives.items()
        value = value_of(result, name)
        if value is None or math.isinf(value):
            return None
        if self.scale is None:
            # Ratios are what counts of times; numbers that may be negative have none.
            self.scale = 0 if value > 0 else abs(value) or 1.0
        if self.scale == 0:
            value = max(value, 1e-300)
            return 1 / value if grows else value
        return math.exp(max(-700.0, min(700.0, (-value if grows else value) / self.scale)))


def _known_elsewhere(space, source, cost):
    """A search that was told what a file has: a cache of Kernel Tuner's, of another device or problem."""
    found = cache_file.read(source)
    names = [name for name in found.get("tune_params_keys") or () if name in space.tune_params]
    if not names:
        raise BadInputError(f"start_from: {source}: found no parameter of this search")
    entries = found["cache"].values()
    if not entries:
        raise BadInputError(f"start_from: {source}: found no configuration, expected one at least")
    values = {name: [*dict.fromkeys(entry[name] for entry in entries)] for name in names}
    rows = {}
    for entry in entries:
        row = tuple(values[name].index(entry[name]) for name in names)
        new = cost(entry)
        if row not in rows or (new is not None and (rows[row] is None or new < rows[row])):
            rows[row] = new
    try:
        search = StepwiseSearch(values, rows=[*rows])
        for i, one in enumerate(rows.values()):
            search.tell(i, one)
    except Error as error:
        raise BadInputError(f"start_from: {source}: {error}") from None
    return search


def _evaluations(strategy, options, space):
    if options.get("max_fevals") is not None:
        return int(options["max_fevals"])
    if strategy in (None, "brute_force", "exhaustive") or not isinstance(strategy, str):
        return None
    if strategy == "random_sample":
        return max(1, math.ceil(float(options.get("fraction") or DEFAULT_FRACTION) * len(space)))
    return None if options.get("time_limit") is not None else DEFAULT_EVALUATIONS


def search(tuning, strategy, options, seed):
    """Evaluates configurations until the strategy, max_fevals or time_limit ends it."""
    space = tuning.space
    tuning.most_evaluations = _evaluations(strategy, options, space)
    try:
        if options.get("x0") is not None:
            _start_at(tuning, options["x0"])
        if strategy in (None, "brute_force"):
            for config in space.in_order():
                tuning.evaluate(config)
        elif isinstance(strategy, str):
            _ask_and_tell(tuning, METHODS.get(strategy, strategy), options, seed)
        else:
            _of_the_caller(tuning, strategy)
    except StopCriterionReached:
        pass


def _start_at(tuning, x0):
    if not tuning.space.is_param_config_valid(x0):
        raise BadInputError(f"strategy_options: x0: found {x0!r}, expected a valid configuration")
    tuning.evaluate(tuple(x0))


def _ask_and_tell(tuning, method, options, seed):
    space = tuning.space
    cost = _Cost(tuning.objectives, tuning.results)
    source = options.get("start_from")
    known = _known_elsewhere(space, source, _Cost(tuning.objectives, [])) if source else None
    stepwise = space.search(method, seed, known)
    while (asked := stepwise.ask()) is not None:
        stepwise.tell(asked, cost(tuning.evaluate(space.config(stepwise.positions(asked)))))


class Options(dict):
    """A dict whose members are attributes, too."""

    def __getattr__(self, name):
        if name.startswith("_") or name not in self:
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class Runner:
    """What strategies of the caller's measure by."""

    def __init__(self, tuning):
        self._tuning = tuning
        self.quiet = tuning.quiet
        self.simulation_mode = tuning.is_simulated
        self.units = {"time": "ms"}

    def run(self, parameter_space, tuning_options=None):
        """Results of configurations; raises StopCriterionReached where a limit comes first."""
        results = [self._tuning.evaluate(tuple(config)) for config in parameter_space]
        if tuning_options is not None:
            tuning_options["simulated_time"] = self._tuning.simulated_ms
        return results


class CostFunc:
    """A configuration's cost, of which less is better: for strategies of the caller's."""

    def __init__(self, searchspace, tuning_options, runner):
        self.searchspace, self.tuning_options, self.runner = searchspace, tuning_options, runner
        self.results = []

    def __call__(self, config):
        if not self.searchspace.is_param_config_valid(config):
            return math.inf
        (result,) = self.runner.run([config], self.tuning_options)
        self.results.append(result)
        value = value_of(result, self.tuning_options.objective)
        if value is None:
            return math.inf
        return -value if self.tuning_options.objective_higher_is_better else value


def _of_the_caller(tuning, strategy):
    objective, grows = next(iter(tuning.objectives.items()))
    options = Options(
        tune_params=tuning.space.tune_params,
        objective=objective,
        objective_higher_is_better=grows,
        strategy_options=Options(tuning.strategy_options),
        max_fevals=tuning.most_evaluations or len(tuning.space),
        unique_results=tuning.unique,
        start_time=tuning.start,
        simulated_time=tuning.simulated_ms,
        simulation_mode=tuning.is_simulated,
        verbose=tuning.verbose,
    )
    if tuning.time_limit is not None:
        options["time_limit"] = tuning.time_limit
    strategy.tune(tuning.space, Runner(tuning), options)
