// Kernels that may be split: every class equals the one-device run to the bit.
#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

struct Example {
  const char* name;
  const char* text;
  NDRange range;
  std::function<void(TestJob&)> arguments;
};

constexpr std::size_t n = 1000;  // 25 groups of 40: no class cuts at a power of two

std::vector<Example> examples() {
  return {
      {"elementwise",
       "kernel void k(global const int* a, global const int* b, global int* c) {"
       "  int i = get_global_id(0); c[i] = a[i] * 3 - b[i]; }",
       range_of({n}, {40}), [](TestJob& t) { t.in(4 * n).in(4 * n).out(4 * n); }},
      {"guarded_tail",
       "kernel void k(global const int* a, global int* c, int n) {"
       "  int i = get_global_id(0); if (i < n) c[i] = a[i] + 1; }",
       range_of({1024}, {64}), [](TestJob& t) { t.in(4 * n).out(4 * n).value(cl_int{n}); }},
      {"halo_read",
       "kernel void k(global const float* a, global float* c, int n) {"
       "  int i = get_global_id(0);"
       "  float left = i > 0 ? a[i - 1] : 0, right = i + 1 < n ? a[i + 1] : 0;"
       "  c[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right; }",
       range_of({n}, {8}), [](TestJob& t) { t.in(4 * n).out(4 * n).value(cl_int{n}); }},
      {"in_and_out",
       "kernel void k(global int* x, global const int* a) {"
       "  int i = get_global_id(0); x[i] = x[i] * 5 + a[i]; }",
       range_of({n}, {20}), [](TestJob& t) { t.inout(4 * n).in(4 * n); }},
      {"two_outputs",
       "kernel void k(global const int* a, global int* up, global short* down) {"
       "  int i = get_global_id(0); up[i] = a[i] + i; down[i] = (short)(a[i] - i); }",
       range_of({n}, {1}), [](TestJob& t) { t.in(4 * n).out(4 * n).out(2 * n); }},
      {"bytes",
       "kernel void k(global const uchar* a, global uchar* c) {"
       "  int i = get_global_id(0); c[i] = a[i] ^ 0x11; }",
       range_of({n}, {1}), [](TestJob& t) { t.in(n).out(n); }},
      {"rows_of_a_matrix",
       "kernel void k(global const int* a, global int* c, int w) {"
       "  int row = get_global_id(0), s = 0;"
       "  for (int j = 0; j < w; ++j) s += a[row * w + j] * (j + 1);"
       "  c[row] = s; }",
       range_of({50}, {2}), [](TestJob& t) { t.in(4 * 50 * 30).out(4 * 50).value(cl_int{30}); }},
      {"columns_in_two_dimensions",
       "kernel void k(global const int* a, global int* c, int w) {"
       "  int x = get_global_id(0), y = get_global_id(1);"
       "  c[y * w + x] = a[y * w + x] + 10 * x + y; }",
       range_of({60, 20}, {4, 5}),
       [](TestJob& t) { t.in(4 * 1200).out(4 * 1200).value(cl_int{60}); }},
      {"transposed_writes",
       "kernel void k(global const int* a, global int* c, int w, int h) {"
       "  int x = get_global_id(0), y = get_global_id(1);"
       "  c[x * h + y] = a[y * w + x]; }",
       range_of({60, 20}, {6, 2}),
       [](TestJob& t) { t.in(4 * 1200).out(4 * 1200).value(cl_int{60}).value(cl_int{20}); }},
      {"three_dimensions_with_a_local_shape",
       "kernel void k(global int* c, int w, int h) {"
       "  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);"
       "  c[(z * h + y) * w + x] = 10000 * x + 100 * y + z + get_local_id(0); }",
       range_of({24, 6, 4}, {4, 3, 2}),
       [](TestJob& t) { t.out(4 * 24 * 6 * 4).value(cl_int{24}).value(cl_int{6}); }},
      {"vectors_of_four",
       "kernel void k(global const float4* a, global float4* c) {"
       "  int i = get_global_id(0); c[i] = a[i].wzyx * 2.0f; }",
       range_of({n}, {8}), [](TestJob& t) { t.in(16 * n).out(16 * n); }},
      {"vectors_of_sixteen",
       "kernel void k(global const int16* a, global int16* c) {"
       "  int i = get_global_id(0); c[i] = a[i] + i; }",
       range_of({n}, {1}), [](TestJob& t) { t.in(64 * n).out(64 * n); }},
      {"local_memory_within_a_group",
       "kernel void k(global const int* a, global int* c, local int* t) {"
       "  int i = get_global_id(0), l = get_local_id(0), s = get_local_size(0);"
       "  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); c[i] = t[s - 1 - l]; }",
       range_of({n}, {40}), [](TestJob& t) { t.in(4 * n).out(4 * n).local(4 * 40); }},
      {"one_group_only", "kernel void k(global int* c) { c[get_global_id(0)] = get_global_id(0); }",
       range_of({64}, {64}), [](TestJob& t) { t.out(4 * 64); }},
      {"writes_a_part_of_its_output",
       "kernel void k(global int* c) { int i = get_global_id(0); c[2 * i] = i + 1; }",
       range_of({n}, {10}), [](TestJob& t) { t.out(8 * n); }},
      {"shifted_writes",
       "kernel void k(global const int* a, global int* c) {"
       "  int i = get_global_id(0); c[i + 3] = a[i]; }",
       range_of({n}, {10}), [](TestJob& t) { t.in(4 * n).out(4 * n + 12); }},
  };
}

class EveryClass : public RunFixture, public ::testing::WithParamInterface<std::size_t> {
 protected:
  Example example_ = examples()[GetParam()];
  TestJob make() const {
    TestJob test(example_.text, example_.range);
    example_.arguments(test);
    return test;
  }
  Bytes expected_result() {
    TestJob test = make();  // its own: a run changes what is read and written
    return alone(test);
  }
};

TEST_P(EveryClass, equals_the_one_device_run_merged) {
  TestJob test = make();
  const Bytes expected = expected_result();
  CoRun run(off_, queues(), test.job(), {.always_merge = true});
  for (int partition = 0; partition <= 10; ++partition) {
    const auto report = run.run(class_weights(partition, 2));
    EXPECT_EQ(report.reason, "") << partition;
    EXPECT_TRUE(test.results() == expected) << "class " << partition;
    EXPECT_EQ(report.shares[0].groups + report.shares[1].groups, run.groups());
    EXPECT_TRUE(report.merged || !report.split);
  }
}

TEST_P(EveryClass, equals_the_one_device_run_in_place_too) {
  TestJob test = make();
  const Bytes expected = expected_result();
  auto resolver = stored();
  CoRun run(*resolver, queues(), test.job(), {});
  bool in_place = false;
  // Twice, upwards and downwards: what the first round proves is used in the second.
  for (const int step : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}) {
    const auto report = run.run(class_weights(step, 2));
    EXPECT_EQ(report.reason, "") << step;
    EXPECT_TRUE(test.results() == expected) << "class " << step;
    in_place |= report.split && !report.merged;
  }
  EXPECT_EQ(in_place, run.groups() > 1) << "no class ran in place";
}

TEST_P(EveryClass, equals_the_one_device_run_when_copied_to_and_fro) {
  TestJob test = make();
  const Bytes expected = expected_result();
  CoRun run(off_, queues(), test.job(), {.memory = Placement::OwnMemory::always});
  for (const int partition : {0, 3, 5, 10, 5}) {
    run.run(class_weights(partition, 2));
    EXPECT_TRUE(test.results() == expected) << "class " << partition;
  }
}

TEST_P(EveryClass, self_scheduling_equals_it_and_covers_every_group) {
  TestJob test = make();
  const Bytes expected = expected_result();
  CoRun run(off_, queues(), test.job(), {});
  for (int round = 0; round < 3; ++round) {
    const auto report = run.run_dynamic();
    EXPECT_EQ(report.reason, "");
    EXPECT_TRUE(test.results() == expected) << "round " << round;
    EXPECT_EQ(report.shares[0].groups + report.shares[1].groups, run.groups());
  }
}

std::string kernel_name_of(const ::testing::TestParamInfo<std::size_t>& kernel) {
  return examples()[kernel.param].name;
}
INSTANTIATE_TEST_SUITE_P(Kernels, EveryClass, ::testing::Range<std::size_t>(0, examples().size()),
                         kernel_name_of);

}  // namespace
}  // namespace kiln::testing
