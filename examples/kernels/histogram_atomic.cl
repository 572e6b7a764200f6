// Another kernel that must not be split: all work-items count into the same few bins.
//
// An atomic addition is safe between the work-items of one device. Two devices with a copy of the
// bins each would both count from the start, and neither copy would be the whole. Kiln finds the
// atomic, says so, and runs the kernel on one device. Compare histogram_rows.cl.

kernel void histogram_atomic(global const uchar *pixels, global uint *counts) {
  const size_t i = get_global_id(0);
  atomic_inc(&counts[pixels[i] * BINS / 256]);
}
