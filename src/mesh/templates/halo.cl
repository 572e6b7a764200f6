// Elements of a Dat into messages, and back. UNIT is the type that is moved: the widest that all
// places are multiples of. Element elements[i] of `width` units goes to unit places[i] of the
// messages; its units lie together (component_step = per), or those of each component, `per` of
// them, component_step apart.
__kernel void kiln_halo_gather(__global const UNIT *data, __global UNIT *messages, __global const int *elements, __global const long *places, int count, int width, int per, long element_step, long component_step) {
  const int i = get_global_id(0);
  if (i >= count) return;
  const long from = elements[i] * element_step, to = places[i];
  for (int k = 0; k < width; ++k) messages[to + k] = data[from + k / per * component_step + k % per];
}
__kernel void kiln_halo_scatter(__global UNIT *data, __global const UNIT *messages, __global const int *elements, __global const long *places, int count, int width, int per, long element_step, long component_step) {
  const int i = get_global_id(0);
  if (i >= count) return;
  const long to = elements[i] * element_step, from = places[i];
  for (int k = 0; k < width; ++k) data[to + k / per * component_step + k % per] = messages[from + k];
}
