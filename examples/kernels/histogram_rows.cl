// A private array: each work-item counts in memory of its own, which is written once at the end.
//
// One histogram for each row of bytes. The output has another width than the input, BINS a row,
// which its size expression in the specification file says.

kernel void histogram_rows(global const uchar *pixels, global uint *counts, int columns) {
  const size_t row = get_global_id(0);
  uint bins[BINS];
  for (int i = 0; i < BINS; ++i) bins[i] = 0;
  for (int x = 0; x < columns; ++x) ++bins[pixels[row * columns + x] * BINS / 256];
  for (int i = 0; i < BINS; ++i) counts[row * BINS + i] = bins[i];
}
