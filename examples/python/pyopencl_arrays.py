"""Kiln's kernels on pyopencl's arrays: one context, no transfers, programs from Kiln's store.

    python3 examples/python/pyopencl_arrays.py
"""
import argparse

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

import kiln

SOURCE = """
kernel void axpy(global const float *x, global float *y, float a) {
  const int i = get_global_id(0);
  y[i] += a * x[i];
}"""


def main() -> None:
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    runtime = kiln.Runtime(context=context, queues=[queue])
    n = 1 << 16
    x = cl_array.arange(queue, n, dtype=np.float32)
    y = cl_array.zeros(queue, n, dtype=np.float32)
    runtime.kernel(SOURCE, "axpy")(x, y, 2.0, global_size=n, local_size=64)
    y += 1  # pyopencl goes on with it
    shared = runtime.wrap(y)  # Kiln's view of the same memory
    queue.finish()
    assert np.array_equal(shared.read(), 2 * np.arange(n, dtype=np.float32) + 1)
    print(f"{n} elements, the last one {shared.read()[-1]:.0f}")


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    main()
