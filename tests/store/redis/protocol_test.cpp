// Replies arrive in pieces, and from servers that may be anything.
#include <gmock/gmock.h>
#include <linux/sockios.h>
#include <poll.h>
#include <rapidcheck/gtest.h>
#include <sys/ioctl.h>
#include <sys/un.h>

#include <thread>

#include "store/redis/redis_process.hpp"

namespace kiln::redis {
namespace {

using testing::Answer;
using ::testing::HasSubstr;

constexpr std::size_t limit = 1 << 20;

/// All replies in a text, then perhaps an error, and what the server was sent.
struct Heard {
  std::vector<Answer> replies;
  std::string error, commands;
};

/// A server that says one text, whatever it is sent.
class Speaker {
 public:
  Speaker() {
    url_.socket = folder_.path() / "socket";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    url_.socket.copy(address.sun_path, sizeof address.sun_path - 1);
    ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener_.get(), 1);
  }

  /// The text arrives in pieces of this size; each is read before the next is sent.
  Heard hear(std::string_view text, std::size_t piece, Words words = {"PING"}) {
    Heard heard;
    std::thread server([&] { heard.commands = say(text, piece); });
    {
      Connection connection(url_, "");
      const Deadline deadline(std::chrono::minutes(5));
      EXPECT_TRUE(connection.open(url_, deadline));
      for (;;) {
        const auto reply = connection.call(words, deadline, limit);
        if (!reply) heard.error = reply.error().message();
        if (!reply) break;
        heard.replies.emplace_back(**reply);
      }
    }
    server.join();
    if (heard.error == "reply: Server closed the connection") heard.error.clear();
    return heard;
  }
  /// Whether a connection can be used again whose first reply is this text, while it stays open.
  bool leaves_reusable(std::string_view text) {
    Connection connection(url_, "");
    const Deadline deadline(std::chrono::minutes(5));
    EXPECT_TRUE(connection.open(url_, deadline));
    const FileDescriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    (void)!::write(client.get(), text.data(), text.size());
    (void)connection.call({"PING"}, deadline, limit);
    return connection.reusable();
  }

 private:
  std::string say(std::string_view text, std::size_t piece) const {
    const FileDescriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    while (!text.empty()) {
      const auto part = text.substr(0, piece);
      text.remove_prefix(part.size());
      if (::send(client.get(), part.data(), part.size(), MSG_NOSIGNAL) < 0) break;
      for (int unread = 1; unread > 0 && !text.empty() && !is_gone(client.get());)
        ::ioctl(client.get(), SIOCOUTQ, &unread);
    }
    ::shutdown(client.get(), SHUT_WR);
    std::string said;
    char bytes[4096];
    for (ssize_t got; (got = ::read(client.get(), bytes, sizeof bytes)) > 0;)
      said.append(bytes, static_cast<std::size_t>(got));
    return said;
  }
  static bool is_gone(int client) {
    pollfd poll{client, 0, 0};
    return ::poll(&poll, 1, 0) != 0;
  }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-redis"));
  SharedUrl url_;
  FileDescriptor listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST(RedisProtocol, a_command_is_its_words_with_their_lengths) {
  const auto heard = Speaker().hear("", 1, {"GET", std::string_view("a\0\r\n", 4)});
  EXPECT_EQ(heard.commands, std::string("*2\r\n$3\r\nGET\r\n$4\r\na\0\r\n\r\n", 23));
}

TEST(RedisProtocol, replies_are_the_same_whatever_pieces_they_arrive_in) {
  Speaker speaker;
  const std::string text =
      "+OK\r\n-ERR no\r\n:42\r\n$-1\r\n$5\r\na\r\nbc\r\n*2\r\n$1\r\n0\r\n*2\r\n:1\r\n$0\r\n\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const auto [replies, error, commands] = speaker.hear(text, piece);
    ASSERT_EQ(error, "");
    ASSERT_EQ(replies.size(), 6u) << piece;
    EXPECT_TRUE(replies[0].type == REDIS_REPLY_STATUS && replies[0].text == "OK");
    EXPECT_TRUE(replies[1].type == REDIS_REPLY_ERROR && replies[1].text == "ERR no");
    EXPECT_TRUE(replies[2].type == REDIS_REPLY_INTEGER && replies[2].integer == 42);
    EXPECT_TRUE(replies[3].type == REDIS_REPLY_NIL);
    EXPECT_TRUE(replies[4].type == REDIS_REPLY_STRING && replies[4].text == "a\r\nbc");
    ASSERT_TRUE(replies[5].type == REDIS_REPLY_ARRAY);
    ASSERT_EQ(replies[5].elements.size(), 2u);
    EXPECT_EQ(replies[5].elements[0].text, "0");
    ASSERT_EQ(replies[5].elements[1].elements.size(), 2u);
    EXPECT_EQ(replies[5].elements[1].elements[0].integer, 1);
  }
}

TEST(RedisProtocol, what_is_no_reply_is_refused) {
  Speaker speaker;
  for (const char* text : {"HTTP/1.1 400 Bad Request\r\n", "$x\r\n", "$-2\r\n", "*-2\r\n",
                           "$99999999999999999999\r\n", ":x\r\n"})
    EXPECT_THAT(speaker.hear(text, 3).error, HasSubstr("not Redis's protocol")) << text;
}

TEST(RedisProtocol, an_announced_length_takes_no_memory) {
  // Were two thousand million bytes or elements allocated, the address sanitizer's limit or the
  // machine's would end this.
  Speaker speaker;
  EXPECT_EQ(speaker.hear("$2147483000\r\nabc", 100).error, "");
  EXPECT_THAT(speaker.hear("*2147483000\r\n", 100).error, HasSubstr("a list too long"));
  std::string nested;
  for (int depth = 0; depth < 6; ++depth) nested += "*60000\r\n";
  EXPECT_THAT(speaker.hear(nested, 100).error, HasSubstr("a list too long"));
}

TEST(RedisProtocol, a_reply_beyond_the_limit_is_refused_while_it_arrives) {
  const std::string text = "$2000000\r\n" + std::string(2'000'000, 'x') + "\r\n";
  const auto heard = Speaker().hear(text, 1000);
  EXPECT_THAT(heard.error, HasSubstr("found a reply of more than 1048576 bytes"));
  EXPECT_EQ(heard.replies.size(), 0u);
}

TEST(RedisProtocol, lists_in_lists_have_an_end) {
  std::string deep;
  for (int depth = 0; depth < 1000; ++depth) deep += "*1\r\n";
  EXPECT_THAT(Speaker().hear(deep, 64).error, HasSubstr("the reply is not Redis's protocol"));
}

TEST(RedisProtocol, a_connection_is_used_again_between_replies_only) {
  Speaker speaker;
  EXPECT_TRUE(speaker.leaves_reusable("+OK\r\n"));
  EXPECT_FALSE(speaker.leaves_reusable("+OK\r\n+")) << "a byte that no command asked for";
  EXPECT_FALSE(speaker.leaves_reusable("-NOAUTH\r\n")) << "one has to say who one is again";
}

RC_GTEST_PROP(RedisProtocol, any_bytes_are_replies_or_refused, (const std::string& bytes)) {
  Speaker speaker;
  const auto whole = speaker.hear(bytes, bytes.size() + 1), split = speaker.hear(bytes, 1);
  RC_ASSERT(whole.replies.size() == split.replies.size());
}

RC_GTEST_PROP(RedisProtocol, bytes_that_look_like_replies_are_replies_or_refused, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "*", "$", "+", "-", ":", "\r\n", "\r", "0", "1", "3", "70000", "abc", "*2\r\n",
      "$3\r\nabc\r\n", "*0\r\n", "$-1\r\n", "9223372036854775807", "-1"));
  std::string text;
  for (const auto& part : parts) text += part;
  Speaker speaker;
  const auto whole = speaker.hear(text, text.size() + 1), split = speaker.hear(text, 1);
  RC_ASSERT(whole.replies.size() == split.replies.size());
}

}  // namespace
}  // namespace kiln::redis
