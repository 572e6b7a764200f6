"""Arrays of pyopencl pass through kernels, BLAS and loops with no transfer, counted by the driver's calls."""
import os
import subprocess
import sys

import pytest

pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")
COUNTER = os.environ.get("KILN_CALL_COUNTER")
needs_counter = pytest.mark.skipif(
    not COUNTER, reason="KILN_CALL_COUNTER names no layer that counts calls; the build has one"
)

SETUP = """
import ctypes, os
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import kiln
from kiln import blas, op2

layer = ctypes.CDLL(os.environ["OPENCL_LAYERS"])
layer.kiln_test_calls.restype = ctypes.c_long
KERNELS = ["clEnqueueNDRangeKernel"]
TRANSFERS = ["clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer", "clEnqueueMapBuffer",
    "clEnqueueUnmapMemObject", "clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBufferRect",
    "clEnqueueMigrateMemObjects", "clEnqueueSVMMemcpy", "clEnqueueSVMMap", "clEnqueueSVMMigrateMem"]

def count(functions):
    calls = [layer.kiln_test_calls(name.encode()) for name in functions]
    assert -1 not in calls
    return sum(calls)

class Counting:
    def __enter__(self):
        self.start = count(TRANSFERS), count(KERNELS)
        return self
    def __exit__(self, *_):
        self.transfers, self.kernels = count(TRANSFERS) - self.start[0], count(KERNELS) - self.start[1]

device = cl.Device.from_int_ptr(kiln.Runtime("cpu", store="off").devices[0].int_ptr)
queue = cl.CommandQueue(cl.Context([device]), device)
runtime = kiln.Runtime(queues=[queue])
def on_device(values):
    return cl_array.to_device(queue, np.asarray(values, np.float32))
"""

SAXPY = '''
saxpy = runtime.kernel("""kernel void saxpy(global const float *x, global float *y, float a) {
  y[get_global_id(0)] += a * x[get_global_id(0)];
}""", "saxpy")
'''


def run(code):
    """In a process whose driver's calls are counted; what it prints."""
    environment = {**os.environ, "OPENCL_LAYERS": COUNTER}
    found = subprocess.run([sys.executable, "-c", SETUP + code], capture_output=True, text=True, env=environment)
    assert found.returncode == 0, found.stderr
    return found.stdout.split()


@needs_counter
def test_transfers_are_counted_where_there_are_some():
    assert run(
        """
with Counting() as counted:
    x = on_device(np.ones(1000))
    assert x.get().sum() == 1000
print(counted.transfers)
"""
    ) == ["2"]


@needs_counter
def test_kernels_take_arrays_where_they_are():
    transfers, kernels = run(
        SAXPY
        + """
x, y = on_device(np.arange(1000)), on_device(np.ones(1000))
wrapped = runtime.wrap(y)
with Counting() as counted:
    for _ in range(3):
        saxpy(x, y, 2.0, global_size=1000)
        saxpy.enqueue(x, wrapped, 2.0, global_size=1000).wait()
        saxpy(x.data, y.data, 2.0, global_size=1000)
assert np.array_equal(y.get(), 1 + 18 * np.arange(1000, dtype=np.float32))
print(counted.transfers, counted.kernels)
"""
    )
    assert transfers == "0" and int(kernels) == 9


@needs_counter
def test_blas_takes_arrays_where_they_are():
    transfers, kernels = run(
        """
rng = np.random.default_rng(1)
a, b, x = rng.random((64, 48)), rng.random((48, 80)), rng.random(80)
A, B, X = map(on_device, (a, b, x))
C = blas.gemm(1.0, A, B)
plan = blas.plan(blas.gemv, 1.0, C, X)
with Counting() as counted:
    for given in (None, runtime):
        blas.gemm(1.0, A, B, 0.0, C, runtime=given)
        Y = blas.gemv(1.0, C, X, runtime=given)
        norm = blas.nrm2(Y, runtime=given)
        blas.scal(2.0, Y[::2], runtime=given)
    plan()
y = a @ b @ x
expected = y.copy()
expected[::2] *= 2
assert np.allclose(Y.get(), expected, rtol=1e-4)
assert np.allclose(norm.get(), np.linalg.norm(y), rtol=1e-4)
print(counted.transfers, counted.kernels)
"""
    )
    assert transfers == "0" and int(kernels) >= 9


@needs_counter
def test_arrays_of_kiln_are_buffers_of_pyopencl_where_memory_allows():
    transfers, kernels = run(
        SAXPY
        + """
add = cl.Program(queue.context, "kernel void add(global float *x) { x[get_global_id(0)] += 1; }").build().add
x, y = runtime.array(np.arange(1000, dtype=np.float32)), runtime.zeros(1000, np.float32)
with Counting() as counted:
    for _ in range(3):
        add(queue, (1000,), None, x.buffer())
        saxpy(x, y, 1.0, global_size=1000)
        blas.axpy(1.0, x, y)
    sums = y.read().sum()
assert np.array_equal(y.read(), 2 * (3 * np.arange(1000) + 6)), y.read()
# The processor works in the host's memory.
print(counted.transfers if runtime.devices[0].uses_host_memory else 0, counted.kernels)
"""
    )
    assert transfers == "0" and int(kernels) >= 9


@needs_counter
def test_dats_lie_in_arrays_of_pyopencl():
    transfers, kernels = run(
        """
op2.init(queue=queue)
nodes = op2.Set(1000)
theirs = on_device(np.arange(2000).reshape(1000, 2))
x, y = op2.Dat(nodes ** 2, theirs), op2.Dat(nodes, np.zeros(1000), np.float32)
add = op2.Kernel("void add(float *x, float *y) { y[0] += x[0] + x[1]; x[0] = 0; }", "add")
scale = cl.Program(queue.context, "kernel void scale(global float *y) { y[get_global_id(0)] *= 2; }").build().scale
op2.par_loop(add, nodes, x(op2.RW), y(op2.RW))
assert x.cl_array() is theirs
sums = y.cl_array()
with Counting() as counted:
    for _ in range(3):
        op2.par_loop(add, nodes, x(op2.RW), y(op2.RW))
        scale(queue, (1000,), None, y.cl_buffer())
    x.cl_array()
odd = np.arange(1, 2000, 2)
expected = np.arange(0, 2000, 2) + odd
for _ in range(3):
    expected = (expected + odd) * 2
assert np.array_equal(sums.get(), expected), sums.get()[:3]
assert np.array_equal(theirs.get()[:, 1], odd) and not theirs.get()[:, 0].any()
assert np.array_equal(x.data_ro[:, 1], odd)
print(counted.transfers, counted.kernels)
"""
    )
    assert transfers == "0" and int(kernels) >= 6
