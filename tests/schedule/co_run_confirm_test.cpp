// Kernels whose parts do not conflict, and yet see what other parts write.
#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

class Confirmation : public RunFixture {
 protected:
  /// What one device makes of the same contents, with memory of its own: a second run would begin
  /// from the first one's result.
  Bytes one_device(const char* text) {
    TestJob test(text, range_of({256}, {4}));
    test.inout(1024).in(1024);
    return alone(test);
  }
  /// Runs split in every way; the result must be that of one device, and the reason be given.
  void expect_refused(const char* text, const char* why) {
    for (const bool dynamic : {false, true}) {
      const Bytes expected = one_device(text);
      TestJob test(text, range_of({256}, {4}));
      test.inout(1024).in(1024);
      CoRun run(off_, queues(), test.job(), {});
      const auto report = dynamic ? run.run_dynamic() : run.run(class_weights(3, 2));
      EXPECT_TRUE(test.results() == expected) << text;
      // One device may have taken all the chunks that depend on each other.
      if (dynamic && report.reason.empty()) continue;
      EXPECT_THAT(report.reason, HasSubstr(why)) << text;
      EXPECT_FALSE(report.split);
    }
  }
  /// Runs at several cuts; the result must be that of one device every time.
  void expect_equal(const char* text) {
    const Bytes expected = one_device(text);
    TestJob test(text, range_of({256}, {4}));
    test.inout(1024).in(1024);
    CoRun run(off_, queues(), test.job(), {});
    for (const int partition : {5, 5, 3}) {
      const auto report = run.run(class_weights(partition, 2));
      EXPECT_EQ(report.reason, "");
      EXPECT_TRUE(report.split);
      EXPECT_TRUE(test.results() == expected) << text;
    }
  }
};

constexpr const char* reads = "one part reads what another one writes: byte";

TEST_F(Confirmation, values_that_go_on_from_element_to_element_are_not_cut) {
  expect_refused(
      "kernel void k(global int* c, global const int* a) {"
      "  int i = get_global_id(0); if (i > 0) c[i] = c[i - 1] + a[i]; }",
      reads);
}

TEST_F(Confirmation, an_input_that_is_written_after_all_is_looked_at_too) {
  expect_refused(
      "kernel void k(global int* c, global const int* a) {"
      "  int i = get_global_id(0); ((global int*)a)[i] = 3; c[i] = a[255 - i]; }",
      reads);
}

TEST_F(Confirmation, elements_whose_place_data_decide_are_looked_at_in_every_run) {
  TestJob test(
      "kernel void k(global int* c, global const int* a) {"
      "  int i = get_global_id(0); c[i] = c[a[i]] + 1; }",
      range_of({256}, {4}));
  test.inout(1024).in(1024);
  const auto index = test.as<cl_int>(1);
  for (int i = 0; i < 256; ++i) index[static_cast<std::size_t>(i)] = i;
  CoRun run(off_, queues(), test.job(), {});
  EXPECT_TRUE(run.run(class_weights(5, 2)).split);
  EXPECT_FALSE(run.run(class_weights(5, 2)).confirmed) << "other data may do otherwise";
  for (int i = 0; i < 256; ++i) index[static_cast<std::size_t>(i)] = 255 - i;
  const auto report = run.run(class_weights(5, 2));
  EXPECT_THAT(report.reason, HasSubstr(reads));
  EXPECT_EQ(run.refusal(), "") << "nor does that speak for other data";
}

TEST_F(Confirmation, the_same_sum_in_both_parts_is_half_of_it) {
  expect_refused(
      "kernel void k(global int* c, global const int* a) { int i = get_global_id(0);"
      "  if (i < 8 || i >= 248) c[0] += 1; }",
      "two parts both change byte 0 of argument 0");
}

TEST_F(Confirmation, equal_values_that_nobody_reads_are_no_conflict) {
  expect_equal("kernel void k(global int* c, global const int* a) { c[0] = a[0] + 100; }");
}

TEST_F(Confirmation, parts_that_read_their_own_elements_only_are_split) {
  expect_equal(
      "kernel void k(global int* c, global const int* a) { int i = get_global_id(0);"
      "  if (i % 4 == 0) for (int j = 1; j < 4; ++j) c[i + j] = c[i + j - 1] + a[i + j]; }");
}

TEST_F(Confirmation, a_cut_that_was_shown_is_not_confirmed_again) {
  constexpr const char* text =
      "kernel void k(global int* c, global const int* a) { int i = get_global_id(0);"
      "  if (i % 4 == 0) c[i + 1] = c[i] + 100; }";
  const Bytes expected = one_device(text);
  TestJob test(text, range_of({256}, {4}));
  test.inout(1024).in(1024);
  {
    auto resolver = stored();
    CoRun run(*resolver, queues(), test.job(), {});
    EXPECT_TRUE(run.run(class_weights(5, 2)).confirmed);
    EXPECT_FALSE(run.run(class_weights(5, 2)).confirmed);
    EXPECT_TRUE(run.run(std::vector<double>{1, 3}).confirmed) << "another cut";
    EXPECT_TRUE(test.results() == expected);
  }
  TestJob again(text, range_of({256}, {4}));
  again.inout(1024).in(1024);
  auto resolver = stored();
  CoRun run(*resolver, queues(), again.job(), {});
  EXPECT_FALSE(run.run(class_weights(5, 2)).confirmed) << "the store knows";
  EXPECT_TRUE(again.results() == expected);
}

TEST_F(Confirmation, devices_with_memory_of_their_own_are_confirmed_too) {
  constexpr const char* text =
      "kernel void k(global int* c, global const int* a) {"
      "  int i = get_global_id(0); if (i > 0) c[i] = c[i - 1] + 1; }";
  const Bytes expected = one_device(text);
  TestJob test(text, range_of({256}, {4}));
  test.inout(1024).in(1024);
  CoRun run(off_, queues(), test.job(), {.memory = Placement::OwnMemory::always});
  EXPECT_THAT(run.run(class_weights(5, 2)).reason, HasSubstr(reads));
  EXPECT_TRUE(test.results() == expected);
}

}  // namespace
}  // namespace kiln::testing
