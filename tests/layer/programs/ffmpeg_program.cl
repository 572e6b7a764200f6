// Kernels for ffmpeg's filters that take a program: `waves` for openclsrc, `mix_of` for
// program_opencl.
__kernel void waves(__write_only image2d_t to, unsigned int index) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const uint value = (at.x * 3 + at.y * 5 + index * 17) & 255;
  write_imagef(to, at, (float4)(value / 255.0f, (255 - value) / 255.0f, (value ^ 85) / 255.0f, 1));
}
__kernel void mix_of(__write_only image2d_t to, unsigned int index, __read_only image2d_t a,
                     __read_only image2d_t b) {
  const sampler_t nearest =
      CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, read_imagef(a, nearest, at) * 0.25f + read_imagef(b, nearest, at) * 0.75f);
}
