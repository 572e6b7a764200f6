"""Kiln looks after the whole life of an OpenCL kernel: describe, generate, tune, keep and run it.

Importing it loads neither OpenCL nor the library: both come with the first name that needs them.

    import kiln, numpy as np
    rt = kiln.Runtime("all")
    saxpy = rt.kernel(source, "saxpy")
    saxpy(x, y, 2.0, global_size=n, local_size=64)
"""
import importlib

from kiln import errors
from kiln.errors import (
    BadInputError,
    BuildError,
    CorruptError,
    DeviceError,
    Error,
    InternalError,
    IoError,
    NotFoundError,
    RefusedError,
    TimeoutError,
    UnsupportedError,
)

_FROM_NATIVE = (
    "Array",
    "DeclaredAccess",
    "Device",
    "DeviceType",
    "Event",
    "In",
    "InOut",
    "Kernel",
    "LocalMemory",
    "Out",
    "ProgramLookup",
    "RunResult",
    "RunSummary",
    "Runtime",
    "Share",
    "SigningKey",
    "Store",
    "StoreEntry",
    "TimelineSpan",
    "Verdict",
    "check",
    "sign_pack",
    "verify_pack",
    "version",
)
_FROM_TUNE = (
    "create_device_targets",
    "run_kernel",
    "store_results",
    "tune_cache",
    "tune_kernel",
    "tune_kernel_T1",
)
_MODULES = ("blas", "mesh_files", "mpi", "op2", "testing", "tune")
# Modules of Kernel Tuner, for `import kiln as kernel_tuner`: kiln.tune has what Kiln has of them.
_OF_KERNEL_TUNER = ("accuracy", "file_utils", "integration", "kernelbuilder", "observers", "util")

__all__ = [
    "BadInputError",
    "BuildError",
    "CorruptError",
    "DeviceError",
    "Error",
    "InternalError",
    "IoError",
    "NotFoundError",
    "RefusedError",
    "TimeoutError",
    "UnsupportedError",
    "devices",
    "errors",
    *_FROM_NATIVE,
    *_FROM_TUNE,
]


def devices() -> list:
    """All devices of this machine: a list of Device, which notebooks show as a table."""
    from kiln._html import DeviceList

    return DeviceList(__getattr__("Runtime")("all").devices)


def _native():
    """The extension module, whose classes notebooks show."""
    native = importlib.import_module("kiln._kiln")
    if not hasattr(native.Device, "_repr_html_"):
        from kiln import _html

        _html.decorate(native)
    return native


def __getattr__(name: str) -> object:
    if name in _FROM_NATIVE:
        value = getattr(_native(), name)
    elif name == "__version__":
        value = _native().version()
    elif name in _FROM_TUNE:
        value = getattr(importlib.import_module("kiln.tune"), name)
    elif name in _MODULES:
        value = importlib.import_module("kiln." + name)
    elif name in _OF_KERNEL_TUNER:
        value = importlib.import_module("kiln.tune")
    else:
        raise AttributeError(f"module 'kiln' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list:
    return sorted(set(globals()) | set(_FROM_NATIVE) | set(_FROM_TUNE) | set(_MODULES))
