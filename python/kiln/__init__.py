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

_NATIVE = (
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
    "Store",
    "StoreEntry",
    "Verdict",
    "check",
    "version",
)
_MODULES = ("mesh_files", "op2")

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
    *_NATIVE,
]


def devices() -> list:
    """All devices of this machine: a list of Device."""
    return __getattr__("Runtime")("all").devices


def __getattr__(name: str) -> object:
    if name in _NATIVE:
        value = getattr(importlib.import_module("kiln._kiln"), name)
    elif name in _MODULES:
        value = importlib.import_module("kiln." + name)
    else:
        raise AttributeError(f"module 'kiln' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list:
    return sorted(set(globals()) | set(_NATIVE) | set(_MODULES))
