"""The one Mesh of the process, on which all objects are made."""
import logging

from kiln.op2.configuration import configuration

logger = logging.getLogger("kiln.op2")
_mesh = None
_made_with = None
_is_initialised = False


def mesh():
    """Made at its first use, on the device that the configuration names; another one where the
    configuration names another place."""
    global _mesh, _made_with
    queue = configuration.get("queue")
    wanted = (configuration["device"], configuration["store"], queue)
    if _mesh is None or wanted != _made_with:
        from kiln import _mesh as native

        handle = getattr(queue, "int_ptr", queue) or 0
        _mesh = native.Mesh(
            device=wanted[0], store=wanted[1], check=configuration["debug"], queue=handle
        )
        _made_with = wanted
    return _mesh


def set_log_level(level):
    """As logging's: "DEBUG" to "CRITICAL", or a number."""
    logger.setLevel(level)


def init(**settings):
    """Takes settings (`configuration` has them); may be called again.

    device: as on the command line, "cpu"; store: a folder or "off". queue: a queue of pyopencl, in
    order, to which all loops are enqueued, in place of a device; arrays of its context are then data
    of Dats.
    """
    global _is_initialised
    backend = settings.get("backend", "opencl")
    if backend not in ("opencl", "sequential"):
        raise ImportError(f"found the back end {backend!r}, expected opencl")
    configuration.reconfigure(**settings)
    set_log_level(configuration["log_level"])
    _is_initialised = True


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
