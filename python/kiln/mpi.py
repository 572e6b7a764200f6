"""Ranks of MPI for kiln.op2: what a communicator of mpi4py becomes, and what ends all ranks when one fails.

Programs give a communicator to op2.init(comm=...); kiln.op2 and kiln.mesh_files need no more of this.
"""
import sys
import threading
import traceback

from kiln.errors import BadInputError, UnsupportedError

# Whom the hooks for exceptions end; there is one pair of hooks.
_ended_by_errors = None
_hooks_before = None


def _native():
    """The extension module that links MPI."""
    try:
        from kiln import _mpi
    except ImportError as error:
        if "_mpi" not in str(error).partition(":")[0]:
            raise UnsupportedError(f"kiln.mpi: the module for MPI does not load: {error}") from None
        raise UnsupportedError(
            "kiln.mpi: this Kiln has no module for MPI, expected one that was built with MPI "
            "(Debian: python3-kiln-mpi)"
        ) from None
    return _mpi


def communicator(comm):
    """Kiln's duplicate of a communicator of mpi4py (its `rank` and `size`). Collective.

    Raises UnsupportedError where mpi4py is not installed, where this Kiln was built without MPI, or with
    another MPI library than mpi4py; TypeError for what is no communicator; BadInputError for
    MPI.COMM_NULL.
    """
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise UnsupportedError(
            f"comm: the Python module mpi4py does not load ({error}), expected it to be installed "
            "(Debian: python3-mpi4py)"
        ) from None
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm: found {comm!r}, expected a communicator of mpi4py, as MPI.COMM_WORLD")
    if comm == MPI.COMM_NULL:
        raise BadInputError("comm: found MPI.COMM_NULL, expected a communicator")
    native = _native()
    ours, theirs = (text.strip("\0 ") for text in (native.library_version(), MPI.Get_library_version()))
    if ours != theirs or native.size_of_handle != MPI._sizeof(MPI.Comm):
        raise UnsupportedError(
            f"comm: mpi4py has the MPI library '{theirs}', expected that of Kiln: '{ours}'"
        )
    return native.Communicator(MPI._addressof(comm))


def end_all(of, error):
    """Ends all ranks of a communicator() because of an exception.

    "kiln: rank 2: …" with the exception's line and traceback goes to standard error, once a machine
    though many ranks fail. The exit code is that of the command: 2 for bad input, else 1. Does not return.
    """
    first = traceback.format_exception_only(error)[-1].strip()
    text = first if not error.__traceback__ else "\n".join(
        (first, "".join(traceback.format_exception(error)).rstrip())
    )
    sys.stdout.flush()
    _native().end_all(of, text, isinstance(error, BadInputError))


def end_all_on_errors(of):
    """From now on an exception that is not caught, in any thread, is end_all()'s: other ranks would wait
    for this one for ever. `of`: a communicator(); None: as it was before."""
    global _ended_by_errors, _hooks_before
    if of is not None and _hooks_before is None:
        _hooks_before = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = _main_hook, _thread_hook
    elif of is None and _hooks_before is not None:
        sys.excepthook, threading.excepthook = _hooks_before
        _hooks_before = None
    _ended_by_errors = of


def _main_hook(kind, error, trace):
    # Ctrl-C goes to the launcher, too, which ends all ranks.
    if _ended_by_errors is None or issubclass(kind, KeyboardInterrupt):
        (_hooks_before or (sys.__excepthook__,))[0](kind, error, trace)
        return
    end_all(_ended_by_errors, error)


def _thread_hook(arguments):
    if _ended_by_errors is None or arguments.exc_type is SystemExit or arguments.exc_value is None:
        (_hooks_before or (None, threading.__excepthook__))[1](arguments)
        return
    end_all(_ended_by_errors, arguments.exc_value)
