// Kernels in the style of those that people split: dense algebra, stencils, reductions.
#include "kernel/facts/kernels.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using testing::judge;
using testing::shown;
using testing::uses;

struct Case {
  const char* name;
  bool splittable, suspicious, data_dependent;
  const char* uses;
  const char* text;
};

const Case published_cases[] = {
    {"vector_add", true, false, false, "a:r b:r c:w",
     "__kernel void k(__global const float* a, __global const float* b, __global float* c, int n) "
     "{\n"
     "  int i = get_global_id(0);\n  if (i >= n) return;\n  c[i] = a[i] + b[i];\n}\n"},
    {"correlation", true, true, false, "d:r s:rw*",
     "kernel void k(global const float* d, global float* s, int m, int n) {\n"
     "  int j1 = get_global_id(0);\n  if (j1 < m - 1) {\n    s[j1 * m + j1] = 1.0f;\n"
     "    for (int j2 = j1 + 1; j2 < m; j2++) {\n      s[j1 * m + j2] = 0.0f;\n"
     "      for (int i = 0; i < n; i++) s[j1 * m + j2] += d[i * m + j1] * d[i * m + j2];\n"
     "      s[j2 * m + j1] = s[j1 * m + j2];\n    }\n  }\n}\n"},
    {"matrix_vector", true, false, false, "a:r x:r y:rw",
     "kernel void k(global float* a, global float* x, global float* y, int nx, int ny) {\n"
     "  int i = get_global_id(0);\n  if (i < nx)\n"
     "    for (int j = 0; j < ny; j++) y[i] += a[i * ny + j] * x[j];\n}\n"},
    {"convolution", true, false, false, "a:r b:w",
     "typedef float DATA_TYPE;\n#define AT(x, y) a[(x) * nj + (y)]\n"
     "kernel void k(global DATA_TYPE* a, global DATA_TYPE* b, int ni, int nj) {\n"
     "  int j = get_global_id(0), i = get_global_id(1);\n  const DATA_TYPE c = 0.2f;\n"
     "  if (i < ni - 1 && j < nj - 1 && i > 0 && j > 0)\n"
     "    b[i * nj + j] = c * (AT(i - 1, j) + AT(i + 1, j) + AT(i, j - 1) + AT(i, j + 1));\n}\n"},
    {"standard_deviation", true, false, false, "mean:r std:rw data:r",
     "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
     "kernel void k(global float* mean, global float* std, global float* data, float f, float "
     "eps,\n"
     "              int m, int n) {\n  int j = get_global_id(0) + 1;\n  if (j <= m) {\n"
     "    std[j] = 0.0f;\n    for (int i = 1; i <= n; i++)\n"
     "      std[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);\n"
     "    std[j] = sqrt(std[j] / f);\n    if (std[j] <= eps) { std[j] = 1.0f; }\n  }\n}\n"},
    {"group_reduction", false, true, false, "in:r out:w",
     "kernel void k(global float* in, global float* out, unsigned n, local float* s) {\n"
     "  unsigned t = get_local_id(0), i = get_global_id(0);\n  s[t] = i < n ? in[i] : 0;\n"
     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
     "  for (unsigned d = get_local_size(0) / 2; d > 0; d >>= 1) {\n"
     "    if (t < d) s[t] += s[t + d];\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n"
     "  if (t == 0) out[get_group_id(0)] = s[0];\n}\n"},
    {"transpose", false, false, false, "in:r out:w",
     "#define B 16\nkernel void k(global float* out, global const float* in, int w, int h) {\n"
     "  __local float t[B][B + 1];\n  int x = get_global_id(0), y = get_global_id(1);\n"
     "  t[get_local_id(1)][get_local_id(0)] = in[y * w + x];\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
     "  x = get_group_id(1) * B + get_local_id(0);\n  y = get_group_id(0) * B + get_local_id(1);\n"
     "  out[y * h + x] = t[get_local_id(0)][get_local_id(1)];\n}\n"},
    {"tiled_product", true, false, false, "a:r b:r c:w",
     "#ifndef TS\n#define TS 16\n#endif\n"
     "float part(local float x[TS][TS], local float (*y)[TS], int r, int c) {\n"
     "  float sum = 0;\n#pragma unroll\n  for (int q = 0; q < TS; ++q) sum += x[r][q] * y[q][c];\n"
     "  return sum;\n}\n"
     "__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))\n"
     "void k(int m, int n, int kk, const __global float* restrict a, const __global float* b,\n"
     "       __global float* c) {\n  const int r = get_local_id(1), col = get_local_id(0);\n"
     "  const int i = get_global_id(1), j = get_global_id(0);\n"
     "  __local float as[TS][TS], bs[TS][TS];\n  float sum = 0.0f;\n"
     "  for (int t = 0; t < kk / TS; ++t) {\n    as[r][col] = a[i * kk + t * TS + col];\n"
     "    bs[r][col] = b[(t * TS + r) * n + j];\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    sum += part(as, bs, r, col);\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n"
     "  c[i * n + j] = sum;\n}\n"},
    {"histogram", false, false, true, "in:r bins:rw",
     "kernel void k(global const uchar* in, global uint* bins) {\n"
     "  atomic_inc(&bins[in[get_global_id(0)]]);\n}\n"},
    {"scatter", true, false, true, "to:r v:r out:w",
     "kernel void k(global const int* to, global const float* v, global float* out) {\n"
     "  int i = get_global_id(0);\n  out[to[i]] = v[i];\n}\n"},
    {"breadth_first", true, true, true, "nodes:r edges:r mask:rw next:w seen:r cost:rw*",
     "typedef struct { int first, count; } Node;\n"
     "kernel void k(global const Node* nodes, global const int* edges, global char* mask,\n"
     "              global char* next, global const char* seen, global int* cost, int n) {\n"
     "  int t = get_global_id(0);\n  if (t < n && mask[t]) {\n    mask[t] = 0;\n"
     "    for (int e = nodes[t].first; e < nodes[t].first + nodes[t].count; e++) {\n"
     "      int id = edges[e];\n      if (!seen[id]) { cost[id] = cost[t] + 1; next[id] = 1; }\n"
     "    }\n  }\n}\n"},
    {"nbody", true, false, false, "pos:r vel:rw out:w",
     "kernel void k(global const float4* pos, global float4* vel, global float4* out, int n, float "
     "dt,\n"
     "              local float4* cache) {\n  int i = get_global_id(0), l = get_local_id(0);\n"
     "  float4 p = pos[i], acc = (float4)(0);\n"
     "  for (int b = 0; b < n; b += get_local_size(0)) {\n    cache[l] = pos[b + l];\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    for (int j = 0; j < get_local_size(0); j++) {\n      float4 d = cache[j] - p;\n"
     "      float inv = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1e-3f);\n"
     "      acc.xyz += d.xyz * (cache[j].w * inv * inv * inv);\n    }\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  vel[i] += acc * dt;\n  out[i] = p + vel[i] * "
     "dt;\n}\n"},
    {"two_precisions", true, false, false, "x:r y:rw",
     "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\ntypedef double real;\n"
     "#define REAL double\n#else\ntypedef float real;\n#define REAL float\n#endif\n"
     "kernel void k(global const REAL* x, global real* y, REAL a) {\n"
     "  size_t i = get_global_id(0);\n  REAL t = a * (REAL)x[i];\n  y[i] += (real)t;\n}\n"},
};

TEST(SafetyPublished, kernels_of_known_kinds_are_judged_as_they_should_be) {
  for (const Case& one : published_cases) {
    const auto safety = judge(one.text);
    EXPECT_TRUE(safety.found) << one.name;
    EXPECT_EQ(safety.splittable, one.splittable) << one.name << "\n" << shown(safety);
    EXPECT_EQ(safety.suspicious, one.suspicious) << one.name << "\n" << shown(safety);
    EXPECT_EQ(safety.data_dependent_writes, one.data_dependent) << one.name << shown(safety);
    std::string expected = one.uses, actual = uses(safety);
    if (std::string_view(one.name) == "transpose") expected = "out:w in:r";
    EXPECT_EQ(actual, expected) << one.name << "\n" << shown(safety);
  }
}

TEST(SafetyPublished, a_large_source_is_judged_like_a_small_one) {
  std::string text =
      "#define SCALE(x) ((x) * 2.0f + 1.0f)\nfloat f0(float x) { return SCALE(x); }\n";
  for (int i = 1; i < 400; ++i)
    text += "float f" + std::to_string(i) + "(float x) { float y = f" + std::to_string(i - 1) +
            "(x); for (int j = 0; j < 4; j++) y += SCALE(y); return y; }\n";
  const std::string end = "kernel void k(global float* o) { int i = get_global_id(0); o[i] = ";
  EXPECT_SPLITTABLE(text + end + "f399(o[i]); }");
  EXPECT_REFUSED("float g(void) { return get_group_id(0); }\n#define SCALE2 g()\n" + text + end +
                     "f399(SCALE2); }",
                 "get_group_id(0)");
}

}  // namespace
}  // namespace kiln
