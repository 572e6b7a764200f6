#!/usr/bin/env python
"""A 2D convolution: work-group shape, tiles a work-item, restrictions, a metric that is maximised."""
from collections import OrderedDict

import numpy
from kernel_tuner import tune_kernel, run_kernel

source = """
#define in_width (image_width + filter_width - 1)

__kernel void convolution(__global float *output, __global const float *input, __constant float *filter) {
    int x0 = get_group_id(0) * block_size_x * tile_size_x + get_local_id(0);
    int y0 = get_group_id(1) * block_size_y * tile_size_y + get_local_id(1);
    for (int ty = 0; ty < tile_size_y; ty++) {
        for (int tx = 0; tx < tile_size_x; tx++) {
            int x = x0 + tx * block_size_x;
            int y = y0 + ty * block_size_y;
            if (x >= image_width || y >= image_height) continue;
            float sum = 0.0f;
            for (int j = 0; j < filter_height; j++)
                for (int i = 0; i < filter_width; i++)
                    sum += input[(y + j) * in_width + x + i] * filter[j * filter_width + i];
            output[y * image_width + x] = sum;
        }
    }
}
"""

image_width, image_height, filter_width, filter_height = 96, 64, 5, 5
problem_size = (image_width, image_height)
input_size = (image_width + filter_width - 1) * (image_height + filter_height - 1)

output = numpy.zeros(image_width * image_height).astype(numpy.float32)
image = numpy.random.randn(input_size).astype(numpy.float32)
weights = numpy.random.randn(filter_width * filter_height).astype(numpy.float32)
args = [output, image, weights]

tune_params = OrderedDict()
tune_params["block_size_x"] = [16, 32]
tune_params["block_size_y"] = [1, 4, 8]
tune_params["tile_size_x"] = [1, 2]
tune_params["tile_size_y"] = [1]
tune_params["image_width"] = [image_width]
tune_params["image_height"] = [image_height]
tune_params["filter_width"] = [filter_width]
tune_params["filter_height"] = [filter_height]

grid_div_x = ["block_size_x", "tile_size_x"]
grid_div_y = ["block_size_y", "tile_size_y"]
restrict = ["block_size_x * block_size_y >= 64", "tile_size_x == 1 or block_size_y == 8"]

params = {
    "block_size_x": 16, "block_size_y": 16, "tile_size_x": 1, "tile_size_y": 1,
    "image_width": image_width, "image_height": image_height,
    "filter_width": filter_width, "filter_height": filter_height,
}
reference = run_kernel(
    "convolution", source, problem_size, args, params, grid_div_y=grid_div_y, grid_div_x=grid_div_x, lang="OpenCL"
)

padded = image.reshape(image_height + filter_height - 1, image_width + filter_width - 1).astype(numpy.float64)
windows = numpy.lib.stride_tricks.sliding_window_view(padded, (filter_height, filter_width))
expected = numpy.einsum("yxji,ji->yx", windows, weights.reshape(filter_height, filter_width).astype(numpy.float64))
assert numpy.allclose(reference[0].reshape(image_height, image_width), expected, atol=1e-4)
assert not output.any()

metrics = OrderedDict()
metrics["GFLOP/s"] = lambda p: (image_width * image_height * filter_width * filter_height * 2 / 1e9) / (p["time"] / 1e3)
metrics["ratio"] = "time / 1000 * block_size_x"

results, env = tune_kernel(
    "convolution", source, problem_size, args, tune_params, grid_div_y=grid_div_y, grid_div_x=grid_div_x,
    restrictions=restrict, answer=[reference[0], None, None], atol=1e-4, metrics=metrics, verbose=True,
    objective="GFLOP/s", iterations=3, cache="convolution.json", lang="OpenCL"
)

assert len(results) == 6, results
assert max(results, key=lambda r: r["GFLOP/s"]) == env["best_config"]
for r in results:
    assert r["ratio"] == r["time"] / 1000 * r["block_size_x"]
