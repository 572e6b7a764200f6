"""What tuning comes to: marks of configurations that failed, which one is best, lists of results."""
import math
from collections.abc import Iterable, Iterator
from typing import Any

Result = dict[str, Any]

OBJECTIVES_THAT_GROW = {
    "time": False,
    "energy": False,
    "GFLOP/s": True,
    "TFLOP/s": True,
    "GB/s": True,
    "TB/s": True,
    "GFLOPS/W": True,
    "TFLOPS/W": True,
    "GFLOP/J": True,
    "TFLOP/J": True,
}


class ErrorConfig(str):
    """Stands where a failed configuration's time would be; a text, as files have it.

    reason: what the compiler, the driver or the check said, one line. failure: as `kiln tune` names
    it: "build", "resources", "launch", "wrong_result", "timeout", "crash"; or "constraints". log: of
    what does not compile all that the compiler said; else empty.
    """

    failure = ""
    reason = ""
    log = ""

    def __new__(cls, reason: str = "", failure: str | None = None, log: str = "") -> "ErrorConfig":
        made = super().__new__(cls, cls.__name__)
        made.reason = reason
        made.failure = failure or cls.failure
        made.log = log
        return made

    def __reduce__(self):
        return type(self), (self.reason, self.failure, self.log)


class InvalidConfig(ErrorConfig):
    """The device or a restriction does not allow it."""

    failure = "constraints"


class CompilationFailedConfig(ErrorConfig):
    """It does not compile."""

    failure = "build"


class RuntimeFailedConfig(ErrorConfig):
    """It did not run, did not end, crashed, or its result is wrong."""

    failure = "launch"


BY_NAME = {one.__name__: one for one in (InvalidConfig, CompilationFailedConfig, RuntimeFailedConfig)}


def error_of(result, objective="time"):
    """The mark of a failed result, or None."""
    for name in (objective, "time"):
        if isinstance(result.get(name), ErrorConfig):
            return result[name]
    return None


def is_better(found, than, grows):
    return found > than if grows else found < than


def value_of(result, objective):
    """The objective of a result as a number, or None where there is none: NaN, an infinity and a time
    below zero are no measurements, and never the best."""
    value = result.get(objective)
    if value is None or isinstance(value, (str, bool)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not (objective == "time" and number < 0) else None


def best_of(results, objective, grows):
    """The best result that has the objective; None where none has."""
    best = None
    for one in results:
        value = value_of(one, objective) if error_of(one, objective) is None else None
        if value is not None and (best is None or is_better(value, value_of(best, objective), grows)):
            best = one
    return best


def dominates(a, b, objectives):
    """Whether a is nowhere worse than b, and somewhere better. objectives: name to whether it grows."""
    pairs = [(value_of(a, name), value_of(b, name), grows) for name, grows in objectives.items()]
    if any(x is None or y is None for x, y, _ in pairs):
        return False
    return not any(is_better(y, x, grows) for x, y, grows in pairs) and any(
        is_better(x, y, grows) for x, y, grows in pairs
    )


def pareto_front(results, objectives):
    """The results that no other one dominates."""
    valid = [one for one in results if all(value_of(one, name) is not None for name in objectives)]
    return [one for one in valid if not any(dominates(other, one, objectives) for other in valid)]


class Results(list[Result]):
    """Results of configurations, dicts, in the order of measuring; a list that notebooks show.

    tune_params, objective and grows say what was searched, and by what.
    """

    def __init__(
        self,
        results: Iterable[Result] = (),
        tune_params: Iterable[str] = (),
        objective: str = "time",
        grows: bool = False,
    ) -> None:
        super().__init__(results)
        self.tune_params = list(tune_params)
        self.objective = objective
        self.grows = grows

    @property
    def best(self) -> Result | None:
        """The best result; None: no configuration has a time."""
        return best_of(self, self.objective, self.grows)

    def rows(self) -> Iterator[tuple[Result, float | None, ErrorConfig | None]]:
        """What pictures need: (values by parameter, the objective or None, why there is none)."""
        for one in self:
            values = {name: one.get(name) for name in self.tune_params}
            yield values, value_of(one, self.objective), error_of(one, self.objective)

    def _repr_html_(self) -> str:
        from kiln.tune._looks import results_table

        return results_table(self)

    def plot(self, axes: Any = None) -> Any:
        """Draws the objective of each evaluation and the best so far; returns matplotlib's axes.

        axes: where to draw; None: a new figure. Raises UnsupportedError without matplotlib.
        """
        from kiln.tune._looks import plot

        found = [value for _, value, _ in self.rows()]
        unit = " (ms)" if self.objective == "time" else ""
        return plot(found, self.objective + unit, self.grows, axes)
