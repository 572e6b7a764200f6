// The products that a dot product adds up, one element a work-item: product[i] = a[i] * b[i].
//
// The well-known kernel of this name multiplies a window of four floats a work-item. The published
// spec gives as many floats as work-items, so such windows would leave the buffers from the first
// quarter on. One float a work-item is the meaning that stays inside them at every size.

kernel void DotProduct(global const float *a, global const float *b, global float *product,
                       int count) {
  const int i = (int)get_global_id(0);
  if (i < count) product[i] = a[i] * b[i];
}
