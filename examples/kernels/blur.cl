// Halo reads: a pixel's result needs its neighbours, also those on the other side of a cut.
//
// Each device gets the whole image and writes its part, so the cut may go anywhere and the neighbours
// are always there. Outside the image the nearest pixel counts. RADIUS is a macro.

kernel void blur(global const float *image, global float *blurred, int width, int height) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  if (x >= width || y >= height) return;

  float sum = 0.0f;
  for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
    for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
      const int near_x = clamp(x + dx, 0, width - 1);
      const int near_y = clamp(y + dy, 0, height - 1);
      sum += image[near_y * width + near_x];
    }
  }
  blurred[y * width + x] = sum / ((2 * RADIUS + 1) * (2 * RADIUS + 1));
}
