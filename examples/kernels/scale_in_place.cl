// Scalars have types too: a double and two longs, next to a buffer of doubles.
//
// Only the elements from `first` up to but not including `last` are touched. What no work-item
// writes keeps the value that went in, on one device as on several.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void scale_in_place(global double *values, double factor, long first, long last) {
  const long i = (long)get_global_id(0);
  if (i >= first && i < last) values[i] *= factor;
}
