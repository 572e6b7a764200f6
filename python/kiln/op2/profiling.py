"""How long parts of a program take, as PyOP2's programs measure it."""
import contextlib
import functools
import time

from kiln.op2.session import logger


@contextlib.contextmanager
def timed_region(name):
    """Tells the log "kiln.op2", at level INFO, how many seconds the block took on the host.

    Loops that wait are not run for it: op2.timeline() and `data` do that. Thread-safe.

    >>> from kiln.op2.profiling import timed_region
    >>> with timed_region("set-up"):
    ...     pass
    """
    start = time.perf_counter()
    try:
        yield
    finally:
        logger.info("%s: %.6f s", name, time.perf_counter() - start)


def timed_function(name):
    """The same of each call of a function: `@timed_function("assembly")`."""

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **keywords):
            with timed_region(name):
                return function(*args, **keywords)

        return call

    return decorate
