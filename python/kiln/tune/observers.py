"""What is measured besides the time: base classes of the caller's own observers."""
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from kiln.errors import BadInputError


class BenchmarkObserver(ABC):
    """Called around the runs that are timed; what get_results() returns goes into the result.

    `dev` says where: name, max_threads, env, and Kiln's runtime. Runs with observers are in the
    caller's process, after a first one in another has shown that the configuration runs at all.
    """

    dev: Any = None

    def register_device(self, dev: Any) -> None:
        """Called once, with the device."""
        self.dev = dev

    def register_configuration(self, params: dict[str, Any]) -> None:
        """Called before each configuration, with a dict of its parameters."""

    def before_start(self) -> None:
        """Called before each run."""

    def after_start(self) -> None:
        """Called when a run was enqueued."""

    def during(self) -> None:
        """Called again and again while the kernel runs."""

    def after_finish(self) -> None:
        """Called when a run has ended."""

    @abstractmethod
    def get_results(self) -> dict[str, Any]:
        """A dict that is merged into the result; called once a configuration, after its runs."""


class IterationObserver(BenchmarkObserver):
    """The same: called around each of the timed runs."""


class PrologueObserver(BenchmarkObserver):
    """Called around one further run, before those that are timed."""


class OutputObserver(BenchmarkObserver):
    """Sees what the kernel wrote; where one is there, `answer` is compared by it alone."""

    @abstractmethod
    def process_output(self, answer: Any, output: list[Any]) -> None:
        """answer: as it was given. output: a list with an array for each that was compared."""


def checked(observers: Iterable[Any] | None) -> list[BenchmarkObserver]:
    """A list of observers. Raises BadInputError for what is none."""
    found = list(observers or ())
    for one in found:
        if not isinstance(one, BenchmarkObserver):
            raise BadInputError(
                f"observers: found {type(one).__name__}, expected a subclass of "
                "kiln.tune.BenchmarkObserver"
            )
    return found
