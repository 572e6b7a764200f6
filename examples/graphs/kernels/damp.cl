// A task in place: its argument is an `ioBuffers` one, which an edge fills and an edge hands on.
//
// In a graph an edge gives a value, and not a buffer. If others still read what came in, Kiln gives
// this kernel a copy.

kernel void damp(global float *block) {
  const size_t i = get_global_id(0);
  block[i] *= 0.5f;
}
