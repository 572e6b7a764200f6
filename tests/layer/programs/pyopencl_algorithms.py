"""PyOpenCL's algorithms on the first device: a digest of each one's results on standard output.

Integers are used where the order of the additions would show; the floating-point cases have one
fixed order (one device, fixed sizes).
"""
import hashlib
import os
import warnings

# Both caches of PyOpenCL (invokers and binaries) ask this function for their folder. XDG_CACHE_HOME
# would do as well, but would move the folders of everything else in the process.
try:
    import platformdirs as dirs
except ImportError:
    import appdirs as dirs
dirs.user_cache_dir = lambda name, *_, **__: os.path.join(os.environ["LAYER_CACHE"], name)

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.algorithm import RadixSort, copy_if
from pyopencl.clrandom import PhiloxGenerator
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel

# Compilers have something to say about nearly every program.
warnings.simplefilter("ignore", cl.CompilerWarning)

PLAIN = """
__kernel void saxpy(__global float *y, __global const float *x, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
#define TILE 8
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(__global float *to, __global const float *from, int rows, int columns,
               __local float *tile) {
  int c = get_global_id(0), r = get_global_id(1);
  int lc = get_local_id(0), lr = get_local_id(1);
  tile[lr * (TILE + 1) + lc] = from[r * columns + c];
  barrier(CLK_LOCAL_MEM_FENCE);
  int tc = get_group_id(1) * TILE + lc, tr = get_group_id(0) * TILE + lr;
  to[tr * rows + tc] = tile[lc * (TILE + 1) + lr];
}
__kernel void histogram(__global int *bins, __global const int *values) {
  atomic_inc(&bins[values[get_global_id(0)] & 63]);
}
"""


def say(name, *results):
    digest = hashlib.sha256()
    for result in results:
        array = np.ascontiguousarray(result.get() if hasattr(result, "get") else result)
        digest.update(f"{array.dtype} {array.shape} ".encode())
        digest.update(array.tobytes())
    print(name, digest.hexdigest()[:32], flush=True)


def scans(context, device):
    inclusive = InclusiveScanKernel(context, np.int32, "a + b", neutral="0")
    say("inclusive scan", inclusive(device.copy()))
    exclusive = ExclusiveScanKernel(context, np.int32, "max(a, b)", neutral="INT_MIN")
    say("exclusive scan", exclusive(device.copy()))
    chosen, count, _ = copy_if(device, "ary[i] > 500")
    say("copy if", chosen.get()[:int(count.get())], count)


def sort(context, queue, keys):
    radix = RadixSort(context, "unsigned int *keys", key_expr="keys[i]", sort_arg_names=["keys"],
                      key_dtype=np.uint32)
    (ordered,), _ = radix(cl_array.to_device(queue, keys.astype(np.uint32)), key_bits=10,
                          queue=queue)
    say("radix sort", ordered)


def reductions(context, integers, floats):
    total = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a + b",
                            map_expr="(long)x[i] * x[i]", arguments="__global const int *x")
    say("sum of squares", total(integers))
    say("dot product", cl_array.dot(floats, floats))
    say("maximum", cl_array.max(floats))


def elementwise(context, floats):
    axpbyz = ElementwiseKernel(context, "float a, float *x, float b, float *z",
                               "z[i] = a * x[i] + b * sin(x[i])", "axpbyz")
    result = cl_array.empty_like(floats)
    axpbyz(np.float32(3), floats, np.float32(0.5), result)
    say("element-wise", result)
    say("array expression", 2 * floats + result / 3)


def plain(context, queue, integers):
    program = cl.Program(context, PLAIN).build(options=["-cl-mad-enable"])
    x = np.arange(4096, dtype=np.float32)
    device_x, device_y = (cl_array.to_device(queue, a) for a in (x, x[::-1].copy()))
    # The local size is the driver's choice here, and the program's in the next call.
    program.saxpy(queue, x.shape, None, device_y.data, device_x.data, np.float32(0.25))
    program.saxpy(queue, x.shape, (64,), device_y.data, device_x.data, np.float32(0.5)).wait()
    say("saxpy", device_y)
    transposed = cl_array.empty_like(device_x)
    program.transpose(queue, (64, 64), (8, 8), transposed.data, device_x.data, np.int32(64),
                      np.int32(64), cl.LocalMemory(4 * 8 * 9))
    say("transpose", transposed)
    bins = cl_array.zeros(queue, 64, np.int32)
    event = program.histogram(queue, integers.shape, None, bins.data, integers.data)
    event.wait()
    assert event.profile.end >= event.profile.start
    say("histogram", bins)


def random_numbers(context, queue):
    generator = PhiloxGenerator(context, seed=15)
    say("uniform", generator.uniform(queue, 5000, np.float32))
    say("normal", generator.normal(queue, 5000, np.float32))


def main():
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context,
                            properties=cl.command_queue_properties.PROFILING_ENABLE)
    host = np.random.default_rng(7)
    keys = host.integers(0, 1000, 30000, dtype=np.int32)
    integers = cl_array.to_device(queue, keys)
    floats = cl_array.to_device(queue, host.standard_normal(20000, dtype=np.float32))
    scans(context, integers)
    sort(context, queue, keys)
    reductions(context, integers, floats)
    elementwise(context, floats)
    plain(context, queue, integers)
    random_numbers(context, queue)
    queue.finish()


main()
