"""What Kiln's calls raise: one class for each kind of failure, all of them kiln.Error.

The text is the line that the command prints: where, what was found, what was expected.
"""
import builtins


class Error(Exception):
    """A call that failed; `code` is the stable name of why.

    >>> import kiln
    >>> try:
    ...     kiln.check("absent.json", dialect="latin")
    ... except kiln.Error as error:
    ...     print(error.code, isinstance(error, ValueError))
    bad_input True
    """

    code = "internal"


class BadInputError(Error, ValueError):
    """What was given is wrong: a file, an option, a value."""

    code = "bad_input"


class NotFoundError(Error, FileNotFoundError):
    """A named thing is absent: a file, a device, a kernel."""

    code = "not_found"


class IoError(Error, OSError):
    """The system refused: permission, full disk, broken pipe."""

    code = "io"


class CorruptError(Error, ValueError):
    """Stored or received bytes fail their checks."""

    code = "corrupt"


class UnsupportedError(Error, NotImplementedError):
    """Well formed, but not something that this machine or version can do."""

    code = "unsupported"


class RefusedError(Error, RuntimeError):
    """Kiln declines because the result could be wrong; the text says why."""

    code = "refused"


class BuildError(Error, RuntimeError):
    """A kernel does not compile; the lines behind the first are the driver's log."""

    code = "build"

    @property
    def log(self) -> str:
        """What the compiler said."""
        return str(self).partition("\n")[2]


class DeviceError(Error, RuntimeError):
    """An OpenCL call failed."""

    code = "device"


class TimeoutError(Error, builtins.TimeoutError):
    """A bound on time was reached."""

    code = "timeout"


class InternalError(Error, RuntimeError):
    """A defect of Kiln itself."""

    code = "internal"


BY_CODE = {
    error.code: error
    for error in (
        BadInputError,
        NotFoundError,
        IoError,
        CorruptError,
        UnsupportedError,
        RefusedError,
        BuildError,
        DeviceError,
        TimeoutError,
        InternalError,
    )
}
