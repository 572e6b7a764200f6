// Elements of up to four Dats into messages, and back. UNIT is the type that is moved: the widest
// that all places are multiples of. Entries of one Dat lie one behind the other: those of Dat d end
// before ends[d]. Element elements[i] of `width` units goes to unit places[i] of the messages; its
// units lie together (component_step = per), or those of each component, `per` of them,
// component_step apart.
#define KILN_DAT(n) __global UNIT *data##n, int end##n, int width##n, int per##n, long element_step##n, long component_step##n
#define KILN_OF(n) data##n, width##n, per##n, element_step##n, component_step##n
static void kiln_gather_one(__global UNIT *messages, __global const int *elements, __global const long *places, int i, __global const UNIT *data, int width, int per, long element_step, long component_step) {
  const long from = elements[i] * element_step, to = places[i];
  for (int k = 0; k < width; ++k) messages[to + k] = data[from + k / per * component_step + k % per];
}
static void kiln_scatter_one(__global const UNIT *messages, __global const int *elements, __global const long *places, int i, __global UNIT *data, int width, int per, long element_step, long component_step) {
  const long to = elements[i] * element_step, from = places[i];
  for (int k = 0; k < width; ++k) data[to + k / per * component_step + k % per] = messages[from + k];
}
__kernel void kiln_halo_gather(__global UNIT *messages, __global const int *elements, __global const long *places, KILN_DAT(0), KILN_DAT(1), KILN_DAT(2), KILN_DAT(3)) {
  const int i = get_global_id(0);
  if (i < end0) kiln_gather_one(messages, elements, places, i, KILN_OF(0));
  else if (i < end1) kiln_gather_one(messages, elements, places, i, KILN_OF(1));
  else if (i < end2) kiln_gather_one(messages, elements, places, i, KILN_OF(2));
  else if (i < end3) kiln_gather_one(messages, elements, places, i, KILN_OF(3));
}
__kernel void kiln_halo_scatter(__global const UNIT *messages, __global const int *elements, __global const long *places, KILN_DAT(0), KILN_DAT(1), KILN_DAT(2), KILN_DAT(3)) {
  const int i = get_global_id(0);
  if (i < end0) kiln_scatter_one(messages, elements, places, i, KILN_OF(0));
  else if (i < end1) kiln_scatter_one(messages, elements, places, i, KILN_OF(1));
  else if (i < end2) kiln_scatter_one(messages, elements, places, i, KILN_OF(2));
  else if (i < end3) kiln_scatter_one(messages, elements, places, i, KILN_OF(3));
}
