// Three dimensions: a point of a cube and its six neighbours, one step of heat conduction.
//
// Dimension 0 is the one that runs along memory, and the one that Kiln cuts. Points on the surface
// keep their value.

kernel void stencil3d(global const float *now, global float *next, int n, float conduction) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  const int z = (int)get_global_id(2);
  const int row = n;
  const int plane = n * n;
  const int i = z * plane + y * row + x;

  float value = now[i];
  if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1) {
    const float around = now[i - 1] + now[i + 1] + now[i - row] + now[i + row] + now[i - plane] +
                         now[i + plane];
    value += conduction * (around - 6.0f * value);
  }
  next[i] = value;
}
