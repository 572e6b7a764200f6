// Kernels of the families that benchmark suites are made of, each with what must be said of it.
#include "kernel/facts/kernels.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using testing::judge;
using testing::shown;
using testing::uses;

#define EXPECT_USES(text, expected) EXPECT_EQ(uses(judge(text)), expected) << shown(judge(text))

TEST(SafetyFamilies, sparse_matrix_times_vector) {
  const char* text = R"(
    kernel void k(global const float* restrict val, global const int* restrict col,
                  global const int* restrict row, global const float* restrict x,
                  global float* restrict y, const int rows) {
      const int r = get_global_id(0);
      if (r >= rows) return;
      float sum = 0.0f;
      for (int j = row[r]; j < row[r + 1]; ++j) sum += val[j] * x[col[j]];
      y[r] = sum;
    })";
  const auto safety = judge(text);
  EXPECT_TRUE(safety.splittable);
  EXPECT_FALSE(safety.suspicious) << shown(safety);
  EXPECT_FALSE(safety.data_dependent_writes);
  EXPECT_EQ(uses(safety), "val:r col:r row:r x:r y:w");
}

TEST(SafetyFamilies, sparse_matrix_with_one_group_a_row) {
  const char* text = R"(
    kernel void k(global const float* val, global const int* row, global float* y,
                  local float* part) {
      int r = get_group_id(0), l = get_local_id(0);
      float s = 0;
      for (int j = row[r] + l; j < row[r + 1]; j += get_local_size(0)) s += val[j];
      part[l] = s;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
        if (l < d) part[l] += part[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (l == 0) y[r] = part[0];
    })";
  EXPECT_REFUSED(text, "line 4: calls get_group_id(0)");
  EXPECT_USES(text, "val:r row:r y:w");
  std::string rewritten = text;
  const std::string query = "get_group_id(0)";
  rewritten.replace(rewritten.find(query), query.size(), "get_global_id(0) / get_local_size(0)");
  EXPECT_SPLITTABLE(rewritten);
  EXPECT_FALSE(judge(rewritten).suspicious) << shown(judge(rewritten));
}

TEST(SafetyFamilies, a_stencil_in_place_is_suspicious_and_out_of_place_is_not) {
  const auto stencil = [](const std::string& to) {
    return "kernel void k(global float* a, global float* b, int w, int h) {\n"
           "  int x = get_global_id(0) + 1, y = get_global_id(1) + 1;\n"
           "  if (x >= w - 1 || y >= h - 1) return;\n  const int at = y * w + x;\n  " +
           to + "[at] = 0.25f * (a[at - 1] + a[at + 1] + a[at - w] + a[at + w]);\n}\n";
  };
  EXPECT_USES(stencil("b"), "a:r b:w");
  EXPECT_FALSE(judge(stencil("b")).suspicious);
  EXPECT_USES(stencil("a"), "a:rw* b:-");
  EXPECT_TRUE(judge(stencil("a")).suspicious);
  EXPECT_THAT(shown(judge(stencil("a"))), HasSubstr("line 5: reads a and writes it"));
}

TEST(SafetyFamilies, a_step_of_bitonic_sort) {
  const char* text = R"(
    kernel void k(global uint* a, uint stage, uint pass) {
      uint i = get_global_id(0), d = 1u << (stage - pass);
      uint left = (i % d) + (i / d) * 2 * d, right = left + d;
      uint x = a[left], y = a[right];
      bool up = ((i >> stage) & 1) == 0;
      a[left] = (x < y) == up ? x : y;
      a[right] = (x < y) == up ? y : x;
    })";
  const auto safety = judge(text);
  EXPECT_TRUE(safety.splittable && safety.suspicious);
  EXPECT_FALSE(safety.data_dependent_writes) << shown(safety);
  EXPECT_EQ(uses(safety), "a:rw*");
}

TEST(SafetyFamilies, a_swap_on_condition_depends_on_data) {
  const char* text = R"(
    kernel void k(global uint* a) {
      uint i = 2 * get_global_id(0), x = a[i], y = a[i + 1];
      if (x > y) { a[i] = y; a[i + 1] = x; }
    })";
  EXPECT_TRUE(judge(text).data_dependent_writes);
  EXPECT_SPLITTABLE(text);
}

TEST(SafetyFamilies, a_column_of_gram_schmidt) {
  const char* text = R"(
    typedef float DATA;
    kernel void k(global DATA* a, global DATA* r, global DATA* q, int kk, int m, int n) {
      int j = get_global_id(0) + (kk + 1);
      if (j < n) {
        r[kk * n + j] = 0.0;
        int i;
        for (i = 0; i < m; i++) r[kk * n + j] += q[i * n + kk] * a[i * n + j];
        for (i = 0; i < m; i++) a[i * n + j] -= q[i * n + kk] * r[kk * n + j];
      }
    })";
  const auto safety = judge(text);
  EXPECT_TRUE(safety.splittable);
  EXPECT_FALSE(safety.data_dependent_writes);
  EXPECT_EQ(uses(safety), "a:rw* r:rw q:r") << shown(safety);
}

TEST(SafetyFamilies, an_elimination_step) {
  const char* text = R"(
    kernel void k(global float* m, global float* a, global float* b, const int size, const int t) {
      int x = get_global_id(0), y = get_global_id(1);
      if (x < size - 1 - t && y < size - t) {
        a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
        if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
      }
    })";
  EXPECT_SPLITTABLE(text);
  EXPECT_USES(text, "m:r a:rw* b:rw*");
}

TEST(SafetyFamilies, monte_carlo_with_a_generator_in_private_memory) {
  const char* text = R"(
    typedef struct { uint s[4]; } State;
    uint next(State* g) { uint t = g->s[3] ^ (g->s[3] << 11); g->s[3] = g->s[0]; g->s[0] = t; return t; }
    void seed(State* g, uint v) { for (int i = 0; i < 4; ++i) g->s[i] = v + i; }
    kernel void k(global float* out, uint v, int n) {
      State g;
      seed(&g, v + get_global_id(0));
      int hits = 0;
      for (int i = 0; i < n; i++) {
        float x = next(&g) * 0x1p-32f, y = next(&g) * 0x1p-32f;
        if (x * x + y * y < 1.0f) hits++;
      }
      out[get_global_id(0)] = 4.0f * hits / n;
    })";
  const auto safety = judge(text);
  EXPECT_TRUE(safety.splittable);
  EXPECT_FALSE(safety.suspicious) << shown(safety);
  EXPECT_FALSE(safety.data_dependent_writes);
  EXPECT_EQ(uses(safety), "out:w");
}

TEST(SafetyFamilies, a_generator_whose_state_lives_in_a_buffer) {
  const char* text = R"(
    uint step(global uint* s) { uint x = *s; x ^= x << 13; x ^= x >> 17; *s = x; return x; }
    kernel void k(global uint* state, global float* out) {
      size_t i = get_global_id(0);
      out[i] = step(state + i) * 0x1p-32f;
    })";
  const auto safety = judge(text);
  EXPECT_TRUE(safety.splittable);
  EXPECT_FALSE(safety.suspicious) << shown(safety);
  EXPECT_EQ(uses(safety), "state:rw out:w");
}

TEST(SafetyFamilies, a_filter_on_images) {
  const char* reading = R"(
    constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    kernel void k(read_only image2d_t in, global uchar4* out, constant float* weight, int r) {
      int2 p = (int2)(get_global_id(0), get_global_id(1));
      float4 sum = 0;
      for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++)
          sum += read_imagef(in, s, p + (int2)(dx, dy)) * weight[(dy + r) * (2 * r + 1) + dx + r];
      out[p.y * get_image_width(in) + p.x] = convert_uchar4_sat(sum * 255);
    })";
  const auto safety = judge(reading);
  EXPECT_TRUE(safety.splittable) << shown(safety);
  EXPECT_FALSE(safety.suspicious) << shown(safety);
  EXPECT_EQ(uses(safety), "out:w weight:r");
}

TEST(SafetyFamilies, a_scan_within_groups_that_publishes_sums) {
  const char* text = R"(
    #define LOG 8
    kernel void k(global const int* in, global int* out, global int* sums, local int* t) {
      int l = get_local_id(0);
      t[l] = in[get_global_id(0)];
      for (int d = 0; d < LOG; d++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l >= (1 << d) ? t[l - (1 << d)] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v;
      }
      out[get_global_id(0)] = t[l];
    #ifdef PUBLISH
      if (l == get_local_size(0) - 1) sums[get_group_id(0)] = t[l];
    #endif
    })";
  EXPECT_SPLITTABLE(text);
  EXPECT_EQ(uses(judge(text)), "in:r out:w sums:-");
  const auto published = judge(text, {{"PUBLISH", "1"}});
  EXPECT_FALSE(published.splittable);
  EXPECT_EQ(uses(published), "in:r out:w sums:w");
}

TEST(SafetyFamilies, a_lattice_with_directions_unrolled_by_macros) {
  const char* text = R"(
    #define Q 3
    #define AT(f, d, x) f[(d) * n + (x)]
    #define MOVE(d, e) AT(to, d, x) = AT(from, d, (x + (e) + n) % n) * (1.0f - omega) + omega * eq;
    kernel void k(global const float* from, global float* to, int n, float omega) {
      int x = get_global_id(0);
      float eq = (AT(from, 0, x) + AT(from, 1, x) + AT(from, 2, x)) / Q;
      MOVE(0, 0) MOVE(1, 1) MOVE(2, -1)
    })";
  EXPECT_SPLITTABLE(text);
  EXPECT_USES(text, "from:r to:w");
  EXPECT_FALSE(judge(text).suspicious) << shown(judge(text));
}

TEST(SafetyFamilies, a_tiled_copy_with_async_copies) {
  const char* text = R"(
    #define N 64
    kernel void k(global const float* in, global float* out) {
      __local float buf[N];
      size_t first = get_global_id(0) - get_local_id(0);
      event_t e = async_work_group_copy(buf, in + first, N, 0);
      wait_group_events(1, &e);
      for (int i = get_local_id(0); i < N; i += get_local_size(0)) buf[i] = sqrt(buf[i]);
      barrier(CLK_LOCAL_MEM_FENCE);
      e = async_work_group_copy(out + first, buf, N, 0);
      wait_group_events(1, &e);
    })";
  const auto safety = judge(text);
  EXPECT_TRUE(safety.splittable) << shown(safety);
  EXPECT_FALSE(safety.suspicious) << shown(safety);
  EXPECT_FALSE(safety.data_dependent_writes) << shown(safety);
  EXPECT_TRUE(safety.uses_local_memory);
  EXPECT_EQ(uses(safety), "in:r out:w");
}

TEST(SafetyFamilies, stream_compaction_is_refused) {
  const char* text = R"(
    kernel void k(global const int* in, global int* out, volatile global int* count) {
      int v = in[get_global_id(0)];
      if (v > 0) out[atomic_inc(count)] = v;
    })";
  EXPECT_REFUSED(text, "atomic_inc");
  EXPECT_TRUE(judge(text).data_dependent_writes);
}

TEST(SafetyFamilies, a_persistent_kernel_that_waits_for_others_is_refused) {
  const char* text = R"(
    kernel void k(global int* data, volatile global int* ready) {
      while (ready[get_global_id(0)] == 0) ;
      data[get_global_id(0)]++;
    })";
  EXPECT_REFUSED(text, "volatile");
}

}  // namespace
}  // namespace kiln
