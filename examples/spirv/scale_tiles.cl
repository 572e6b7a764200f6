// The source of scale_tiles.spv, as Debian 13's clang-18 and llvm-spirv-18 make it:
//
//   clang-18 -c -x cl -cl-std=CL1.2 -O2 -target spir64-unknown-unknown -emit-llvm
//     -Xclang -finclude-default-header -fno-discard-value-names -o scale_tiles.bc scale_tiles.cl
//   llvm-spirv-18 scale_tiles.bc --spirv-max-version=1.2 -o scale_tiles.spv
//
// Each work-item scales a tile of elements. The tile's size and what is added are constants that a
// program sets in the module, before it is compiled for a device: SpecId 0 and 1.
int __attribute__((overloadable)) __spirv_SpecConstant(int, int);
float __attribute__((overloadable)) __spirv_SpecConstant(int, float);

kernel void scale_tiles(global const float* in, global float* out, float factor, int n) {
  const int tile = __spirv_SpecConstant(0, 4);
  const float shift = __spirv_SpecConstant(1, 0.5f);
  const int first = (int)get_global_id(0) * tile;
  for (int i = first; i < first + tile && i < n; ++i) out[i] = in[i] * factor + shift;
}
