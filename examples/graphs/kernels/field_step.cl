// Maxwell's equations in two dimensions by finite differences in time (Yee's scheme): the electric
// field along x and y, the magnetic field along z, on a grid of n by n points.

kernel void electric_x(global const float *hz, global float *ex, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (y > 0) ex[y * n + x] -= 0.5f * (hz[y * n + x] - hz[(y - 1) * n + x]);
}

kernel void electric_y(global const float *hz, global float *ey, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x > 0) ey[y * n + x] -= 0.5f * (hz[y * n + x] - hz[y * n + x - 1]);
}

kernel void magnetic_z(global const float *ex, global const float *ey, global float *hz, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < n - 1 && y < n - 1)
    hz[y * n + x] -= 0.7f * (ex[(y + 1) * n + x] - ex[y * n + x] + ey[y * n + x + 1] - ey[y * n + x]);
}
