"""The one Mesh of the process, on which all objects are made."""
import contextlib
import logging
import warnings

from kiln.op2.configuration import configuration
from kiln.op2.exceptions import ConfigurationError

logger = logging.getLogger("kiln.op2")
_mesh = None
_distribution = None
_made_with = None
_keeps_times = False
_is_initialised = False
_comm = None  # the communicator of mpi4py, and what tells one Mesh on it from another


def mesh():
    """Made at its first use, on the device that the configuration names; another one where the
    configuration names another place."""
    global _mesh, _distribution, _made_with, _keeps_times
    queue = configuration.get("queue")
    wanted = (configuration["device"], configuration["store"], queue, _comm)
    if _mesh is None or wanted != _made_with:
        options = {
            "device": wanted[0],
            "store": wanted[1],
            "check": configuration["debug"],
            "queue": getattr(queue, "int_ptr", queue) or 0,
            "timeline": configuration["timeline"],
        }
        if _comm is None:
            from kiln import _mesh as native

            _mesh, _distribution = native.Mesh(**options), None
        else:
            from kiln.op2.distribution import Distribution

            _distribution = Distribution(_comm[0], **options)
            _mesh = _distribution.mesh
        _made_with = wanted
        _keeps_times = configuration["timeline"]
    return _mesh


def distribution():
    """The ranks that have the Mesh in parts; None: it is in one part."""
    if _comm is None:
        return None
    mesh()
    return _distribution


def set_log_level(level):
    """As logging's: "DEBUG" to "CRITICAL", or a number."""
    logger.setLevel(level)


def init(**settings):
    """Takes settings (`configuration` has them); may be called again.

    device: as on the command line, "cpu"; store: a folder or "off". queue: a queue of pyopencl, in
    order, to which all loops are enqueued, in place of a device; arrays of its context are then data
    of Dats. timeline: times are kept, for op2.timeline().

    comm: a communicator of mpi4py, as MPI.COMM_WORLD: begins a Mesh of which each of its ranks has a part
    (op2.partition). Collective. On several ranks an exception that is not caught ends all from then on.
    comm=None: Meshes in one part again.

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
    begins = "comm" in settings
    comm = settings.pop("comm", None)
    configuration.reconfigure(**settings)
    set_log_level(configuration["log_level"])
    if begins:
        from kiln.op2.trace import trace

        trace.evaluate_all()
        _begin_on(comm)
    _is_initialised = True


def _begin_on(comm):
    """Another Mesh, on the ranks of a communicator or, without one, in one part."""
    global _comm
    from kiln import mpi
    from kiln.op2.compatibility import MPI

    _comm = None
    mpi.end_all_on_errors(None)
    MPI.take(None)
    if comm is None:
        return
    _comm = (comm, object())
    try:
        ranks = distribution().ranks
    except BaseException:
        _comm = None
        raise
    mpi.end_all_on_errors(ranks if ranks.size > 1 else None)
    MPI.take(comm)


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
    if _comm is not None:
        _begin_on(None)
    configuration.reset()


debug, info, warning, error, critical = (
    logger.debug,
    logger.info,
    logger.warning,
    logger.error,
    logger.critical,
)
