#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include "tune/replay/measured_space.hpp"

namespace kiln::tune {
namespace {

using ::testing::HasSubstr;

Bytes gzipped(std::string_view text) {
  Bytes out(text.size() + text.size() / 100 + 1000);
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(out.size() - z.avail_out);
  deflateEnd(&z);
  return out;
}

struct Read {
  std::string text, error;
};

Read read_inflated(ByteView bytes, std::uint64_t most = 1u << 30) {
  TextSource source(bytes, most);
  Read result;
  for (int c; (c = source.sbumpc()) >= 0;) result.text += static_cast<char>(c);
  EXPECT_EQ(source.sbumpc(), -1);  // an end stays an end
  result.error = source.error();
  return result;
}

RC_GTEST_PROP(TextSource, gives_what_was_compressed, ()) {
  const auto part = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  std::string text;
  const int copies = *rc::gen::elementOf(std::vector<int>{1, 3, 5000});
  for (int i = 0; i < copies; ++i) text += part;
  RC_ASSERT(read_inflated(gzipped(text)).text == text);
  RC_ASSERT(read_inflated(gzipped(text)).error.empty());
}

TEST(TextSource, gives_plain_text_as_it_is) {
  EXPECT_EQ(read_inflated(as_bytes("plain")).text, "plain");
  EXPECT_EQ(read_inflated({}).text, "");
  const std::string large(300'000, 'x');
  EXPECT_EQ(read_inflated(as_bytes(large)).text, large);
}

TEST(TextSource, reads_files_that_were_put_together) {
  Bytes both = gzipped("one ");
  append(both, ByteView(gzipped("two")));
  EXPECT_EQ(read_inflated(both).text, "one two");
}

TEST(TextSource, says_that_the_data_ends_early) {
  Bytes cut = gzipped(std::string(1000, 'a') + "tail");
  cut.resize(cut.size() - 9);
  EXPECT_EQ(read_inflated(cut).error, "the compressed data ends early");
}

TEST(TextSource, says_that_the_data_is_damaged) {
  Bytes bytes = gzipped("some text that is long enough to be compressed, compressed, compressed");
  bytes[bytes.size() / 2] ^= std::byte{0x55};
  EXPECT_THAT(read_inflated(bytes).error, HasSubstr("damaged"));
}

TEST(TextSource, gives_no_more_than_it_is_allowed) {
  const Bytes bomb = gzipped(std::string(50'000'000, '0'));
  ASSERT_LT(bomb.size(), 100'000u);
  const Read got = read_inflated(bomb, 1'000'000);
  EXPECT_EQ(got.error, "it holds more than 1000000 bytes of text");
  EXPECT_LE(got.text.size(), 1'000'000u);
}

}  // namespace
}  // namespace kiln::tune
