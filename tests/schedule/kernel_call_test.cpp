// The public API, as a user meets it: nothing but include/kiln/kernel.hpp and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "kiln/kernel.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* text = R"(#include "scale.h"
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

class KernelCallTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([](LogLevel, std::string_view) {});
    // "broken" only compiles where a macro says so.
    std::string source = text;
    source.insert(source.find("__kernel void broken"), "#ifdef BROKEN\n");
    source += "#endif\n";
    value_or_throw(write_file(file_, as_bytes(source)));
    value_or_throw(write_file(folder_.path() / "scale.h",
                              as_bytes("#ifndef FACTOR\n#define FACTOR 3\n#endif\n")));
    for (std::size_t i = 0; i < n; ++i) x_[i] = static_cast<int>(i);
  }
  Runtime pair() const {
    return Runtime({.devices = units_ < 2 ? "cpu" : "cpu/2", .store = "off"});
  }
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
  unsigned units_ = Runtime({.devices = "cpu", .store = "off"}).devices().at(0).compute_units;
  std::vector<int> x_ = std::vector<int>(n), y_ = std::vector<int>(n, -1);
};

TEST_F(KernelCallTest, runs_with_every_partition) {
  const Runtime runtime = pair();
  KernelCall run = runtime.kernel(Source::file(file_), "scale")(in(x_), out(y_), int{n});
  for (const char* partition : {"10", "0", "5", "3", "3", "1:2", "auto", "auto", "dynamic"}) {
    if (units_ < 2 && std::string_view(partition) == "1:2") continue;
    std::ranges::fill(y_, -1);
    const RunSummary summary = run.run({{1024}, {64}}, {.partition = partition});
    SCOPED_TRACE(partition);
    expect_scaled(3);
    EXPECT_EQ(summary.reason, "");
    EXPECT_GT(summary.wall_ns, 0);
    std::size_t groups = 0;
    for (const auto& share : summary.shares) groups += share.groups;
    EXPECT_EQ(groups, 16u);
  }
}

/// Host memory whose use is left to the text, and a number without a type of C.
CallArgument derived(std::vector<int>& data) { return host_argument(data, Access::derived); }
CallArgument number(auto value) { return CallArgument(CallArgument::Number{value}); }

TEST_F(KernelCallTest, the_text_says_what_the_arguments_leave_to_it) {
  const Runtime runtime = pair();
  const std::vector<int> before = x_;
  for (const char* partition : {"10", "5"}) {
    std::ranges::fill(y_, -1);
    KernelCall run = runtime.kernel(Source::file(file_), "scale")(derived(x_), derived(y_),
                                                                  number(std::int64_t{n}));
    run.run({{1024}, {64}}, {.partition = partition});
    SCOPED_TRACE(partition);
    expect_scaled(3);
    EXPECT_EQ(x_, before);
  }
  std::ranges::fill(y_, -1);
  KernelCall later = runtime.kernel(Source::file(file_), "scale")(derived(x_), derived(y_),
                                                                  number(std::uint64_t{500}));
  later.enqueue({{1024}, {64}}).wait();
  EXPECT_EQ(y_[499], 3 * x_[499]);
  EXPECT_EQ(y_[500], -1);
}

TEST_F(KernelCallTest, numbers_that_do_not_fit_the_parameter_are_refused) {
  const Runtime runtime = pair();
  const Kernel kernel = runtime.kernel(Source::file(file_), "scale");
  const auto message = [&](const CallArgument& third) {
    return error_of([&] { kernel.call({in(x_), out(y_), third}).run({{1024}, {64}}); }).message();
  };
  EXPECT_EQ(
      message(number(std::int64_t{1} << 40)),
      "argument 2 of kernel scale: the number 1099511627776 is given; the kernel takes int n");
  EXPECT_EQ(message(number(2.0)),
            "argument 2 of kernel scale: the number 2 is given; the kernel takes int n");
  EXPECT_THAT(
      error_of([&] {
        kernel.call({in(x_), number(std::int64_t{1}), CallArgument(int{n})}).run({{1024}, {64}});
      }).message(),
      HasSubstr("argument 1 of kernel scale: the number 1 is given"));
}

TEST_F(KernelCallTest, macros_and_includes_reach_the_kernel) {
  const Runtime runtime = pair();
  KernelCall run = runtime.kernel(Source::file(file_), "scale", {.macros = {{"FACTOR", "7"}}})(
      in(x_), out(y_), int{n});
  run.run({{1024}, {64}}, {.partition = "5"});
  expect_scaled(7);
}

TEST_F(KernelCallTest, numbers_of_another_type_are_refused_where_the_type_is_told) {
  const Kernel kernel =
      Runtime({.devices = "cpu", .store = "off"}).kernel(Source::file(file_), "scale");
  const auto refused = [&](const std::string& type) {
    std::vector<CallArgument> arguments{in(x_).of_numbers(type), out(y_), CallArgument(int{n})};
    return error_of([&] { kernel.call(arguments).run({{1024}, {64}}); }).message();
  };
  for (const char* type : {"float", "double", "long", "short"})
    EXPECT_THAT(refused(type), HasSubstr("argument 0 of kernel scale: " + std::string(type) +
                                         " is given; the kernel takes int *x"));
  for (const char* type : {"int", "uint", "uchar", ""}) {
    std::fill(y_.begin(), y_.end(), 0);
    kernel.call({in(x_).of_numbers(type), out(y_), CallArgument(int{n})}).run({{1024}, {64}});
    expect_scaled(3);
  }
}

TEST_F(KernelCallTest, a_range_without_a_local_size_gets_one) {
  KernelCall run = Runtime({.devices = "cpu", .store = "off"})
                       .kernel(Source::file(file_), "scale")(in(x_), out(y_), int{n});
  run.run({{1024}});
  expect_scaled(3);
  EXPECT_THAT(error_of([&] {
                run.run({{1024}, {8, 8}});
              }).message(),
              HasSubstr("1 global and 2 local sizes"));
}

TEST_F(KernelCallTest, devices_describe_themselves) {
  const auto devices = pair().devices();
  ASSERT_EQ(devices.size(), units_ < 2 ? 1u : 2u);
  EXPECT_FALSE(devices[0].name.empty());
  EXPECT_EQ(devices[0].type, DeviceType::cpu);
}

TEST_F(KernelCallTest, the_range_may_change_between_runs) {
  const Runtime runtime = pair();
  KernelCall run =
      runtime.kernel(Source::file(file_), "reversed")(in(x_), out(y_), local(64 * sizeof(int)));
  for (const std::size_t local : {10, 50, 10}) {
    run.run({{n}, {local}}, {.partition = "5"});
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(y_[i], x_[i / local * local + local - 1 - i % local]) << local;
  }
}

TEST_F(KernelCallTest, a_range_that_fails_leaves_the_object_usable) {
  const Runtime runtime = pair();
  KernelCall run =
      runtime.kernel(Source::file(file_), "reversed")(in(x_), out(y_), local(64 * sizeof(int)));
  run.run({{n}, {10}});
  // Far too large a group: it fails, and fails again, instead of running the range before it.
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(error_of([&] { run.run({{1 << 20}, {1 << 20}}); }).code(), Errc::bad_input);
  std::ranges::fill(y_, -1);
  run.run({{n}, {10}});
  EXPECT_EQ(y_[0], 9);
}

TEST_F(KernelCallTest, an_in_out_buffer_starts_every_run_from_its_first_contents) {
  const Runtime runtime = pair();
  std::vector<int> x = x_;
  KernelCall run = runtime.kernel(Source::file(file_), "twice")(inout(x));
  for (int round = 0; round < 3; ++round) {
    run.run({{n}, {10}}, {.partition = "5"});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], 2 * x_[i]);
  }
}

TEST_F(KernelCallTest, may_be_moved_and_outlive_the_runtime_object) {
  std::optional<KernelCall> call;
  {
    const Runtime runtime = pair();
    KernelCall made = runtime.kernel(Source::file(file_), "scale")(in(x_), out(y_), int{n});
    made.run({{1024}, {64}}, {.partition = "auto"});
    call.emplace(std::move(made));
  }
  std::ranges::fill(y_, -1);
  call->run({{1024}, {64}}, {.partition = "auto"});
  expect_scaled(3);
}

TEST_F(KernelCallTest, what_was_moved_from_says_so) {
  Runtime old = pair();
  const Runtime runtime(std::move(old));
  EXPECT_THAT(error_of([&] { old.devices(); }).message(), HasSubstr("the Runtime was moved from"));
  EXPECT_THAT(error_of([&] { old.kernel(Source::file(file_), "scale"); }).message(),
              HasSubstr("the Runtime was moved from"));
  EXPECT_THAT(error_of([&] { old.array<int>(1); }).message(),
              HasSubstr("the Runtime was moved from"));
  Kernel kernel = runtime.kernel(Source::file(file_), "scale");
  KernelCall before = kernel(in(x_), out(y_), int{n});
  const KernelCall after(std::move(before));
  const Kernel moved(std::move(kernel));
  EXPECT_THAT(error_of([&] { kernel(in(x_), out(y_), int{n}); }).message(),
              HasSubstr("the Kernel was moved from"));
  const std::vector<std::function<void()>> calls{[&] {
                                                   before.run({{64}, {64}});
                                                 },
                                                 [&] {
                                                   before.enqueue({{64}, {64}});
                                                 },
                                                 [&] {
                                                   before.prepare({{64}, {64}});
                                                 }};
  for (const auto& call : calls) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("the KernelCall was moved from"));
  }
}

// A launch with as much ends the process in PoCL.
TEST_F(KernelCallTest, local_memory_beyond_the_devices_is_bad_input) {
  const Runtime runtime = pair();
  for (const std::size_t bytes : {std::size_t{1} << 30, ~std::size_t{0}}) {
    KernelCall run = runtime.kernel(Source::file(file_), "reversed")(in(x_), out(y_), local(bytes));
    const Error error = error_of([&] { run.run({{1000}, {10}}); });
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("reversed needs more local memory than"));
  }
}

TEST_F(KernelCallTest, a_grid_of_more_work_groups_than_the_driver_counts_is_bad_input) {
  const Runtime runtime({.devices = "cpu", .store = "off"});
  std::vector<int> x(x_.begin(), x_.end());
  KernelCall run = runtime.kernel(Source::file(file_), "twice")(inout(x));
  const Error error = error_of([&] { run.run({{std::size_t{1} << 32}, {1}}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("a grid of 4294967296x1x1 work-groups is above"));
}

TEST_F(KernelCallTest, a_store_folder_is_used_by_the_next_runtime) {
  const std::string store = (folder_.path() / "store").string();
  for (int round = 0; round < 2; ++round) {
    const Runtime runtime({.devices = "cpu", .store = store});
    KernelCall run = runtime.kernel(Source::file(file_), "scale")(in(x_), out(y_), int{n});
    run.run({{1024}, {64}});
    expect_scaled(3);
    EXPECT_TRUE(std::filesystem::exists(store));
  }
}

TEST_F(KernelCallTest, different_objects_of_one_runtime_may_run_at_once) {
  const Runtime runtime = pair();
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        std::vector<int> y(n);
        KernelCall run =
            runtime.kernel(Source::file(file_), "scale",
                           {.macros = {{"FACTOR", std::to_string(t + 2)}}})(in(x_), out(y), int{n});
        for (int round = 0; round <= 10; ++round) {
          run.run({{1024}, {64}}, {.partition = std::to_string(round)});
          for (std::size_t i = 0; i < n; ++i) wrong[t] += y[i] != int(t + 2) * x_[i];
        }
      });
  }
  EXPECT_THAT(wrong, ::testing::Each(0));
}

TEST_F(KernelCallTest, what_cannot_be_split_says_why_and_is_right) {
  if (units_ < 2) GTEST_SKIP() << "one compute unit: nothing to split";
  value_or_throw(write_file(file_, as_bytes("__kernel void groups(__global int* y) {\n"
                                            "  y[get_global_id(0)] = get_group_id(0);\n}\n")));
  const Runtime runtime = pair();
  KernelCall run = runtime.kernel(Source::file(file_), "groups")(out(y_));
  const auto summary = run.run({{n}, {10}}, {.partition = "5"});
  EXPECT_FALSE(summary.split);
  EXPECT_THAT(summary.reason, HasSubstr("get_group_id"));
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y_[i], static_cast<int>(i / 10));
}

TEST_F(KernelCallTest, a_missing_source_is_not_found) {
  const Runtime runtime = pair();
  EXPECT_EQ(
      error_of([&] { runtime.kernel(Source::file(folder_.path() / "absent.cl"), "f"); }).code(),
      Errc::not_found);
}

TEST_F(KernelCallTest, an_unknown_kernel_lists_what_there_is) {
  const Runtime runtime = pair();
  KernelCall run = runtime.kernel(Source::file(file_), "scales")(out(y_));
  const auto error = error_of([&] { run.run({{n}, {10}}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("no kernel 'scales'"));
  EXPECT_THAT(error.message(), HasSubstr("scale"));
}

TEST_F(KernelCallTest, a_text_that_does_not_compile_shows_file_and_line) {
  const Runtime runtime = pair();
  KernelCall run =
      runtime.kernel(Source::file(file_), "broken", {.macros = {{"BROKEN", "1"}}})(out(y_));
  const auto error = error_of([&] { run.run({{n}, {10}}); });
  EXPECT_EQ(error.code(), Errc::build);
  EXPECT_THAT(error.message(), HasSubstr("scale.cl:14:"));
  EXPECT_THAT(error.message(), HasSubstr("undeclared"));
}

TEST_F(KernelCallTest, wrong_arguments_name_position_and_type) {
  const Runtime runtime = pair();
  KernelCall run = runtime.kernel(Source::file(file_), "scale")(in(x_), out(y_), 1.5);
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

TEST_F(KernelCallTest, values_of_structures_and_typedefs_must_have_the_kernels_size) {
  value_or_throw(write_file(file_, as_bytes(structures)));
  const Runtime runtime = pair();
  std::vector<float> y(n);
  const auto run_with = [&](const auto& plan, const auto& wide, const auto& real) {
    KernelCall run = runtime.kernel(Source::file(file_), "apply")(out(y), plan, value(wide), real);
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

TEST_F(KernelCallTest, malformed_ranges_and_partitions_are_bad_input) {
  const Runtime runtime = pair();
  KernelCall run = runtime.kernel(Source::file(file_), "scale")(in(x_), out(y_), int{n});
  const std::vector<Range> ranges{
      {{}, {}},    {{0}, {}},  {{8, 8, 8, 8}, {}}, {{64}, {8, 8}},
      {{64}, {0}}, {{0}, {1}}, {{100}, {64}},      {{8, 8, 8, 8}, {1, 1, 1, 1}}};
  for (const auto& range : ranges)
    EXPECT_EQ(error_of([&] { run.run(range); }).code(), Errc::bad_input);
  for (const char* partition : {"", "11", "-1", "5.5", "a", "1:", ":1", "0:0", "1:x", "nan:1",
                                "inf:1", "-1:2", "AUTO", " 5"})
    EXPECT_EQ(error_of([&] {
                run.run({{1024}, {64}}, {.partition = partition});
              }).code(),
              Errc::bad_input)
        << partition;
  EXPECT_EQ(error_of([&] {
              run.run({{1024}, {64}}, {.partition = "1:2:3"});
            }).code(),
            Errc::bad_input);
}

TEST_F(KernelCallTest, unknown_devices_and_unusable_stores) {
  EXPECT_EQ(
      error_of([] { Runtime({.devices = "no such device", .store = "off"}).devices(); }).code(),
      Errc::not_found);
  EXPECT_EQ(error_of([] { Runtime({.devices = "cpu,", .store = "off"}).devices(); }).code(),
            Errc::bad_input);
  // A store that cannot be written costs speed, never the run.
  value_or_throw(write_file(folder_.path() / "file", as_bytes("not a folder")));
  const Runtime runtime({.devices = "cpu", .store = (folder_.path() / "file" / "store").string()});
  KernelCall run = runtime.kernel(Source::file(file_), "scale")(in(x_), out(y_), int{n});
  run.run({{1024}, {64}});
  expect_scaled(3);
}

}  // namespace
}  // namespace kiln::testing
