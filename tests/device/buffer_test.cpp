#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "device/context.hpp"
#include "device/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* fill_text =
    "__kernel void fill(__global int* x) { x[get_global_id(0)] = 3 * get_global_id(0); }";

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
std::unique_ptr<void, Free> aligned_memory(std::size_t bytes) {
  return std::unique_ptr<void, Free>(std::aligned_alloc(128, bytes));
}

class BufferTest : public ::testing::Test {
 protected:
  /// Runs `fill` over the buffer and waits; nothing is read back.
  void fill(const Buffer& buffer, std::size_t count) {
    cl::Program program(context_->cl(), fill_text);
    program.build({device_->handle});
    cl::Kernel kernel(program, "fill");
    kernel.setArg(0, buffer.cl);
    queue_.cl().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(count), cl::NDRange(1));
    queue_.cl().finish();
  }
  DevicePtr device_ = cpu_device();
  ContextPtr context_ = Context::create({device_});
  Queue queue_{context_, device_};
};

TEST_F(BufferTest, aligned_memory_of_the_user_is_written_with_no_copy) {
  const auto memory = aligned_memory(1024 * sizeof(cl_int));
  auto* values = static_cast<cl_int*>(memory.get());
  std::fill_n(values, 1024, -1);
  const Buffer buffer = make_buffer(*context_, *device_, values, 1024 * sizeof(cl_int));
  EXPECT_TRUE(buffer.is_host_memory);
  fill(buffer, 1024);
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(values[i], 3 * i);
}

TEST_F(BufferTest, unaligned_memory_is_left_alone) {
  const auto memory = aligned_memory(1024 * sizeof(cl_int));
  auto* values = static_cast<cl_int*>(memory.get()) + 1;
  std::fill_n(values, 512, -1);
  const Buffer buffer = make_buffer(*context_, *device_, values, 512 * sizeof(cl_int));
  EXPECT_FALSE(buffer.is_host_memory);
  fill(buffer, 512);
  for (int i = 0; i < 512; ++i) ASSERT_EQ(values[i], -1);
  queue_.cl().enqueueReadBuffer(buffer.cl, CL_TRUE, 0, 512 * sizeof(cl_int), values);
  for (int i = 0; i < 512; ++i) ASSERT_EQ(values[i], 3 * i);
}

TEST_F(BufferTest, no_memory_of_the_user_means_memory_of_the_device) {
  const Buffer buffer = make_buffer(*context_, *device_, nullptr, 256);
  EXPECT_FALSE(buffer.is_host_memory);
  EXPECT_EQ(buffer.cl.getInfo<CL_MEM_SIZE>(), 256u);
}

TEST_F(BufferTest, what_no_device_can_hold_is_an_error_with_the_size) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 60}) {
    try {
      make_buffer(*context_, *device_, nullptr, bytes);
      FAIL() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::device);
      EXPECT_THAT(error.message(), HasSubstr("buffer of " + std::to_string(bytes) + " bytes"));
    }
  }
}

}  // namespace
}  // namespace kiln::testing

namespace kiln {
namespace {

class LargePages : public ::testing::Test {
 protected:
  LargePages()
      : context_(Context::create({testing::cpu_device()})),
        queue_(context_, testing::cpu_device()) {}
  ContextPtr context_;
  Queue queue_;
};

TEST_F(LargePages, hold_what_is_written_to_their_last_byte) {
  const std::size_t bytes = large_page + 12345;
  const auto buffer = large_page_buffer(*context_, bytes);
  EXPECT_EQ(buffer.getInfo<CL_MEM_SIZE>(), bytes);
  std::vector<char> in(bytes), out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) in[i] = static_cast<char>(i * 7);
  queue_.cl().enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, in.data());
  queue_.cl().enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, out.data());
  EXPECT_EQ(in, out);
}

TEST_F(LargePages, begin_at_a_border_of_pages) {
  const auto buffer = large_page_buffer(*context_, large_page);
  const auto at = reinterpret_cast<std::uintptr_t>(buffer.getInfo<CL_MEM_HOST_PTR>());
  EXPECT_EQ(at % large_page, 0u);
}

TEST_F(LargePages, go_with_the_buffer_after_the_commands_that_use_it) {
  // Each would add 64 MiB: what stayed would be seen.
  const auto resident = [] {
    long pages = 0, ignored = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(file, "%ld %ld", &ignored, &pages), 2);
    std::fclose(file);
    return pages * 4096 / (1 << 20);
  };
  constexpr std::size_t bytes = 32 * large_page;
  const auto run = [&] {
    auto buffer = large_page_buffer(*context_, bytes);
    queue_.cl().enqueueFillBuffer(buffer, 1.0f, 0, bytes);
    buffer = cl::Buffer();  // the command still holds it
    queue_.cl().finish();
  };
  run();
  const long before = resident();
  for (int i = 0; i < 8; ++i) run();
  EXPECT_LT(resident(), before + 256);
}

TEST_F(LargePages, without_memory_are_an_error) {
  EXPECT_THROW(large_page_buffer(*context_, std::size_t{1} << 60), cl::Error);
}

}  // namespace
}  // namespace kiln
