"""What all tests of the package have: a Runtime on the CPU, or KILN_TEST_DEVICE, with a store of its own."""
import json
import os
import sys

# Most of what these tests take is PoCL's optimiser. Without KILN_LONG only whole programs, those of
# examples_test.py, have the kernels that users have. A store would give those of either kind to the other.
IS_LONG = "KILN_LONG" in os.environ
if not IS_LONG and not any(word.endswith("examples_test.py") for word in sys.argv):
    os.environ.setdefault("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")
    if os.environ.get("KILN_STORE", "off") != "off":
        os.environ["KILN_STORE"] += "-unoptimised"

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


# --- objects that tests of kiln.op2 share; those with others of a name have theirs ---


@pytest.fixture
def cells():
    from kiln import op2

    return op2.Set(2, "cells")


@pytest.fixture
def nodes():
    from kiln import op2

    return op2.Set(3, "nodes")


@pytest.fixture
def other():
    from kiln import op2

    return op2.Set(5, "other")


@pytest.fixture
def cell2node(cells, nodes):
    from kiln import op2

    return op2.Map(cells, nodes, 2, [0, 1, 1, 2], "cell2node")


@pytest.fixture
def cell2other(cells, other):
    from kiln import op2

    return op2.Map(cells, other, 2, [0, 1, 3, 4], "cell2other")


@pytest.fixture
def mixed_map(cell2node, cell2other):
    from kiln import op2

    return op2.MixedMap((cell2node, cell2other))


@pytest.fixture
def dat(nodes):
    from kiln import op2

    return op2.Dat(nodes, [1, 2, 3], np.int32, "dat")
