// 3 x 3 convolution of a rows x columns image. The one-pixel border of the result is not written.
//
// Dimension 0 runs along a row, so neighbouring work-items touch neighbouring pixels; a split of
// dimension 0 therefore cuts the image into bands of columns, and both sides read the halo column.

constant float weight[3][3] = {
    {0.2f, 0.5f, -0.8f},
    {-0.3f, 0.6f, -0.9f},
    {0.4f, 0.7f, 0.1f},
};

kernel void Convolution2D_kernel(global const float *image, global float *result, int rows,
                                 int columns) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  if (x < 1 || y < 1 || x >= columns - 1 || y >= rows - 1) return;

  float sum = 0.0f;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += weight[dy + 1][dx + 1] * image[(y + dy) * columns + x + dx];
  result[y * columns + x] = sum;
}
