// Bytes: Conway's game of life on a torus, one generation a launch.
//
// One buffer is read and another written. In place it would be wrong even on one device: a
// work-item cannot know whether its neighbour has already moved on. Only the lowest bit of a cell
// counts on the way in, so that random bytes are a good start.

kernel void life(global const uchar *now, global uchar *next, int width, int height) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  if (x >= width || y >= height) return;

  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int near_x = (x + dx + width) % width;
      const int near_y = (y + dy + height) % height;
      if (dx != 0 || dy != 0) neighbours += now[near_y * width + near_x] & 1;
    }
  }
  const int alive = now[y * width + x] & 1;
  next[y * width + x] = neighbours == 3 || (alive && neighbours == 2);
}
