#!/usr/bin/env python
"""Distances between two sets of points in double precision; a strategy of the script's own."""
import json
import random

import numpy
import kernel_tuner

kernel_string = """
__kernel void ExpDist(__global const double *A, __global const double *B, int m, int n, __global double *cost) {
    __local double sums[block_size_x];
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    double sum = 0.0;
    if (i < m) {
        #pragma unroll loop_unroll_factor_n
        for (int j = 0; j < n; j++) {
            double dx = A[2 * i] - B[2 * j], dy = A[2 * i + 1] - B[2 * j + 1];
            sum += exp(-(dx * dx + dy * dy));
        }
    }
    sums[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (int t = 1; t < block_size_x; t++) sum += sums[t];
        cost[get_group_id(0)] = sum;
    }
}
"""


class Wanderer:
    """From one configuration to a neighbour, until told to stop."""

    def tune(self, searchspace, runner, tuning_options):
        results = []
        config = searchspace.get_random_sample(1)[0]
        while len(results) < tuning_options.max_fevals:
            assert searchspace.is_param_config_valid(config)
            results += runner.run([config], tuning_options)
            config = random.choice(searchspace.get_neighbors(config))
        return results


size = numpy.int32(600)
A = numpy.random.randn(size, 2)
B = A + 0.1 * numpy.random.randn(size, 2)
cost = numpy.zeros(40)
exact = numpy.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)).sum()

tune_params = dict(block_size_x=[16, 32, 64], loop_unroll_factor_n=[1, 4])
results, env = kernel_tuner.tune_kernel(
    "ExpDist", kernel_string, int(size), [A, B, size, size, cost], tune_params, answer=[None] * 4 + [exact],
    verify=lambda answer, found, atol: abs(found[4].sum() - answer[4]) < 1e-8 * answer[4], iterations=2,
    strategy=Wanderer(), strategy_options={"max_fevals": 3}, objective="pairs", objective_higher_is_better=True,
    metrics={"pairs": "600 * 600 / time"}
)
with open("expdist_results.json", "w") as file:
    json.dump(results, file)
assert 1 <= len(results) <= 3
assert env["best_config"]["pairs"] == max(r["pairs"] for r in results)
