from kiln import blas as blas
from kiln import errors as errors
from kiln import mesh_files as mesh_files
from kiln import mpi as mpi
from kiln import op2 as op2
from kiln import testing as testing
from kiln import tune as tune
from kiln._kiln import Array as Array
from kiln._kiln import DeclaredAccess as DeclaredAccess
from kiln._kiln import Device as Device
from kiln._kiln import DeviceType as DeviceType
from kiln._kiln import Event as Event
from kiln._kiln import In as In
from kiln._kiln import InOut as InOut
from kiln._kiln import Kernel as Kernel
from kiln._kiln import LocalMemory as LocalMemory
from kiln._kiln import Out as Out
from kiln._kiln import ProgramLookup as ProgramLookup
from kiln._kiln import RunResult as RunResult
from kiln._kiln import RunSummary as RunSummary
from kiln._kiln import Runtime as Runtime
from kiln._kiln import Share as Share
from kiln._kiln import SigningKey as SigningKey
from kiln._kiln import Store as Store
from kiln._kiln import StoreEntry as StoreEntry
from kiln._kiln import TimelineSpan as TimelineSpan
from kiln._kiln import Verdict as Verdict
from kiln._kiln import check as check
from kiln._kiln import sign_pack as sign_pack
from kiln._kiln import verify_pack as verify_pack
from kiln._kiln import version as version
from kiln.errors import BadInputError as BadInputError
from kiln.errors import BuildError as BuildError
from kiln.errors import CorruptError as CorruptError
from kiln.errors import DeviceError as DeviceError
from kiln.errors import Error as Error
from kiln.errors import InternalError as InternalError
from kiln.errors import IoError as IoError
from kiln.errors import NotFoundError as NotFoundError
from kiln.errors import RefusedError as RefusedError
from kiln.errors import TimeoutError as TimeoutError
from kiln.errors import UnsupportedError as UnsupportedError
from kiln.tune.files import create_device_targets as create_device_targets
from kiln.tune.files import store_results as store_results
from kiln.tune.kernel_tuner import run_kernel as run_kernel
from kiln.tune.kernel_tuner import tune_kernel as tune_kernel
from kiln.tune.scripts import tune_cache as tune_cache
from kiln.tune.scripts import tune_kernel_T1 as tune_kernel_T1

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
    "SigningKey",
    "TimelineSpan",
    "Verdict",
    "check",
    "sign_pack",
    "verify_pack",
    "version",
    "create_device_targets",
    "run_kernel",
    "store_results",
    "tune_cache",
    "tune_kernel",
    "tune_kernel_T1",
]

__version__: str

# Modules of Kernel Tuner, for `import kiln as kernel_tuner`.
accuracy = tune
file_utils = tune
integration = tune
kernelbuilder = tune
observers = tune
util = tune

def devices() -> list[Device]: ...
