// Uneven work: some pixels leave the loop at once, others take all its rounds.
//
// An even split in two leaves one device waiting for the other. This is what `--partition auto` and
// `--partition dynamic` are for. MAX_ITERATIONS is a macro, so the compiler knows the loop's bound.
//
// Near the edge of the set the last bit decides, and devices may round a * b + c once or twice as
// they like. fma always rounds once, so that every device draws the same picture.

kernel void mandelbrot(global ushort *iterations, int width, int height, float step) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  if (x >= width || y >= height) return;

  const float cx = fma((float)x, step, -2.0f);
  const float cy = fma((float)y, step, -1.5f);
  float zx = 0.0f;
  float zy = 0.0f;
  ushort n = 0;
  while (n < MAX_ITERATIONS && fma(zx, zx, zy * zy) <= 4.0f) {
    const float next = fma(zx, zx, fma(-zy, zy, cx));
    zy = fma(2.0f * zx, zy, cy);
    zx = next;
    ++n;
  }
  iterations[y * width + x] = n;
}
