"""Tuning: searches for the parameters of kernels that are fastest.

    results, env = kiln.tune_kernel("vadd", source, n, [c, a, b, np.int32(n)],
                                    {"block_size_x": [32, 64, 128]}, lang="OpenCL")

has Kernel Tuner's arguments and results. kernel(), spec() and campaign() are Kiln's own searches, as
`kiln tune` makes them: in processes of their own, from the nearest search on record, with the winner
on record in the store.
"""
from kiln._kiln import StepwiseSearch
from kiln.errors import UnsupportedError
from kiln.tune.files import (
    create_device_targets,
    store_metadata_file,
    store_output_file,
    store_results,
)
from kiln.tune.kernel_tuner import run_kernel, tune_kernel
from kiln.tune.observers import (
    BenchmarkObserver,
    IterationObserver,
    OutputObserver,
    PrologueObserver,
)
from kiln.tune.recorded import best_on_record
from kiln.tune.results import (
    CompilationFailedConfig,
    ErrorConfig,
    InvalidConfig,
    Results,
    RuntimeFailedConfig,
)
from kiln.tune.scripts import (
    get_best_config,
    get_config_string,
    read_cache,
    tune_cache,
    tune_kernel_T1,
)
from kiln.tune.searches import (
    OnRecord,
    Result,
    campaign,
    kernel,
    on_record,
    read_t4,
    record,
    spec,
    t4,
)
from kiln.tune.strategies import METHODS, CostFunc, StopCriterionReached

__all__ = [
    "METHODS",
    "BenchmarkObserver",
    "CompilationFailedConfig",
    "CostFunc",
    "ErrorConfig",
    "InvalidConfig",
    "IterationObserver",
    "OnRecord",
    "OutputObserver",
    "PrologueObserver",
    "Result",
    "Results",
    "RuntimeFailedConfig",
    "StepwiseSearch",
    "StopCriterionReached",
    "best_on_record",
    "campaign",
    "create_device_targets",
    "get_best_config",
    "get_config_string",
    "kernel",
    "on_record",
    "read_cache",
    "read_t4",
    "record",
    "run_kernel",
    "spec",
    "store_metadata_file",
    "store_output_file",
    "store_results",
    "t4",
    "tune_cache",
    "tune_kernel",
    "tune_kernel_T1",
]


# Names of scripts for Kernel Tuner that mean nothing here, and what there is in their place.
_ABSENT = {
    "AccuracyObserver": "accuracy of tunable precisions is not measured; expected an OutputObserver",
    "TunablePrecision": "arguments have one precision; expected a parameter that is a macro",
    "Tunable": "arguments are the same for all configurations; expected a parameter that is a macro",
    "PythonKernel": "expected kiln.Runtime().kernel(source, name), a kernel that can be called",
    "NVMLObserver": "power and clocks are not read; expected a BenchmarkObserver of your own",
    "PMTObserver": "power is not read; expected a BenchmarkObserver of your own",
    "PowerSensorObserver": "power is not read; expected a BenchmarkObserver of your own",
    "TegraObserver": "power and clocks are not read; expected a BenchmarkObserver of your own",
    "NCUObserver": "counters of CUDA are not read; expected a BenchmarkObserver of your own",
    "RegisterObserver": "registers of CUDA are not read; expected a BenchmarkObserver of your own",
    "Searchspace": "expected a strategy with a method tune(searchspace, runner, tuning_options)",
}


class _AbsentName(UnsupportedError, AttributeError):
    """As an AttributeError it lets hasattr() say no."""


def __getattr__(name: str) -> object:
    if name in _ABSENT:
        raise _AbsentName(f"kernel_tuner's {name} is not in Kiln: {_ABSENT[name]}")
    raise AttributeError(f"module 'kiln.tune' has no attribute '{name}'")
