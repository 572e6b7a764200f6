// A task without inputs: it makes a block of numbers, of which each depends on its place alone.
//
// The values are multiples of 1/8, so that halves and sums of a few of them are exact on every device.

kernel void wave(global float *made, int block, int columns) {
  const uint i = (uint)get_global_id(0);
  const uint row = i / (uint)columns, column = i % (uint)columns;
  made[i] = (float)((row * 7u + column * 3u + (uint)block * 11u) % 61u) * 0.125f;
}
