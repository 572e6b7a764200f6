#!/usr/bin/env python
"""Adds two vectors with work-groups of several sizes; keeps all results."""
import json

import numpy
import kernel_tuner

kernel_string = """
__kernel void vector_add(__global float *c, __global const float *a, __global const float *b, int n) {
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
"""


def tune():
    size = 100000
    a = numpy.random.randn(size).astype(numpy.float32)
    b = numpy.random.randn(size).astype(numpy.float32)
    c = numpy.zeros_like(b)
    n = numpy.int32(size)

    args = [c, a, b, n]

    tune_params = dict()
    tune_params["block_size_x"] = [32, 64, 128, 192]

    answer = [a + b, None, None, None]
    result, env = kernel_tuner.tune_kernel(
        "vector_add", kernel_string, size, args, tune_params, answer=answer, cache="vector_add", lang="OpenCL"
    )
    with open("vector_add_results.json", "w") as fp:
        json.dump(result, fp)
    return result, env


if __name__ == "__main__":
    results, env = tune()
    print("device:", env["device_name"])
