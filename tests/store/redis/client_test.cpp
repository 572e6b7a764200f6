// What one server is to its callers: connections that are used again, passwords, databases, and a
// server that dies and comes back. The server is the real one.
#include "store/redis/client.hpp"

#include <gmock/gmock.h>

#include "store/redis/redis_process.hpp"
#include "store/support.hpp"

namespace kiln::redis {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LogLines;
using ::testing::Not;
using testing::RedisProcess;
using Use = Client::Use;

Deadline long_time() { return Deadline(std::chrono::minutes(5)); }
constexpr std::size_t memory_limit = 8 << 20;
/// No pause that a test could wait for, and none at all.
constexpr Breaker::Pauses for_ever{std::chrono::hours(1), std::chrono::hours(1), 0};
constexpr Breaker::Pauses no_pauses{std::chrono::milliseconds(0), std::chrono::milliseconds(0), 0};

struct At {
  explicit At(const std::string& url, Breaker::Pauses pauses = for_ever)
      : server(value_or_throw(parse_shared_url(url)), {pauses, resolve_by_system}) {}
  /// The reply's text, or "error: …".
  std::string ask(Words words, Use use = Use::read) {
    const auto reply = server.call(use, words, long_time(), memory_limit);
    return reply ? std::string(text_of(**reply)) : "error: " + reply.error().message();
  }
  Client server;
};

int connections(const RedisProcess& redis) {
  const std::string stats = redis.command({"INFO", "stats"}).text;
  const std::string name = "total_connections_received:";
  return std::stoi(stats.substr(stats.find(name) + name.size()));
}

TEST(RedisClient, a_connection_serves_many_calls) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis;
  At at(redis.url());
  const int before = connections(redis);
  EXPECT_EQ(at.ask({"SET", "a", "1"}, Use::write), "OK");
  for (int call = 0; call < 10; ++call) EXPECT_EQ(at.ask({"GET", "a"}), "1");
  EXPECT_EQ(connections(redis), before + 2) << "one is the test's own";
}

TEST(RedisClient, values_of_any_bytes_and_some_size_come_back_as_they_were) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis;
  At at(redis.url());
  const Bytes value = testing::content_of(1, 1, 5'000'000);
  EXPECT_EQ(at.ask({"SET", "a", as_text(value)}, Use::write), "OK");
  EXPECT_EQ(at.ask({"GET", "a"}), as_text(value));
}

TEST(RedisClient, is_reached_by_name_by_ipv4_and_by_socket) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis;
  EXPECT_EQ(At("redis://localhost:" + std::to_string(redis.port())).ask({"PING"}), "PONG");
  EXPECT_EQ(At("redis://127.0.0.1:" + std::to_string(redis.port())).ask({"PING"}), "PONG");
  EXPECT_EQ(At("unix://" + redis.socket()).ask({"PING"}), "PONG");
}

TEST(RedisClient, the_database_of_the_url_is_used) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis;
  EXPECT_EQ(At(redis.url() + "/3").ask({"SET", "a", "in three"}, Use::write), "OK");
  EXPECT_EQ(At(redis.url()).ask({"GET", "a"}), "");
  EXPECT_EQ(At("unix://" + redis.socket() + "?db=3").ask({"GET", "a"}), "in three");
  EXPECT_EQ(At(redis.url() + "/99").ask({"GET", "a"}), "error: database: the server says ERR");
}

TEST(RedisClient, the_right_password_opens_and_a_wrong_or_absent_one_is_an_error_without_it) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis({}, "s3cret");
  const std::string address = "127.0.0.1:" + std::to_string(redis.port());
  EXPECT_EQ(At("redis://:s3cret@" + address).ask({"PING"}), "PONG");
  EXPECT_EQ(At("redis://default:s3cret@" + address).ask({"PING"}), "PONG");
  const LogLines log;
  EXPECT_EQ(At("redis://:wr0ng@" + address).ask({"PING"}),
            "error: password: the server says WRONGPASS");
  EXPECT_THAT(At("redis://" + address).ask({"GET", "a"}), HasSubstr("NOAUTH"));
  ASSERT_EQ(log.lines().size(), 2u);
  for (const auto& line : log.lines()) EXPECT_THAT(line, Not(HasSubstr("wr0ng")));
}

TEST(RedisClient, a_server_without_passwords_that_gets_one_does_not_leak_it) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis({"--rename-command", "AUTH", ""});
  const auto said = At("redis://:s3cret@127.0.0.1:" + std::to_string(redis.port())).ask({"PING"});
  EXPECT_EQ(said, "error: password: the server says ERR");
}

TEST(RedisClient, a_dead_one_is_skipped_with_one_line_in_the_log) {
  KILN_NEEDS_REDIS();
  RedisProcess redis;
  At at(redis.url());
  EXPECT_EQ(at.ask({"PING"}), "PONG");
  redis.kill();
  const LogLines log;
  EXPECT_EQ(at.ask({"PING"}), "error: connect: Connection refused");
  for (int call = 0; call < 5; ++call)
    EXPECT_THAT(at.ask({"PING"}),
                HasSubstr("error: skipped: connect: Connection refused; next try in 3"));
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_EQ(log.lines()[0], "the shared store " + redis.url() +
                                " is skipped for a while: connect: Connection refused");
}

TEST(RedisClient, one_that_is_back_is_used_again_with_one_line_in_the_log) {
  KILN_NEEDS_REDIS();
  RedisProcess redis;
  const LogLines log;
  {
    At at(redis.url(), no_pauses);
    redis.kill();
    EXPECT_THAT(at.ask({"PING"}), HasSubstr("refused"));
    EXPECT_THAT(at.ask({"PING"}), HasSubstr("skipped: "));
    redis.restart();
    // A thread finds out, when asked; how soon is the machine's business.
    const Deadline patience = long_time();
    std::string said;
    while (said != "PONG" && !patience.over()) said = at.ask({"PING"});
    EXPECT_EQ(at.ask({"PING"}), "PONG");
    // That thread writes its line after it has let the others in: here it is waited for.
  }
  ASSERT_EQ(log.lines().size(), 2u);
  EXPECT_THAT(log.lines()[0], HasSubstr(" is skipped for a while: "));
  EXPECT_EQ(log.lines()[1], "the shared store " + redis.url() + " is back");
}

TEST(RedisClient, who_writes_tries_himself) {
  KILN_NEEDS_REDIS();
  RedisProcess redis;
  At at(redis.url(), no_pauses);
  redis.kill();
  EXPECT_EQ(at.ask({"PING"}), "error: connect: Connection refused");
  EXPECT_EQ(at.ask({"SET", "a", "1"}, Use::write), "error: connect: Connection refused");
  redis.restart();
  EXPECT_EQ(at.ask({"SET", "a", "1"}, Use::write), "OK");
}

TEST(RedisClient, a_restart_between_two_calls_goes_unnoticed) {
  KILN_NEEDS_REDIS();
  RedisProcess redis;
  At at(redis.url());
  EXPECT_EQ(at.ask({"PING"}), "PONG");
  redis.restart();
  const LogLines log;
  EXPECT_EQ(at.ask({"PING"}), "PONG");
  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST(RedisClient, one_that_hangs_up_on_idle_connections_is_no_failure) {
  KILN_NEEDS_REDIS();
  RedisProcess redis;
  At at(redis.url());
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(at.ask({"GET", "a"}), "");
    redis.command({"CLIENT", "KILL", "TYPE", "normal"});
  }
}

TEST(RedisClient, a_full_one_refuses_writes_and_is_read_all_the_same) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis;
  At at(redis.url());
  EXPECT_EQ(at.ask({"SET", "a", "1"}, Use::write), "OK");
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  const LogLines log;
  EXPECT_THAT(at.ask({"SET", "b", "1"}, Use::write), HasSubstr("error: the server says OOM"));
  EXPECT_THAT(at.ask({"SET", "b", "1"}, Use::write), HasSubstr("error: skipped: the server says"));
  EXPECT_EQ(at.ask({"GET", "a"}), "1");
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_THAT(log.lines()[0], HasSubstr("takes no entries for a while: the server says OOM"));
}

TEST(RedisClient, a_key_of_another_type_is_an_error_of_that_key_only) {
  KILN_NEEDS_REDIS();
  const RedisProcess redis;
  At at(redis.url());
  redis.command({"RPUSH", "list", "1"});
  EXPECT_THAT(at.ask({"GET", "list"}), HasSubstr("error: the server says WRONGTYPE"));
  EXPECT_EQ(at.ask({"PING"}), "PONG");
}

}  // namespace
}  // namespace kiln::redis
