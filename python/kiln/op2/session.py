"""The one Mesh of the process, on which all objects are made."""
import contextlib
import logging
import warnings

from kiln.op2.configuration import configuration
from kiln.op2.exceptions import ConfigurationError

logger = logging.getLogger("kiln.op2")
_mesh = None
_made_with = None
_keeps_times = False
_is_initialised = False


def mesh():
    """Made at its first use, on the device that the configuration names; another one where the
    configuration names another place."""
    global _mesh, _made_with, _keeps_times
    queue = configuration.get("queue")
    wanted = (configuration["device"], configuration["store"], queue)
    if _mesh is None or wanted != _made_with:
        from kiln import _mesh as native

        handle = getattr(queue, "int_ptr", queue) or 0
        _mesh = native.Mesh(
            device=wanted[0],
            store=wanted[1],
            check=configuration["debug"],
            queue=handle,
            timeline=configuration["timeline"],
        )
        _made_with = wanted
        _keeps_times = configuration["timeline"]
    return _mesh


def set_log_level(level):
    """As logging's: "DEBUG" to "CRITICAL", or a number."""
    logger.setLevel(level)


def init(**settings):
    """Takes settings (`configuration` has them); may be called again.

    device: as on the command line, "cpu"; store: a folder or "off". queue: a queue of pyopencl, in
    order, to which all loops are enqueued, in place of a device; arrays of its context are then data
    of Dats. timeline: times are kept, for op2.timeline().

    Warns of settings that have no meaning, which are kept. Raises ConfigurationError for values of
    another type, ImportError for another back end.
    """
    global _is_initialised
    unknown = configuration.unknown(settings)
    if unknown:
        warnings.warn(
            f"op2.init: found {', '.join(unknown)}, expected names of op2.configuration",
            stacklevel=2,
        )
    backend = settings.get("backend", "opencl")
    if backend not in ("opencl", "sequential"):
        raise ImportError(f"found the back end {backend!r}, expected opencl")
    configuration.reconfigure(**settings)
    set_log_level(configuration["log_level"])
    _is_initialised = True


@contextlib.contextmanager
def timeline():
    """What runs within: `with op2.timeline() as spans: ...`.

    A list of TimelineSpan by their start, which is filled at the end and which notebooks show as a
    picture: loops and operations of matrices on the device, on the host the look-ups and the making of
    their programs and plans (category kernel, lookup, compile, plan). Loops that wait run before it
    begins and before it ends. Raises ConfigurationError where objects were made without times.

        op2.init(timeline=True)  # before the first Set
        ...
        with op2.timeline() as spans:
            op2.par_loop(add, nodes, x(op2.RW))
        [span.name for span in spans if span.category == "kernel"]  # ['add']
    """
    from kiln._html import Timeline
    from kiln.op2.trace import trace

    trace.evaluate_all()
    of = mesh()
    if not _keeps_times:
        raise ConfigurationError(
            "op2.timeline: the objects were made without times, expected op2.init(timeline=True) "
            "before the first of them"
        )
    of.finish()
    before = len(of.timeline())
    spans = Timeline()
    yield spans
    trace.evaluate_all()
    spans.extend(of.timeline()[before:])


def initialised():
    """Whether init() was called."""
    return _is_initialised


def exit():
    """Runs what is queued; the configuration becomes what it was at first. Objects stay usable."""
    global _is_initialised
    from kiln.op2.trace import trace

    trace.evaluate_all()
    if _mesh is not None:
        _mesh.finish()
    _is_initialised = False
    configuration.reset()


debug, info, warning, error, critical = (
    logger.debug,
    logger.info,
    logger.warning,
    logger.error,
    logger.critical,
)
