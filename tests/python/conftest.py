"""What all tests of the package have: a Runtime on the CPU, or KILN_TEST_DEVICE, with a store of its own."""
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
