// Kernels whose parts would not give the one-device result: refused, or found out by the merge.
#include <algorithm>

#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* halves =
    "kernel void k(global int* c) { int i = get_global_id(0); c[i / 2] = i + 1; }";
constexpr const char* hundreds =
    "kernel void k(global int* c) { int i = get_global_id(0); c[i / 100] = i + 1; }";
constexpr const char* first_kernel =
    "kernel void k(global int* c) { c[0] = get_global_id(0) + 1; }";

class Conflicts : public RunFixture {
 protected:
  /// Runs a split that conflicts; the result must be that of one device.
  void expect_conflict(const char* text, std::size_t items, int partition) {
    TestJob test(text, range_of({items}, {1}));
    test.out(4 * items);
    const Bytes expected = alone(test);
    CoRun run(off_, queues(), test.job(), {});
    const auto report = run.run(class_weights(partition, 2));
    EXPECT_TRUE(report.conflicted) << text;
    EXPECT_FALSE(report.split);
    EXPECT_THAT(report.reason, HasSubstr("two parts write different values to byte"));
    EXPECT_THAT(report.reason, HasSubstr("of argument 0 (c)"));
    EXPECT_TRUE(test.results() == expected) << text;
    // From now on it is not tried again.
    const auto next = run.run(class_weights(5, 2));
    EXPECT_FALSE(next.conflicted);
    EXPECT_EQ(next.reason, report.reason);
    EXPECT_TRUE(test.results() == expected) << text;
  }
};

TEST_F(Conflicts, two_work_items_of_one_element_across_the_cut) {
  expect_conflict(halves, 50, 5);     // the cut falls between 24 and 25
  expect_conflict(hundreds, 500, 5);  // 250 lies within 200 to 299
}

TEST_F(Conflicts, all_work_items_write_one_element) { expect_conflict(first_kernel, 64, 5); }

TEST_F(Conflicts, different_bytes_of_one_number_are_one_conflict) {
  // 0x0001 and 0x0100: merged by bytes they would make 0x0101, which no work-item wrote.
  expect_conflict(
      "kernel void k(global int* c) { int i = get_global_id(0); c[i / 2] = i % 2 ? 256 : 1; }", 50,
      5);
}

TEST_F(Conflicts, a_type_that_nobody_knows_is_taken_for_the_largest) {
  expect_conflict(
      "\n#ifdef cl_khr_fp64\n#define PART int\n#else\n#define PART uint\n#endif\n"
      "typedef struct { PART a, b; } node;"
      "kernel void k(global node* c) {"
      "  int i = get_global_id(0); node v; v.a = i % 2 ? 256 : 1; v.b = 0; c[i / 4] = v; }",
      50, 5);
}

TEST_F(Conflicts, parts_that_write_structures_of_their_own_do_not_conflict) {
  for (const char* members : {"float x, y, z;", "int a; float4 b;", "char c[5];"}) {
    SCOPED_TRACE(members);
    TestJob test(std::string("typedef struct { ") + members +
                     " } node; kernel void k(global const node* a, global node* c) {\n"
                     "  int i = get_global_id(0); c[i] = a[i]; }",
                 range_of({50}, {1}));
    test.in(50 * 48).out(50 * 48);
    const Bytes expected = alone(test);
    CoRun run(off_, queues(), test.job(), {});
    const auto report = run.run(class_weights(5, 2));
    EXPECT_TRUE(report.split) << report.reason;
    EXPECT_EQ(report.reason, "");
    EXPECT_TRUE(test.results() == expected);
  }
}

TEST_F(Conflicts, what_the_caller_says_of_elements_holds_where_the_text_does_not_tell) {
  TestJob test(
      "\n#ifdef cl_khr_fp64\n#define PART float\n#else\n#define PART short\n#endif\n"
      "typedef struct { PART x, y, z; } node;"
      "kernel void k(global node* c) { int i = get_global_id(0); node v; v.x = i + 1; v.y = v.z = "
      "2;"
      "  c[i] = v; }",
      range_of({50}, {1}));
  test.out(50 * 12);
  for (const bool says : {false, true}) {
    Job job = test.job();
    if (says) std::get<BufferArgument>(job.arguments[0]).element_bytes = 12;
    CoRun run(off_, queues(), job, {});
    const auto report = run.run(class_weights(5, 2));
    EXPECT_EQ(report.split, says) << report.reason;
    if (!says) {
      EXPECT_THAT(report.reason, HasSubstr("of argument 0 (c)"));
    }
  }
}

TEST_F(Conflicts, a_cut_without_conflict_proves_nothing_for_other_cuts) {
  // Groups of 100 work-items share an element: class 4 cuts at 400, class 3 at 300, but weights
  // may cut anywhere.
  TestJob test(hundreds, range_of({1000}, {1}));
  test.out(4 * 1000);
  const Bytes expected = alone(test);
  CoRun run(off_, queues(), test.job(), {});
  for (const int partition : {4, 3, 4, 7}) {
    const auto report = run.run(class_weights(partition, 2));
    EXPECT_FALSE(report.conflicted) << partition;
    EXPECT_TRUE(test.results() == expected) << partition;
  }
  EXPECT_TRUE(run.will_run_in_place()) << "multiples of 100 are shown";
  const auto report = run.run(std::vector<double>{333, 667});
  EXPECT_TRUE(report.conflicted);
  EXPECT_TRUE(test.results() == expected);
}

TEST_F(Conflicts, equal_data_prove_nothing) {
  // With zeros everywhere no part changes anything, so no conflict can show.
  TestJob test(
      "kernel void k(global const int* a, global int* c) {"
      "  int i = get_global_id(0); c[i / 2] = a[i]; }",
      range_of({50}, {1}));
  test.in(200).out(200);
  std::ranges::fill(test.data(0), std::byte{0});
  CoRun run(off_, queues(), test.job(), {});
  run.run(class_weights(5, 2));
  EXPECT_FALSE(run.will_run_in_place());
  auto values = test.as<cl_int>(0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<cl_int>(i + 1);
  const Bytes expected = alone(test);
  EXPECT_TRUE(run.run(class_weights(5, 2)).conflicted);
  EXPECT_TRUE(test.results() == expected);
}

TEST_F(Conflicts, are_remembered_by_the_store_for_the_next_process) {
  TestJob test(halves, range_of({50}, {1}));
  test.out(200);
  const Bytes expected = alone(test);
  std::string reason;
  {
    auto resolver = stored();
    CoRun run(*resolver, queues(), test.job(), {});
    reason = run.run(class_weights(5, 2)).reason;
  }
  auto resolver = stored();
  CoRun run(*resolver, queues(), test.job(), {});
  EXPECT_EQ(run.refusal(), reason);
  const auto report = run.run(class_weights(5, 2));
  EXPECT_FALSE(report.conflicted) << "it was not even tried";
  EXPECT_EQ(report.reason, reason);
  EXPECT_TRUE(test.results() == expected);
}

TEST_F(Conflicts, of_another_size_or_scalar_are_another_matter) {
  auto resolver = stored();
  TestJob odd(halves, range_of({50}, {1})), even(halves, range_of({52}, {1}));
  odd.out(200);
  even.out(208);
  EXPECT_TRUE(CoRun(*resolver, queues(), odd.job(), {}).run(class_weights(5, 2)).conflicted);
  CoRun run(*resolver, queues(), even.job(), {});
  EXPECT_EQ(run.refusal(), "");
  EXPECT_EQ(run.run(class_weights(5, 2)).reason, "");
}

TEST_F(Conflicts, self_scheduling_finds_them_too) {
  TestJob test(first_kernel, range_of({256}, {1}));
  test.out(4);
  const Bytes expected = alone(test);
  CoRun run(off_, queues(), test.job(), {});
  const auto report = run.run_dynamic();
  // One device may have been so quick that it did all; then there was none.
  if (report.split) ADD_FAILURE() << "the devices disagreed, and the merge did not notice";
  EXPECT_TRUE(test.results() == expected);
}

TEST_F(Conflicts, writes_whose_place_depends_on_data_are_merged_for_ever) {
  TestJob test(
      "kernel void k(global const int* to, global int* c) {"
      "  int i = get_global_id(0); c[to[i]] = i; }",
      range_of({100}, {4}));
  test.in(400).out(400);
  auto to = test.as<cl_int>(0);
  for (std::size_t i = 0; i < 100; ++i) to[i] = static_cast<cl_int>((i * 37) % 100);
  Bytes expected = alone(test);
  auto resolver = stored();
  CoRun run(*resolver, queues(), test.job(), {});
  for (int round = 0; round < 3; ++round) {
    const auto report = run.run(class_weights(5, 2));
    EXPECT_TRUE(report.split && report.merged);
    EXPECT_TRUE(test.results() == expected);
  }
  EXPECT_FALSE(run.will_run_in_place());
  // Other data conflict; that is found, and forgotten again.
  std::ranges::fill(to, 7);
  expected = alone(test);
  EXPECT_TRUE(run.run(class_weights(5, 2)).conflicted);
  EXPECT_TRUE(test.results() == expected);
  EXPECT_EQ(run.refusal(), "");
}

TEST_F(Conflicts, kernels_that_know_their_group_are_refused_with_the_line) {
  TestJob test("kernel void k(global int* c) {\n  c[get_group_id(0)] = get_num_groups(0);\n}",
               range_of({64}, {8}));
  test.out(32);
  const Bytes expected = alone(test);
  CoRun run(off_, queues(), test.job(), {});
  EXPECT_THAT(run.refusal(), HasSubstr("line 2"));
  for (const auto& report : {run.run(class_weights(5, 2)), run.run_dynamic()}) {
    EXPECT_EQ(report.reason, run.refusal());
    EXPECT_FALSE(report.split);
    EXPECT_TRUE(test.results() == expected);
  }
  // Whole on one device there is nothing to refuse.
  EXPECT_EQ(run.run(class_weights(10, 2)).reason, "");
  EXPECT_EQ(run.run(class_weights(0, 2)).reason, "");
}

TEST_F(Conflicts, a_refused_kernel_runs_on_the_device_with_the_largest_weight) {
  TestJob test("kernel void k(global int* c) { c[get_group_id(0)] = 1; }", range_of({64}, {8}));
  test.out(32);
  CoRun run(off_, queues(), test.job(), {});
  EXPECT_EQ(run.run(class_weights(3, 2)).shares[1].groups, 8u);
  EXPECT_EQ(run.run(class_weights(7, 2)).shares[0].groups, 8u);
}

TEST_F(Conflicts, the_proof_of_freedom_is_kept_and_used_by_the_next_process) {
  TestJob test("kernel void k(global int* c) { c[get_global_id(0)] = get_global_id(0) + 1; }",
               range_of({64}, {4}));
  test.out(256);
  const Bytes expected = alone(test);
  {
    auto resolver = stored();
    CoRun run(*resolver, queues(), test.job(), {});
    EXPECT_TRUE(run.run(std::vector<double>{9, 7}).merged);
    EXPECT_FALSE(run.run(std::vector<double>{9, 7}).merged);
  }
  auto resolver = stored();
  CoRun run(*resolver, queues(), test.job(), {});
  const auto report = run.run(std::vector<double>{9, 7});
  EXPECT_TRUE(report.split);
  EXPECT_FALSE(report.merged);
  EXPECT_TRUE(test.results() == expected);
}

}  // namespace
}  // namespace kiln::testing
