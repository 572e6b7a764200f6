// Vectors in, vectors out, and a scalar argument that is a vector: a list of four values in the
// specification file.
//
// convert_float4 converts all four lanes at once; as_float4 would only reinterpret their bits.

kernel void convert_int_to_float(global const int4 *whole, global float4 *scaled, float4 weights) {
  const size_t i = get_global_id(0);
  scaled[i] = convert_float4(whole[i]) * weights;
}
