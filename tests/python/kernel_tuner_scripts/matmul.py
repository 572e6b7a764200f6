#!/usr/bin/env python
"""A tiled matrix product searched by a strategy with a budget."""
import numpy
import kernel_tuner

kernel_string = """
#define TILE (block_size_x * tile_size_x)
__kernel void matmul(__global float *C, __global const float *A, __global const float *B) {
    __local float sA[block_size_y * tile_size_y][block_size_x];
    __local float sB[block_size_x][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * TILE + tx;
    int y = get_group_id(1) * block_size_y * tile_size_y + ty;
    float sum[tile_size_y][tile_size_x];
    for (int j = 0; j < tile_size_y; j++)
        for (int i = 0; i < tile_size_x; i++) sum[j][i] = 0.0f;
    for (int k = 0; k < WIDTH; k += block_size_x) {
        for (int j = 0; j < tile_size_y; j++)
            sA[ty + j * block_size_y][tx] = A[(y + j * block_size_y) * WIDTH + k + tx];
        for (int r = ty; r < block_size_x; r += block_size_y)
            for (int i = 0; i < tile_size_x; i++)
                sB[r][tx + i * block_size_x] = B[(k + r) * WIDTH + x + i * block_size_x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int kb = 0; kb < block_size_x; kb++)
            for (int j = 0; j < tile_size_y; j++)
                for (int i = 0; i < tile_size_x; i++)
                    sum[j][i] += sA[ty + j * block_size_y][kb] * sB[kb][tx + i * block_size_x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < tile_size_y; j++)
        for (int i = 0; i < tile_size_x; i++)
            C[(y + j * block_size_y) * WIDTH + x + i * block_size_x] = sum[j][i];
}
"""

width = 64
A = numpy.random.rand(width, width).astype(numpy.float32)
B = numpy.random.rand(width, width).astype(numpy.float32)
C = numpy.zeros_like(A)

tune_params = {
    "block_size_x": [8, 16, 32],
    "block_size_y": [4, 8, 16],
    "tile_size_x": [1, 2],
    "tile_size_y": [1, 2],
}
restrict = [
    "block_size_x * tile_size_x <= 32",
    lambda block_size_x, block_size_y, **others: block_size_x % block_size_y == 0,
]

results, env = kernel_tuner.tune_kernel(
    "matmul", kernel_string, (width, width), [C, A, B], tune_params,
    grid_div_x=["block_size_x", "tile_size_x"], grid_div_y=["block_size_y", "tile_size_y"],
    answer=[A @ B, None, None], atol=1e-3, restrictions=restrict, iterations=3, quiet=True,
    compiler_options=["-cl-fast-relaxed-math", "-DWIDTH=%d" % width],
    strategy="bayes_opt", strategy_options={"max_fevals": 5}, cache="matmul.json"
)

assert len(results) == 5
assert len({tuple(r[k] for k in tune_params) for r in results}) == 5
for r in results:
    assert r["block_size_x"] % r["block_size_y"] == 0 and r["block_size_x"] * r["tile_size_x"] <= 32
