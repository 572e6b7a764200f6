// The public API, as a user meets it: nothing but include/kiln/run.hpp and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>

#include "base/file.hpp"
#include "base/log.hpp"
#include "kiln/run.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* scale_kernels = R"(#include "scale.h"
__kernel void scale(__global const int* x, __global int* y, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = FACTOR * x[i];
}
__kernel void twice(__global int* x) { x[get_global_id(0)] *= 2; }
__kernel void reversed(__global const int* x, __global int* y, __local int* t) {
  int l = get_local_id(0), s = get_local_size(0);
  t[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = t[s - 1 - l];
}
__kernel void broken(__global int* x) { x[0] = undeclared; }
)";

class KernelRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([](LogLevel, std::string_view) {});
    // "broken" only compiles where a macro says so.
    std::string source = scale_kernels;
    source.insert(source.find("__kernel void broken"), "#ifdef BROKEN\n");
    source += "#endif\n";
    value_or_throw(write_file(file_, as_bytes(source)));
    value_or_throw(write_file(folder_.path() / "scale.h",
                              as_bytes("#ifndef FACTOR\n#define FACTOR 3\n#endif\n")));
    for (std::size_t i = 0; i < n; ++i) x_[i] = static_cast<int>(i);
  }
  Machine pair() const { return Machine(units_ < 2 ? "cpu" : "cpu/2", "off"); }
  Error error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    return {Errc::internal, "nothing was thrown"};
  }
  void expect_scaled(int factor) {
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y_[i], factor * x_[i]) << i;
  }

  static constexpr std::size_t n = 1000;
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-api"));
  std::filesystem::path file_ = folder_.path() / "scale.cl";
  unsigned units_ = Machine("cpu", "off").devices().at(0).compute_units;
  std::vector<int> x_ = std::vector<int>(n), y_ = std::vector<int>(n, -1);
};

TEST_F(KernelRunTest, runs_with_every_partition) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "scale");
  run.in(std::span<const int>(x_)).out(std::span(y_)).value(int{n});
  for (const char* partition : {"10", "0", "5", "3", "3", "1:2", "auto", "auto", "dynamic"}) {
    if (units_ < 2 && std::string_view(partition) == "1:2") continue;
    std::ranges::fill(y_, -1);
    const RunSummary summary = run.run({{1024}, {64}}, partition);
    SCOPED_TRACE(partition);
    expect_scaled(3);
    EXPECT_EQ(summary.reason, "");
    EXPECT_GT(summary.wall_ns, 0);
    std::size_t groups = 0;
    for (const auto& share : summary.shares) groups += share.groups;
    EXPECT_EQ(groups, 16u);
  }
}

TEST_F(KernelRunTest, macros_and_includes_reach_the_kernel) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "scale", {{"FACTOR", "7"}});
  run.in(std::span<const int>(x_)).out(std::span(y_)).value(int{n});
  run.run({{1024}, {64}}, "5");
  expect_scaled(7);
}

TEST_F(KernelRunTest, devices_describe_themselves) {
  const auto devices = pair().devices();
  ASSERT_EQ(devices.size(), units_ < 2 ? 1u : 2u);
  EXPECT_FALSE(devices[0].name.empty());
  EXPECT_EQ(devices[0].type, "CPU");
}

TEST_F(KernelRunTest, the_range_may_change_between_runs) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "reversed");
  run.in(std::span<const int>(x_)).out(std::span(y_)).local(64 * sizeof(int));
  for (const std::size_t local : {10, 50, 10}) {
    run.run({{n}, {local}}, "5");
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(y_[i], x_[i / local * local + local - 1 - i % local]) << local;
  }
}

TEST_F(KernelRunTest, a_range_that_fails_leaves_the_object_usable) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "reversed");
  run.in(std::span<const int>(x_)).out(std::span(y_)).local(64 * sizeof(int));
  run.run({{n}, {10}});
  // Far too large a group: it fails, and fails again, instead of running the range before it.
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(error_of([&] { run.run({{1 << 20}, {1 << 20}}); }).code(), Errc::bad_input);
  std::ranges::fill(y_, -1);
  run.run({{n}, {10}});
  EXPECT_EQ(y_[0], 9);
}

TEST_F(KernelRunTest, an_in_out_buffer_starts_every_run_from_its_first_contents) {
  const Machine machine = pair();
  std::vector<int> x = x_;
  KernelRun run(machine, file_, "twice");
  run.inout(std::span(x));
  for (int round = 0; round < 3; ++round) {
    run.run({{n}, {10}}, "5");
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], 2 * x_[i]);
  }
}

TEST_F(KernelRunTest, may_be_moved_and_outlive_the_machine_object) {
  std::optional<KernelRun> run;
  {
    const Machine machine = pair();
    KernelRun made(machine, file_, "scale");
    made.in(std::span<const int>(x_)).out(std::span(y_)).value(int{n});
    made.run({{1024}, {64}}, "auto");
    run.emplace(std::move(made));
  }
  std::ranges::fill(y_, -1);
  run->run({{1024}, {64}}, "auto");
  expect_scaled(3);
}

TEST_F(KernelRunTest, what_was_moved_from_says_so) {
  Machine old = pair();
  const Machine machine(std::move(old));
  EXPECT_THAT(error_of([&] { old.devices(); }).message(), HasSubstr("the Machine was moved from"));
  EXPECT_THAT(error_of([&] { KernelRun(old, file_, "scale"); }).message(),
              HasSubstr("the Machine was moved from"));
  KernelRun before(machine, file_, "scale");
  const KernelRun after(std::move(before));
  const std::vector<std::function<void()>> calls{
      [&] { before.in(std::span<const int>(x_)); }, [&] { before.value(int{1}); },
      [&] { before.local(4); }, [&] { before.bounds(Bounds::checked); },
      [&] {
        before.run({{64}, {64}});
      }};
  for (const auto& call : calls) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("the KernelRun was moved from"));
  }
}

// A launch with as much ends the process in PoCL.
TEST_F(KernelRunTest, local_memory_beyond_the_devices_is_bad_input) {
  const Machine machine = pair();
  for (const std::size_t bytes : {std::size_t{1} << 30, ~std::size_t{0}}) {
    KernelRun run(machine, file_, "reversed");
    run.in(std::span<const int>(x_)).out(std::span(y_)).local(bytes);
    const Error error = error_of([&] { run.run({{1000}, {10}}); });
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("reversed needs more local memory than"));
  }
}

TEST_F(KernelRunTest, a_grid_of_more_work_groups_than_the_driver_counts_is_bad_input) {
  const Machine machine("cpu", "off");
  KernelRun run(machine, file_, "twice");
  std::vector<int> x(x_.begin(), x_.end());
  run.inout(std::span(x));
  const Error error = error_of([&] { run.run({{std::size_t{1} << 32}, {1}}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("a grid of 4294967296x1x1 work-groups is above"));
}

TEST_F(KernelRunTest, a_store_folder_is_used_by_the_next_machine) {
  const std::string store = (folder_.path() / "store").string();
  for (int round = 0; round < 2; ++round) {
    const Machine machine("cpu", store);
    KernelRun run(machine, file_, "scale");
    run.in(std::span<const int>(x_)).out(std::span(y_)).value(int{n});
    run.run({{1024}, {64}});
    expect_scaled(3);
    EXPECT_TRUE(std::filesystem::exists(store));
  }
}

TEST_F(KernelRunTest, different_objects_of_one_machine_may_run_at_once) {
  const Machine machine = pair();
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        std::vector<int> y(n);
        KernelRun run(machine, file_, "scale", {{"FACTOR", std::to_string(t + 2)}});
        run.in(std::span<const int>(x_)).out(std::span(y)).value(int{n});
        for (int round = 0; round <= 10; ++round) {
          run.run({{1024}, {64}}, std::to_string(round));
          for (std::size_t i = 0; i < n; ++i) wrong[t] += y[i] != int(t + 2) * x_[i];
        }
      });
  }
  EXPECT_THAT(wrong, ::testing::Each(0));
}

TEST_F(KernelRunTest, what_cannot_be_split_says_why_and_is_right) {
  if (units_ < 2) GTEST_SKIP() << "one compute unit: nothing to split";
  value_or_throw(write_file(file_, as_bytes("__kernel void groups(__global int* y) {\n"
                                            "  y[get_global_id(0)] = get_group_id(0);\n}\n")));
  const Machine machine = pair();
  KernelRun run(machine, file_, "groups");
  run.out(std::span(y_));
  const auto summary = run.run({{n}, {10}}, "5");
  EXPECT_FALSE(summary.split);
  EXPECT_THAT(summary.reason, HasSubstr("get_group_id"));
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y_[i], static_cast<int>(i / 10));
}

TEST_F(KernelRunTest, a_missing_source_is_not_found) {
  const Machine machine = pair();
  EXPECT_EQ(error_of([&] { KernelRun(machine, folder_.path() / "absent.cl", "f"); }).code(),
            Errc::not_found);
}

TEST_F(KernelRunTest, an_unknown_kernel_lists_what_there_is) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "scales");
  run.out(std::span(y_));
  const auto error = error_of([&] { run.run({{n}, {10}}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("no kernel 'scales'"));
  EXPECT_THAT(error.message(), HasSubstr("scale"));
}

TEST_F(KernelRunTest, a_text_that_does_not_compile_shows_file_and_line) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "broken", {{"BROKEN", "1"}});
  run.out(std::span(y_));
  const auto error = error_of([&] { run.run({{n}, {10}}); });
  EXPECT_EQ(error.code(), Errc::build);
  EXPECT_THAT(error.message(), HasSubstr("scale.cl:14:"));
  EXPECT_THAT(error.message(), HasSubstr("undeclared"));
}

TEST_F(KernelRunTest, wrong_arguments_name_position_and_type) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "scale");
  run.in(std::span<const int>(x_)).out(std::span(y_)).value(1.5);
  const auto error = error_of([&] { run.run({{1024}, {64}}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("argument 2 of kernel scale: a value of 8 bytes"));
  EXPECT_THAT(error.message(), HasSubstr("(int n)"));
}

constexpr const char* structures = R"(
typedef struct { int count; float4 step; } plan;
typedef float8 wide;
typedef float real;
__kernel void apply(__global float* y, plan p, wide w, real r) {
  y[get_global_id(0)] = p.step.y * p.count + w.s7 + r;
}
)";

struct alignas(16) Plan {
  int count = 0;
  alignas(16) float step[4] = {};
};
static_assert(sizeof(Plan) == 32);

TEST_F(KernelRunTest, values_of_structures_and_typedefs_must_have_the_kernels_size) {
  value_or_throw(write_file(file_, as_bytes(structures)));
  const Machine machine = pair();
  std::vector<float> y(n);
  const auto run_with = [&](const auto& plan, const auto& wide, const auto& real) {
    KernelRun run(machine, file_, "apply");
    run.out(std::span(y)).value(plan).value(wide).value(real);
    run.run({{n}, {10}});
  };
  using Wide = std::array<float, 8>;
  run_with(Plan{3, {0, 2, 0, 0}}, Wide{0, 0, 0, 0, 0, 0, 0, 5}, 0.5f);
  EXPECT_EQ(y[0], 11.5f);
  const auto refusal = [&](const auto&... values) {
    const auto error = error_of([&] { run_with(values...); });
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.message();
  };
  EXPECT_EQ(refusal(1.0f, Wide{}, 0.5f),
            "argument 1 of kernel apply: a value of 4 bytes is given; the kernel takes a value of "
            "32 bytes (plan p)");
  EXPECT_EQ(refusal(char{1}, Wide{}, 0.5f),
            "argument 1 of kernel apply: a value of 1 byte is given; the kernel takes a value of "
            "32 bytes (plan p)");
  EXPECT_THAT(refusal(Plan{}, 1.0f, 0.5f), HasSubstr("argument 2 of kernel apply: a value of 4"));
  EXPECT_THAT(refusal(Plan{}, Wide{}, 0.5), HasSubstr("a value of 4 bytes (real r)"));
}

TEST_F(KernelRunTest, malformed_ranges_and_partitions_are_bad_input) {
  const Machine machine = pair();
  KernelRun run(machine, file_, "scale");
  run.in(std::span<const int>(x_)).out(std::span(y_)).value(int{n});
  const std::vector<Range> ranges{{{}, {}},
                                  {{64}, {}},
                                  {{64}, {8, 8}},
                                  {{64}, {0}},
                                  {{0}, {1}},
                                  {{100}, {64}},
                                  {{8, 8, 8, 8}, {1, 1, 1, 1}}};
  for (const auto& range : ranges)
    EXPECT_EQ(error_of([&] { run.run(range); }).code(), Errc::bad_input);
  for (const char* partition : {"", "11", "-1", "5.5", "a", "1:", ":1", "0:0", "1:x", "nan:1",
                                "inf:1", "-1:2", "AUTO", " 5"})
    EXPECT_EQ(error_of([&] {
                run.run({{1024}, {64}}, partition);
              }).code(),
              Errc::bad_input)
        << partition;
  EXPECT_EQ(error_of([&] { run.run({{1024}, {64}}, "1:2:3"); }).code(), Errc::bad_input);
}

TEST_F(KernelRunTest, unknown_devices_and_unusable_stores) {
  EXPECT_EQ(error_of([] { Machine("no such device", "off"); }).code(), Errc::not_found);
  EXPECT_EQ(error_of([] { Machine("cpu,", "off"); }).code(), Errc::bad_input);
  // A store that cannot be written costs speed, never the run.
  value_or_throw(write_file(folder_.path() / "file", as_bytes("not a folder")));
  const Machine machine("cpu", (folder_.path() / "file" / "store").string());
  KernelRun run(machine, file_, "scale");
  run.in(std::span<const int>(x_)).out(std::span(y_)).value(int{n});
  run.run({{1024}, {64}});
  expect_scaled(3);
}

}  // namespace
}  // namespace kiln::testing
