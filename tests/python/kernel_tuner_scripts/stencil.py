#!/usr/bin/env python
"""A stencil whose source a function makes; an observer counts what happens around each run."""
import numpy
import kernel_tuner
from kernel_tuner.observers import BenchmarkObserver


class CallObserver(BenchmarkObserver):
    """Counts calls, and how large the work-groups are."""

    def __init__(self):
        self.calls = []

    def register_configuration(self, params):
        self.calls = ["configuration"]
        self.groups = params["block_size_x"] * params["block_size_y"]

    def before_start(self):
        self.calls.append("before")

    def after_start(self):
        self.calls.append("start")

    def after_finish(self):
        self.calls.append("finish")

    def get_results(self):
        return {"calls": self.calls, "group": self.groups, "observed_on": self.dev.name}


def source(params):
    unrolled = "".join(
        "    if (x + %d < nx - 1) row(out, in, x + %d, y, nx);\n" % (i, i) for i in range(params["unroll"])
    )
    return """
void row(__global float *out, __global const float *in, int x, int y, int nx) {
    out[y * nx + x] = 0.25f * (in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]);
}
__kernel void stencil(__global float *out, __global const float *in, int nx, int ny) {
    int x = get_global_id(0) * UNROLL + 1;
    int y = get_global_id(1) + 1;
    if (y >= ny - 1) return;
%s}
""" % unrolled


nx, ny = 66, 34
grid = numpy.random.rand(ny, nx).astype(numpy.float32)
out = numpy.zeros_like(grid)
expected = numpy.zeros_like(grid)
expected[1:-1, 1:-1] = 0.25 * (grid[1:-1, :-2] + grid[1:-1, 2:] + grid[:-2, 1:-1] + grid[2:, 1:-1])

tune_params = dict(block_size_x=[16, 32], block_size_y=[1, 2], unroll=[1, 2])
results, env = kernel_tuner.tune_kernel(
    "stencil", source, (nx - 2, ny - 2), [out, grid, numpy.int32(nx), numpy.int32(ny)], tune_params,
    grid_div_x=["block_size_x", "unroll"], answer=[expected, None, None, None],
    restrictions=lambda p: p["block_size_x"] * p["block_size_y"] * p["unroll"] == 64,
    defines={"UNROLL": "unroll", "HALF": lambda p: p["block_size_x"] // 2}, iterations=4,
    observers=[CallObserver()], lang="OpenCL", block_size_names=["block_size_x", "block_size_y"]
)
assert len(results) == 3, results
for r in results:
    assert r["calls"] == ["configuration"] + ["before", "start", "finish"] * 4
    assert r["group"] * r["unroll"] == 64 and r["observed_on"] == env["device_name"]
    assert len(r["times"]) == 4
