#include "device/large_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "device/support.hpp"

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
