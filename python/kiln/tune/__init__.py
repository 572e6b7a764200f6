"""Tuning: searches for the parameters of kernels that are fastest.

    results, env = kiln.tune_kernel("vadd", source, n, [c, a, b, np.int32(n)],
                                    {"block_size_x": [32, 64, 128]}, lang="OpenCL")

has Kernel Tuner's arguments and results. kernel(), spec() and campaign() are Kiln's own searches, as
`kiln tune` makes them: in processes of their own, from the nearest search on record, with the winner
on record in the store.
"""
from kiln._kiln import StepwiseSearch
from kiln.tune.files import create_device_targets, store_output_file, store_results
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
    "kernel",
    "on_record",
    "read_t4",
    "record",
    "run_kernel",
    "spec",
    "store_output_file",
    "store_results",
    "t4",
    "tune_kernel",
]
