"""From a configuration to its result: compiled, verified, timed, observed, with metrics."""
import contextlib
import datetime
import inspect
import time

import numpy as np

from kiln.errors import BadInputError, Error
from kiln.tune.bench import Bench, Candidate, failure_of, milliseconds_since, portable
from kiln.tune.expressions import check_call, evaluate, names_in, of_known_names, substitute
from kiln.tune.observers import OutputObserver, PrologueObserver
from kiln.tune.results import (
    CompilationFailedConfig,
    ErrorConfig,
    InvalidConfig,
    RuntimeFailedConfig,
)
from kiln.tune.worker import CandidateFailed, start_worker


# What a result has besides its parameters, before metrics are added.
MEASURED = (
    "time", "times", "compile_time", "verification_time", "benchmark_time", "strategy_time",
    "framework_time", "timestamp",
)


def apply_metrics(result, metrics):
    """Adds metrics to a result, in their order: functions of it, or expressions over its names."""
    for name, metric in (metrics or {}).items():
        what = f"metrics: {name}"
        if not isinstance(metric, str):
            result[name] = of_known_names(metric, result, what)
            continue
        try:
            result[name] = evaluate(metric, result, what)
        except ZeroDivisionError as error:
            values = ", ".join(f"{one}={result[one]}" for one in names_in(metric, what) if one in result)
            raise BadInputError(f"{what}: '{metric}': {error}, with {values}") from None


def check_metrics(metrics, tune_params, is_all_known):
    """What is wrong with metrics is said before anything is measured.

    is_all_known: a result has nothing but parameters, MEASURED and metrics: no observers' values, no
    earlier file's.
    """
    if metrics is not None and not isinstance(metrics, dict):
        raise BadInputError(f"metrics: found {type(metrics).__name__}, expected a dict")
    known = [*tune_params, *MEASURED]
    for name, metric in (metrics or {}).items():
        if not isinstance(name, str):
            raise BadInputError(f"metrics: found the name {name!r}, expected a text")
        if isinstance(metric, str):
            _check_expression(name, metric, metrics, known, is_all_known)
        elif callable(metric):
            check_call(metric, f"metrics: {name}", {})
        else:
            raise BadInputError(
                f"metrics: {name}: found {type(metric).__name__}, expected text or a function"
            )
        known.append(name)


def _check_expression(name, metric, metrics, known, is_all_known):
    what = f"metrics: {name}"
    for used in names_in(metric, what):
        if used in known:
            continue
        if used in metrics and is_all_known:
            raise BadInputError(
                f"{what}: '{metric}': found '{used}', which comes "
                + ("of itself" if used == name else "later")
                + ", expected metrics before it alone"
            )
        if is_all_known:
            raise BadInputError(
                f"{what}: '{metric}': name '{used}' is not defined, expected one of " + ", ".join(known)
            )


def candidate_of(sources, geometry, params):
    """The program of a configuration."""
    text, folders = sources.text(params)
    macros = geometry.macros(params)
    several_lines = {name: value for name, value in macros.items() if "\n" in value}
    for name, value in several_lines.items():
        del macros[name]
        text = f"#define {name} " + value.replace("\n", "\\\n") + f"\n#line 1\n{text}"
    whole, local = geometry.range(params)
    return Candidate(
        text,
        substitute(sources.kernel_name, params),
        macros,
        whole,
        local,
        folders,
        sources.options,
    )


def _takes(function, name):
    try:
        return name in inspect.signature(function).parameters
    except ValueError:  # of a function in C, nothing is known
        return False


class Verification:
    """Whether what a kernel wrote is right: by `answer`, the caller's function, or observers."""

    def __init__(self, arguments, answer, atol, verify, observers):
        self.answer, self.atol, self.verify = answer, atol, verify
        self.observers = [one for one in observers if isinstance(one, OutputObserver)]
        self.is_wanted = answer is not None or verify is not None or bool(self.observers)
        if answer is not None:
            self._check(arguments, answer, is_compared=verify is None)
        arrays = [i for i, one in enumerate(arguments) if isinstance(one, np.ndarray) and one.ndim]
        self.compared = [i for i in arrays if answer is None or answer[i] is not None]
        if not self.is_wanted:
            self.compared = []

    @staticmethod
    def _check(arguments, answer, is_compared):
        if isinstance(answer, (str, bytes, dict)) or not hasattr(answer, "__len__"):
            raise BadInputError(f"answer: found {type(answer).__name__}, expected a list")
        if len(answer) != len(arguments):
            raise BadInputError(
                f"answer: found {len(answer)} entries, expected {len(arguments)}, one an argument "
                "(None: it is not compared)"
            )
        for i, (given, expected) in enumerate(zip(arguments, answer)):
            if expected is None or not is_compared or not isinstance(given, np.ndarray):
                continue
            if np.shape(expected) != given.shape and np.size(expected) != given.size:
                raise BadInputError(
                    f"answer: {i}: found the shape {np.shape(expected)}, expected {given.shape}"
                )

    def difference(self, outputs):
        """What is wrong; "" where nothing is."""
        for one in self.observers:
            one.process_output(self.answer, outputs)
        if self.verify is not None:
            more = {"atol": self.atol} if _takes(self.verify, "atol") else {}
            return "" if self.verify(self.answer, outputs, **more) else "verify says that it is wrong"
        if self.observers or self.answer is None:
            return ""
        for i in self.compared:
            found, expected = outputs[i], np.asarray(self.answer[i]).reshape(outputs[i].shape)
            if np.allclose(expected, found, atol=self.atol, equal_nan=True):
                continue
            wrong = ~np.isclose(expected, found, atol=self.atol, equal_nan=True)
            at = int(np.flatnonzero(wrong)[0])
            return (
                f"argument {i}, element {at}: found {found.flat[at]}, expected {expected.flat[at]} "
                f"({int(wrong.sum())} of {found.size} differ)"
            )
        return ""


class Measuring:
    """Measures configurations on a device; the processes and programs that this takes go at its end.

    One thread. What fails is a result, too, with an ErrorConfig in place of the objective.
    """

    def __init__(self, sources, geometry, arguments, settings, store):
        self.sources, self.geometry, self.settings = sources, geometry, settings
        self.arguments = [portable(one, i) for i, one in enumerate(arguments)]
        self.verification = Verification(
            self.arguments, settings.answer, settings.atol, settings.verify, settings.observers
        )
        self._opening = (settings.platform, settings.device, store, self.arguments)
        self.worker = start_worker(*self._opening, hang_time=settings.hang_time)
        self.facts = self.worker.facts
        self._bench = None
        self._ran = False
        try:
            if settings.observers:
                self._bench = Bench(*self._opening)
            for one in settings.observers:
                one.register_device(self._bench)
        except BaseException:
            self.worker.end()  # the caller gets nothing that it could end
            raise

    def end(self):
        self.worker.end()

    def measure(self, params):
        """The result of a configuration: its parameters, times, what observers and metrics give."""
        result = dict(params)
        timings = {"compile_time": 0, "verification_time": 0, "benchmark_time": 0}
        try:
            self._measure(params, result, timings)
        except CandidateFailed as failed:
            mark = (
                CompilationFailedConfig if failed.failure == "build" else RuntimeFailedConfig
            )(failed.message, failed.failure, failed.log)
            self._fail(result, mark)
        result.update(timings)
        if not isinstance(result.get("time"), ErrorConfig):
            apply_metrics(result, self.settings.metrics)
        return result

    def _fail(self, result, mark):
        result["time"] = mark
        for objective in self.settings.objectives:
            result[objective] = mark

    def _measure(self, params, result, timings):
        try:
            candidate = candidate_of(self.sources, self.geometry, params)
        except ZeroDivisionError:
            self._fail(result, InvalidConfig("its range divides by zero"))
            return
        block = int(np.prod(candidate.local_size))
        if block > self.facts["max_threads"]:
            self._fail(
                result,
                InvalidConfig(f"{block} work-items in a group, {self.facts['max_threads']} at most"),
            )
            return
        verification = self.verification
        restored = verification.compared if verification.answer is not None else None
        start = time.perf_counter()
        timings["compile_time"], running, outputs = self.worker.attempt(
            candidate, restored if self._ran else [], verification.compared
        )
        self._ran = True
        if verification.is_wanted:
            difference = verification.difference(outputs)
            timings["verification_time"] = milliseconds_since(start) - timings["compile_time"]
            if difference:
                raise CandidateFailed("wrong_result", difference)
        start = time.perf_counter()
        self._time(candidate, params, running, result)
        timings["benchmark_time"] = milliseconds_since(start)

    def _time(self, candidate, params, running, result):
        iterations = self.settings.iterations
        observers = self.settings.observers
        if not observers:
            times = self.worker.times(iterations, running)
        else:
            try:
                times = self._observed_times(candidate, params)
            except Error as error:
                raise CandidateFailed(*failure_of(error)) from None
        result["time"] = float(np.mean(times))
        result["times"] = times
        for one in observers:
            result.update(one.get_results())

    def _observed_times(self, candidate, params):
        observers = self.settings.observers
        self._bench.compile(candidate)
        self._bench.restore()
        for one in observers:
            one.register_configuration(dict(params))
        prologue = [one for one in observers if isinstance(one, PrologueObserver)]
        if prologue:
            self._bench.observed_times(1, prologue)
        return self._bench.observed_times(
            self.settings.iterations, [one for one in observers if one not in prologue]
        )

    def record(self, problem, values, seconds, reference):
        """Puts a configuration on record; a store that cannot be written is no error of the search."""
        with contextlib.suppress(CandidateFailed):
            self.worker.record(problem, values, seconds, reference)


def timestamp():
    return str(datetime.datetime.now(datetime.timezone.utc))
