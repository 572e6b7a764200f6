"""What all tests of the package have: a Runtime on the CPU, or KILN_TEST_DEVICE, with a store of its own."""
import json
import os

import numpy as np
import pytest

import kiln

DEVICE = os.environ.get("KILN_TEST_DEVICE", "cpu")

SAXPY = """
kernel void saxpy(global const float *x, global float *y, float a) {
  const int i = get_global_id(0);
  y[i] += a * x[i];
}
"""


@pytest.fixture(scope="session")
def runtime(tmp_path_factory):
    return kiln.Runtime(DEVICE, store=str(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="session")
def saxpy(runtime):
    return runtime.kernel(SAXPY, "saxpy")


@pytest.fixture
def xy():
    """Two arrays of 4096 floats, and what saxpy with 2 makes of the second."""
    x = np.arange(4096, dtype=np.float32)
    y = np.ones(4096, np.float32)
    return x, y, y + 2 * x


@pytest.fixture
def measured(tmp_path):
    """A cache file of 12 configurations, best at X=8, Y=2."""
    entries = {}
    for x in (1, 2, 4, 8):
        for y in (1, 2, 3):
            time = 1 + abs(x - 8) + abs(y - 2)
            entries[f"{x},{y}"] = {
                "X": x, "Y": y, "time": float(time), "times": [time, time], "compile_time": 100.0,
                "verification_time": 0, "benchmark_time": 20.0, "strategy_time": 0, "framework_time": 0,
                "timestamp": "2024-01-01 00:00:00+00:00",
            }
    entries["8,3"]["time"] = "RuntimeFailedConfig"
    path = tmp_path / "measured.json"
    path.write_text(json.dumps({
        "device_name": "a GPU", "kernel_name": "k", "problem_size": [64], "tune_params_keys": ["X", "Y"],
        "tune_params": {"X": [1, 2, 4, 8], "Y": [1, 2, 3]}, "objective": "time", "cache": entries,
    }))
    return path
