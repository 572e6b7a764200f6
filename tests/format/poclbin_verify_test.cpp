#include <fmt/format.h>
#include <gmock/gmock.h>

#include <deque>

#include "format/allocations.hpp"
#include "format/archives.hpp"

namespace kiln::poclbin::testing {
namespace {

using kiln::testing::allocated_bytes;

/// Many kernels with many variants each, all files of one size.
class LargeArchive {
 public:
  LargeArchive(int kernels, int variants, std::size_t blob) : content_(blob, 'x') {
    Archive archive = small_archive();
    archive.kernels.clear();
    for (int k = 0; k < kernels; ++k) {
      const auto& name = keep(fmt::format("kernel_{}", k));
      Kernel kernel = small_archive().kernels[0];
      kernel.name = name;
      kernel.files.clear();
      for (int v = 1; v <= variants; ++v)
        kernel.files.push_back(
            {keep(fmt::format("/{0}/{1}-1-1-goffs0/{0}.so", name, v)), as_bytes(content_)});
      archive.kernels.push_back(kernel);
    }
    bytes_ = write(archive);
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  const std::string& keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::string content_;
  std::deque<std::string> texts_;
  Bytes bytes_;
};

TEST(PoclbinVerify, it_counts_what_it_saw) {
  const auto verified = verify(LargeArchive(3, 4, 100).bytes());
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_EQ(verified->form, Form::real);
  EXPECT_EQ(verified->version, 9u);
  EXPECT_EQ(verified->kernels, 3u);
  EXPECT_EQ(verified->files, 13u);
  EXPECT_EQ(verified->content_bytes, 1204u);
}

// Every byte that was given out counts, also what was given back.
TEST(PoclbinVerify, memory_goes_with_the_records_and_not_with_their_contents) {
  for (const std::size_t blob : {std::size_t{0}, std::size_t{10'000}}) {
    const LargeArchive archive(200, 12, blob);
    const std::size_t before = allocated_bytes();
    ASSERT_TRUE(verify(archive.bytes()));
    const std::size_t records = 200 * 13 + 1;
    EXPECT_LE(allocated_bytes() - before, 64 * 1024 + 64 * records) << blob;
  }
}

TEST(PoclbinVerify, a_model_takes_less_than_twice_its_file) {
  const LargeArchive archive(50, 4, 500);
  const std::size_t before = allocated_bytes();
  ASSERT_TRUE(parse(archive.bytes()));
  EXPECT_LE(allocated_bytes() - before, 2 * archive.bytes().size());
}

TEST(PoclbinVerify, a_claimed_count_takes_no_memory) {
  Bytes bytes = LargeArchive(2, 2, 100'000).bytes();
  const std::uint32_t many = 5000;  // would fit into the bytes left
  std::memcpy(bytes.data() + 20, &many, sizeof many);
  const std::size_t before = allocated_bytes();
  EXPECT_FALSE(parse(bytes));
  EXPECT_LE(allocated_bytes() - before, 8192u);
}

}  // namespace
}  // namespace kiln::poclbin::testing
