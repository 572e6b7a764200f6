// A copy of a width x height matrix whose neighbouring work-items are a column apart in memory: the
// slow partner that a transpose is measured against. `offset` leaves out that many columns.

kernel void uncoalesced_copy(global float *to, global const float *from, int offset, int width,
                             int height) {
  const int x = (int)get_global_id(0) + offset;
  const int y = (int)get_global_id(1);
  if (x < width && y < height) to[x * height + y] = from[x * height + y];
}
