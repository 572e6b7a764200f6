#include "kernel/program/launch.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* launched_text = R"(
__kernel void whole(__global int* out, int value, __local int* scratch, float4 wide) {
  scratch[get_local_id(0)] = value;
  out[get_global_id(0)] = scratch[get_local_id(0)] + (int)wide.w + (int)get_global_offset(0);
}
__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(__global int* out) {
  out[get_global_id(0)] = 1;
}
__kernel void keeps(__global int* out, __local int* scratch) {
  __local int own[1000];
  own[get_local_id(0)] = scratch[get_local_id(0)] = 3 + (int)get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int other = get_local_size(0) - 1 - get_local_id(0);
  out[get_global_id(0)] = own[other] + scratch[other];
}
__kernel void cube(__global int* out) {
  const size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[x + get_global_size(0) * (y + get_global_size(1) * z)] = 100 * x + 10 * y + z;
}
)";

class LaunchTest : public StoreFixture {
 protected:
  Launch launch(const std::string& kernel) { return Launch(context_, program_, kernel); }
  Error error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    return {Errc::internal, "nothing was thrown"};
  }
  std::vector<cl_int> read(const cl::Buffer& buffer, std::size_t count) {
    std::vector<cl_int> values(count);
    queue_.cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(cl_int), values.data());
    return values;
  }
  cl::Buffer zeros(std::size_t count) {
    std::vector<cl_int> values(count, 0);
    return {context_->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(cl_int),
            values.data()};
  }
  /// `whole` with all of its arguments.
  Launch ready(const cl::Buffer& out) {
    Launch made = launch("whole");
    made.set_buffer(0, out);
    made.set_scalar(1, cl_int{5});
    made.set_local(2, 64 * sizeof(cl_int));
    const cl_float4 wide{{0, 0, 0, 2}};
    made.set_scalar(3, bytes_of(wide));
    return made;
  }

  DevicePtr device_ = cpu_device();
  ContextPtr context_ = Context::create({device_});
  // With a store programs are archives, which tell more than drivers do.
  std::unique_ptr<Resolver> kept_ = resolver();
  Resolver& resolver_ = *kept_;
  Program& program_ = resolver_.resolve(text_request(launched_text, "launches"), context_, device_);
  Queue queue_{context_, device_};
};

TEST_F(LaunchTest, an_unknown_kernel_lists_what_there_is) {
  const auto error = error_of([&] { launch("hole"); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("launches: the source has no kernel 'hole'; it has: "));
  for (const char* name : {"whole", "eight", "cube"}) EXPECT_THAT(error.message(), HasSubstr(name));
}

TEST_F(LaunchTest, knows_its_arguments) {
  const auto made = launch("whole");
  ASSERT_EQ(made.info().arguments.size(), 4u);
  EXPECT_EQ(made.info().arguments[0].type, "int*");
  EXPECT_EQ(made.info().arguments[1].name, "value");
  EXPECT_EQ(made.info().arguments[2].address, cl_uint{CL_KERNEL_ARG_ADDRESS_LOCAL});
  EXPECT_EQ(made.info().arguments[3].type, "float4");
}

TEST_F(LaunchTest, a_value_of_another_size_names_position_type_and_argument) {
  auto made = launch("whole");
  const auto error = error_of([&] { made.set_scalar(1, cl_long{5}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_EQ(error.message(), "argument 1 (int value) of whole: CL_INVALID_ARG_SIZE");
}

TEST_F(LaunchTest, a_position_beyond_the_arguments_is_an_error) {
  auto made = launch("whole");
  const auto error = error_of([&] { made.set_scalar(4, cl_int{5}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_EQ(error.message(), "argument 4 of whole: CL_INVALID_ARG_INDEX");
}

TEST_F(LaunchTest, no_local_memory_at_all_is_an_error) {
  auto made = launch("whole");
  EXPECT_EQ(error_of([&] { made.set_local(2, 0); }).code(), Errc::bad_input);
}

TEST_F(LaunchTest, a_local_size_must_divide_and_exist) {
  auto made = launch("whole");
  EXPECT_THAT(error_of([&] { made.set_range(range_1d(100, 64)); }).message(),
              HasSubstr("local size 64 does not divide global size 100 in dimension 0"));
  for (const auto& [global, local] : {std::pair{0, 1}, std::pair{64, 0}})
    EXPECT_THAT(error_of([&] {
                  made.set_range(
                      range_1d(static_cast<std::size_t>(global), static_cast<std::size_t>(local)));
                }).message(),
                HasSubstr("the NDRange is empty in dimension 0"));
}

TEST_F(LaunchTest, groups_larger_than_the_device_allows_say_its_bound) {
  auto made = launch("cube");
  const std::size_t most = device_->max_work_group_size;
  EXPECT_THAT(error_of([&] { made.set_range(range_1d(2 * most, 2 * most)); }).message(),
              HasSubstr(fmt::format("is above {}, what {} allows", most, device_->name)));
  NDRange range;
  range.dimensions = 3;
  range.global = range.local = {most, 2, 1};
  EXPECT_THAT(error_of([&] { made.set_range(range); }).message(),
              HasSubstr(fmt::format("a work-group of {}x2x1 is above {}", most, most)));
  // A product that would wrap around is no small group.
  range.global = range.local = {std::size_t{1} << 32, std::size_t{1} << 32, 1};
  EXPECT_EQ(error_of([&] { made.set_range(range); }).code(), Errc::bad_input);
}

// PoCL ends the process where it is launched with more.
TEST_F(LaunchTest, local_memory_beyond_the_devices_is_an_error) {
  auto made = launch("keeps");
  const std::size_t most = device_->local_memory;
  for (const std::size_t bytes : {most + 1, std::size_t{1} << 30, ~std::size_t{0}, most - 3999}) {
    const auto error = error_of([&] { made.set_local(1, bytes); });
    EXPECT_EQ(error.code(), Errc::bad_input) << bytes;
    EXPECT_EQ(error.message(),
              fmt::format("keeps needs more local memory than the {} bytes of {}: {} bytes for "
                          "argument 1, 4000 bytes of its own",
                          most, device_->name, bytes));
  }
  // What is left besides the kernel's own is usable to the end.
  const auto out = zeros(64);
  made.set_buffer(0, out);
  made.set_range(range_1d(64, 64));
  made.set_local(1, (most - 4000) / 128 * 128);
  made.enqueue(queue_.cl()());
  EXPECT_EQ(read(out, 64), std::vector<cl_int>(64, 6));
}

TEST_F(LaunchTest, a_kernel_whose_own_local_memory_is_beyond_the_devices_is_an_error) {
  const auto source = fmt::format(
      "kernel void vast(global int* out) {{ local char own[{}]; own[get_local_id(0)] = 1; "
      "out[0] = own[0]; }}",
      device_->local_memory + 1);
  Program& program = resolver_.resolve(text_request(source, "vast"), context_, device_);
  const auto error = error_of([&] { Launch(context_, program, "vast"); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("vast needs more local memory than"));
}

// PoCL counts work-groups in 32 bits.
TEST_F(LaunchTest, more_work_groups_than_the_driver_counts_are_an_error) {
  ASSERT_TRUE(device_->pocl);
  auto made = launch("cube");
  constexpr std::size_t k = std::size_t{1} << 16, m = std::size_t{1} << 32;
  for (const std::array<std::size_t, 3>& global :
       {std::array<std::size_t, 3>{m, 1, 1}, {k, k, 1}, {m, m, m}, {1, k, 2 * k}}) {
    NDRange range;
    range.dimensions = 3;
    range.global = global;
    const auto error = error_of([&] { made.set_range(range); });
    EXPECT_EQ(error.code(), Errc::bad_input) << global[0];
    EXPECT_THAT(error.message(),
                HasSubstr(fmt::format("a grid of {}x{}x{} work-groups is above 4294967295 in all",
                                      global[0], global[1], global[2])));
  }
  EXPECT_TRUE(check_range(range_1d(m - 1, 1), *device_));
  // Ids of a device with addresses of 32 bits have as many.
  Device narrow = *device_;
  narrow.address_bits = 32;
  EXPECT_TRUE(check_range(range_1d(m, 64), narrow));
  EXPECT_FALSE(check_range(range_1d(2 * m, 64), narrow));
  EXPECT_FALSE(check_range(range_1d(m + 64, 64), narrow));
  EXPECT_TRUE(check_range(range_1d(m, 64), *device_));
}

TEST_F(LaunchTest, global_ids_beyond_the_last_one_are_an_error) {
  auto made = launch("cube");
  NDRange range = range_1d(64, 8);
  range.offset[0] = std::numeric_limits<std::size_t>::max() - 62;
  EXPECT_THAT(error_of([&] { made.set_range(range); }).message(),
              HasSubstr("global size 64 from offset 18446744073709551553 in dimension 0 ends above "
                        "18446744073709551615, the last global id"));
  range.offset[0] -= 1;
  EXPECT_TRUE(check_range(range, *device_));
}

TEST_F(LaunchTest, what_the_driver_refuses_names_kernel_device_and_sizes) {
  auto made = launch("eight");
  const auto out = zeros(64);
  made.set_buffer(0, out);
  made.set_range(range_1d(64, 16));
  const auto error = error_of([&] { made.enqueue(queue_.cl()()); });
  EXPECT_EQ(error.code(), Errc::device);
  EXPECT_THAT(error.message(), HasSubstr("launching eight on " + device_->name));
  EXPECT_THAT(error.message(), HasSubstr("global size 64x1x1, local 16x1x1"));
}

TEST_F(LaunchTest, an_argument_that_was_never_set_is_an_error) {
  auto made = launch("eight");
  made.set_range(range_1d(64, 8));
  EXPECT_EQ(error_of([&] { made.enqueue(queue_.cl()()); }).code(), Errc::device);
}

TEST_F(LaunchTest, runs_again_with_other_arguments_and_ranges) {
  const auto out = zeros(128);
  auto made = ready(out);
  made.set_range(range_1d(64, 64));
  made.enqueue(queue_.cl()());
  NDRange tail = range_1d(32, 16);
  tail.offset[0] = 96;
  made.set_scalar(1, cl_int{1});
  made.set_range(tail);
  made.enqueue(queue_.cl()());
  const auto values = read(out, 128);
  for (std::size_t i = 0; i < 128; ++i)
    ASSERT_EQ(values[i], i < 64 ? 7 : i < 96 ? 0 : 1 + 2 + 96) << i;
}

TEST_F(LaunchTest, keeps_its_offset_when_it_is_moved) {
  const auto out = zeros(128);
  auto made = std::make_unique<Launch>(ready(out));
  NDRange tail = range_1d(64, 16);
  tail.offset[0] = 64;
  made->set_range(tail);
  Launch moved = std::move(*made);
  made.reset();
  moved.enqueue(queue_.cl()());
  const auto values = read(out, 128);
  EXPECT_EQ(values[63], 0);
  EXPECT_EQ(values[64], 5 + 2 + 64);
}

TEST_F(LaunchTest, three_dimensions_with_a_local_shape) {
  const auto out = zeros(8 * 6 * 4);
  auto made = launch("cube");
  made.set_buffer(0, out);
  NDRange range;
  range.dimensions = 3;
  range.global = {8, 6, 4};
  range.local = {4, 3, 2};
  made.set_range(range);
  made.enqueue(queue_.cl()());
  const auto values = read(out, 8 * 6 * 4);
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 8; ++x)
        ASSERT_EQ(values[static_cast<std::size_t>(x + 8 * (y + 6 * z))], 100 * x + 10 * y + z);
}

TEST_F(LaunchTest, waits_for_events_and_gives_one) {
  const auto out = zeros(64);
  auto made = ready(out);
  made.set_range(range_1d(64, 64));
  cl::UserEvent gate(context_->cl());
  const cl_event before = gate();
  cl_event done = nullptr;
  made.enqueue(queue_.cl()(), {&before, 1}, &done);
  const cl::Event event(done);
  queue_.cl().flush();
  EXPECT_NE(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(), CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  event.wait();
  EXPECT_EQ(read(out, 1)[0], 7);
}

}  // namespace
}  // namespace kiln::testing
