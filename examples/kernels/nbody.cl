// Everybody pulls everybody: a great deal of arithmetic for each byte, the best case for a split.
//
// A work-item reads all bodies and writes the velocity of one. So each device needs the whole of
// `bodies` but only its own part of `velocity`, and time is spent on computing alone.
// A body is x, y, z and mass in a float4; the w of a velocity is not used.

kernel void nbody(global const float4 *bodies, global float4 *velocity, int count, float step) {
  const int i = (int)get_global_id(0);
  if (i >= count) return;

  const float4 self = bodies[i];
  float3 pull = (float3)(0.0f);
  for (int j = 0; j < count; ++j) {
    const float4 other = bodies[j];
    const float3 way = other.xyz - self.xyz;
    // The constant keeps a body's pull on itself, and on one very near, from being infinite.
    const float nearness = rsqrt(dot(way, way) + 1e-3f);
    pull += other.w * nearness * nearness * nearness * way;
  }
  velocity[i].xyz += step * pull;
}
