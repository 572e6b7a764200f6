// Replies arrive in pieces, and from servers that may be anything.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "store/redis/connection.hpp"

namespace kiln::redis {
namespace {

using ::testing::HasSubstr;
using Type = Reply::Type;

constexpr std::size_t limit = 1 << 20;

/// All replies in a text that arrives in pieces of this size, then perhaps an error.
struct Heard {
  std::vector<Reply> replies;
  std::string error;
};
Heard hear(std::string_view text, std::size_t piece) {
  Heard heard;
  ReplyReader reader;
  for (;;) {
    auto next = reader.next();
    if (!next) heard.error = next.error().message();
    if (!next || (!*next && text.empty())) return heard;
    if (*next) {
      heard.replies.push_back(**std::move(next));
      continue;
    }
    if (auto fed = reader.feed(text.substr(0, piece), limit); !fed) {
      heard.error = fed.error().message();
      return heard;
    }
    text.remove_prefix(std::min(piece, text.size()));
  }
}

TEST(RedisProtocol, a_command_is_its_words_with_their_lengths) {
  EXPECT_EQ(encode_command({"GET", std::string_view("a\0\r\n", 4)}),
            std::string("*2\r\n$3\r\nGET\r\n$4\r\na\0\r\n\r\n", 23));
}

TEST(RedisProtocol, replies_are_the_same_whatever_pieces_they_arrive_in) {
  const std::string text =
      "+OK\r\n-ERR no\r\n:42\r\n$-1\r\n$5\r\na\r\nbc\r\n*2\r\n$1\r\n0\r\n*2\r\n:1\r\n$0\r\n\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const auto [replies, error] = hear(text, piece);
    ASSERT_EQ(error, "");
    ASSERT_EQ(replies.size(), 6u) << piece;
    EXPECT_TRUE(replies[0].is(Type::status) && replies[0].text == "OK");
    EXPECT_TRUE(replies[1].is(Type::error) && replies[1].text == "ERR no");
    EXPECT_TRUE(replies[2].is(Type::integer) && replies[2].integer == 42);
    EXPECT_TRUE(replies[3].is(Type::nil));
    EXPECT_TRUE(replies[4].is(Type::string) && replies[4].text == "a\r\nbc");
    ASSERT_TRUE(replies[5].is(Type::array));
    ASSERT_EQ(replies[5].elements.size(), 2u);
    EXPECT_EQ(replies[5].elements[0].text, "0");
    ASSERT_EQ(replies[5].elements[1].elements.size(), 2u);
    EXPECT_EQ(replies[5].elements[1].elements[0].integer, 1);
  }
}

TEST(RedisProtocol, what_is_no_reply_is_refused) {
  for (const char* text : {"HTTP/1.1 400 Bad Request\r\n", "$x\r\n", "$-2\r\n", "*-2\r\n",
                           "$99999999999999999999\r\n", ":x\r\n"})
    EXPECT_THAT(hear(text, 3).error, HasSubstr("not Redis's protocol")) << text;
}

TEST(RedisProtocol, an_announced_length_takes_no_memory) {
  // Were two thousand million bytes or elements allocated, the address sanitizer's limit or the
  // machine's would end this.
  EXPECT_EQ(hear("$2147483000\r\nabc", 100).error, "");
  EXPECT_THAT(hear("*2147483000\r\n", 100).error, HasSubstr("a list too long"));
  std::string nested;
  for (int depth = 0; depth < 6; ++depth) nested += "*60000\r\n";
  EXPECT_THAT(hear(nested, 100).error, HasSubstr("a list too long"));
}

TEST(RedisProtocol, a_reply_beyond_the_limit_is_refused_while_it_arrives) {
  const std::string text = "$2000000\r\n" + std::string(2'000'000, 'x') + "\r\n";
  const auto heard = hear(text, 1000);
  EXPECT_THAT(heard.error, HasSubstr("found a reply of more than 1048576 bytes"));
  EXPECT_EQ(heard.replies.size(), 0u);
}

TEST(RedisProtocol, lists_in_lists_have_an_end) {
  std::string deep;
  for (int depth = 0; depth < 1000; ++depth) deep += "*1\r\n";
  EXPECT_THAT(hear(deep, 64).error, HasSubstr("depth"));
}

TEST(RedisProtocol, a_reader_is_empty_between_replies_only) {
  ReplyReader reader;
  EXPECT_TRUE(reader.empty());
  ASSERT_TRUE(reader.feed("+OK\r\n+", limit));
  ASSERT_TRUE(value_or_throw(reader.next()).has_value());
  EXPECT_FALSE(reader.empty()) << "a byte that nobody asked for";
}

RC_GTEST_PROP(RedisProtocol, any_bytes_are_replies_or_refused, (const std::string& bytes)) {
  const auto whole = hear(bytes, bytes.size() + 1), split = hear(bytes, 1);
  RC_ASSERT(whole.replies.size() == split.replies.size());
}

RC_GTEST_PROP(RedisProtocol, bytes_that_look_like_replies_are_replies_or_refused, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "*", "$", "+", "-", ":", "\r\n", "\r", "0", "1", "3", "70000", "abc", "*2\r\n",
      "$3\r\nabc\r\n", "*0\r\n", "$-1\r\n", "9223372036854775807", "-1"));
  std::string text;
  for (const auto& part : parts) text += part;
  const auto whole = hear(text, text.size() + 1), split = hear(text, 1);
  RC_ASSERT(whole.replies.size() == split.replies.size());
}

}  // namespace
}  // namespace kiln::redis
