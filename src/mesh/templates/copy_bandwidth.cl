// A work-item copies pieces of 16 double8 on CPUs, and neighbours copy neighbouring numbers on
// GPUs: what each likes best. CPUs write past their caches, as a large copy should.
__kernel void copy_pieces(__global const double8 *from, __global double8 *to, long n) {
  const long begin = get_global_id(0) * 1024, end = min(begin + 1024, n);
  for (long k = begin; k < end; ++k) STORE(from[k], to + k);
}
__kernel void copy_strided(__global const double2 *from, __global double2 *to, long n) {
  for (long k = get_global_id(0); k < n; k += get_global_size(0)) to[k] = from[k];
}
