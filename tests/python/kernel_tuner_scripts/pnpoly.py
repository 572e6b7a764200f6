#!/usr/bin/env python
"""Points in a polygon, from a file, with texts and floating-point numbers as parameters."""
import numpy
from kernel_tuner import tune_kernel, store_results, create_device_targets

with open("pnpoly.cl", "w") as f:
    f.write("""
#include "pnpoly_types.h"
__kernel void cn_pnpoly(__global int *bitmap, __global const point *points, __constant point *vertices, int n) {
    int i = get_group_id(0) * block_size_x * tile_size + get_local_id(0);
    for (int t = 0; t < tile_size; t++, i += block_size_x) {
        if (i >= n) return;
        int c = 0;
        point p = points[i];
        for (int j = 0, k = VERTICES - 1; j < VERTICES; k = j++) {
            point vj = vertices[j], vk = vertices[k];
            if (((vj.y > p.y) != (vk.y > p.y)) && (p.x < (vk.x - vj.x) * (p.y - vj.y) / (vk.y - vj.y) + vj.x + margin))
                c = COMBINE(c);
        }
        bitmap[i] = c;
    }
}
""")
with open("pnpoly_types.h", "w") as f:
    f.write("""
typedef float2 point;
#define VERTICES 40
#define FLIP(c) !(c)
#define EXCLUSIVE(c) ((c) ^ 1)
#define COMBINE(c) method(c)
""")

size = 10000
angle = numpy.linspace(0, 2 * numpy.pi, 40, endpoint=False)
vertices = numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1).astype(numpy.float32)
points = numpy.random.uniform(-1.2, 1.2, (size, 2)).astype(numpy.float32)
# Not where rounding decides.
radius = numpy.hypot(points[:, 0], points[:, 1])
points[numpy.abs(radius - 1) < 0.02] = 0
inside = (numpy.hypot(points[:, 0], points[:, 1]) < 0.99).astype(numpy.int32)
bitmap = numpy.zeros(size).astype(numpy.int32)

tune_params = {
    "block_size_x": [32 * i for i in range(1, 4)],
    "tile_size": [1, 2],
    "method": ["FLIP", "EXCLUSIVE"],
    "margin": [0.0],
}
results, env = tune_kernel(
    "cn_pnpoly", ["pnpoly.cl", "pnpoly_types.h"], size, [bitmap, points, vertices, numpy.int32(size)],
    tune_params, grid_div_x=["block_size_x", "tile_size"], answer=[inside, None, None, None],
    restrictions="block_size_x * tile_size == 64", strategy="greedy_mls",
    strategy_options={"max_fevals": 20}, seed=7
)
assert len(results) == 4, results
assert {r["method"] for r in results} == {"FLIP", "EXCLUSIVE"}
store_results("pnpoly.json", "cn_pnpoly", "pnpoly.cl", tune_params, size, results, env, top=50)
create_device_targets("pnpoly_targets.h", "pnpoly.json")
