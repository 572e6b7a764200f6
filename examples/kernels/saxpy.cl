// An in-out buffer: y comes in, is changed in place, and goes out again.
//
// Every work-item reads and writes its own element only. That is why a buffer that is both input
// and output can still be dealt out to several devices.

kernel void saxpy(float alpha, global const float *x, global float *y) {
  const size_t i = get_global_id(0);
  y[i] = alpha * x[i] + y[i];
}
