#!/usr/bin/env python
"""Sums partial results: the grid is a parameter, and the result's form depends on it."""
import numpy
from kernel_tuner import tune_kernel
from kernel_tuner.file_utils import store_output_file

code = """
__kernel void sum_floats(__global float *sum_global, __global const float *array, int n) {
    int ti = get_local_id(0);
    int x = get_group_id(0) * block_size_x + ti;
    int step = num_blocks * block_size_x;
    __local float sh_mem[block_size_x];
    float sum = 0.0f;
    for (int i = x; i < n; i += step) sum += array[i];
    sh_mem[ti] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = block_size_x / 2; s > 0; s >>= 1) {
        if (ti < s) sh_mem[ti] += sh_mem[ti + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (ti == 0) sum_global[get_group_id(0)] = sh_mem[0];
}
"""

size = 40000
max_blocks = 64
x = numpy.random.rand(size).astype(numpy.float32)
sum_x = numpy.zeros(max_blocks).astype(numpy.float32)
args = [sum_x, x, numpy.int32(size)]

tune_params = {"block_size_x": [32, 64, 128], "num_blocks": [2 ** i for i in range(4, 6)]}
reference = [numpy.sum(x.astype(numpy.float64)), None, None]

calls = []


def verify_partial_sums(cpu_result, gpu_result, atol=None):
    calls.append(atol)
    return numpy.isclose(cpu_result[0], numpy.sum(gpu_result[0]), atol=atol)


results, env = tune_kernel(
    "sum_floats", code, "num_blocks", args, tune_params, grid_div_x=[], verify=verify_partial_sums,
    answer=reference, atol=0.05, metrics={"GB/s": lambda p: size * 4 / 1e9 / (p["time"] / 1e3)},
    strategy="random_sample", strategy_options=dict(fraction=0.5), iterations=5, lang="OpenCL"
)
assert len(results) == 3 and calls == [0.05] * 3

tuned, env = tune_kernel(
    "sum_floats", code, lambda p: (p["num_blocks"],), args, tune_params, grid_div_x=[],
    verify=lambda answer, result: numpy.isclose(answer[0], result[0].sum(), rtol=1e-4), answer=reference,
    strategy="genetic_algorithm", strategy_options={"max_fevals": 2}, quiet=True
)
assert len(tuned) == 2
store_output_file("reduction-output", results, tune_params)
